"""How many runs are under way, in the status line, and a way to each."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from inspector import format
from inspector.models.threads import title
from inspector.turns import Turn
from inspector.views.buttons import MenuButton

if TYPE_CHECKING:
    from engine.trace.model import ThreadRow

_SIGNS = {"running": "●", "waiting": "?"}


class RunsButton(MenuButton):
    """Hidden while nothing runs."""

    chosen = Signal(str)
    """The thread of a run that the user wants to see."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Runs", "Runs under way", parent)
        self._turns: list[Turn] = []
        self._threads: Sequence[ThreadRow] = ()
        self.entries.aboutToShow.connect(self._fill)
        self.hide()

    def show_runs(self, turns: Sequence[Turn], threads: Sequence[ThreadRow] | None) -> None:
        """Say how many there are, and how many wait for an answer."""
        self._turns, self._threads = list(turns), threads or ()
        if turns:
            waiting = sum(turn.state == "waiting" for turn in turns)
            one = "1 run waits for you" if waiting == len(turns) else "1 run under way"
            many = f"{len(turns)} runs under way" + (f", {waiting} of them for you" if waiting else "")
            says = one if len(turns) == 1 else many
            if says != self.accessibleName():  # runs tell of themselves thirty times a second
                self.setText(f"{says} ▾")
                self.setAccessibleName(says)
        self.setVisible(bool(turns))

    def _fill(self) -> None:
        self.entries.clear()
        wanted = {turn.thread_id for turn in self._turns}
        titles = {row.thread_id: title(row) for row in self._threads if row.thread_id in wanted}
        for turn in self._turns:
            name = titles.get(turn.thread_id) or "New thread"
            line = format.menu_text(f"{_SIGNS.get(turn.state, '●')} {name}: {turn.line()}", 90)
            self.entries.addAction(line, partial(self.chosen.emit, turn.thread_id))
