"""Noting the texts of files among their versions, where no trigger of the store's does.

A file in a folder changes without anybody telling: what is found there is noted when it is seen. A file in a
namespace of the store is noted by the store's triggers once any text of it was.
"""

from __future__ import annotations

import contextlib
import sqlite3
import time
from pathlib import Path
from typing import Any

import orjson

from engine.errors import InspectorError
from engine.fenced import OnDisk
from engine.memory.rows import bytes_of, reading, with_content
from engine.places import Located
from engine.transactions import transaction

USER = "user"


def note_found(workspace_path: str | Path, located: Located, found: OnDisk) -> None:
    """Note what a folder holds where it is another text than the last one that was noted.

    A workspace that can't be written is left: reading must not fail for it.
    """
    with contextlib.suppress(InspectorError):
        with reading(workspace_path) as db:
            known = _noted(db, located)
        if not found.problem and known != _Known.of(found.data, known):
            with transaction(workspace_path) as db:
                _note_before(db, located, found)


def note_saved(db: sqlite3.Connection, located: Located, before: OnDisk, data: bytes | None, note: str) -> None:
    """Note what a save finds in a folder, and what it puts there; None where it deletes."""
    _note_before(db, located, before)
    _insert(db, located, time.time(), data, USER, note)


def follow(db: sqlite3.Connection, located: Located, value: dict[str, Any] | None) -> None:
    """Have the store's triggers note the texts of this file from now on, whatever its namespace is called."""
    if not _noted(db, located).any and not {"memories", "skills"} & set(located.within.split(".")):
        raw = orjson.dumps(value) if value is not None else None
        db.execute(
            "INSERT INTO file_versions(place, key, at, value) VALUES (?, ?, ?, ?)",
            (located.filed, located.key, time.time(), raw),
        )


def sign(db: sqlite3.Connection, located: Located, note: str) -> None:
    """Put the user's name to the text that a trigger has just noted."""
    db.execute(
        "UPDATE file_versions SET author = ?, note = ? "
        "WHERE id = (SELECT max(id) FROM file_versions WHERE place = ? AND key = ?)",
        (USER, note or None, located.filed, located.key),
    )


class _Known:
    """The last text of a file that was noted, if any was."""

    def __init__(self, any: bool, data: bytes | None) -> None:
        self.any, self.data = any, data

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Known) and (self.any, self.data) == (other.any, other.data)

    __hash__ = None  # type: ignore[assignment]

    @classmethod
    def of(cls, data: bytes | None, known: _Known) -> _Known:
        """What is known once this was noted; a file that never was there needs no note."""
        return cls(known.any or data is not None, data)


def _noted(db: sqlite3.Connection, located: Located) -> _Known:
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'file_versions'").fetchone():
        return _Known(False, None)
    row = db.execute(
        "SELECT value FROM file_versions WHERE place = ? AND key = ? ORDER BY id DESC LIMIT 1",
        (located.filed, located.key),
    ).fetchone()
    if row is None:
        return _Known(False, None)
    return _Known(True, bytes_of(located.key, orjson.loads(row[0])) if row[0] is not None else None)


def _note_before(db: sqlite3.Connection, located: Located, found: OnDisk) -> None:
    known = _noted(db, located)
    if not found.problem and known != _Known.of(found.data, known):
        _insert(db, located, found.modified or time.time(), found.data, None, "")


def _insert(
    db: sqlite3.Connection, located: Located, at: float, data: bytes | None, author: str | None, note: str
) -> None:
    value = orjson.dumps(with_content(None, data)) if data is not None else None
    db.execute(
        "INSERT INTO file_versions(place, key, at, value, author, note) VALUES (?, ?, ?, ?, ?, ?)",
        (located.filed, located.key, at, value, author, note or None),
    )
