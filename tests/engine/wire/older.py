"""A workspace as its first version left it: without the tables that came later."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlite_utils import Database

from engine import Workspace
from engine.agent.scripted import ScriptedChat, Turn
from engine.schema import migrations
from tests.engine.wire.agents import run


def first_version(file: Path) -> None:
    """Make a file of format 1 with one recorded request in its thread ``t``."""
    Workspace.create(file)
    run(file, ScriptedChat(script=[Turn("Done.")]), "Hello")
    with closing(sqlite3.connect(file)) as connection:
        first = _made_by("m002_wire")
        for kind, name in sorted(_made_by(None) - first, reverse=True):
            if kind == "column" and ("table", name.partition(".")[0]) not in first:
                continue  # it goes with its table
            if kind == "column":
                table, _, column = name.partition(".")
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            else:
                connection.execute(f"DROP {kind} IF EXISTS {name}")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name <> 'm001_record'")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()


def _made_by(stop_before: str | None) -> set[tuple[str, str]]:
    """Kind and name of what the migrations make, columns (``table.column``) among them: all, or what is before one."""
    database = Database(memory=True)
    migrations.apply(database, stop_before=stop_before)
    query = "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger') AND name NOT LIKE 'sqlite%'"
    made = {(kind, name) for kind, name in database.conn.execute(query)}
    for table in [name for kind, name in made if kind == "table"]:
        made |= {("column", f"{table}.{row[1]}") for row in database.conn.execute(f"PRAGMA table_info({table})")}
    database.close()
    return made
