"""Events: what context engineering did around one request, and the agent's own edits of memory with their way back."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.trace.model import RequestDetail
from inspector import format
from inspector.jobs import Jobs
from inspector.models.events import EventsModel, Happening, about, event_text, read_events, words
from inspector.panes import Pane, plain_label, tint
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.facts import Facts
from inspector.views.items_table import ItemsTable
from inspector.views.marked_text import MarkedTextView
from inspector.views.plain_text import Link
from inspector.views.revert_bar import Edit, RevertBar


class EventsPane(QWidget):
    """What happened on one request."""

    open_artifact = Signal(str)
    open_summary = Signal(int)
    go_to_request = Signal(int)

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._detail: RequestDetail | None = None
        self._asking = False
        self.model = EventsModel()
        self.table: ItemsTable[Happening] = ItemsTable(
            self.model, "Events of the request", ("memory loaded", "", "88 min ago"), stretch=1, optional=(2,)
        )
        self.facts = Facts()
        self.about = plain_label()
        self.about.setWordWrap(True)
        self.about.setContentsMargins(8, 2, 8, 4)
        self.revert = RevertBar(jobs)
        self.text = MarkedTextView(jobs, "What the event changed")
        below = QWidget()
        column = QVBoxLayout(below)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.facts, self.about, self.revert):
            column.addWidget(part)
        column.addWidget(self.text, 1)
        self.split = AdaptiveSplitter(over=46, beside=46, roomy=720)
        self.split.addWidget(self.table)
        self.split.addWidget(below)
        self.pane = Pane()
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(self._go)
        self.clear()

    def show_request(self, detail: RequestDetail) -> None:
        """Show another request's."""
        self._detail = detail
        self.pane.show_loading(f"Reading the events of request {detail.row.number}")
        self._jobs.run(
            "Reading the events", read_events, self._reader, detail,
            done=self._show, failed=self.pane.show_error, key=(self, "events"),
        )  # fmt: skip

    def clear(self) -> None:
        """Show nothing."""
        self._detail, self._asking = None, False
        self._jobs.cancel((self, "events"))
        self.model.set_items(())
        self._selected(None)
        self.pane.show_empty("No request is selected.", "Select one above to see what happened on it.")

    def ask_revert(self) -> None:
        """Select the agent's first edit and ask whether to take it back, now or when the events are there."""
        edit = next((one for one in self.model.items if one.edit is not None), None)
        self._asking = edit is None
        if edit is not None:
            self.table.setCurrentIndex(self.table.model().index(self.model.items.index(edit), 0))
            self.revert.ask()

    def _show(self, found: list[Happening]) -> None:
        before = self.table.current()
        self.model.set_items(found)
        if not found:
            how = "An offload, a summary, memory or skills that are loaded, read or edited would be told here."
            self.pane.show_empty("Nothing happened on this request but the call.", how)
            return
        self.pane.show_content()
        self.table.select_first()
        now = self.table.current()
        if now is not None and before is not None:
            self._selected(now)
        if self._asking:
            self.ask_revert()
            self._asking = False

    def _selected(self, one: Happening | None) -> None:
        if one is None:
            self.facts.set_facts("")
            self.about.hide()
            self.revert.show_edit(None)
            self.text.clear("No event is selected.", "Select one to see what it changed.")
            return
        links: list[QWidget] = []
        if one.path:
            opens = Link("The file", partial(self.open_artifact.emit, one.path))
            opens.setToolTip(format.tip(one.path))
            links.append(opens)
        if one.kind == "summary" and one.event is not None:
            links.append(Link("The summary", partial(self.open_summary.emit, one.event)))
        for word, id in one.requests:
            links.append(Link(word[0].upper() + word[1:], partial(self.go_to_request.emit, id)))
        self.facts.set_facts(words(one) or one.kind, (), links)
        says = about(one)
        self.about.setText(format.marked(says))
        self.about.setVisible(bool(says))
        tint(self.about, "error" if one.copied else "muted")
        edit = one.edit
        wanted = None
        if edit is not None and one.workspace is not None and edit.after is not None:
            wanted = Edit(one.workspace, edit.thread_id, edit.path, edit.request, edit.tool_call_id)
        self.revert.show_edit(wanted)
        detail = self._detail
        key = (detail.row.id if detail is not None else 0, one.event, one.path, edit)
        self.text.load("Comparing the texts", event_text, one, key=key)

    def _go(self, one: Happening | None) -> None:
        if one is None:
            return
        if one.kind == "summary" and one.event is not None:
            self.open_summary.emit(one.event)
        elif one.path and one.edit is None:
            self.open_artifact.emit(one.path)
        else:
            self.text.setFocus()
