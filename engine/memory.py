"""Read and save one memory file in a workspace, without overwriting what was not seen.

Memory lies in LangGraph's SQLite store inside the workspace's file, written there by deepagents'
``StoreBackend``. Its own ``write`` reads and puts in two transactions, so another writer can come
between; here the compare and the write are one. The rows have exactly the form that the backend
writes and reads (``tests/engine/test_memory.py`` holds both against each other). No Qt, and no
import of deepagents or LangGraph: saving must be quick in a program that has just started.
"""

from __future__ import annotations

import hashlib
import sqlite3
from base64 import standard_b64decode, standard_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from engine.errors import EditConflict, InspectorError, UsageError, WorkspaceError
from engine.places import ROUTES, in_store
from engine.workspace import BUSY_SECONDS, Workspace, check_file

EARLIER = "memory_earlier"
"""Namespace of the texts that saves replaced; no agent's backend looks there."""


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """One memory file as it stands in the workspace's store."""

    path: str
    data: bytes | None
    """None when there is no such file."""
    version: str
    """Digest of the bytes; empty when there is no such file."""
    modified_at: str | None = None

    @property
    def text(self) -> str | None:
        """The text; None when the file is missing or not UTF-8."""
        if self.data is None:
            return None
        try:
            return self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.data or b"")


@dataclass(frozen=True, slots=True)
class EarlierMemory:
    """A text that a save replaced."""

    path: str
    data: bytes
    version: str
    modified_at: str | None
    replaced_at: str


def version_of(data: bytes | None) -> str:
    """Digest that names these bytes; empty for a file that does not exist."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def read_memory(workspace_path: str | Path, path: str) -> StoredMemory:
    """The file as it stands now. Raises ``UsageError`` for a path outside the store, ``WorkspaceError``
    for a file that is no workspace."""
    prefix, key = _place(path)
    with _connection(workspace_path) as db:
        return _stored(path, _row(db, prefix, key))


def save_memory(workspace_path: str | Path, path: str, content: str | bytes, base_version: str) -> StoredMemory:
    """Write the file if it still is what the edit was made from, and return it as it then stands.

    ``base_version`` is the version that the edit was made from, empty to create the file. Raises
    ``EditConflict``, with the text as it stands now, when the file is another one by now or when a
    file to create exists already; nothing is written then. The replaced text is kept
    (``earlier_versions``). When the content is what is stored already nothing is written.
    """
    prefix, key = _place(path)
    data = _as_bytes(path, content)
    with _connection(workspace_path) as db:
        db.execute("BEGIN IMMEDIATE")
        value = _row(db, prefix, key)
        now = _stored(path, value)
        if now.version != base_version:
            raise EditConflict(_conflict(path, now, base_version), now.text, now.version)
        if value is not None and now.version == version_of(data):
            return now
        if value is not None:
            _keep_earlier(db, path, now.version, value)
        new = _with_content(value, data)
        _put(db, prefix, key, new)
        db.execute("COMMIT")
    return StoredMemory(path, data, version_of(data), new["modified_at"])


def earlier_versions(workspace_path: str | Path, path: str) -> list[EarlierMemory]:
    """Texts that saves of this file replaced, the latest first."""
    _place(path)
    with _connection(workspace_path) as db:
        rows = db.execute("SELECT value FROM store WHERE prefix = ?", (EARLIER,)).fetchall()
    found = []
    for (raw,) in rows:
        value = orjson.loads(raw)
        if value.get("path") == path:
            data = _content(path, value)
            found.append(EarlierMemory(path, data, version_of(data), value.get("modified_at"), value["replaced_at"]))
    return sorted(found, key=lambda one: one.replaced_at, reverse=True)


def _place(path: str) -> tuple[str, str]:
    """Namespace and key under which the agent's composite backend keeps a path."""
    found = in_store(path)
    if found is None or found[1] == "/":
        folders = " or ".join(ROUTES)
        raise UsageError(
            f"{path} is not kept in the workspace's store, so it can't be saved from here. "
            f"Only files under {folders} are."
        )
    return found


