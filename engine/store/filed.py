"""Files that agents keep in the store, as text: what an item's JSON wraps, read and saved by namespace and key."""

from __future__ import annotations

from pathlib import Path

from engine.errors import UsageError
from engine.memory.rows import bytes_of
from engine.memory.stored import StoredMemory, save_at, version_of
from engine.places import Located
from engine.storing import StoreItem


def file_in(item: StoreItem) -> StoredMemory:
    """The file that an item is.

    Raises:
        UsageError: it is none.
        InspectorError: its content is damaged.
    """
    if not item.is_file or not isinstance(item.value, dict):
        raise UsageError(f"{item.key} in {item.namespace} is no file.")
    data = bytes_of(item.key, item.value)
    return StoredMemory(item.key, data, version_of(data), item.value.get("modified_at"))


def save_file(workspace_path: str | Path, namespace: str, key: str, content: str, base_version: str) -> StoredMemory:
    """Save the text of a file of the store over the version that was seen: :attr:`StoredMemory.version` of it.

    Raises: as :func:`engine.memory.save_memory`.
    """
    return save_at(workspace_path, Located("store", namespace, key), key, content, base_version)
