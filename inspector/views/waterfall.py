"""Contributors: a row each in their order, what it added to every area, and what it did beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.explain.model import Change
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs, Progress
from inspector.models.marked_text import Marked, labelled, marked_difference, marked_whole, replaced
from inspector.models.why import ChangeModel, Turn, TurnModel, Why, did
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.items_table import ItemsTable
from inspector.views.labels import ElidedLabel
from inspector.views.marked_text import MarkedTextView
from inspector.views.parts import AspectSplitter

MOST = 40
"""Messages of a run whose texts are shown together."""
MOST_CHARS = 400_000


class WaterfallPane(QWidget):
    """The request after each contributor in turn."""

    go_to_part = Signal(str, int)

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._explaining = explaining
        self._request = 0
        self._wanted = ""
        self.problem = ElidedLabel(muted=True)
        self.problem.setContentsMargins(8, 2, 8, 2)
        self.model = TurnModel()
        self.table: ItemsTable[Turn] = ItemsTable(
            self.model, "Contributors in their order",
            ("AnthropicPromptCachingMiddleware", "+88.8k", "+888k", "+88.8k", "+888k", "888k"),
            stretch=0, optional=(1, 2, 3),
        )  # fmt: skip
        self.says = ElidedLabel()
        self.says.setContentsMargins(8, 3, 8, 3)
        self.changes = ChangeModel()
        self.did: ItemsTable[Change] = ItemsTable(
            self.changes, "What the contributor did", ("changed", "", "+88.8k"), stretch=1
        )
        self.text = MarkedTextView(jobs, "Text of the piece")
        below = AspectSplitter(self.did, self.text, (1, 2))
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.says)
        column.addWidget(below, 1)
        self.split = AdaptiveSplitter(over=50, beside=58, roomy=720)
        self.split.addWidget(self.table)
        self.split.addWidget(beside)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.problem)
        outer.addWidget(self.split, 1)
        self.setFocusProxy(self.table)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(lambda _turn: self.did.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.did.current_changed.connect(self._change_selected)
        self.did.opened.connect(self._go)

    def show_why(self, why: Why, not_recorded: Mapping[str, str]) -> None:
        """Show another request's; the selection stays at the contributor of the same name."""
        self._request = why.request
        before = self.table.current()
        unknown = [area for area in not_recorded if area != "messages"]
        left_out = f"Not recorded: {', '.join(unknown)}." if unknown else ""
        says = " ".join(filter(None, [why.waterfall.problem, left_out]))
        self.problem.set_text(says)
        self.problem.setVisible(bool(says))
        self.model.set_items(
            tuple(replace(turn, unknown=frozenset(unknown)) if turn.step is None else turn for turn in why.turns)
        )
        if self._wanted:
            self.select(self._wanted)
        self._wanted = ""
        self.table.select_first()
        now = self.table.current()
        if now is not None and before is not None:
            self._selected(now)

    def select(self, contributor: str) -> None:
        """Select a contributor by name."""
        self._wanted = contributor
        for turn in self.model.items:
            if turn.contributor == contributor:
                self.table.select((contributor, turn.place))
                return

    def clear(self) -> None:
        """Show nothing."""
        self._wanted = ""
        self.model.set_items(())
        self._selected(None)

    def _selected(self, turn: Turn | None) -> None:
        if turn is None or turn.step is None:
            self.changes.set_items(())
            self.says.set_text("" if turn is None else "The sum of all contributors: what the model was given.")
            self.text.clear("Nothing is selected.", "Select a contributor to see what it did.")
            return
        self.says.set_text(f"{turn.contributor} {did(turn.step)}")
        before = self.did.current()
        self.changes.set_items(turn.step.changes)
        if not turn.step.changes:
            self.text.clear("It changed nothing.", "It passed this request on as it was.")
            return
        self.did.select_first()
        now = self.did.current()
        if now is not None and now == before:
            self._change_selected(now)

    def _change_selected(self, change: Change | None) -> None:
        if change is None:
            return
        key = (self._request if change.area == "provider" else 0, change.area, change.what, change.parts, change.was,
               change.name)  # fmt: skip
        self.text.load("Reading the piece", change_text, self._explaining, change, key=key)

    def _go(self, change: Change | None) -> None:
        if change is not None and change.what != "removed":
            self.go_to_part.emit(change.area, change.index)


def change_text(explaining: Explaining, change: Change, progress: Progress) -> Marked:
    """What a contributor put there, took away or changed. Runs in a job."""
    if change.area == "provider":
        old, new = (_setting(value) for value in (change.old, change.new))
        return marked_difference(old, new, replaced(old, new))
    if change.what == "changed" and len(change.parts) == 1 and len(change.was) == 1:
        explainer = explaining()
        pair = (change.area, change.was[0], change.parts[0])
        old, new = explainer.texts(*pair)
        return marked_difference(old, new, explainer.text_diff(*pair, progress.check))
    sort = "removed" if change.what == "removed" else None
    if len(change.parts) == 1:
        return marked_whole(explaining.text(change.area, change.parts[0]), sort)  # type: ignore[arg-type]
    texts, chars = [], 0
    for n, part in enumerate(change.parts):
        if n >= MOST or chars > MOST_CHARS:
            left = len(change.parts) - n
            texts.append((f"and {format.exact(left)} more; the area shows them", ""))
            break
        progress.check()
        text = explaining.text(change.area, part)
        chars += len(text)
        texts.append((f"{change.index + n + 1}", text))
    return labelled(texts)


def _setting(value: object) -> str:
    return "" if value is None else json.dumps(value, ensure_ascii=False, indent=2, default=str)
