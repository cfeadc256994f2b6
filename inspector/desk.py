"""One open source on the window: its session, its views, and who tells whom.

Made when a source was opened and the views were imported; closed before another source is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from inspector import memory_links
from inspector.annotations import Annotations
from inspector.baseline import Baseline
from inspector.drift_mark import DriftMark
from inspector.finding import Finding
from inspector.found_places import FoundPlaces
from inspector.going import Going
from inspector.jobs import Jobs
from inspector.opening import Opened, first_summary
from inspector.session import Session
from inspector.surroundings import Surroundings
from inspector.views.centre import Centre
from inspector.views.reading_note import ReadingNote
from inspector.views.request_filter import RequestFilter
from inspector.views.requests import RequestsView
from inspector.views.threads import ThreadsView

if TYPE_CHECKING:
    from engine.trace.model import RequestDetail, RequestRow

THREADS_OWN = ("files", "summaries", "memory", "skills", "ledger")
"""Panes that show something of the selected thread."""
AROUND = ("files", "summaries", "memory", "skills", "store", "ledger", "find")
EDITED = ("memory", "skills", "store")
"""Panes in which text is edited."""


class Desk(QObject):
    """Views of one source, wired."""

    look_into = Signal()
    """The reader wants to look into the selected request."""
    problem = Signal(str)
    """Something could not be read, and no pane is there to say so."""

    def __init__(
        self,
        opened: Opened,
        views: dict[str, Any],
        jobs: Jobs,
        centre: Centre,
        around: Surroundings,
        threads: ThreadsView,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.opened = opened
        self.source = str(opened.path)
        self._around = around
        self._threads = threads
        self.session = Session(opened.reader, jobs, self)
        self._centre = centre
        self.chart: Any = None
        self.requests = RequestsView(self.session)
        centre.requests.put(self.requests)
        self.request: Any = views["request"](opened.reader, jobs)
        centre.request.put(self.request)
        self.finding = Finding(opened.reader)
        self.going = Going(self.session, self.request, self)
        self.annotations = Annotations(opened.reader, self.session, jobs, self)
        self.filter = RequestFilter(self.session, jobs, self.finding, self.annotations)
        self.requests.put_above(self.filter)
        self.reading_note = ReadingNote(opened.reader, self.session)
        self.requests.put_above(self.reading_note)
        self.around: dict[str, Any] = {}
        more: dict[str, tuple[Any, ...]] = dict.fromkeys((*EDITED, "files"), (opened.path,))
        more["find"] = (self.finding,)
        for name in AROUND:
            self.around[name] = views[name](opened.reader, jobs, *more.get(name, ()))
            around.place(name).put(self.around[name])
        self.drift_mark = DriftMark(self.session, opened.reader, jobs, around, self)
        self._wire()

    def put_chart(self, view: Callable[[Session], QWidget], mode: str) -> None:
        """Show the chart, which is imported last, in this mode."""
        self.chart = view(self.session)
        self.chart.set_mode(mode)
        self._annotated()
        self._centre.chart.put(self.chart)

    def first_look(self, jobs: Jobs, done: Callable[[Any], None]) -> None:
        """Where the first summary is, for the first start: ``(thread, request)`` or None."""
        jobs.run(
            "Looking for a summary", first_summary, self.opened.reader, self.session.threads or [],
            done=done, failed=lambda _sentence: done(None), key=(self, "first"), quiet=True,
        )  # fmt: skip

    def has_unsaved(self) -> bool:
        """Whether a memory file, a skill or an item was edited and not saved."""
        return any(bool(self.around[name].has_unsaved()) for name in EDITED)

    def show_pane(self, name: str) -> None:
        """Bring a pane at the side to the front."""
        self._around.show(name)

    def close(self, jobs: Jobs) -> None:
        """Stop following the file, and let go of it when nothing reads it any more."""
        self.session.stop()
        self.annotations.close()
        self.drift_mark.close()
        if self.chart is not None:
            self.chart.close_jobs()
        for view in (self.request, self.filter, *self.around.values()):
            view.close_jobs()
        for name in EDITED:
            self.around[name].flush()
        jobs.after_all(self.finding.close)
        jobs.after_all(self.opened.reader.close)

    # -- who tells whom ----------------------------------------------------------------------

    def _wire(self) -> None:
        session, request = self.session, self.request
        session.threads_changed.connect(self._show_threads)
        session.failed.connect(self._failed)
        session.thread_changed.connect(self._thread_changed)
        session.data_changed.connect(self._data_changed)
        session.request_changed.connect(self._request_changed)
        session.detail_ready.connect(self._detail_ready)
        self.requests.activated.connect(self.look_into)
        request.open_artifact.connect(self.open_artifact)
        request.open_summary.connect(self._open_summary)
        request.go_to_request.connect(session.select_request)
        for view in self.around.values():
            view.go_to_request.connect(session.select_request)
        self.around["summaries"].open_artifact.connect(self.open_artifact)
        self.annotations.failed.connect(self.problem)
        self.annotations.changed.connect(self._annotated)
        request.diff.baseline_changed.connect(self._annotated)
        self.filter.left.connect(self.requests.table.setFocus)
        self.around["find"].chosen.connect(self.going.to_hit)
        self.found = FoundPlaces(self)
        self.baseline = Baseline(session, self.annotations, request.diff, self)
        memory_links.connect(self)
        self.going.missing.connect(self.problem)
        self._request_changed(None)

    def _show_threads(self) -> None:
        self._threads.set_threads(self.session.threads or [])
        self._tell_problem()

    def _tell_problem(self) -> None:
        row = self.session.thread_row()
        for name in THREADS_OWN:
            self.around[name].set_problem((row.problem if row is not None else None) or "")

    def _failed(self, what: str, sentence: str) -> None:
        if what == "threads":
            self._threads.show_error(sentence, self.session.start)
        elif what == "request":
            self.request.show_error(sentence)
        elif what == "follow" or len(self.session.rows):  # no pane of its own says it
            self.problem.emit(sentence)

    def _thread_changed(self, thread_id: str | None) -> None:
        self._threads.select(thread_id)
        for view in self.around.values():
            view.set_thread(thread_id)
        self._tell_problem()

    def _data_changed(self) -> None:
        for view in self.around.values():
            view.refresh()

    def _request_changed(self, row: RequestRow | None) -> None:
        if self.session.request_id is None:
            self.request.clear()
        elif row is not None and self.session.detail(row.id) is None:
            self.request.show_loading(row)

    def _detail_ready(self, detail: RequestDetail, previous: RequestDetail | None) -> None:
        self.request.show_request(detail, previous)
        self.going.shown(detail)

    def open_artifact(self, path: str) -> None:
        """Show a file of the selected thread."""
        self._around.show("files")
        self.around["files"].open_path(path)

    def _annotated(self) -> None:
        notes = {request: note.text for request, note in self.annotations.notes.items()}
        marked, baseline = self.annotations.marked, self.request.diff.baseline
        at = baseline.id if baseline is not None else None
        self.requests.model.set_annotations(marked, notes, at)
        self._threads.set_signs(self.annotations.threads)
        if self.chart is not None:
            self.chart.set_signs(marked, at)

    def _open_summary(self, event: int) -> None:
        self._around.show("summaries")
        self.around["summaries"].select(event)
