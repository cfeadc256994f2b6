"""Read and save one memory or skill file, wherever it lies, without overwriting what was not seen.

Where a path lies, the thread's agent says (:mod:`engine.places`): in LangGraph's SQLite store inside the
workspace's file, or in a folder on the disk. Every text that is saved is kept among the file's versions. No
Qt, and no import of deepagents or LangGraph: saving must be quick in a program that has just started.
"""

from __future__ import annotations

import hashlib
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from engine import fenced
from engine.errors import EditConflict, InspectorError, UsageError
from engine.memory.noting import follow, note_found, note_saved, sign
from engine.memory.rows import bytes_of, has_store, put, reading, row_of, saving, with_content
from engine.places import Located
from engine.trace.layouts import layout_of
from engine.transactions import transaction


@dataclass(frozen=True, slots=True)
class StoredMemory:
    """One memory file as it stands on its backend."""

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


def read_memory(workspace_path: str | Path, path: str, thread_id: str | None = None) -> StoredMemory:
    """The file as it stands now, on the backend of the thread's agent; without a thread, of the default one.

    A text that something else put into a folder since is noted among the file's versions.

    Raises:
        UsageError: the path lies in a thread's state.
        InspectorError: the file is there and can't be read.
        WorkspaceError: the workspace is none.
    """
    with reading(workspace_path) as db:
        located = located_of(db, path, thread_id)
        if located.kind == "store":
            return _stored(path, row_of(db, located.within, located.key) if has_store(db) else None)
    found = fenced.read(located.root, located.key)
    note_found(workspace_path, located, found)
    return _on_disk(path, found)


def save_memory(
    workspace_path: str | Path,
    path: str,
    content: str | bytes,
    base_version: str,
    note: str = "",
    thread_id: str | None = None,
) -> StoredMemory:
    """Write the file if it still is what the edit was made from, and return it as it then stands.

    ``base_version`` is the version that the edit was made from, empty to create the file; ``note`` says
    in the list of versions why it was saved; ``thread_id`` names the thread whose agent has the file. Raises
    ``EditConflict``, with the text as it stands now, when the file is another one by now or when a file to
    create exists already; nothing is written then. When the content is what is stored already nothing is written.
    """
    with reading(workspace_path) as db:
        located = located_of(db, path, thread_id)
    return save_at(workspace_path, located, path, content, base_version, note)


def save_at(
    workspace_path: str | Path, located: Located, path: str, content: str | bytes, base_version: str, note: str = ""
) -> StoredMemory:
    """As :func:`save_memory`, for a place that is known; ``path`` is for the sentences."""
    data = _as_bytes(path, content)
    if located.kind == "filesystem":
        return _save_on_disk(workspace_path, located, path, data, base_version, note)
    with saving(workspace_path) as db:
        value = row_of(db, located.within, located.key)
        now = _stored(path, value)
        if now.version != base_version:
            raise EditConflict(_conflict(path, now, base_version), now.text, now.version)
        if value is not None and now.version == version_of(data):
            return now
        new = with_content(value, data)
        follow(db, located, value)
        put(db, located.within, located.key, new)
        sign(db, located, note)
    return StoredMemory(path, data, version_of(data), new["modified_at"])


def delete_memory(workspace_path: str | Path, path: str, base_version: str, thread_id: str | None = None) -> None:
    """Remove the file if it still is the one that was seen. Its texts stay among its versions.

    Raises: as :func:`save_memory`.
    """
    with reading(workspace_path) as db:
        located = located_of(db, path, thread_id)
    if located.kind == "filesystem":
        with transaction(workspace_path) as db:
            note_saved(db, located, fenced.read(located.root, located.key), None, "")
            _or_conflict(path, fenced.delete(located.root, located.key, base_version), base_version)
        return
    with saving(workspace_path) as db:
        value = row_of(db, located.within, located.key)
        now = _stored(path, value)
        if now.version != base_version:
            raise EditConflict(_conflict(path, now, base_version), now.text, now.version)
        follow(db, located, value)
        db.execute("DELETE FROM store WHERE prefix = ? AND key = ?", (located.within, located.key))
        sign(db, located, "")


def located_of(db: sqlite3.Connection, path: str, thread_id: str | None) -> Located:
    """Where the agent of a thread keeps a path that can be saved from here.

    Raises ``UsageError`` for a file of a thread's state, and for a folder.
    """
    layout = layout_of(db.execute, thread_id)
    located = layout.locate(path)
    if located.kind == "state" or located.key.endswith("/"):
        folders = " or ".join(prefix for prefix, place in layout.settings.routes.items() if place.kind != "state")
        raise UsageError(
            f"{path} is not kept in the workspace's store or in a folder, so it can't be saved from here. "
            f"Only files under {folders or 'a route to one of them'} are."
        )
    return located


def _save_on_disk(
    workspace_path: str | Path, located: Located, path: str, data: bytes, base_version: str, note: str
) -> StoredMemory:
    """The version is noted first and committed last, so that what is on the disk is among the versions."""
    with transaction(workspace_path) as db:
        before = fenced.read(located.root, located.key)
        if before.data == data and before.version == base_version:
            return _on_disk(path, before)
        note_saved(db, located, before, data, note)
        _or_conflict(path, fenced.write(located.root, located.key, data, base_version), base_version)
    return _on_disk(path, fenced.read(located.root, located.key))


def _or_conflict(path: str, other: fenced.OnDisk | None, base_version: str) -> None:
    if other is not None:
        now = _on_disk(path, other)
        raise EditConflict(_conflict(path, now, base_version), now.text, now.version)


def _on_disk(path: str, found: fenced.OnDisk) -> StoredMemory:
    if found.problem:
        raise InspectorError(f"{path} can't be read: {found.problem}. It was left as it is.")
    modified = datetime.fromtimestamp(found.modified, UTC).isoformat() if found.modified is not None else None
    return StoredMemory(path, found.data, found.version, modified)


def _stored(path: str, value: dict[str, Any] | None) -> StoredMemory:
    if value is None:
        return StoredMemory(path, None, "")
    data = bytes_of(path, value)
    modified = value.get("modified_at")
    return StoredMemory(path, data, version_of(data), modified if isinstance(modified, str) else None)


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
