"""A workspace as its first version left it: without the tables that came later."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from engine import Workspace
from engine.agent.scripted import ScriptedChat, Turn
from tests.engine.wire.agents import run


def first_version(file: Path) -> None:
    """Make a file of format 1 with one recorded request in its thread ``t``."""
    Workspace.create(file)
    run(file, ScriptedChat(script=[Turn("Done.")]), "Hello")
    with closing(sqlite3.connect(file)) as connection:
        later = connection.execute(
            "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'trigger') "
            "AND (name IN ('wire', 'notes', 'file_versions') OR name LIKE '%\\_of\\_%' ESCAPE '\\')"
        ).fetchall()
        for kind, name in sorted(later, reverse=True):
            connection.execute(f"DROP {kind} IF EXISTS {name}")
        connection.execute("DELETE FROM _sqlite_migrations WHERE name <> 'm001_record'")
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
