"""Saving and deleting one item of the store, against the version that was seen."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

from engine.errors import EditConflict, UsageError
from engine.memory.noting import sign
from engine.memory.rows import put, saving
from engine.places import Located
from engine.store.listing import item_of, version_of
from engine.storing import StoreItem


def save_item(
    workspace_path: str | Path, namespace: str, key: str, value: Mapping[str, Any] | str, base_version: str
) -> StoreItem:
    """Put a value, as a JSON object or its text, in place of the version that was seen, and return the item.

    ``base_version`` is empty to create the item. A row that is there keeps its creation and its expiry.

    Raises:
        UsageError: the text is no JSON object, the namespace can't be one, or the key is empty.
        EditConflict: the item is another one by now; nothing was written. ``current`` is its text.
        InspectorError: the workspace is locked, read-only, or the disk is full.
    """
    raw = _raw(value)
    _check_names(namespace, key)
    with saving(workspace_path) as db:
        now = _now(db, namespace, key, base_version)
        if now is None or version_of(now) != version_of(raw):
            known = _newest_note(db)
            put(db, namespace, key, orjson.loads(raw))
            if _newest_note(db) != known:
                sign(db, Located("store", namespace, key), "")
        row = db.execute(f"{_ROW} WHERE prefix = ? AND key = ?", (namespace, key)).fetchone()
    return item_of(*row)


def delete_item(workspace_path: str | Path, namespace: str, key: str, base_version: str) -> None:
    """Remove the version of an item that was seen. Raises as :func:`save_item`."""
    with saving(workspace_path) as db:
        if _now(db, namespace, key, base_version) is None:
            raise EditConflict(f"{key} is no longer in {namespace}. Nothing was done.", None, "")
        known = _newest_note(db)
        db.execute("DELETE FROM store WHERE prefix = ? AND key = ?", (namespace, key))
        if _newest_note(db) != known:
            sign(db, Located("store", namespace, key), "")


_ROW = "SELECT prefix, key, value, length(CAST(value AS BLOB)), created_at, updated_at, expires_at FROM store"


def _now(db: sqlite3.Connection, namespace: str, key: str, base_version: str) -> bytes | str | None:
    """What is stored; raises ``EditConflict`` where it is not what was seen."""
    row = db.execute("SELECT value FROM store WHERE prefix = ? AND key = ?", (namespace, key)).fetchone()
    now = row[0] if row is not None else None
    if version_of(now) != base_version:
        if now is None:
            sentence = f"{key} was removed from {namespace} since it was opened."
        elif not base_version:
            sentence = f"{namespace} has an item {key} by now: somebody else made it."
        else:
            sentence = f"{key} in {namespace} was changed since it was opened."
        text = now.decode("utf-8", "replace") if isinstance(now, bytes) else now
        raise EditConflict(f"{sentence} Nothing was written.", text, version_of(now))
    return now


def _raw(value: Mapping[str, Any] | str) -> bytes:
    if isinstance(value, str):
        try:
            value = json.loads(value, object_pairs_hook=_object, parse_constant=_no_constant)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"The value is no JSON ({error}). Nothing was written.") from None
    if not isinstance(value, Mapping):
        raise UsageError("The value of an item is a JSON object: names and values in { }. Nothing was written.")
    try:
        return orjson.dumps(dict(value))
    except TypeError as error:
        raise UsageError(f"The value can't be stored: {error}. Nothing was written.") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        twice = Counter(name for name, _value in pairs).most_common(1)[0][0]
        raise ValueError(f"{twice!r} stands twice in one object")
    return made


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number that JSON has")


def _check_names(namespace: str, key: str) -> None:
    parts = namespace.split(".")
    if not all(part and "\0" not in part for part in parts) or parts[0] == "langgraph":
        raise UsageError(f"{namespace!r} can't be a namespace: parts between dots, none of them empty.")
    if not key:
        raise UsageError("An item needs a key.")


def _newest_note(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) FROM file_versions").fetchone()[0])
