"""Leaving a source or the window: asks before work would be lost, and lets runs stop first."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget

from inspector.turns import Turns
from inspector.views.status import StatusLine

STOP_MS = 4000
"""A run that has not stopped by then does not keep the window open."""

Ask = Callable[..., bool]
"""Parent, sentence, words of the answer that goes on, words of the one that does not."""


class Leaving(QObject):
    """Knows what would be lost; closing itself is the window's."""

    def __init__(self, window: QWidget, turns: Turns, status: StatusLine) -> None:
        super().__init__(window)
        self._window, self._turns, self._status = window, turns, status
        self._stopping = False
        self._given_up = False

    def may_leave(self, ask: Ask, unsaved: bool) -> bool:
        """Whether the source may be left; runs are asked to stop."""
        running = len(self._turns.running())
        if running:
            many = f"{running} runs are under way. Stop them? What was finished stays recorded."
            one = "A run is under way. Stop it? What was finished stays recorded."
            words, yes = (one, "Stop it") if running == 1 else (many, "Stop them")
            if not ask(self._window, words, yes):
                return False
            self._turns.stop_all()
        if not unsaved:
            return True
        words = "A memory file has changes that are not saved. They are kept, and offered again next time."
        return ask(self._window, words, "Leave it unsaved", "Stay")

    def may_close(self, ask: Ask, unsaved: bool) -> bool:
        """Whether the window may close now; with runs under way it is closed once they have stopped."""
        if not self._stopping and not self.may_leave(ask, unsaved):
            return False
        if self._turns.running() and not self._given_up:
            self._close_after_runs()
            return False
        return True

    def _close_after_runs(self) -> None:
        if self._stopping:
            return
        self._stopping = True
        self._status.show_note("Stopping what runs before the window closes.")
        self._turns.ended.connect(self._one_ended)
        QTimer.singleShot(STOP_MS, self, self._give_up)

    def _one_ended(self) -> None:
        if not self._turns.running():
            QTimer.singleShot(0, self._window, self._window.close)

    def _give_up(self) -> None:
        self._given_up = True
        self._window.close()
