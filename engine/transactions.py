"""One write transaction on a workspace, with what SQLite may say put in words for the user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import InspectorError, WorkspaceError
from engine.workspace import BUSY_SECONDS, Workspace


@contextmanager
def transaction(path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection inside a transaction: committed at the end of the block, rolled back when it raises.

    Raises:
        UsageError: there is no such file.
        WorkspaceError: the file is not a workspace, or damaged.
        InspectorError: it is locked, read-only, or the disk is full.
    """
    file = Path(path)
    try:
        connection = Workspace.open(file).connect(autocommit=True)
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # takes back what was not committed
    except sqlite3.Error as error:
        raise in_words(file, error) from error


def in_words(file: Path, error: sqlite3.Error) -> InspectorError:
    """The sentence for a fault of SQLite's while ``file`` was written."""
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InspectorError(
            f"{file} is locked: another program has been writing to it for {BUSY_SECONDS:.0f} seconds. "
            "Nothing was written; try again."
        )
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return InspectorError(f"{file} can't be written: it is read-only. Nothing was written.")
    if code == sqlite3.SQLITE_FULL:
        return InspectorError(f"{file} can't be written: the disk is full. Nothing was written.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return WorkspaceError(f"{file} is damaged: {error}. Copy it before you try to repair it.")
    return InspectorError(f"{file} can't be written: {error}. Nothing was written.")
