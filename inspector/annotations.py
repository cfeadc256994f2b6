"""Marks and notes of the selected thread, as far as they are known, and how they are changed."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from inspector.jobs import Failure, Jobs
from inspector.session import Session

if TYPE_CHECKING:
    from engine.trace.model import RequestRow


class Annotations(QObject):
    """Follows the session; ``marked`` and ``notes`` are those of its thread."""

    changed = Signal()
    """Marks or notes are others."""
    failed = Signal(str)

    def __init__(self, reader: Any, session: Session, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._path, self._session, self._jobs = getattr(reader, "path", None), session, jobs
        self.writable = getattr(reader, "kind", "") == "workspace"
        """Whether marks and notes can be put here: a database of another program takes none."""
        self.marked: frozenset[int] = frozenset()
        self.notes: dict[int, Any] = {}
        """The latest note of each request, by its id."""
        session.thread_changed.connect(self._thread_changed)
        session.data_changed.connect(self.read)

    def is_marked(self, row: RequestRow) -> bool:
        """Whether a request is marked."""
        return row.id in self.marked

    def read(self) -> None:
        """Read them again."""
        if self.writable and (thread_id := self._session.thread_id) is not None:
            self._run("Reading the marks", _read, thread_id, done=self._take)

    def toggle_mark(self, request: int) -> None:
        """Mark a request, or take its mark away."""
        self._write(_set_mark, request, request not in self.marked)

    def save_note(
        self, request: int, note: Any, text: str, done: Callable[[], None], failed: Callable[[Failure], None]
    ) -> None:
        """Put a note on a request, change it, or delete it when the text is empty."""
        self._write(_save_note, request, note, text, done=done, failed=failed)

    def close(self) -> None:
        """Read nothing more. What is being written is written."""
        self._jobs.cancel((self, "read"))

    def _thread_changed(self, _thread_id: object) -> None:
        self._take((frozenset(), {}))
        self.read()

    def _take(self, found: tuple[frozenset[int], dict[int, Any]]) -> None:
        if found != (self.marked, self.notes):
            self.marked, self.notes = found
            self.changed.emit()

    def _run(self, what: str, fn: Callable[..., Any], *args: Any, done: Callable[[Any], None]) -> None:
        self._jobs.run(what, fn, self._path, *args, done=done, failed=self.failed.emit, key=(self, "read"), quiet=True)

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

        def written(found: Any) -> None:
            if self._session.thread_id == thread_id:
                self._take(found)
            if done is not None:
                done()

        self._jobs.run("Writing to the workspace", fn, self._path, thread_id, *args, done=written,
                       failed=failed or self.failed.emit, lane="notes")  # fmt: skip


def _read(path: Any, thread_id: str) -> tuple[frozenset[int], dict[int, Any]]:
    from engine.notes import list_notes

    found = [note for note in list_notes(path, thread_id) if note.request is not None]
    marked = frozenset(note.request for note in found if note.kind == "mark" and note.request is not None)
    return marked, {note.request: note for note in found if note.kind == "note" and note.request is not None}


def _set_mark(path: Any, thread_id: str, request: int, marked: bool) -> Any:
    from engine.notes import set_mark

    set_mark(path, thread_id, request, marked)
    return _read(path, thread_id)


def _save_note(path: Any, thread_id: str, request: int, note: Any, text: str) -> Any:
    from engine import notes

    if note is None:
        if text.strip():
            notes.add_note(path, thread_id, text, request)
    elif text.strip():
        notes.edit_note(path, note.id, text, note.version)
    else:
        notes.delete_note(path, note.id, note.version)
    return _read(path, thread_id)
