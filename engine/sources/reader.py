"""A LangGraph database of another program, with the same doors as a workspace's reader.

Requests are rebuilt from checkpoints: what the state held when the model was called, with
the summary in force applied. System text, tool schemas and parameters are not in such a
database and are said not to be. A thread is read when it is first asked for, and again as
far as it has grown.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from pathlib import Path

from engine.errors import UsageError
from engine.sources.database import Database
from engine.sources.line import Contents
from engine.sources.listing import Listing
from engine.sources.parts import PartsOfShelf
from engine.sources.rules import Rules
from engine.sources.shelf import Shelf
from engine.sources.source import SourceKind
from engine.sources.thread import Thread
from engine.sources.unrecorded import Unrecorded
from engine.sources.view import ThreadView
from engine.trace.loading import Progress, Stop, nobody
from engine.trace.model import (
    Artifact,
    Branch,
    Event,
    MemoryFile,
    RawRow,
    RequestDetail,
    RequestLists,
    RequestRow,
    SkillRow,
    Summary,
    ThreadRow,
)
from engine.wire.model import WireAttempt


class _Yielding:
    """Stops a reading of a thread that nobody can stop, once somebody wants it who can be."""

    def __init__(self, wanted: list[str], thread_id: str) -> None:
        self._wanted, self._thread_id = wanted, thread_id

    def is_set(self) -> bool:
        return self._thread_id in self._wanted


class ForeignReader(PartsOfShelf, Unrecorded):
    """Reads one LangGraph SQLite file and never writes to it or beside it. All methods are thread-safe.

    Raises:
        WorkspaceError: the file can't be read.
    """

    kind: SourceKind = "langgraph"

    def __init__(self, path: str | Path) -> None:
        super().__init__(Shelf())
        self._database = Database(Path(path))
        self._contents, self._rules = Contents(self._shelf), Rules(self._shelf)
        self._listing = Listing(self._database, self._contents)
        self._lock = threading.RLock()
        self._version = 1
        self._threads: dict[str, ThreadView] = {}
        self._owners: dict[int, str] = {}
        self._wanted: list[str] = []
        """Threads that somebody reads who can be stopped, or waits to."""

    @property
    def path(self) -> Path:
        """The file."""
        return self._database.path

    @property
    def read_only(self) -> str:
        """Whose file it is, and how it is read."""
        return f"a LangGraph database of another program; {self._database.access.how}"

    @property
    def problem(self) -> str:
        """What can't be read, and what to do before anything else; empty as long as nothing was met."""
        damage = self._database.damage
        if not damage:
            return ""
        return f"The file is {damage}: what can be read is shown. Copy it before you try to repair it."

    def close(self) -> None:
        """Close the file and remove the private copy of it."""
        self._database.close()

    def data_version(self) -> int:
        """A number that changes when the file has changed."""
        with self._lock:
            if self._database.refresh():
                self._version += 1
                for view in self._threads.values():
                    view.stale = True
            return self._version

    # Threads and requests

    def threads(self) -> list[ThreadRow]:
        """All threads, the one last changed first. Reads no checkpoint."""
        with self._lock:
            return self._listing.rows({id: view for id, view in self._threads.items() if not view.stale})

    def load(self, thread_id: str, stop: Stop | None = None, progress: Progress = nobody) -> bool:
        """Read a thread, as far as it has not been read; False when it was stopped before the end.

        Every other method reads the thread whole first, unless its reading was stopped here, or this waits for
        its turn to read it with a ``stop``: then they answer from what was read until this is called again.
        """
        if stop is None:
            return self._load(thread_id, None, progress)
        self._wanted.append(thread_id)
        try:
            return not stop.is_set() and self._load(thread_id, stop, progress)
        finally:
            self._wanted.remove(thread_id)

    def _load(self, thread_id: str, stop: Stop | None, progress: Progress = nobody) -> bool:
        with self._lock:
            self.data_version()
            view = self._threads.get(thread_id)
            if view is None:
                view = ThreadView(
                    Thread(self._database, self._contents, self._rules, thread_id), self._contents, self._rules
                )
                self._threads[thread_id] = view
            if view.stale:
                try:
                    view.held = view.stale = not view.thread.load(stop, progress)
                except BaseException:  # ``progress`` may raise when it is asked to stop
                    view.held = stop is not None and stop.is_set()
                    raise
                finally:
                    view.number()
                    self._owners.update(dict.fromkeys(view.ids, thread_id))
            return not view.stale

    def loaded(self, thread_id: str) -> list[int]:
        """Ids of the requests that have been read so far; reads nothing."""
        with self._lock:
            view = self._threads.get(thread_id)
            return list(view.ids) if view is not None else []

    def _view(self, thread_id: str) -> ThreadView:
        view = self._threads.get(thread_id)
        if view is None or not view.held:
            self._load(thread_id, _Yielding(self._wanted, thread_id))
        return self._threads[thread_id]

    def _view_of(self, request_id: int) -> ThreadView:
        if request_id not in self._owners:
            thread_id = self._database.thread_of(request_id & 0xFFFFFFFF)
            if thread_id is not None:
                self._view(thread_id)
        owner = self._owners.get(request_id)
        if owner is None:
            raise UsageError(f"There is no request {request_id} in {self.path}.")
        return self._threads[owner]

    def request_ids(self, thread_id: str) -> list[int]:
        """Ids of a thread's requests, in the order of their numbers; empty for an unknown thread."""
        with self._lock:
            return list(self._view(thread_id).ids)

    def requests(self, thread_id: str) -> list[RequestRow]:
        """All requests of a thread, in the order of their numbers."""
        return self.request_rows(self.request_ids(thread_id))

    def request_rows(self, ids: Iterable[int]) -> list[RequestRow]:
        """Rows of these requests, in this order; those that are gone are left out."""
        with self._lock:
            found = []
            for id in ids:
                try:
                    found.append(self._view_of(id).row(id))
                except UsageError:
                    continue
            return found

    def request(self, request_id: int) -> RequestDetail:
        """A request with its areas, without bodies."""
        with self._lock:
            return self._view_of(request_id).detail(request_id)

    def lists(self, request_id: int) -> RequestLists:
        """The lists of a request as pieces; layers are never known here."""
        with self._lock:
            return self._view_of(request_id).lists(request_id)

    def wire(self, request_id: int) -> tuple[WireAttempt, ...]:
        """None: what went over the wire is not in the database."""
        with self._lock:
            self._view_of(request_id)
            return ()

    def wire_bytes(self, attempt_id: int) -> bytes:
        """Raises ``UsageError``: there are no attempts."""
        raise UsageError(f"There is no attempt {attempt_id} in {self.path}.")

    # Events and summaries

    def events(self, thread_id: str) -> list[Event]:
        """What context engineering did in a thread, in order."""
        with self._lock:
            return list(self._view(thread_id).events)

    def summaries(self, thread_id: str) -> list[Summary]:
        """Every summary of a thread, in order."""
        with self._lock:
            return self._view(thread_id).summaries()

    def evicted(self, event_id: int) -> list[RawRow]:
        """Raw messages that a summary evicted, and none before it had."""
        with self._lock:
            for view in self._threads.values():
                if event_id in view.event_ids:
                    return view.evicted(event_id)
            return []

    # Files, memory and skills

    def files(self, thread_id: str) -> list[Artifact]:
        """Files in the thread's state, and those that it names and that lie elsewhere."""
        with self._lock:
            return self._view(thread_id).files()

    def file(self, thread_id: str, path: str) -> bytes:
        """Bytes of a file in the thread's state; raises ``UsageError`` when there is none of this path."""
        with self._lock:
            return self._view(thread_id).file(path)

    def branches(self, thread_id: str) -> list[Branch]:
        """The thread's lines of checkpoints, with the files at the end of each; several after a fork."""
        with self._lock:
            return self._view(thread_id).branches()

    def run_files(self, thread_id: str, namespace: str) -> frozenset[str]:
        """Paths of the files in a subagent's state."""
        with self._lock:
            return self._view(thread_id).run_files(namespace)

    def memory(self, thread_id: str) -> list[MemoryFile]:
        """Memory as the thread's state has cached it; the files themselves lie elsewhere."""
        with self._lock:
            return self._view(thread_id).memory()

    def skills(self, thread_id: str) -> list[SkillRow]:
        """Skills as the thread's state lists them."""
        with self._lock:
            return self._view(thread_id).skills()
