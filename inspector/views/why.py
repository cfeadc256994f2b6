"""Why: what each contributor did, where the prompt cache breaks, what became of every message, what else happened.

Works when it is looked at, in one job a request; what is shown stays until the next is there.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.trace.model import RequestDetail
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.why import Why, read_why
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.cache_use import CachePane
from inspector.views.events import EventsPane
from inspector.views.fates import FatesPane
from inspector.views.flat_tabs import flat_tabs
from inspector.views.items_table import ItemsTable
from inspector.views.remembered import RememberedPane
from inspector.views.waterfall import WaterfallPane

CONTRIBUTORS, CACHE, FATES, EVENTS, REMEMBERED = range(5)


class WhyView(QWidget):
    """Contributors, prompt cache and fates of one request."""

    open_artifact = Signal(str)
    open_summary = Signal(int)
    go_to_request = Signal(int)
    go_to_part = Signal(str, int)
    """A piece of the request, by its area and its place."""
    go_to_message = Signal(object, object)
    """A message in Raw ↔ Effective, by its raw place or by its sent one."""

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._explaining = jobs, explaining
        self._detail: RequestDetail | None = None
        self.why: Why | None = None
        self._message: int | None = None
        self.waterfall = WaterfallPane(jobs, explaining)
        self.cache = CachePane(jobs, explaining)
        self.fates = FatesPane(jobs, explaining)
        self.events = EventsPane(explaining.reader, jobs)
        self.remembered = RememberedPane()
        self.tabs = flat_tabs("Contributors, prompt cache, fates, events, what is remembered")
        self.tabs.addTab(self.waterfall, "Contributors")
        self.tabs.addTab(self.cache, "Prompt cache")
        self.tabs.addTab(self.fates, "Fates of messages")
        self.tabs.addTab(self.events, "Events")
        self.tabs.addTab(self.remembered, "Remembered")
        self.pane = Pane()
        self.pane.set_content(self.tabs)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.tabs)
        self.waterfall.go_to_part.connect(self.go_to_part)
        self.cache.go_to_part.connect(self.go_to_part)
        self.remembered.go_to_part.connect(self.go_to_part)
        self.cache.go_to_request.connect(self.go_to_request)
        self.events.go_to_request.connect(self.go_to_request)
        for part in (self.fates, self.events):
            part.open_artifact.connect(self.open_artifact)
            part.open_summary.connect(self.open_summary)
        self.fates.go_to_message.connect(self.go_to_message)
        self.clear()

    @property
    def table(self) -> ItemsTable[Any]:
        """The list of what is in front."""
        return (self.waterfall, self.cache, self.fates, self.events, self.remembered)[self.tabs.currentIndex()].table

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Explain another request."""
        self._detail = detail
        events = len(detail.events)
        self.tabs.setTabText(EVENTS, f"Events {format.exact(events)}" if events else "Events")
        self.events.show_request(detail)
        self._load()

    def show_events(self, ask_revert: bool = False) -> None:
        """Bring the events to the front; ask whether to take the agent's edit back, where there is one."""
        self.tabs.setCurrentIndex(EVENTS)
        self.events.table.setFocus()
        if ask_revert:
            self.events.ask_revert()

    def clear(self) -> None:
        """Explain nothing."""
        self._detail = self.why = None
        self._jobs.cancel((self, "why"))
        for part in (self.waterfall, self.cache, self.fates, self.events, self.remembered):
            part.clear()
        self.pane.show_empty("No request is selected.", "Select one above to see why it is what it is.")

    def show_contributor(self, name: str) -> None:
        """Select a contributor, now or when the request has been explained."""
        self.tabs.setCurrentIndex(CONTRIBUTORS)
        self.waterfall.select(name)

    def show_message_contributor(self, index: int) -> None:
        """Select who put an effective message there, now or when the request has been explained."""
        self.tabs.setCurrentIndex(CONTRIBUTORS)
        self._message = index
        if self.why is not None and self._detail is not None and self.why.request == self._detail.row.id:
            self._select_message()

    def find_target(self) -> Searchable | None:
        """The text beside the list."""
        current = self.tabs.currentWidget()
        return current.text.find_target() if isinstance(current, (WaterfallPane, FatesPane, EventsPane)) else None

    def _load(self) -> None:
        if self._detail is None:
            return
        what = f"Explaining request {self._detail.row.number}"
        self.pane.show_loading(what, self._cancelled)
        self._jobs.run(what, read_why, self._explaining, self._detail.row.id,
                       done=self._show, failed=self._failed, key=(self, "why"))  # fmt: skip

    def _show(self, why: Why) -> None:
        detail = self._detail
        if detail is None or detail.row.id != why.request:
            return
        self.why = why
        self.waterfall.show_why(why, detail.not_recorded)
        self.cache.show_why(why, detail.row)
        self.fates.show_why(why, detail)
        self.remembered.show_why(why)
        many = len(why.remembered)
        self.tabs.setTabText(REMEMBERED, f"Remembered {format.exact(many)}" if many else "Remembered")
        self.pane.show_content()
        self._select_message()

    def _select_message(self) -> None:
        names = self.why.waterfall.messages_by if self.why is not None else ()
        index, self._message = self._message, None
        if index is not None and index < len(names):
            self.waterfall.select(names[index])

    def _failed(self, sentence: str) -> None:
        self.why = None
        self.pane.show_error(sentence, self._load)

    def _cancelled(self) -> None:
        self._jobs.cancel((self, "why"))
        self.pane.show_error("This request was not explained: cancelled.", self._load)
