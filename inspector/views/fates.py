"""Fates: how many messages met which, and the rule in words for each that was not sent as it is."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.explain.model import MessageFate
from engine.trace.model import RequestDetail
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.marked_text import Marked, marked_whole
from inspector.models.why import FateModel, Why
from inspector.panes import Pane
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.facts import Facts
from inspector.views.items_table import ItemsTable
from inspector.views.labels import ElidedLabel
from inspector.views.marked_text import MarkedTextView
from inspector.views.plain_text import Link


class FatesPane(QWidget):
    """What became of every message of one request."""

    open_artifact = Signal(str)
    open_summary = Signal(int)
    go_to_message = Signal(object, object)

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._explaining = explaining
        self.caption = ElidedLabel()
        self.caption.setContentsMargins(8, 3, 8, 3)
        self.model = FateModel()
        self.table: ItemsTable[MessageFate] = ItemsTable(
            self.model, "Fates of messages", ("8 888", "8 888", "arguments cut", "", "SummarizationMiddleware"),
            stretch=3, optional=(4,),
        )  # fmt: skip
        self.facts = Facts()
        self.text = MarkedTextView(jobs, "Text of the message")
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.facts)
        column.addWidget(self.text, 1)
        self.split = AdaptiveSplitter(over=52, beside=56, roomy=720)
        self.split.addWidget(self.table)
        self.split.addWidget(below)
        self.pane = Pane()
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(self.caption)
        outer.addWidget(self.pane, 1)
        self.setFocusProxy(self.table)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(self._go)

    def show_why(self, why: Why, detail: RequestDetail) -> None:
        """Show another request's; the selection stays at its message."""
        before = self.table.current()
        self.caption.set_text(counted(why))
        self.caption.setVisible(bool(why.counts))
        self.model.set_items(why.fates)
        if why.fates_problem:
            self.pane.show_empty("The fates of messages are not known.", why.fates_problem)
            return
        if not why.fates:
            how = "A message that is summarized, offloaded or cut on its way to the model would be told here."
            self.pane.show_empty("Every message was sent as it is in the state.", how)
            return
        self.pane.show_content()
        self.table.select_first()
        now = self.table.current()
        if now is not None and before is not None:
            self._selected(now)

    def clear(self) -> None:
        """Show nothing."""
        self.caption.set_text("")
        self.model.set_items(())
        self.facts.set_facts("")
        self.text.clear("No message is selected.")

    def _selected(self, fate: MessageFate | None) -> None:
        if fate is None:
            self.facts.set_facts("")
            self.text.clear("No message is selected.", "Select one to read it whole.")
            return
        links: list[QWidget] = [Link("In Raw ↔ Effective", partial(self._go, fate))]
        if fate.event is not None and fate.fate in ("summary", "summarized"):
            links.append(Link("Summary", partial(self.open_summary.emit, fate.event)))
        if fate.path:
            opens = Link("File with the whole of it", partial(self.open_artifact.emit, fate.path))
            opens.setToolTip(format.tip(fate.path))
            links.append(opens)
        self.facts.set_facts(fate.words or f"{fate.fate.capitalize()}; no rule is known.", (), links)
        self.text.load("Reading the message", _text, self._explaining, fate.part, key=fate.part)

    def _go(self, fate: MessageFate | None) -> None:
        if fate is not None:
            self.go_to_message.emit(fate.raw_index, fate.sent_index)


def counted(why: Why) -> str:
    """``68 summarized · 52 sent · 1 summary``."""
    return " · ".join(f"{format.exact(many)} {fate}" for fate, many in why.counts)


def _text(explaining: Any, part: int) -> Marked:
    return marked_whole(explaining.text("messages", part), None)
