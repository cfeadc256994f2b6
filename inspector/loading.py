"""Reading the requests of one thread: what is there is shown while the rest comes, and it can be stopped.

A workspace has its requests at once. Somebody else's database is walked checkpoint by checkpoint, in shares
of time, so that other questions get their answers in between.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from inspector.jobs import Failure, Jobs, Progress
from inspector.reads import CHUNK, Found, ReaderLike, open_thread

if TYPE_CHECKING:
    from engine.trace.model import RequestRow

SHARE_S = 0.4
"""Seconds of reading before the first requests are shown, and between one showing and the next."""
BREATH_S = 0.005
"""Seconds between two shares: who waits for the reader gets it."""


class Loading(QObject):
    """Reads one thread at a time."""

    found = Signal(str, object)
    """A thread and what was ``Found`` of it; the last time ``whole`` or ``stopped``."""
    rows_read = Signal(str, object)
    """A thread and more rows of it."""
    failed = Signal(str)
    """The requests can't be read: a sentence."""
    _came = Signal(object, str, object)

    def __init__(self, reader: ReaderLike, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._thread_id: str | None = None
        self._wanted: int | None = None
        self._job: object = None
        self.active = False
        """Whether the list of requests is still being read."""
        self.stopped = False
        """Whether the user stopped it before the end."""
        self._came.connect(self._share, Qt.ConnectionType.QueuedConnection)

    def start(self, thread_id: str | None, wanted: int | None = None) -> None:
        """Read another thread, ``wanted`` among its first rows; None for none."""
        for key in ("rows", "chunk"):
            self._jobs.cancel((self, key))
        self._thread_id, self._wanted = thread_id, wanted
        self.active = self.stopped = False
        if thread_id is not None:
            self.go_on()

    def go_on(self) -> None:
        """Read the thread to its end."""
        thread_id = self._thread_id
        if thread_id is None or self.active:
            return
        self.active, self.stopped = True, False
        self._job = token = object()
        self._jobs.run(
            "Reading the requests",
            _read,
            self._reader,
            thread_id,
            self._wanted,
            lambda found: self._came.emit(token, thread_id, found),
            done=lambda found: self._end(thread_id, found),
            failed=self._fail,
            key=(self, "rows"),
        )

    def cancelled(self, key: Hashable) -> None:
        """The user cancelled a job of this key: what was read is shown, and that it isn't all."""
        thread_id = self._thread_id
        if key != (self, "rows") or not self.active or thread_id is None:
            return
        self._job = None
        self.stopped = True
        self._jobs.run(
            "Looking at what was read",
            open_thread,
            self._reader,
            thread_id,
            self._wanted,
            False,
            done=lambda found: self._end(thread_id, found),
            failed=self._fail,
            key=(self, "rows"),
            quiet=True,
        )

    def read_rows(self, missing: list[int]) -> None:
        """Read rows that are missing, some at a time."""
        thread_id = self._thread_id
        if not missing or thread_id is None:
            return
        self._jobs.run(
            f"Reading requests ({len(missing)} to go)",
            self._reader.request_rows,
            missing[:CHUNK],
            done=lambda rows: self._rows(thread_id, rows),
            failed=self._fail,
            key=(self, "chunk"),
        )

    def _share(self, token: object, thread_id: str, found: Found) -> None:
        if token is self._job and thread_id == self._thread_id:
            self.found.emit(thread_id, found)

    def _end(self, thread_id: str, found: Found) -> None:
        if thread_id == self._thread_id:
            self._job = None
            self.active = False
            self.found.emit(thread_id, found)

    def _rows(self, thread_id: str, rows: list[RequestRow]) -> None:
        if thread_id == self._thread_id:
            self.rows_read.emit(thread_id, rows)

    def _fail(self, sentence: Failure) -> None:
        self.active = False
        self.failed.emit(sentence)


class _Share:
    """Is set when the share of time is used up, or when the job is asked to stop."""

    def __init__(self, stop: threading.Event) -> None:
        self._stop, self._end = stop, time.monotonic() + SHARE_S

    def is_set(self) -> bool:
        return self._stop.is_set() or time.monotonic() >= self._end


def _read(reader: ReaderLike, thread_id: str, wanted: int | None, tell: Any, progress: Progress) -> Found:
    def told(done: int, total: int) -> None:
        progress.report(done, total, f"Reading checkpoints: {done:,} of {total:,}".replace(",", "\u2009"))

    while not reader.load(thread_id, _Share(progress.stop), told):
        progress.check()
        tell(open_thread(reader, thread_id, wanted, whole=False))
        progress.stop.wait(BREATH_S)
        progress.check()
    return open_thread(reader, thread_id, wanted)
