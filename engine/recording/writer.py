"""The thread that writes the record: everything in short transactions, nothing lost in silence.

It takes operations from a bounded queue, so a slow or locked disk never holds up a run:
what doesn't fit, or fails, is dropped whole and counted in :attr:`Writer.losses`. After a
loss every lane is told to describe its lists anew, since changes of a lost list mean
nothing. A process killed at any moment leaves every committed request whole.
"""

from __future__ import annotations

import _thread
import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from engine.canonical import json_text
from engine.errors import InspectorError
from engine.packing import packer
from engine.recording.book import Book, FollowsLoss
from engine.workspace import Workspace

log = logging.getLogger(__name__)

_QUEUE = 2_000  # operations
_BATCH = 64  # operations in one transaction at the most
_LINGER = 0.02  # seconds; a request shorter than this is written in one transaction


class Operation(Protocol):
    """One thing to be written; ``write`` runs inside a transaction on the writer's thread.

    Whatever is not SQLite's own fault it raises before it writes its first row: what it has
    stored by then are parts and nodes, which mean nothing by themselves.
    """

    urgent: ClassVar[bool]
    """Whether it is written at once; the rest may wait ``_LINGER`` seconds for company."""

    def write(self, book: Book) -> None: ...


@dataclass(slots=True)
class Losses:
    """What could not be recorded, and the last reason."""

    count: int = 0
    reason: str = ""


@dataclass(slots=True)
class Flush:
    """Marks a place in the queue; set when all before it is written or lost."""

    done: threading.Event = field(default_factory=threading.Event)
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None: ...


@dataclass(slots=True)
class End(Flush):
    """Marks where the thread ends; set when the file is let go of as well."""


