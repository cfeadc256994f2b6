"""One open source and what is selected in it: the thread, its requests, the request.

The session follows the file, asks for what is new only, and never moves the selection by itself.
Views listen to its signals and call ``select_thread`` and ``select_request``; it knows no view.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QTimer, Signal

from inspector.jobs import Jobs
from inspector.loading import Loading
from inspector.models.rows import Rows
from inspector.reads import Details, Found, News, ReaderLike, first_look, look_again, read_details

if TYPE_CHECKING:
    from engine.trace.model import RequestDetail, RequestRow, ThreadRow

POLL_MS = 500
FOLLOW = "follow"
"""One thread looks at ``data_version``: SQLite counts it for each connection by itself."""


class Session(QObject):
    """The open source, its threads, the selected thread and request."""

    threads_changed = Signal()
    """``threads`` is another list."""
    thread_changed = Signal(object)
    """Another thread is selected: its id, or None."""
    rows_changed = Signal()
    """Requests were added to, or read again in, ``rows``: views bring themselves up to date."""
    request_changed = Signal(object)
    """Another request is selected: its ``RequestRow`` (None when nothing is, or while it is read)."""
    detail_ready = Signal(object, object)
    """The selected request's ``RequestDetail``, and that of the same agent's request before, or None."""
    shown_changed = Signal()
    """``shown`` is another choice of requests."""
    data_changed = Signal()
    """Somebody committed to the file: what surrounds the thread may have changed."""
    failed = Signal(str, str)
    """What could not be read (``threads``, ``requests``, ``request``) and a sentence."""

    def __init__(self, reader: ReaderLike, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reader = reader
        self.jobs = jobs
        self.threads: list[ThreadRow] | None = None
        self.thread_id: str | None = None
        self.rows = Rows()
        self.shown: Sequence[int] | None = None
        """Ids of the requests that the filter lets through, in order; None while there is no filter."""
        self.request_id: int | None = None
        self._version = -1
        self._wanted: int | None = None
        self._details = Details()
        self._polling = False
        self._poll_again = False
        self._stale = False
        self.reading = Loading(reader, jobs, self)
        self.reading.found.connect(self._found)
        self.reading.rows_read.connect(self._chunk_read)
        self.reading.failed.connect(lambda sentence: self.failed.emit("requests", sentence))
        self._timer = QTimer(self)
        self._timer.setInterval(POLL_MS)
        self._timer.timeout.connect(self.poll)

    # -- threads ---------------------------------------------------------------------------

    def start(self) -> None:
        """Read the threads and begin to follow the file."""
        self.jobs.run(
            "Reading the list of threads",
            first_look,
            self.reader,
            done=self._threads_read,
            failed=lambda sentence: self.failed.emit("threads", sentence),
            key=(self, "threads"),
            lane=FOLLOW,
        )
        self._timer.start()

    def thread_row(self) -> ThreadRow | None:
        """The selected thread's row."""
        for row in self.threads or ():
            if row.thread_id == self.thread_id:
                return row
        return None

    def select_thread(self, thread_id: str | None, request_id: int | None = None) -> None:
        """Show another thread, at ``request_id`` when it has that one, else at its last request."""
        if thread_id == self.thread_id:
            if request_id is not None:
                self.select_request(request_id)
            return
        for key in ("detail", "prefetch"):
            self.jobs.cancel((self, key))
        self.thread_id = thread_id
        self.rows = Rows()
        self.shown = None
        self.request_id = None
        self._wanted = request_id
        self.reading.start(thread_id, request_id)
        self.thread_changed.emit(thread_id)
        self.request_changed.emit(None)

    @property
    def loading(self) -> bool:
        """Whether the list of the selected thread's requests is still being read."""
        return self.reading.active

    # -- requests --------------------------------------------------------------------------

    def request_row(self) -> RequestRow | None:
        """The selected request's row; None while it is read."""
        return self.rows.row(self.request_id)

    def select_index(self, index: int) -> None:
        """Select by place in the list, held within its ends."""
        if self.rows.ids:
            self.select_request(self.rows.ids[max(0, min(index, len(self.rows) - 1))])

    def show_only(self, ids: Sequence[int] | None) -> None:
        """Step through these requests alone; None for all. The selection stays."""
        if ids != self.shown:
            self.shown = ids
            self.shown_changed.emit()

    def step(self, by: int) -> bool:
        """Select the request ``by`` places further down among those shown; False when none is shown."""
        return self._select_shown(self.rows.step(self.request_id, by, self.shown))

    def go_to_end(self, last: bool) -> bool:
        """Select the first or the last request of those shown; False when none is shown."""
        ids = self.rows.ids if self.shown is None else self.shown
        return self._select_shown(ids[-1 if last else 0] if ids else None)

    def go(self, step: int, wanted: Callable[[RequestRow], bool]) -> bool:
        """Select the next (``step`` 1) or previous (-1) request shown that is wanted; False without one."""
        shown = None if self.shown is None else frozenset(self.shown)
        found = self.rows.find(
            self.rows.index(self.request_id), step, lambda row: (shown is None or row.id in shown) and wanted(row)
        )
        return self._select_shown(None if found is None else self.rows.ids[found])

    def _select_shown(self, request_id: int | None) -> bool:
        if request_id is not None:
            self.select_request(request_id)
        return request_id is not None

    def select_request(self, request_id: int) -> None:
        """Select a request of the thread; its detail follows."""
        if request_id == self.request_id:
            return
        if self.rows.index(request_id) < 0:
            self._wanted = request_id
            return
        self.request_id = request_id
        self.request_changed.emit(self.rows.row(request_id))
        self._ask_detail()

    def detail(self, request_id: int) -> RequestDetail | None:
        """A request's detail when it is at hand."""
        return self._details.get(request_id)

    def reload_detail(self) -> None:
        """Read the selected request again."""
        if self.request_id is not None:
            self._details.forget(self.request_id)
            self._ask_detail()

    # -- following the file ------------------------------------------------------------------

    def poll(self) -> None:
        """Look whether somebody committed, and read what is new."""
        if self._polling:
            self._poll_again = True
            return
        self._polling = True
        self._poll_again = False
        again = self.rows.unfinished()
        if self.rows.ids and self.rows.ids[-1] not in again:
            again.append(self.rows.ids[-1])
        self.jobs.run(
            "Following the file",
            look_again,
            self.reader,
            -1 if self._stale else self._version,
            self.thread_id if not self.loading else None,
            len(self.rows),
            again,
            done=self._news,
            failed=self._poll_failed,
            key=(self, "poll"),
            quiet=True,
            lane=FOLLOW,
        )
        self._stale = False

    def stop(self) -> None:
        """Follow the file no longer."""
        self._timer.stop()
        self.reading.start(None)
        for key in ("threads", "detail", "prefetch", "poll"):
            self.jobs.cancel((self, key))

    # -- inside: answers of jobs -----------------------------------------------------------

    def _threads_read(self, found: tuple[int, list[ThreadRow]]) -> None:
        self._version, self.threads = found
        self.threads_changed.emit()

    def _found(self, _thread_id: str, found: Found) -> None:
        self._stale = True  # a poll under way may have seen a commit that this read had missed
        known = self.rows
        if not known.ids or found.ids[: len(known)] != known.ids:
            self.rows = Rows(found.ids)
            self.rows.put(row for id in known.ids if (row := known.row(id)) is not None)
        else:
            known.extend(found.ids)
        self.rows.put(found.rows)
        at = self.rows.index(self._wanted)
        first = self.request_id is None and bool(found.ids) and (at >= 0 or not self.loading)
        if first:  # selected before the views hear of the rows: none of them selects by itself
            self.request_id, self._wanted = self.rows.ids[at], None
        self.rows_changed.emit()
        if first:
            self.request_changed.emit(self.rows.row(self.request_id))
            self._ask_detail()
        elif not found.ids and not self.loading:
            self.request_changed.emit(None)
        self.reading.read_rows(self.rows.missing())
        partly = bool(known.ids) or getattr(self.reader, "kind", "") == "langgraph"
        if partly and not self.loading:  # what surrounds the thread may have been read when only a part of it was
            self.data_changed.emit()

    def _chunk_read(self, _thread_id: str, rows: list[RequestRow]) -> None:
        if self.rows.put(rows):
            self.rows_changed.emit()
            self.reading.read_rows(self.rows.missing())

    def _ask_detail(self) -> None:
        wanted = self.request_id
        if wanted is None:
            return
        found = self.detail(wanted)
        before = self.rows.before(wanted)
        earlier = self.detail(before.id) if before else None
        if found is not None and (before is None or earlier is not None):
            self.jobs.cancel((self, "detail"))
            self.detail_ready.emit(found, earlier)
            self._prefetch()
            return
        self.jobs.run(
            "Reading the request",
            read_details,
            self.reader,
            [id for id in (wanted, before.id if before else None) if id is not None],
            done=lambda details: self._detail_read(wanted, details),
            failed=lambda sentence: self.failed.emit("request", sentence),
            key=(self, "detail"),
        )

    def _detail_read(self, wanted: int, details: list[RequestDetail]) -> None:
        self._details.keep(details)
        if wanted == self.request_id and details:
            self.detail_ready.emit(details[0], details[1] if len(details) > 1 else None)
            self._prefetch()

    def _prefetch(self) -> None:
        index = self.rows.index(self.request_id)
        near = [self.rows.at(index + 1), self.rows.at(index - 1)]
        ids: list[int] = []
        for row in near:
            for each in (row, self.rows.before(row.id) if row else None):
                if each is not None and each.id not in self._details and each.id not in ids:
                    ids.append(each.id)
        if ids:
            self.jobs.run(
                "Reading the neighbours", read_details, self.reader, ids,
                done=self._details.keep, failed=_ignore, key=(self, "prefetch"), quiet=True,
            )  # fmt: skip

    def _news(self, news: News) -> None:
        self._polling = False
        if news.threads is not None:
            moved = news.version != self._version
            self._version = news.version
            self._take(news)
            if moved:
                self.data_changed.emit()
        if self._poll_again:
            self.poll()

    def _take(self, news: News) -> None:
        if news.threads is not None and news.threads != self.threads:
            self.threads = news.threads
            self.threads_changed.emit()
        if news.thread_id is None or news.thread_id != self.thread_id or self.loading:
            return
        added = self.rows.extend(news.ids)
        changed = self.rows.put(news.rows)
        for index in changed:
            self._details.forget(self.rows.ids[index])
        first = self.request_id is None and bool(self.rows.ids)
        if first:
            found = self.rows.index(self._wanted)
            self.request_id = self.rows.ids[found if found >= 0 else -1]
        if added or changed:
            self.rows_changed.emit()
        if first:
            self.request_changed.emit(self.rows.row(self.request_id))
        if first or self.rows.index(self.request_id) in changed:
            self._ask_detail()
        if not self.rows.complete:
            self.reading.read_rows(self.rows.missing())

    def _poll_failed(self, sentence: str) -> None:
        self._polling = False
        self.failed.emit("follow", sentence)


def _ignore(_sentence: Any) -> None:
    """A neighbour that cannot be read is reported when it is selected."""
