"""Read and save one memory or skill file in a workspace, without overwriting what was not seen.

It lies in LangGraph's SQLite store inside the workspace's file, written there by deepagents'
``StoreBackend``. Its own ``write`` reads and puts in two transactions, so another writer can come
between; here the compare and the write are one. The rows have exactly the form that the backend
writes and reads (``tests/engine/memory/test_stored.py`` holds both against each other). No Qt, and no
import of deepagents or LangGraph: saving must be quick in a program that has just started.
"""

from __future__ import annotations

import hashlib
import sqlite3
from base64 import standard_b64decode, standard_b64encode
from binascii import Error as Base64Error
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from engine import file_history
from engine.errors import EditConflict, InspectorError, UsageError
from engine.places import ROUTES, in_store
from engine.transactions import in_words, transaction
from engine.workspace import BUSY_SECONDS, Workspace, check_workspace

USER = "user"


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


def version_of(data: bytes | None) -> str:
    """Digest that names these bytes; empty for a file that does not exist."""
    return "" if data is None else hashlib.sha256(data).hexdigest()


def read_memory(workspace_path: str | Path, path: str) -> StoredMemory:
    """The file as it stands now. Raises ``UsageError`` for a path outside the store, ``WorkspaceError``
    for a file that is no workspace."""
    prefix, key = place_of(path)
    with reading(workspace_path) as db:
        return _stored(path, _row(db, prefix, key) if _has_store(db) else None)


def save_memory(
    workspace_path: str | Path, path: str, content: str | bytes, base_version: str, note: str = ""
) -> StoredMemory:
    """Write the file if it still is what the edit was made from, and return it as it then stands.

    ``base_version`` is the version that the edit was made from, empty to create the file; ``note`` says
    in the list of versions why it was saved. Raises ``EditConflict``, with the text as it stands now, when
    the file is another one by now or when a file to create exists already; nothing is written then. When
    the content is what is stored already nothing is written.
    """
    prefix, key = place_of(path)
    data = _as_bytes(path, content)
    with _saving(workspace_path) as db:
        value = _row(db, prefix, key)
        now = _stored(path, value)
        if now.version != base_version:
            raise EditConflict(_conflict(path, now, base_version), now.text, now.version)
        if value is not None and now.version == version_of(data):
            return now
        new = _with_content(value, data)
        _put(db, prefix, key, new)
        _by_user(db, prefix, key, note)
    return StoredMemory(path, data, version_of(data), new["modified_at"])


def delete_memory(workspace_path: str | Path, path: str, base_version: str) -> None:
    """Remove the file if it still is the one that was seen. Its texts stay among its versions.

    Raises: as :func:`save_memory`.
    """
    prefix, key = place_of(path)
    with _saving(workspace_path) as db:
        now = _stored(path, _row(db, prefix, key))
        if now.version != base_version:
            raise EditConflict(_conflict(path, now, base_version), now.text, now.version)
        db.execute("DELETE FROM store WHERE prefix = ? AND key = ?", (prefix, key))
        _by_user(db, prefix, key, "")


def place_of(path: str) -> tuple[str, str]:
    """Namespace and key under which the agent's composite backend keeps a path.

    Raises ``UsageError`` for a path that is not in the store.
    """
    found = in_store(path)
    if found is None or found[1] == "/":
        folders = " or ".join(ROUTES)
        raise UsageError(
            f"{path} is not kept in the workspace's store, so it can't be saved from here. "
            f"Only files under {folders} are."
        )
    return found


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
def _saving(workspace_path: str | Path) -> Iterator[sqlite3.Connection]:
    """A write transaction in a file that has the store's tables and notes every text."""
    file = Path(workspace_path)
    with reading(file) as db:
        there = _has_store(db)
    if not there:
        _make_store(file)
    with transaction(file) as db:
        file_history.install(db)
        yield db


def _has_store(db: sqlite3.Connection) -> bool:
    return db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'store'").fetchone() is not None


def _make_store(file: Path) -> None:
    """The store's tables, in a workspace in which no agent has run yet: by LangGraph's own class."""
    from engine.checkpoints import WorkspaceStore  # deferred: takes a second to import

    WorkspaceStore(Workspace.open(file)).conn.close()


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
    data = bytes_of(path, value)
    modified = value.get("modified_at")
    return StoredMemory(path, data, version_of(data), modified if isinstance(modified, str) else None)


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


def _by_user(db: sqlite3.Connection, prefix: str, key: str, note: str) -> None:
    """Sign the text that a trigger has just noted."""
    db.execute(
        "UPDATE file_versions SET author = ?, note = ? "
        "WHERE id = (SELECT max(id) FROM file_versions WHERE place = ? AND key = ?)",
        (USER, note or None, prefix, key),
    )
