"""Namespaces and items of a store as they stand, a page at a time. Nothing is written, not even beside the file."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine.errors import UsageError
from engine.memory.rows import has_store, reading
from engine.namespaces import id_of
from engine.places import ROUTES, path_in
from engine.storing import StoreItem, StoreNamespace, StorePage
from engine.workspace import check_file

WHOLE = 256 * 1024
"""Bytes up to which a page has an item's value; of a longer one :func:`store_item` gives it."""

_PAGE = 100


def store_namespaces(path: str | Path) -> list[StoreNamespace]:
    """Namespaces of a workspace's store, or of a LangGraph database's, in order.

    Raises:
        UsageError, WorkspaceError: there is no such file, or it can't be read.
    """
    with _store(Path(path)) as db:
        rows = db.execute(
            "SELECT prefix, count(*), sum(length(CAST(value AS BLOB))), max(updated_at) FROM store GROUP BY prefix"
        ).fetchall()
    found = [
        StoreNamespace(str(prefix), parts_of(str(prefix)), count, size or 0, _seconds(at))
        for prefix, count, size, at in rows
    ]
    return sorted(found, key=lambda one: one.parts)


def store_items(
    path: str | Path, namespace: str, query: str = "", limit: int = _PAGE, offset: int = 0, around: str = ""
) -> StorePage:
    """Items of one namespace by key, none of those below it; with ``query``, those whose key or value holds it.

    Large and small letters count as one. ``around`` takes, in place of ``offset``, the page on which this key stands,
    or would stand. Raises: as :func:`store_namespaces`.
    """
    needle = query.casefold()
    escaped = json.dumps(needle, ensure_ascii=False)[1:-1]
    with _store(Path(path)) as db:
        db.create_function("folded", 1, lambda text: _text(text).casefold(), deterministic=True)
        where, values = "prefix = ?", [namespace]
        if needle:
            where += " AND (instr(folded(key), ?) OR instr(folded(value), ?) OR instr(folded(value), ?))"
            values += [needle, needle, escaped]
        total = db.execute(f"SELECT count(*) FROM store WHERE {where}", values).fetchone()[0]
        if around:
            before = db.execute(f"SELECT count(*) FROM store WHERE {where} AND key < ?", [*values, around]).fetchone()[
                0
            ]
            offset = max(0, min(before, total - 1)) // limit * limit
        expires = _expires(db)
        rows = db.execute(
            f"SELECT prefix, key, CASE WHEN length(CAST(value AS BLOB)) <= {WHOLE} THEN value END, "
            f"length(CAST(value AS BLOB)), created_at, updated_at, {expires} FROM store WHERE {where} "
            "ORDER BY key LIMIT ? OFFSET ?",
            [*values, limit, offset],
        ).fetchall()
    return StorePage(tuple(item_of(*row) for row in rows), total, offset)


def store_item(path: str | Path, namespace: str, key: str) -> StoreItem:
    """One item with its whole value.

    Raises: as :func:`store_namespaces`; ``UsageError`` too where there is no such item.
    """
    with _store(Path(path)) as db:
        row = db.execute(
            "SELECT prefix, key, value, length(CAST(value AS BLOB)), created_at, updated_at, "
            f"{_expires(db)} FROM store WHERE prefix = ? AND key = ?",
            (namespace, key),
        ).fetchone()
    if row is None:
        raise UsageError(f"There is no item {key!r} in the namespace {namespace}.")
    return item_of(*row)


def parts_of(namespace: str) -> tuple[str, ...]:
    """Parts of a namespace as they read."""
    return tuple(id_of(part) for part in namespace.split("."))


def version_of(raw: Any) -> str:
    """Digest of a stored value; empty where there is none."""
    return "" if raw is None else hashlib.sha256(_text(raw).encode("utf-8", "surrogateescape")).hexdigest()


def item_of(prefix: str, key: str, raw: Any, size: int, created: Any, updated: Any, expires: Any) -> StoreItem:
    """An item of its row; without its value where ``raw`` is None."""
    text, value, problem = _text(raw), None, ""
    if raw is not None:
        try:
            value = json.loads(text)
            text = json.dumps(value, ensure_ascii=False, indent=2)
        except (ValueError, RecursionError):
            problem = "the value is no JSON"
    is_file = isinstance(value, dict) and isinstance(value.get("content"), str | list) and "encoding" in value
    return StoreItem(
        namespace=prefix,
        key=key,
        value=value,
        json=text,
        version=version_of(raw),
        size=size,
        created_at=_seconds(created),
        updated_at=_seconds(updated),
        is_file=is_file,
        path=path_in(prefix, key) if is_file and prefix in ROUTES.values() and key.startswith("/") else None,
        problem=problem,
        expires_at=_seconds(expires),
        whole=raw is not None,
    )


@contextmanager
def _store(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to read a store by; an empty one in memory where the file has none."""
    if check_file(path) == "workspace":
        with reading(path) as db, closing(_empty()) as none:
            yield db if has_store(db) else none
        return
    from engine.sources.access import Access  # deferred: a workspace doesn't need it

    access = Access(path)
    try:
        with closing(_empty()) as none:
            yield access.connection if has_store(access.connection) else none
    finally:
        access.close()


def _empty() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.execute("CREATE TABLE store (prefix TEXT, key TEXT, value TEXT, created_at TEXT, updated_at TEXT)")
    return db


def _expires(db: sqlite3.Connection) -> str:
    return "expires_at" if any(row[1] == "expires_at" for row in db.execute("PRAGMA table_info(store)")) else "NULL"


def _text(raw: Any) -> str:
    return raw.decode("utf-8", "surrogateescape") if isinstance(raw, bytes) else "" if raw is None else str(raw)


def _seconds(moment: Any) -> float | None:
    try:
        at = datetime.fromisoformat(str(moment))
    except ValueError:
        return None
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
