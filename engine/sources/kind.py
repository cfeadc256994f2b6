"""Whether a file is a LangGraph database. Looking at it leaves no trace."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from engine.sources.access import Access, beside, look

_COLUMNS = {"thread_id", "checkpoint"}


def is_langgraph(path: Path) -> bool:
    """Whether the SQLite file has LangGraph's table of checkpoints.

    Raises:
        sqlite3.DatabaseError: its list of tables can't be read.
    """
    wal = beside(path, "-wal")
    with closing(look(path)) as connection:
        if _has_checkpoints(connection):
            return True
        if not (wal.exists() and wal.stat().st_size):
            connection.execute("PRAGMA writable_schema=OFF")  # now SQLite says what is wrong with a damaged list
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            return False
    # All of a young database may still lie in its WAL.
    access = Access(path)
    try:
        return _has_checkpoints(access.connection)
    finally:
        access.close()


def _has_checkpoints(connection: sqlite3.Connection) -> bool:
    return {str(row[1]) for row in connection.execute("PRAGMA table_info(checkpoints)")} >= _COLUMNS
