"""What :mod:`engine.schema` needs of sqlite-utils, for a program whose environment hasn't got it.

A file made or migrated here can't be told from one that sqlite-utils made: the same statements, and the same
note of what was applied. Migrations may use ``db.conn`` alone.
"""

from __future__ import annotations

import datetime
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

_TABLE = """
CREATE TABLE "_sqlite_migrations" (
   "id" INTEGER PRIMARY KEY,
   "migration_set" TEXT,
   "name" TEXT,
   "applied_at" TEXT
)"""
_INDEX = """
CREATE UNIQUE INDEX "idx__sqlite_migrations_migration_set_name"
    ON "_sqlite_migrations" ("migration_set", "name")"""


@dataclass(frozen=True)
class Database:
    """A connection, by the name under which sqlite-utils has it."""

    conn: sqlite3.Connection


class Migrations:
    """Functions that each bring a file one step on."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._steps: list[Callable[[Any], None]] = []

    def __call__(self) -> Callable[[Callable[[Any], None]], Callable[[Any], None]]:
        """Decorator of the next step."""

        def add(step: Callable[[Any], None]) -> Callable[[Any], None]:
            self._steps.append(step)
            return step

        return add

    def apply(self, db: Database) -> None:
        """Take the steps that the file has not had, each whole or not at all."""
        has = db.conn.execute("SELECT 1 FROM sqlite_master WHERE name = '_sqlite_migrations'").fetchone()
        if has is None:
            db.conn.execute(_TABLE.strip())
            db.conn.execute(_INDEX.strip())
        done = {
            name
            for (name,) in db.conn.execute("SELECT name FROM _sqlite_migrations WHERE migration_set = ?", (self._name,))
        }
        for step in self._steps:
            if step.__name__ not in done:
                with db.conn:
                    db.conn.execute("BEGIN")
                    step(db)
                    db.conn.execute(
                        "INSERT INTO _sqlite_migrations(migration_set, name, applied_at) VALUES (?, ?, ?)",
                        (self._name, step.__name__, str(datetime.datetime.now(datetime.timezone.utc))),  # noqa: UP017
                    )
