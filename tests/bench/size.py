"""Bytes of a workspace's record, beside what its parts would be as plain JSON."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import dataclass
from pathlib import Path

import zstandard

TABLES = ("threads", "runs", "parts", "chain", "requests", "events", "snapshots")
"""Ours; LangGraph's checkpoints, writes and store are not the record."""


@dataclass(frozen=True)
class Sizes:
    """All in bytes."""

    record: int
    unique: int
    file: int


def measure(path: Path) -> Sizes:
    """Measure a workspace that nobody writes."""
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try:
            record = _pages(db)
        except sqlite3.OperationalError:  # this SQLite was built without dbstat
            record = _copied(db)
        unique = 0
        for packed, body in db.execute("SELECT packed, body FROM parts"):
            unique += zstandard.frame_content_size(body) if packed else len(body)
    return Sizes(record, unique, path.stat().st_size)


def _pages(db: sqlite3.Connection) -> int:
    marks = ",".join("?" * len(TABLES))
    query = (
        "SELECT sum(s.pgsize) FROM dbstat s JOIN sqlite_schema m ON m.name = s.name "
        f"WHERE s.aggregate = 1 AND m.tbl_name IN ({marks})"
    )
    return int(db.execute(query, TABLES).fetchone()[0])


def _copied(db: sqlite3.Connection) -> int:
    """Size of a copy that holds our tables only."""
    with contextlib.closing(sqlite3.connect(":memory:")) as copy:
        for name in TABLES:
            for (statement,) in db.execute(
                "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY type DESC", (name,)
            ):
                copy.execute(statement)
            rows = db.execute(f"SELECT * FROM {name}")
            copy.executemany(f"INSERT INTO {name} VALUES ({','.join('?' * len(rows.description))})", rows)
        copy.commit()
        pages, page = copy.execute("PRAGMA page_count").fetchone()[0], copy.execute("PRAGMA page_size").fetchone()[0]
    return int(pages * page)