def _as_bytes(path: str, content: str | bytes) -> bytes:
    if isinstance(content, bytes):
        return content
    try:
        return content.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{path} was not saved: character {error.start + 1} is half of a surrogate pair, "
            "which UTF-8 can't hold. Remove it and save again."
        ) from None


def _conflict(path: str, now: StoredMemory, base_version: str) -> str:
    if now.data is None:
        return f"{path} was removed since it was opened. Nothing was written."
    if not base_version:
        return f"{path} exists by now: somebody else created it. Nothing was written."
    return f"{path} was changed{_at(now.modified_at)}, after it was opened here. Nothing was written."


def _at(modified: str | None) -> str:
    try:
        at = datetime.fromisoformat(modified or "").astimezone(UTC)
    except (ValueError, OverflowError):
        return ""
    return f" on {at:%Y-%m-%d at %H:%M} UTC"


@contextmanager
def _connection(workspace_path: str | Path) -> Iterator[sqlite3.Connection]:
    """A connection to a file that is a workspace; rolls back what was not committed, puts faults in words."""
    file = Path(workspace_path)
    check_file(file)
    db: sqlite3.Connection | None = None
    try:
        db = sqlite3.connect(f"{file.resolve().as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None)
        if not db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store'").fetchone():
            _make_store(file)
        yield db
    except sqlite3.Error as error:
        raise _in_words(file, error) from error
    finally:
        if db is not None:
            db.close()


def _make_store(file: Path) -> None:
    """The store's tables, in a workspace in which no agent has run yet: by LangGraph's own class."""
    from engine.checkpoints import WorkspaceStore  # deferred: takes a second to import

    WorkspaceStore(Workspace(file)).conn.close()


def _in_words(file: Path, error: sqlite3.Error) -> InspectorError:
    code = (getattr(error, "sqlite_errorcode", None) or 0) & 0xFF
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return InspectorError(
            f"{file} is locked: another program has been writing to it for {BUSY_SECONDS:.0f} seconds. "
            "Nothing was written; try again."
        )
    if code == sqlite3.SQLITE_READONLY:
        return InspectorError(f"{file} can't be written: it is read-only. Nothing was written.")
    if code == sqlite3.SQLITE_FULL:
        return InspectorError(f"{file} can't be written: the disk is full. Nothing was written.")
    if code in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
        return WorkspaceError(f"{file} is damaged or not a workspace: {error}.")
    return InspectorError(f"{file} can't be read or written: {error}. Nothing was written.")


def _row(db: sqlite3.Connection, prefix: str, key: str) -> dict[str, Any] | None:
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


def _stored(path: str, value: dict[str, Any] | None) -> StoredMemory:
    if value is None:
        return StoredMemory(path, None, "")
    data = _content(path, value)
    modified = value.get("modified_at")
    return StoredMemory(path, data, version_of(data), modified if isinstance(modified, str) else None)


def _content(path: str, value: dict[str, Any]) -> bytes:
    """Bytes of a stored file: text, the line lists of older releases, or base64."""
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


def _with_content(value: dict[str, Any] | None, data: bytes) -> dict[str, Any]:
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


def _put(db: sqlite3.Connection, prefix: str, key: str, value: dict[str, Any]) -> None:
    """As ``SqliteStore`` puts it, but a row that is there keeps its creation and expiry."""
    db.execute(
        "INSERT INTO store (prefix, key, value, created_at, updated_at) "
        "VALUES (?, ?, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP) "
        "ON CONFLICT (prefix, key) DO UPDATE SET value = excluded.value, updated_at = CURRENT_TIMESTAMP",
        (prefix, key, orjson.dumps(value)),
    )


def _keep_earlier(db: sqlite3.Connection, path: str, version: str, value: dict[str, Any]) -> None:
    kept = {**value, "path": path, "replaced_at": datetime.now(UTC).isoformat()}
    _put(db, EARLIER, f"{path}@{version}", kept)