class Writer:
    """Takes operations from any thread and writes them in order.

    Its thread begins with the first operation and ends with :meth:`end`; what is handed over later begins
    another. With ``hidden``, neither ``threading`` nor a log knows of it: in a program that isn't ours, somebody
    may wait for every thread to end, or look at every line.
    """

    def __init__(
        self,
        workspace: Workspace | Callable[[], Workspace],
        on_loss: Callable[[], None] = lambda: None,
        *,
        hidden: bool = False,
    ) -> None:
        self.losses = Losses()
        self._workspace, self._on_loss, self._hidden = workspace, on_loss, hidden
        self._unsaid = Losses()
        packer()  # imports what packs: a thread must not import while the process ends
        self._begin_anew()

    def _begin_anew(self) -> None:
        # A SimpleQueue may be put to from a destructor, which can run in the middle of anything.
        self._queue: queue.SimpleQueue[Operation] = queue.SimpleQueue()
        self._lock = threading.RLock()
        self._ended: threading.Event | None = None
        """Of the thread that works; None when none does."""

    def put(self, operation: Operation) -> None:
        """Hand over an operation. Never waits, never raises."""
        if self._queue.qsize() >= _QUEUE:
            self.lose(1, "the record could not be written as fast as the run went")
            return
        self._queue.put(operation)
        if self._ended is None:
            self._start()

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all that was handed over is written or lost; False when it takes longer."""
        if self._ended is None and self._queue.empty():
            return True
        mark = Flush()
        self._queue.put(mark)
        self._start()
        return mark.done.wait(seconds)

    def end(self) -> threading.Event | None:
        """Write what is queued, let go of the file and end the thread; set when that is done, None when it is."""
        with self._lock:
            if self._ended is None and self._queue.empty():
                return None
            # Whoever ends waits for a mark of its own: another thread may be at the end of an earlier one's.
            mark = End()
            self._queue.put(mark)
            self._start()
            return mark.done

    def forked(self) -> None:
        """In a child process: the thread, and what it was to write, are the parent's."""
        self.losses, self._unsaid = Losses(), Losses()
        self._begin_anew()

    def lose(self, count: int, reason: str) -> None:
        """Count entries that could not be recorded. Any thread may call it."""
        for losses in (self.losses, self._unsaid):
            losses.count += count
            losses.reason = reason
        if not self._hidden:
            log.warning("The record lost %d entries: %s", count, reason)
        self._on_loss()

    def _start(self) -> None:
        with self._lock:
            if self._ended is None:
                ended = self._ended = threading.Event()
                try:
                    if self._hidden:
                        _thread.start_new_thread(self._work, (self._queue, ended))
                    else:
                        threading.Thread(
                            target=self._work, args=(self._queue, ended), name="record-writer", daemon=True
                        ).start()
                except RuntimeError as error:  # no more threads, or the interpreter is about to end
                    self._ended = None
                    self.lose(self._queue.qsize(), f"the record could not be written ({error})")
                    self._queue = queue.SimpleQueue()

    def _work(self, operations: queue.SimpleQueue[Operation], ended: threading.Event) -> None:
        book: Book | None = None
        over = False
        while not over:
            batch = self._gather(operations)
            over = isinstance(batch[-1], End)
            book = self._write(batch, book)
        if book is not None:
            with contextlib.suppress(sqlite3.Error):
                book.db.close()
        with self._lock:
            if self._ended is ended:
                self._ended = None
        ended.set()
        if isinstance(batch[-1], End):
            batch[-1].done.set()
        if not operations.empty() and operations is self._queue:  # handed over since
            self._start()

    def _write(self, operations: list[Operation], book: Book | None) -> Book | None:
        try:
            if book is None and any(not isinstance(operation, Flush) for operation in operations):
                workspace = self._workspace() if callable(self._workspace) else self._workspace
                book = Book(workspace.connect(autocommit=True))
            if book is not None:
                self._commit(book, operations)
        except Exception as error:  # a fault here must not end the thread: it is counted and shown
            if book is not None:
                with contextlib.suppress(sqlite3.Error):
                    book.db.execute("ROLLBACK")
                book.forget()
            self.lose(sum(1 for item in operations if not isinstance(item, Flush)), _in_words(error))
        for operation in operations:
            if isinstance(operation, Flush) and not isinstance(operation, End):
                operation.done.set()
        return book

    @staticmethod
    def _gather(operations: queue.SimpleQueue[Operation]) -> list[Operation]:
        """The next operations: until an urgent one, the end, or nothing more for a while."""
        batch = [operations.get()]
        # What comes after the end belongs to the next thread's book: its lists build on each other there.
        while len(batch) < _BATCH and not isinstance(batch[-1], End):
            wait = 0.0 if batch[-1].urgent else _LINGER
            try:
                batch.append(operations.get(wait > 0, wait or None))
            except queue.Empty:
                break
        return batch

    def _commit(self, book: Book, operations: Sequence[Operation]) -> None:
        # Immediate: a transaction that begins by reading fails at once when another writer was quicker.
        book.db.execute("BEGIN IMMEDIATE")
        if book.something_was_deleted():
            self._on_loss()
        for operation in operations:
            try:
                operation.write(book)
            except sqlite3.Error:
                raise
            except FollowsLoss as error:
                if error.counted or not self.losses.count:
                    self.lose(1, self.losses.reason or str(error))
            except Exception as error:  # one operation's fault must not take the others with it
                self.lose(1, _in_words(error))
        unsaid, said = self._unsaid.count, 0
        if unsaid:
            said = book.db.execute(
                "INSERT INTO events(thread, request, lane, kind, at, data) SELECT id, NULL, '', 'lost', ?, ? "
                "FROM threads ORDER BY updated_at DESC LIMIT 1",
                (time.time(), json_text({"count": unsaid, "reason": self._unsaid.reason})),
            ).rowcount
        book.db.execute("COMMIT")
        if said:  # there was a thread to say it on; what was lost meanwhile is said with the next
            self._unsaid.count -= unsaid


def _in_words(error: Exception) -> str:
    if isinstance(error, InspectorError):
        return str(error)
    if isinstance(error, sqlite3.Error):
        return f"the workspace could not be written ({error})"
    return f"{type(error).__name__}: {error}"
