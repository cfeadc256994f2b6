"""One open source on the window: its session, its views, and who tells whom.

Made when a source was opened and the views were imported; closed before another source is opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from engine.trace.model import RequestDetail, RequestRow
from inspector.jobs import Jobs
from inspector.opening import Opened, first_summary
from inspector.panes import Pane
from inspector.session import Session
from inspector.surroundings import Surroundings
from inspector.views.centre import Centre
from inspector.views.requests import RequestsView
from inspector.views.threads import ThreadsView

AROUND = ("files", "summaries", "memory", "skills")


class Desk(QObject):
    """Views of one source, wired."""

    look_into = Signal()
    """The reader wants to look into the selected request."""

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
        self.chart: QWidget = _made(views, "chart", self.session)
        centre.chart.put(self.chart)
        self.requests = RequestsView(self.session)
        centre.requests.put(self.requests)
        self.request: Any = _made(views, "request", opened.reader, jobs)
        centre.request.put(self.request)
        self.around: dict[str, Any] = {}
        for name in AROUND:
            extra = (opened.path,) if name == "memory" else ()
            self.around[name] = _made(views, name, opened.reader, jobs, *extra)
            around.place(name).put(self.around[name])
        self._wire()

    def first_look(self, jobs: Jobs, done: Callable[[Any], None]) -> None:
        """Where the first summary is, for the first start: ``(thread, request)`` or None."""
        jobs.run(
            "Looking for a summary", first_summary, self.opened.reader, self.session.threads or [],
            done=done, failed=lambda _sentence: done(None), key=(self, "first"), quiet=True,
        )  # fmt: skip

    def has_unsaved(self) -> bool:
        """Whether a memory file was edited and not saved."""
        memory = self.around["memory"]
        return bool(memory.has_unsaved()) if hasattr(memory, "has_unsaved") else False

    def can_save_memory(self) -> bool:
        """Whether the memory file in the editor can be saved now."""
        memory = self.around["memory"]
        return bool(memory.can_save()) if hasattr(memory, "can_save") else False

    def save_memory(self) -> None:
        """Save the memory file in the editor."""
        if self.can_save_memory():
            self.around["memory"].save()

    def close(self, jobs: Jobs) -> None:
        """Stop following the file, and let go of it when nothing reads it any more."""
        self.session.stop()
        for view in self.around.values():
            if hasattr(view, "flush"):
                view.flush()
            if hasattr(view, "close_jobs"):
                view.close_jobs()
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
        if not isinstance(request, Pane):
            request.open_artifact.connect(self._open_artifact)
            request.open_summary.connect(self._open_summary)
            request.go_to_request.connect(session.select_request)
        for view in self.around.values():
            if hasattr(view, "go_to_request"):
                view.go_to_request.connect(session.select_request)
        self._request_changed(None)

    def _show_threads(self) -> None:
        self._threads.set_threads(self.session.threads or [])

    def _failed(self, what: str, sentence: str) -> None:
        if what == "threads":
            self._threads.show_error(sentence, self.session.start)
        elif what == "request":
            if isinstance(self.request, Pane):
                self.request.show_error(sentence, self.session.reload_detail)
            elif hasattr(self.request, "show_error"):
                self.request.show_error(sentence)

    def _thread_changed(self, thread_id: str | None) -> None:
        self._threads.select(thread_id)
        for view in self.around.values():
            if hasattr(view, "set_thread"):
                view.set_thread(thread_id)

    def _data_changed(self) -> None:
        for view in self.around.values():
            if hasattr(view, "refresh"):
                view.refresh()

    def _request_changed(self, row: RequestRow | None) -> None:
        if isinstance(self.request, Pane):
            self.request.show_empty("No request is selected.", "Choose one in the table above.")
        elif self.session.request_id is None:
            self.request.clear()
        elif row is not None and self.session.detail(row.id) is None:
            self.request.show_loading(row)

    def _detail_ready(self, detail: RequestDetail, previous: RequestDetail | None) -> None:
        if not isinstance(self.request, Pane):
            self.request.show_request(detail, previous)

    def _open_artifact(self, path: str) -> None:
        self._around.show("files")
        if hasattr(self.around["files"], "open_path"):
            self.around["files"].open_path(path)

    def _open_summary(self, event: int) -> None:
        self._around.show("summaries")
        if hasattr(self.around["summaries"], "select"):
            self.around["summaries"].select(event)


def _made(views: dict[str, Any], name: str, *args: Any) -> Any:
    if name in views:
        return views[name](*args)
    pane = Pane()
    pane.show_empty(f"{name.capitalize()} cannot be shown by this version.")
    return pane
