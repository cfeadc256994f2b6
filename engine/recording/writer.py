"""The thread that writes the record: everything in short transactions, nothing lost in silence.

It takes operations from a bounded queue, so a slow or locked disk never holds up a run:
what doesn't fit, or fails, is dropped whole and counted in :attr:`Writer.losses`. After a
loss every lane is told to describe its lists anew, since changes of a lost list mean
nothing. A process killed at any moment leaves every committed request whole.
"""

from __future__ import annotations

import contextlib
import logging
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from engine.canonical import to_json
from engine.packing import PLAIN, packer
from engine.recording.canon import Encoded
from engine.recording.lanes import Lane, ListChange
from engine.workspace import Workspace

log = logging.getLogger(__name__)

_QUEUE = 2_000  # operations
_PACK_FROM = 160  # bytes; shorter bodies don't get smaller
_BATCH = 64  # operations in one transaction at the most
_LINGER = 0.02  # seconds; a request shorter than this is written in one transaction
_MEMO = 200_000  # remembered ids


class FollowsLoss(LookupError):
    """What this operation builds on was lost before it; the first loss has the reason."""

    def __init__(self, what: str, *, counted: bool) -> None:
        super().__init__(what)
        self.counted = counted


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


class Book:
    """Prepared access to the tables, with the ids it has seen. For the writer's thread only."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = connection
        self.forget()
        self._packing, self._pack = packer()

    def forget(self) -> None:
        """Drop what was remembered: after a rollback it may be untrue."""
        self._parts: dict[bytes, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        self._threads: dict[str, int] = {}
        self.paths: dict[int, dict[str, list[int]]] = {}
        self.origins: dict[int, tuple[Any, int]] = {}
        self.requests: dict[str, int] = {}
        self._runs: dict[str, int] = {}

    def part(self, encoded: Encoded) -> int:
        """Id of a part, stored if it is new."""
        known = self._parts.get(encoded.digest)
        if known is None:
            packed = self._pack(encoded.body) if len(encoded.body) >= _PACK_FROM else encoded.body
            smaller = len(packed) < len(encoded.body)
            body = packed if smaller else encoded.body
            how = self._packing if smaller else PLAIN
            values = (encoded.digest, encoded.kind, how, encoded.chars, encoded.tokens, body)
            known = self._insert(
                "INSERT OR IGNORE INTO parts(digest, kind, packed, chars, tokens, body) VALUES (?, ?, ?, ?, ?, ?)",
                values,
                "SELECT id FROM parts WHERE digest = ?",
                (encoded.digest,),
            )
            if len(self._parts) > _MEMO:
                self._parts.clear()
            self._parts[encoded.digest] = known
        return known

    def node(self, parent: int, part: int, depth: int) -> int:
        """Id of the chain node that follows ``parent`` with ``part``, made if it is new."""
        known = self._nodes.get((parent, part))
        if known is None:
            known = self._insert(
                "INSERT OR IGNORE INTO chain(parent, part, depth) VALUES (?, ?, ?)",
                (parent, part, depth),
                "SELECT id FROM chain WHERE parent = ? AND part = ?",
                (parent, part),
            )
            if len(self._nodes) > _MEMO:
                self._nodes.clear()
            self._nodes[parent, part] = known
        return known

    def _insert(self, insert: str, values: tuple[Any, ...], select: str, key: tuple[Any, ...]) -> int:
        """Id of the row inserted, or of the one that was there; mostly it is new, so that is tried first."""
        cursor = self.db.execute(insert, values)
        if cursor.rowcount != 1:
            cursor = self.db.execute(select, key)
            return int(cursor.fetchone()[0])
        return int(cursor.lastrowid or 0)

    def list(self, lane: Lane, change: ListChange) -> int:
        """Node of a list (0 for an empty one), from what changed in it."""
        path = self.paths.setdefault(lane.key, {}).setdefault(change.place, [])
        if len(path) < change.keep:
            raise FollowsLoss(f"the list before ({change.place}) was lost", counted=True)
        del path[change.keep :]
        for encoded in change.new:
            path.append(self.node(path[-1] if path else 0, self.part(encoded), len(path) + 1))
        return path[-1] if path else 0

    def thread(self, thread_id: str, title: str, agent: str | None, at: float) -> int:
        """Row id of a thread, made with this title if it is new."""
        known = self._threads.get(thread_id)
        if known is None:
            self.db.execute(
                "INSERT INTO threads(thread_id, title, agent, created_at, updated_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT(thread_id) DO NOTHING",
                (thread_id, title, agent, at, at),
            )
            row = self.db.execute("SELECT id FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
            known = self._threads[thread_id] = int(row[0])
        return known

    def request(self, token: str | None) -> int | None:
        """Row id of a request by its token."""
        if token is None:
            return None
        known = self.requests.get(token)
        if known is None:
            row = self.db.execute("SELECT id FROM requests WHERE token = ?", (token,)).fetchone()
            if row is None:
                return None
            known = int(row[0])
        return known

    def run(self, token: str | None) -> int | None:
        """Row id of a run by its token."""
        if token is None:
            return None
        if token not in self._runs:
            row = self.db.execute("SELECT id FROM runs WHERE token = ?", (token,)).fetchone()
            if row is None:
                return None
            self._runs[token] = int(row[0])
        return self._runs[token]


@dataclass(slots=True)
class Flush:
    """Marks a place in the queue; set when all before it is written or lost."""

    done: threading.Event = field(default_factory=threading.Event)
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None: ...


class Writer:
    """Takes operations from any thread and writes them in order."""

    def __init__(self, workspace: Workspace, on_loss: Callable[[], None] = lambda: None) -> None:
        self.losses = Losses()
        self._workspace, self._on_loss = workspace, on_loss
        self._queue: queue.Queue[Operation | None] = queue.Queue(_QUEUE)
        self._unsaid = Losses()
        self._thread = threading.Thread(target=self._work, name="record-writer", daemon=True)
        self._thread.start()

    def put(self, operation: Operation) -> None:
        """Hand over an operation. Never waits, never raises."""
        try:
            self._queue.put_nowait(operation)
        except queue.Full:
            self.lose(1, "the record could not be written as fast as the run went")

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until all that was handed over is written or lost; False when it takes longer."""
        mark = Flush()
        with contextlib.suppress(queue.Full):
            self._queue.put(mark, timeout=seconds)
            return mark.done.wait(seconds)
        return False

    def close(self, seconds: float = 10.0) -> None:
        """Write what is queued and end the thread."""
        with contextlib.suppress(queue.Full):
            self._queue.put(None, timeout=seconds)
        self._thread.join(seconds)

    def lose(self, count: int, reason: str) -> None:
        """Count entries that could not be recorded. Any thread may call it."""
        for losses in (self.losses, self._unsaid):
            losses.count += count
            losses.reason = reason
        log.warning("The record lost %d entries: %s", count, reason)
        self._on_loss()

    def _work(self) -> None:
        book: Book | None = None
        ended = False
        while not ended:
            batch = self._gather()
            ended = None in batch
            operations = [operation for operation in batch if operation is not None]
            try:
                if book is None:
                    book = Book(self._workspace.connect(autocommit=True))
                self._commit(book, operations)
            except Exception as error:  # a fault here must not end the thread: it is counted and shown
                if book is not None:
                    with contextlib.suppress(sqlite3.Error):
                        book.db.execute("ROLLBACK")
                    book.forget()
                self.lose(sum(1 for item in operations if not isinstance(item, Flush)), _in_words(error))
            for operation in operations:
                if isinstance(operation, Flush):
                    operation.done.set()
        if book is not None:
            book.db.close()

    def _gather(self) -> list[Operation | None]:
        """The next operations: until an urgent one, the end, or nothing more for a while."""
        batch = [self._queue.get()]
        while len(batch) < _BATCH:
            last = batch[-1]
            wait = 0.0 if last is None or last.urgent else _LINGER
            try:
                batch.append(self._queue.get(wait > 0, wait or None))
            except queue.Empty:
                break
        return batch

    def _commit(self, book: Book, operations: Sequence[Operation]) -> None:
        # Immediate: a transaction that begins by reading fails at once when another writer was quicker.
        book.db.execute("BEGIN IMMEDIATE")
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
        if self._unsaid.count:
            book.db.execute(
                "INSERT INTO events(thread, request, lane, kind, at, data) SELECT id, NULL, '', 'lost', ?, ? "
                "FROM threads ORDER BY updated_at DESC LIMIT 1",
                (time.time(), to_json({"count": self._unsaid.count, "reason": self._unsaid.reason}).decode()),
            )
        book.db.execute("COMMIT")
        self._unsaid = Losses()


def _in_words(error: Exception) -> str:
    if isinstance(error, sqlite3.Error):
        return f"the workspace could not be written ({error})"
    return f"{type(error).__name__}: {error}"


def row_data(data: dict[str, Any]) -> str:
    """JSON text of an event's data."""
    return to_json(data).decode("utf-8", "replace")
