"""What the reader of a record puts on it: notes, marks and the baseline of comparisons.

They lie in the workspace beside the record and go with their thread or request. A note is an entry of its
own, so two windows that add notes never meet; an edit names the version that it was made from, and is
refused when the note is another one by now. Marks and the baseline are switches: setting one twice is
setting it once.
"""

from __future__ import annotations

import sqlite3
import time
import uuid
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.canonical import column_text
from engine.errors import EditConflict, UsageError, WorkspaceError
from engine.transactions import transaction
from engine.workspace import BUSY_SECONDS, check_workspace

Kind = Literal["note", "mark", "baseline"]

_SELECT = (
    "SELECT n.token, n.kind, t.thread_id, n.request, r.number, n.text, n.version, n.created_at, n.updated_at "
    "FROM notes n JOIN threads t ON t.id = n.thread LEFT JOIN requests r ON r.id = n.request"
)


@dataclass(frozen=True, slots=True)
class Note:
    """One note, mark or baseline."""

    id: str
    kind: Kind
    thread_id: str
    request: int | None
    """None: it stands on the thread as a whole."""
    request_number: int | None
    text: str
    """Empty for a mark and a baseline."""
    version: int
    """Rises with every edit; an edit names the one it was made from."""
    created_at: float
    updated_at: float


def list_notes(path: str | Path, thread_id: str | None = None, kind: Kind | None = None) -> list[Note]:
    """Notes, marks and baselines of a thread, or of all, in the order of their making. Never writes.

    Raises:
        UsageError, WorkspaceError: the file is not there, or no workspace.
    """
    file = Path(path)
    check_workspace(file)
    try:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as connection:
            if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes'").fetchone():
                return []  # a workspace that only older versions have written to
            rows = connection.execute(
                f"{_SELECT} WHERE (?1 IS NULL OR t.thread_id = ?1) AND (?2 IS NULL OR n.kind = ?2) ORDER BY n.id",
                (thread_id, kind),
            ).fetchall()
    except sqlite3.Error as error:
        raise WorkspaceError(f"{file} can't be read: {error}.") from error
    return [Note(*row) for row in rows]


def add_note(path: str | Path, thread_id: str, text: str, request: int | None = None) -> Note:
    """Put a note on a thread or on one of its requests. Raises ``UsageError`` when there is no such one."""
    with transaction(path) as db:
        return _insert(db, "note", thread_id, request, _text(text))


def edit_note(path: str | Path, id: str, text: str, version: int) -> Note:
    """Give a note another text.

    Raises:
        EditConflict: it is another one than ``version`` by now, or gone; nothing was written.
    """
    text = _text(text)
    with transaction(path) as db:
        _check(_find(db, id), version)
        db.execute(
            "UPDATE notes SET text = ?, version = version + 1, updated_at = ? WHERE token = ?", (text, time.time(), id)
        )
        edited = _find(db, id)
        assert edited is not None
        return edited


def delete_note(path: str | Path, id: str, version: int) -> None:
    """Delete a note; nothing happens when it is gone already.

    Raises:
        EditConflict: it was edited since; nothing was deleted.
    """
    with transaction(path) as db:
        note = _find(db, id)
        if note is not None:
            _check(note, version)
            db.execute("DELETE FROM notes WHERE token = ?", (id,))


def set_mark(path: str | Path, thread_id: str, request: int | None, marked: bool) -> None:
    """Mark a request (None: the thread itself), or take its mark away."""
    with transaction(path) as db:
        thread = _place(db, thread_id, request)
        there = db.execute(
            "SELECT 1 FROM notes WHERE kind = 'mark' AND thread = ? AND request IS ?", (thread, request)
        ).fetchone()
        if marked and not there:
            _insert(db, "mark", thread_id, request, "")
        elif not marked:
            db.execute("DELETE FROM notes WHERE kind = 'mark' AND thread = ? AND request IS ?", (thread, request))


def set_baseline(path: str | Path, thread_id: str, request: int | None) -> None:
    """Make a request the one that the thread's others are compared with; None for none."""
    with transaction(path) as db:
        thread = _place(db, thread_id, request)
        db.execute("DELETE FROM notes WHERE kind = 'baseline' AND thread = ?", (thread,))
        if request is not None:
            _insert(db, "baseline", thread_id, request, "")


def _insert(db: sqlite3.Connection, kind: Kind, thread_id: str, request: int | None, text: str) -> Note:
    thread, now, id = _place(db, thread_id, request), time.time(), uuid.uuid4().hex
    db.execute(
        "INSERT INTO notes(token, thread, request, kind, text, version, created_at, updated_at) "
        "VALUES (?, ?, ?, ?, ?, 1, ?, ?)",
        (id, thread, request, kind, text, now, now),
    )
    note = _find(db, id)
    assert note is not None
    return note


def _find(db: sqlite3.Connection, id: str) -> Note | None:
    row = db.execute(f"{_SELECT} WHERE n.token = ?", (id,)).fetchone()
    return Note(*row) if row else None


def _place(db: sqlite3.Connection, thread_id: str, request: int | None) -> int:
    """Row id of the thread, which holds the request."""
    row = db.execute("SELECT id FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
    if row is None:
        raise UsageError(f"There is no thread {thread_id!r} to put this on.")
    if request is not None:
        held = db.execute("SELECT 1 FROM requests WHERE id = ? AND thread = ?", (request, row[0])).fetchone()
        if held is None:
            raise UsageError(f"The thread {thread_id!r} has no request {request}.")
    return int(row[0])


def _check(note: Note | None, version: int) -> None:
    if note is None:
        raise EditConflict("The note was deleted meanwhile. Nothing was written.", None, "")
    if note.version != version:
        raise EditConflict(
            "The note was changed after it was opened here. Nothing was written.", note.text, str(note.version)
        )


def _text(text: str) -> str:
    if not text.strip():
        raise UsageError("A note needs some text. Delete it if it is no longer wanted.")
    return column_text(text)
