"""What the reader put on the threads: marks, notes, the baseline; as far as it is known, and how it is changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from inspector.jobs import Failure, Jobs
from inspector.session import Session

if TYPE_CHECKING:
    from engine.notes import Note
    from engine.trace.model import RequestRow


@dataclass(frozen=True)
class Signs:
    """What stands on a thread as a whole, for the list of threads."""

    marked: bool = False
    note: str = ""

    def said(self) -> str:
        """In words."""
        return ", ".join(word for word in ("marked" if self.marked else "", "note" if self.note else "") if word)


@dataclass(frozen=True)
class _Found:
    """Of one thread, and of all threads as wholes."""

    marked: frozenset[int] = frozenset()
    notes: Mapping[int | None, Note] = field(default_factory=dict)
    baseline: int | None = None
    threads: Mapping[str, Signs] = field(default_factory=dict)


class Annotations(QObject):
    """Follows the session; ``marked``, ``notes`` and ``baseline`` are those of its thread."""

    changed = Signal()
    """Something is another."""
    failed = Signal(str)

    def __init__(self, reader: Any, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._session, self._jobs = getattr(reader, "path", None), session, jobs
        self.writable = getattr(reader, "kind", "") == "workspace"
        """Whether marks and notes can be put here: a database of another program takes none."""
        self._found = _Found()
        session.thread_changed.connect(self._thread_changed)
        session.threads_changed.connect(self.read)
        session.data_changed.connect(self.read)

    @property
    def marked(self) -> frozenset[int]:
        """Requests that are marked."""
        return self._found.marked

    @property
    def notes(self) -> dict[int, Note]:
        """The latest note of each request, by its id."""
        return {request: note for request, note in self._found.notes.items() if request is not None}

    @property
    def baseline(self) -> int | None:
        """The request that the thread's others are compared with."""
        return self._found.baseline

    @property
    def threads(self) -> Mapping[str, Signs]:
        """What stands on threads as wholes, by their ids."""
        return self._found.threads

    def note(self, request: int | None) -> Note | None:
        """The latest note of a request, or (None) of the thread."""
        return self._found.notes.get(request)

    def is_marked(self, row: RequestRow) -> bool:
        """Whether a request is marked."""
        return row.id in self.marked

    def thread_is_marked(self) -> bool:
        """Whether the thread is marked."""
        return self.threads.get(self._session.thread_id or "", Signs()).marked

    def read(self) -> None:
        """Read them again."""
        if self.writable:
            thread_id = self._session.thread_id
            self._jobs.run("Reading the marks", _read, self._path, thread_id, done=self._take,
                           failed=self.failed.emit, key=(self, "read"), quiet=True)  # fmt: skip

    def toggle_mark(self, request: int | None) -> None:
        """Mark a request or (None) the thread, or take its mark away."""
        marked = self.thread_is_marked() if request is None else request in self.marked
        self._write(_set_mark, request, not marked)

    def set_baseline(self, request: int | None) -> None:
        """Compare the thread's requests with this one from now on; None for none."""
        if request != self.baseline:
            self._write(_set_baseline, request)

    def save_note(
        self, request: int | None, note: Note | None, text: str, done: Callable[[], None],
        failed: Callable[[Failure], None],
    ) -> None:  # fmt: skip
        """Put a note on a request or the thread, change it, or delete it when the text is empty."""
        self._write(_save_note, request, note, text, done=done, failed=failed)

    def close(self) -> None:
        """Read nothing more. What is being written is written."""
        self._jobs.cancel((self, "read"))

    def _thread_changed(self, _thread_id: object) -> None:
        self._take(_Found(threads=self.threads))
        self.read()

    def _take(self, found: _Found) -> None:
        if found != self._found:
            self._found = found
            self.changed.emit()

    def _write(
        self,
        fn: Callable[..., Any],
        *args: Any,
        done: Callable[[], None] | None = None,
        failed: Callable[[Failure], None] | None = None,
    ) -> None:
        thread_id = self._session.thread_id
        if not self.writable or thread_id is None:
            return

        def written(found: _Found) -> None:
            if self._session.thread_id == thread_id:
                self._take(found)
            if done is not None:
                done()

        self._jobs.run("Writing to the workspace", _write_and_read, self._path, thread_id, fn, args, done=written,
                       failed=failed or self.failed.emit, lane="notes")  # fmt: skip


def _read(path: Any, thread_id: str | None) -> _Found:
    from engine.notes import list_notes

    threads: dict[str, Signs] = {}
    everything = list_notes(path)
    for each in everything:
        if each.request is None and each.kind != "baseline":
            before = threads.get(each.thread_id, Signs())
            text = each.text if each.kind == "note" else before.note
            threads[each.thread_id] = Signs(before.marked or each.kind == "mark", text)
    own = [each for each in everything if each.thread_id == thread_id]
    return _Found(
        frozenset(each.request for each in own if each.kind == "mark" and each.request is not None),
        {each.request: each for each in own if each.kind == "note"},
        next((each.request for each in own if each.kind == "baseline"), None),
        threads,
    )


def _write_and_read(path: Any, thread_id: str, fn: Callable[..., None], args: tuple[Any, ...]) -> _Found:
    fn(path, thread_id, *args)
    return _read(path, thread_id)


def _set_mark(path: Any, thread_id: str, request: int | None, marked: bool) -> None:
    from engine.notes import set_mark

    set_mark(path, thread_id, request, marked)


def _set_baseline(path: Any, thread_id: str, request: int | None) -> None:
    from engine.notes import set_baseline

    set_baseline(path, thread_id, request)


def _save_note(path: Any, thread_id: str, request: int | None, note: Note | None, text: str) -> None:
    from engine import notes

    if note is None:
        if text.strip():
            notes.add_note(path, thread_id, text, request)
    elif text.strip():
        notes.edit_note(path, note.id, text, note.version)
    else:
        notes.delete_note(path, note.id, note.version)
