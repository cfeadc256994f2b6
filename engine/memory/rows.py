"""Rows of LangGraph's store in a workspace, exactly as deepagents' ``StoreBackend`` writes and reads them.

Its own ``write`` reads and puts in two transactions, so another writer can come between; what saves here
compares and writes in one (``tests/engine/memory/test_stored.py`` holds both against each other). No import of
deepagents or LangGraph: saving must be quick in a program that has just started.
"""

from __future__ import annotations

import sqlite3
from base64 import standard_b64decode, standard_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from engine import file_history, importing
from engine.errors import InspectorError
from engine.transactions import in_words, transaction
from engine.workspace import BUSY_SECONDS, Workspace, check_workspace


def bytes_of(path: str, value: dict[str, Any]) -> bytes:
    """Bytes of a stored file: text, the line lists of older releases, or base64.

    Raises ``InspectorError`` for a damaged entry.
    """
    content = value.get("content")
    if isinstance(content, list) and all(isinstance(line, str) for line in content):
        content = "\n".join(content)
    try:
        if isinstance(content, str):
            if value.get("encoding") == "base64":
                return standard_b64decode(content)
            return content.encode("utf-8")
    except (Base64Error, ValueError):
        pass
    raise InspectorError(f"The store's entry for {path} holds no readable content. It was left as it is.")


@contextmanager
def reading(workspace_path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection that can't write, to a file that is a workspace; faults are put in words."""
    file = Path(workspace_path)
    check_workspace(file)
    try:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as db:
            yield db
    except sqlite3.Error as error:
        raise in_words(file, error) from error


@contextmanager
def saving(workspace_path: str | Path) -> Iterator[sqlite3.Connection]:
    """A write transaction in a file that has the store's tables and notes every text."""
    file = Path(workspace_path)
    with reading(file) as db:
        there = has_store(db)
    if not there:
        _make_store(file)
    with transaction(file) as db:
        file_history.install(db)
        yield db


def has_store(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store'").fetchone() is not None


def _make_store(file: Path) -> None:
    """The store's tables, in a workspace in which no agent has run yet: by LangGraph's own class."""
    with importing.lock:  # deferred: takes a second to import
        from engine.checkpoints import WorkspaceStore

    WorkspaceStore(Workspace.open(file)).conn.close()


def row_of(db: sqlite3.Connection, prefix: str, key: str) -> dict[str, Any] | None:
    row = db.execute("SELECT value FROM store WHERE prefix = ? AND key = ?", (prefix, key)).fetchone()
    if row is None:
        return None
    try:
        value = orjson.loads(row[0])
    except orjson.JSONDecodeError:
        value = None
    if not isinstance(value, dict):
        raise InspectorError(f"The store's entry for {key} in “{prefix}” is damaged. It was left as it is.")
    return value


def with_content(value: dict[str, Any] | None, data: bytes) -> dict[str, Any]:
    """The stored form with new content: other fields stay, ``modified_at`` is now."""
    try:
        content, encoding = data.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        content, encoding = standard_b64encode(data).decode("ascii"), "base64"
    now = datetime.now(UTC).isoformat()
    new: dict[str, Any] = {"content": content, "encoding": encoding}
    if value is None:
        new["created_at"] = now
    new |= {field: kept for field, kept in (value or {}).items() if field not in new}
    new["modified_at"] = now
    return new


def put(db: sqlite3.Connection, prefix: str, key: str, value: dict[str, Any]) -> None:
    """As ``SqliteStore`` puts it, but a row that is there keeps its creation and expiry."""
    db.execute(
        "INSERT INTO store (prefix, key, value, created_at, updated_at) "
        "VALUES (?, ?, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP) "
        "ON CONFLICT (prefix, key) DO UPDATE SET value = excluded.value, updated_at = CURRENT_TIMESTAMP",
        (prefix, key, orjson.dumps(value)),
    )
