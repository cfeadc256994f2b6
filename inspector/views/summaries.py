"""Summaries of a thread: every event in order, the summary's text and the messages it evicted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.trace.model import RawRow, Summary
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.summaries import EvictedModel, SummariesModel, evicted, history, saved, tokens
from inspector.panes import plain_label
from inspector.searching import Searchable
from inspector.views.facts import Facts
from inspector.views.flat_tabs import flat_tabs
from inspector.views.items_table import ItemsTable
from inspector.views.lost import LostPane
from inspector.views.parts import AspectSplitter, Line
from inspector.views.plain_text import Link
from inspector.views.side import SidePane
from inspector.views.text import TextView

_PAGE = 128
"""First lines of evicted messages that are read at once."""


class SummariesView(SidePane):
    """A table of the thread's summaries over the selected one: text, evicted messages, links."""

    open_artifact = Signal(str)
    """The user asked for a history file, by its path."""

    noun = "summaries"

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(reader, jobs, parent)
        self._pending: int | None = None
        self.model = SummariesModel()
        self.table: ItemsTable[Summary] = ItemsTable(
            self.model,
            "Summaries of the thread",
            ("88", "88 min ago", "#888", "888", "~888k → ~888k", "Saved"),
            stretch=5,
            optional=(1,),
        )
        self.facts = Facts()
        self.text = TextView(jobs, "Text of the summary")
        self.text.setMinimumWidth(100)
        self.evicted = EvictedPane(reader, jobs)
        self.tabs = flat_tabs("Summary or evicted messages")
        self.tabs.setAccessibleName("Summary and evicted messages")
        self.tabs.addTab(self.text, "Summary")
        self.tabs.addTab(self.evicted, "Evicted")
        self.lost = LostPane(jobs, Explaining(reader))
        self.tabs.addTab(self.lost, "Lost")
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        for widget in (Line(), self.facts):
            below.addWidget(widget)
        below.addWidget(self.tabs, 1)
        self.splitter = AspectSplitter(self.table, lower, (2, 3))
        self.pane.set_content(self.splitter)
        self.table.current_changed.connect(self._selected)
        self.table.link_clicked.connect(self._go)
        self.table.opened.connect(lambda _summary: self.text.edit.setFocus())
        self.tabs.currentChanged.connect(lambda _tab: self.evicted.load_if_seen())
        self.lost.go_to_request.connect(self.go_to_request)

    def select(self, event_id: int) -> None:
        """Select the summary of an event, now or when it has been read."""
        if not self.table.select(event_id):
            self._pending = event_id
            self.refresh()

    def find_target(self) -> Searchable | None:
        """The summary or the evicted message, whichever is shown."""
        shown = self.evicted.text if self.tabs.currentWidget() is self.evicted else self.text
        return shown.find_target()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        super().close_jobs()
        self.evicted.close_jobs()
        self.lost.close_jobs()

    def fetch(self, thread_id: str) -> list[Summary]:
        """The thread's summaries, the first one first."""
        return list(self.reader.summaries(thread_id))

    def show_loaded(self, found: list[Summary]) -> None:
        """Bring the table up to date."""
        before = self.table.current()
        self.model.set_items(found)
        if not found:
            self.pane.show_empty(
                "Nothing has been summarized in this thread.",
                "A summary is made when the context reaches the trigger, or when the model refuses its length.",
            )
            return
        self.pane.show_content()
        self.lost.refresh()
        self.splitter.fit_first(self.table.height_of(len(found)))
        if self._pending is not None and self.table.select(self._pending):
            self._pending = None
        self._pending = None
        self.table.select_first()
        now = self.table.current()
        if before is not None and now is not None and now != before and now.event == before.event:
            self._selected(now)

    def thread_left(self) -> None:
        """Forget the summaries of the thread before."""
        self._pending = None
        self.model.set_items([])
        self._selected(None)

    def _selected(self, summary: Summary | None) -> None:
        self.evicted.set_summary(summary)
        self.lost.set_summary(self.thread_id, summary)
        if summary is None:
            self.facts.set_facts("")
            self.text.clear("No summary is selected.", "Select one above to read it.")
            self.tabs.setTabText(1, "Evicted")
            return
        many = evicted(summary)
        self.tabs.setTabText(1, f"Evicted · {format.exact(many)}")
        self.facts.set_facts(
            f"Summary {self.model.row_of(summary.event) + 1}" + (", of a summary" if summary.chained else ""),
            [
                ("When", format.absolute(summary.at)),
                ("Evicted", _evicted_words(summary, many)),
                ("Tokens", f"{tokens(summary)}, estimated"),
                ("History", history(summary)),
            ],
            self._links(summary),
        )
        self.text.load(
            "Reading the summary", partial(self.reader.text, summary.part), key=(summary.event, summary.part)
        )

    def _links(self, summary: Summary) -> list[QWidget]:
        links: list[QWidget] = []
        if summary.request is not None:
            number = "" if summary.request_number is None else f" {summary.request_number}"
            links.append(Link(f"Request{number}", partial(self.go_to_request.emit, summary.request)))
        if summary.summary_request is not None:
            links.append(Link("Summarizing call", partial(self.go_to_request.emit, summary.summary_request)))
        if summary.problem:
            links.append(plain_label(f"History {saved(summary)}", muted=True))
        elif summary.path is not None:
            file = Link("History file", partial(self.open_artifact.emit, summary.path))
            file.setToolTip(format.tip(summary.path))
            links.append(file)
        else:
            links.append(plain_label("History not saved", muted=True))
        return links

    def _go(self, summary: Summary | None) -> None:
        if summary is not None and summary.request is not None:
            self.go_to_request.emit(summary.request)


