"""What a deletion would take with it, counted before anything is done."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.governance.reachable import mark_own
from engine.memory.rows import reading
from engine.places import Layout, path_in
from engine.trace.book import Book
from engine.trace.files import Files, content_of
from engine.trace.layouts import layout_of
from engine.workbench import DeletionItem, DeletionPlan

_WORDS = {
    "checkpoints": "checkpoints of the thread's state",
    "writes": "writes of its steps",
    "snapshots": "notes on snapshots",
    "requests": "requests",
    "runs": "runs",
    "events": "events",
    "notes": "notes, marks and baselines",
    "wire": "bodies sent over the wire",
    "chain": "places in lists",
    "parts": "parts of requests",
    "threads": "threads",
    "thread_agents": "notes on which agent a thread has",
    "run_settings": "settings of runs",
    "store": "files and items in the store",
    "store_vectors": "vectors of the store",
    "file_versions": "versions of files",
}
_RECORD = ("chain", "parts", "requests", "runs", "threads")
"""Deleted last, in this order: what stands before may name them."""


@dataclass(frozen=True, slots=True)
class Target:
    """Rows of one table that go."""

    table: str
    where: str
    values: tuple[Any, ...]

    @property
    def what(self) -> str:
        """In words."""
        return _WORDS.get(self.table, f"rows of {self.table}")


def plan_deletion(
    workspace_path: str | Path, thread_id: str | None = None, namespace: str | None = None, with_threads: bool = False
) -> DeletionPlan:
    """Everything known about a thread, or about a namespace of the store (``memories``, or with dots its parts).

    ``with_threads`` takes the threads that hold copies of a namespace's files with it. Nothing is written.

    Raises:
        UsageError: there is no such thread, or nothing of the namespace; or neither or both were named.
    """
    file = Path(workspace_path)
    if (thread_id is None) == (namespace is None):
        raise UsageError("Name a thread or a namespace to delete.")
    with reading(file) as db:
        copies = holders(db, namespace) if namespace is not None else []
        threads = [thread_id] if thread_id is not None else copies if with_threads else []
        items, seal = count(db, threads, namespace)
        if not items:
            raise UsageError(
                f"There is no thread {thread_id!r} in {file}."
                if namespace is None
                else f"There is nothing in the namespace {namespace!r} of {file}."
            )
        kept = list(_kept(db, threads))
    return DeletionPlan(
        threads=tuple(threads),
        namespace=namespace,
        items=items,
        files=tuple(_files(file, threads, namespace)),
        copies=tuple(thread for thread in copies if thread not in threads),
        kept=tuple(kept),
        seal=seal,
    )


def count(
    db: sqlite3.Connection, threads: Sequence[str], namespace: str | None
) -> tuple[tuple[DeletionItem, ...], str]:
    """What goes, by kind, and a seal of it."""
    items = []
    for target in targets(db, threads, namespace):
        number, size = db.execute(
            f"SELECT count(*), {_bytes(db, target.table)} FROM {target.table} WHERE {target.where}", target.values
        ).fetchone()
        if number:
            items.append(DeletionItem(target.what, number, int(size or 0)))
    told = json.dumps([list(threads), namespace, [[item.what, item.count, item.bytes] for item in items]])
    return tuple(items), hashlib.sha256(told.encode()).hexdigest()


def targets(db: sqlite3.Connection, threads: Sequence[str], namespace: str | None) -> list[Target]:
    """Rows that go, in the order in which they may be deleted."""
    tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
    found: list[Target] = []
    if threads:
        ids = [row[0] for row in db.execute(f"SELECT id FROM threads WHERE thread_id IN ({_marks(threads)})", threads)]
        mark_own(db, ids)
        found += _of_threads(db, tables, threads)
    if namespace is not None:
        below = f"{namespace}/" if namespace.startswith("file:") else f"{namespace}."  # of a folder, not of one alike
        for table, column in (("store_vectors", "prefix"), ("store", "prefix"), ("file_versions", "place")):
            if table in tables:
                where = f"({column} = ? OR substr({column}, 1, ?) = ?)"  # LIKE takes ACME for acme
                found.append(Target(table, where, (namespace, len(below), below)))
    return found


def holders(db: sqlite3.Connection, namespace: str) -> list[str]:
    """Threads that loaded a file of a namespace, or listed a skill of it: their states and requests hold copies."""
    layouts: dict[str, Layout] = {}
    found: dict[str, None] = {}
    for thread, data in db.execute(
        "SELECT t.thread_id, e.data FROM events e JOIN threads t ON t.id = e.thread "
        "WHERE e.kind IN ('memory loaded', 'skill listed', 'memory edited', 'skill read') ORDER BY t.id"
    ):
        told = json.loads(data)
        paths = [one.get("path") for one in (*told.get("sources", ()), *told.get("skills", ()), told)]
        if thread not in layouts:
            layouts[thread] = layout_of(db.execute, thread)
        places = [layouts[thread].locate(path) for path in paths if isinstance(path, str)]
        if any(place.kind == "store" and f"{place.within}.".startswith(f"{namespace}.") for place in places):
            found[thread] = None
    return list(found)


def _of_threads(db: sqlite3.Connection, tables: Sequence[str], threads: Sequence[str]) -> Iterator[Target]:
    """Tables that name a thread by its id, or refer to a thread or request of the record, whichever they are."""
    going = "IN (SELECT id FROM temp.going)"
    requests = f"IN (SELECT id FROM requests WHERE thread {going})"
    for table in tables:
        if table in _RECORD or table.startswith("sqlite_"):
            continue
        if any(row[1] == "thread_id" for row in db.execute(f"PRAGMA table_info({table})")):
            yield Target(table, f"thread_id IN ({_marks(threads)})", tuple(threads))
            continue
        refers = {row[3]: row[2] for row in db.execute(f"PRAGMA foreign_key_list({table})")}
        which = {"threads": going, "requests": requests}
        conditions = [f"{column} {which[to]}" for column, to in refers.items() if to in which]
        if conditions:
            yield Target(table, " OR ".join(conditions), ())
    yield Target("chain", "id IN (SELECT id FROM temp.own_nodes)", ())
    yield Target("parts", "id IN (SELECT id FROM temp.own_parts)", ())
    yield Target("requests", f"thread {going}", ())
    yield Target("runs", f"thread {going}", ())
    yield Target("threads", f"id {going}", ())


def _kept(db: sqlite3.Connection, threads: Sequence[str]) -> Iterator[str]:
    if not threads:
        return
    shared = db.execute("SELECT count(*) FROM (SELECT id FROM temp.shared_parts)").fetchone()[0]
    if shared:
        yield f"{shared:,} parts that other threads' requests hold too stay with those."
    edited = db.execute(
        "SELECT DISTINCT json_extract(data, '$.path') FROM events "
        "WHERE kind = 'memory edited' AND thread IN (SELECT id FROM temp.going)"
    ).fetchall()
    for (path,) in edited:
        yield f"{path} stays, with what this thread's agent wrote into it: it belongs to no thread."
    places = [place for thread in threads for place in layout_of(db.execute, thread).places()]
    for folder in dict.fromkeys(place.within for place in places if place.kind == "filesystem"):
        yield f"What the agent left in the folder {folder} stays: it lies on the disk, and belongs to no thread."


def _files(file: Path, threads: Sequence[str], namespace: str | None) -> Iterator[tuple[str, int]]:
    with closing(Book(file)) as book:
        files = Files(book)
        for thread in threads:
            for path, data in sorted(files.state(thread)[0].items()):
                yield path, len(content_of(data)[0] or b"")
        if namespace is not None and book.one("SELECT 1 FROM sqlite_master WHERE name = 'store'"):
            rows = book.rows(
                "SELECT prefix, key, value FROM store "
                "WHERE prefix = ? OR substr(prefix, 1, ?) = ? ORDER BY prefix, key",
                (namespace, len(namespace) + 1, f"{namespace}."),
            )
            for prefix, key, value in rows:
                yield path_in(prefix, key), len(value)


def _bytes(db: sqlite3.Connection, table: str) -> str:
    columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
    return " + ".join(f"coalesce(sum(length(CAST({column} AS BLOB))), 0)" for column in columns)


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))
