"""Which chain nodes and parts of the record only certain threads use.

Lists share their beginnings and parts are kept once, so a thread's own are those that no other thread's
requests, events or wire bodies lead to.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

from engine.canonical import from_json
from engine.packing import unpack

_NODES = ("system_node", "tools_node", "messages_node", "raw_node")
_PARTS = ("params_part", "origin_part", "response_part")
_CHUNK = 500


def mark_own(db: sqlite3.Connection, threads: Iterable[int]) -> None:
    """Fill temporary tables: ``own_nodes`` and ``own_parts`` that only these threads use, ``shared_parts``."""
    for table in ("going", "own_nodes", "own_parts", "kept_nodes", "kept_parts", "shared_parts"):
        db.execute(f"DROP TABLE IF EXISTS temp.{table}")
        db.execute(f"CREATE TEMP TABLE {table} (id INTEGER PRIMARY KEY)")
    db.executemany("INSERT OR IGNORE INTO temp.going VALUES (?)", [(thread,) for thread in threads])
    _reach(db, "own", "IN")
    _reach(db, "kept", "NOT IN")
    db.execute("INSERT INTO temp.shared_parts SELECT id FROM temp.own_parts INTERSECT SELECT id FROM temp.kept_parts")
    for kind in ("nodes", "parts"):
        db.execute(f"DELETE FROM temp.own_{kind} WHERE id IN (SELECT id FROM temp.kept_{kind})")


def _reach(db: sqlite3.Connection, name: str, which: str) -> None:
    """Nodes and parts that threads in (or not in) ``going`` lead to."""
    theirs = f"thread {which} (SELECT id FROM temp.going)"
    requests = f"request IN (SELECT id FROM requests WHERE {theirs})"
    nodes, parts = f"temp.{name}_nodes", f"temp.{name}_parts"
    for column in _NODES:
        db.execute(f"INSERT OR IGNORE INTO {nodes} SELECT {column} FROM requests WHERE {theirs} AND {column} > 0")
    for column in _PARTS:
        db.execute(f"INSERT OR IGNORE INTO {parts} SELECT {column} FROM requests WHERE {theirs} AND {column} > 0")
    db.execute(f"INSERT OR IGNORE INTO {parts} SELECT shell_part FROM wire WHERE {requests} AND shell_part > 0")
    _add(db, nodes, _ints(row[0] for row in db.execute(f"SELECT nodes FROM wire WHERE {requests}")))
    _add(db, parts, _event_parts(row[0] for row in db.execute(f"SELECT data FROM events WHERE {theirs}")))
    origins = [
        row[0] for row in db.execute(f"SELECT DISTINCT origin_part FROM requests WHERE {theirs} AND origin_part > 0")
    ]
    for origin in origins:
        of_nodes, of_parts = _of_origin(db, origin)
        _add(db, nodes, of_nodes)
        _add(db, parts, of_parts)
    db.execute(
        f"INSERT OR IGNORE INTO {nodes} WITH RECURSIVE up(id) AS (SELECT id FROM {nodes} UNION "
        "SELECT c.parent FROM up JOIN chain c ON c.id = up.id WHERE c.parent > 0) SELECT id FROM up"
    )
    db.execute(f"INSERT OR IGNORE INTO {parts} SELECT part FROM chain WHERE id IN (SELECT id FROM {nodes})")


def _add(db: sqlite3.Connection, table: str, ids: Iterable[int]) -> None:
    db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?)", [(id,) for id in ids if id > 0])


def _ints(texts: Iterable[str]) -> Iterator[int]:
    for text in texts:
        yield from (node for node in json.loads(text) if isinstance(node, int))


def _event_parts(texts: Iterable[str]) -> Iterator[int]:
    for text in texts:
        part = json.loads(text).get("part")
        if isinstance(part, int):
            yield part


def _of_origin(db: sqlite3.Connection, part: int) -> tuple[list[int], list[int]]:
    """Nodes and parts that a request's layers name, see :mod:`engine.recording.layers`."""
    row = db.execute("SELECT packed, body FROM parts WHERE id = ?", (part,)).fetchone()
    origin: dict[str, Any] = from_json(unpack(row[0], row[1])) if row is not None else {}
    nodes: list[int] = []
    parts: list[int] = []
    for layer in origin.get("layers") or ():
        for name in ("system", "tools", "messages"):
            told = layer.get(name)
            if isinstance(told, int):
                nodes.append(told)
            elif isinstance(told, list):
                parts += [pair[1] for pair in told[1:]]
    return nodes, parts
