"""Every text that a memory or skill file has had: a table that the file's own writes fill.

Triggers on LangGraph's ``store`` keep each value that is put or deleted, whoever puts it: an agent, a save
from here, another program. They are part of the file, so nothing has to watch. They do so for namespaces with
a part ``memories`` or ``skills``, and for every other file of which a text was noted once. What lies in a
folder is noted when it is saved from here and when it is seen (:mod:`engine.memory.noting`).
"""

from __future__ import annotations

import json
import sqlite3
import time
from datetime import datetime
from typing import Any

from engine.places import in_store

_EARLIER = "memory_earlier"

TABLE = """
    CREATE TABLE file_versions (
        id INTEGER PRIMARY KEY, place TEXT NOT NULL, key TEXT NOT NULL, at REAL NOT NULL, value BLOB,
        author TEXT, note TEXT)
"""
"""``place`` and ``key`` are the store's prefix and key, or ``file:`` with a folder, and the name in it; ``value``
is what was put, NULL where it was deleted. ``author`` is NULL for a write that did not say who made it."""

INDEX = "CREATE INDEX file_versions_file ON file_versions(place, key, id)"

NOW = "(julianday('now') - 2440587.5) * 86400.0"
"""Seconds since the epoch, for SQLite releases that have no finer clock of their own."""

_KEPT = "('.' || {row}.prefix || '.' LIKE '%.memories.%' OR '.' || {row}.prefix || '.' LIKE '%.skills.%')"
_FOLLOWED = "EXISTS (SELECT 1 FROM file_versions f WHERE f.place = {row}.prefix AND f.key = {row}.key)"
_TRIGGERS = {
    "file_put": ("INSERT", "new", "new.value"),
    "file_changed": ("UPDATE OF value", "new", "new.value"),
    "file_deleted": ("DELETE", "old", "NULL"),
}
_EARLIER_TRIGGERS = ("store_put", "store_changed", "store_deleted")


def install(connection: sqlite3.Connection) -> None:
    """Make the triggers where they aren't there yet. The store's table must be there; an older format is left."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'file_versions'").fetchone():
        return
    for name in _EARLIER_TRIGGERS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")
    for name, (event, row, value) in _TRIGGERS.items():
        kept = f"{_KEPT} OR {_FOLLOWED}".format(row=row)
        connection.execute(
            f"CREATE TRIGGER IF NOT EXISTS {name} AFTER {event} ON store WHEN {kept} BEGIN "
            f"INSERT INTO file_versions(place, key, at, value) VALUES ({row}.prefix, {row}.key, {NOW}, {value}); END"
        )


def adopt(connection: sqlite3.Connection) -> None:
    """Take over what an older format knew: the texts that saves replaced, kept in the store, and those that stand."""
    found: list[tuple[str, str, float, bytes]] = []
    now = time.time()
    for prefix, key, raw in connection.execute("SELECT prefix, key, value FROM store ORDER BY prefix, key").fetchall():
        value = _json(raw)
        at = _seconds(value.get("modified_at")) or now
        if prefix == _EARLIER and (place := in_store(str(value.get("path")))):
            kept = {name: held for name, held in value.items() if name not in {"path", "replaced_at"}}
            found.append((*place, at, json.dumps(kept, ensure_ascii=False).encode()))
        elif any(part in {"memories", "skills"} for part in prefix.split(".")):
            found.append((prefix, key, at, raw))
    found.sort(key=lambda one: one[2])
    connection.executemany("INSERT INTO file_versions(place, key, at, value) VALUES (?, ?, ?, ?)", found)
    connection.execute("DELETE FROM store WHERE prefix = ?", (_EARLIER,))


def _json(raw: bytes | str) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {}


def _seconds(moment: Any) -> float | None:
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None