class EvictedPane(QWidget):
    """The raw messages that a summary evicted; the list loads when it is seen, a text when it is selected."""

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.reader, self.jobs = reader, jobs
        self._summary: Summary | None = None
        self._loaded: int | None = None
        self.model = EvictedModel()
        self.table: ItemsTable[RawRow] = ItemsTable(
            self.model, "Evicted messages", ("8888", "M", "", "888k"), stretch=2
        )
        self.text = TextView(jobs, "Text of the evicted message")
        splitter = AspectSplitter(self.table, self.text, (1, 1))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(splitter)
        self._lines_timer = QTimer(self)
        self._lines_timer.setSingleShot(True)
        self._lines_timer.setInterval(0)
        self._lines_timer.timeout.connect(self._read_lines)
        self.table.verticalScrollBar().valueChanged.connect(lambda _value: self._lines_timer.start())
        self.table.current_changed.connect(self._selected)

    def set_summary(self, summary: Summary | None) -> None:
        """Show another summary's; nothing is read before the list is seen."""
        if summary is not None and summary.event == self._loaded:
            self._summary = summary
            return
        self._summary = summary
        self._loaded = None
        self.jobs.cancel((self, "list"))
        self.model.set_items([])
        self.text.clear("No message is selected.", "Select one above to read it whole.")
        self.load_if_seen()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        self._lines_timer.stop()
        for key in ("list", "lines"):
            self.jobs.cancel((self, key))

    def load_if_seen(self) -> None:
        """Read the list if it is on the screen and has not been read."""
        summary = self._summary
        if summary is None or self._loaded == summary.event or not self.isVisible():
            return
        self._loaded = summary.event
        self.jobs.run(
            "Reading the evicted messages",
            self.reader.evicted,
            summary.event,
            done=self._show,
            failed=self._failed,
            key=(self, "list"),
        )

    def showEvent(self, event: Any) -> None:
        """Seen."""
        super().showEvent(event)
        self.load_if_seen()

    def resizeEvent(self, event: Any) -> None:
        """More rows may be on the screen."""
        super().resizeEvent(event)
        self._lines_timer.start()

    def _show(self, rows: Sequence[RawRow]) -> None:
        self.model.set_items(rows)
        if not rows:
            self.text.clear("No message was evicted by this summary alone.")
        self._lines_timer.start()

    def _failed(self, sentence: str) -> None:
        self._loaded = None
        self.text.show_error(sentence)

    def _read_lines(self) -> None:
        first = max(0, self.table.rowAt(0))
        last = self.table.rowAt(self.table.viewport().height() - 1)
        parts = self.model.unread(first, first + _PAGE if last < 0 else last + _PAGE // 2)
        if parts:
            self.jobs.run(
                "Reading first lines",
                _first_lines,
                self.reader,
                parts[:_PAGE],
                done=self.model.put_lines,
                failed=self._ignore,
                key=(self, "lines"),
                quiet=True,
            )

    def _ignore(self, _sentence: str) -> None:
        """A message that can't be read says so when it is selected."""

    def _selected(self, row: RawRow | None) -> None:
        if row is not None:
            self.text.load("Reading the message", partial(self.reader.text, row.part), key=row.part)


def _first_lines(reader: Any, parts: Sequence[int]) -> dict[int, str]:
    found = reader.heads(parts)
    return {part: _first_line(head) for part, head in found.items()}


def _first_line(head: Any) -> str:
    calls = ", ".join(call.name or "?" for call in head.tool_calls)
    name = f"{head.name}: " if head.name else ""
    return name + (head.first_line or (f"→ {calls}" if calls else head.note))


def _evicted_words(summary: Summary, many: int) -> str:
    if not many:
        return "nothing that no summary before had evicted"
    if many == 1:
        return f"1 message, raw {summary.cutoff}"
    return f"{format.exact(many)} messages, raw {summary.evicted_from + 1} to {summary.cutoff}"
