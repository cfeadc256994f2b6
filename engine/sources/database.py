"""The rows of a LangGraph database in any of its releases, and what can be had of a damaged one.

Listings use the index alone, or columns that stand before the blobs: a row's metadata lies
behind its checkpoint, so that reading it means reading the blob's pages. One damaged row
or page spoils itself only.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.errors import WorkspaceError
from engine.sources.access import Access
from engine.sources.pages import damaged_page
from engine.sources.rows import DamagedError, Group, Key, Outline, Stored, Write
from engine.sources.salvage import salvaged
from engine.sources.values import DAMAGED


class Database:
    """Reads rows. Thread-safe.

    Raises:
        WorkspaceError: the file can't be read at all, or isn't a LangGraph database.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.access = Access(path)
        self.has_writes = False
        """Whether what single tasks wrote is stored; releases of 2024 kept the states alone."""
        self._lock = threading.RLock()
        self._damage: str | None = None
        try:
            self._learn()
        except BaseException:
            self.access.close()
            raise

    @property
    def damage(self) -> str:
        """What is damaged, in words; empty as long as nothing was met that can't be read."""
        return self._damage or ""

    def refresh(self) -> bool:
        """Whether the file has changed since it was last looked at."""
        with self._lock:
            return self.access.refresh()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self.access.close()

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query.

        Raises:
            DamagedError: SQLite met what it can't read.
            WorkspaceError: the file can't be read for another reason.
        """
        with self._lock:
            try:
                return self.access.connection.execute(query, values).fetchall()
            except sqlite3.DatabaseError as error:
                if "locked" in str(error) or "busy" in str(error):
                    self.access.avoid_lock()
                    return self._again(query, values)
                raise self._fault(error) from error

    def _again(self, query: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
        try:
            return self.access.connection.execute(query, values).fetchall()
        except sqlite3.DatabaseError as error:
            raise self._fault(error) from error

    def _fault(self, error: sqlite3.DatabaseError) -> Exception:
        if not isinstance(error, sqlite3.OperationalError) or "disk I/O" in str(error) or "corrupt" in str(error):
            return DamagedError(self._where())
        return WorkspaceError(f"{self.path} can't be read: {error}.")

    # Listing

    def groups(self) -> list[Group]:
        """Checkpoints counted by thread and namespace; from the rows one by one where the index is damaged."""
        try:
            rows = self.rows(
                f"SELECT thread_id, {self._ns}, count(*), min({self._id}), max({self._id}) "
                "FROM checkpoints GROUP BY 1, 2"
            )
            return [Group(_text(row[0]), _text(row[1]), row[2], _text(row[3]), _text(row[4])) for row in rows]
        except DamagedError:
            found: dict[tuple[str, str], list[str]] = {}
            for key in self._salvaged_keys():
                found.setdefault((key.thread_id, key.namespace), []).append(key.id)
            return [Group(*names, len(ids), min(ids), max(ids)) for names, ids in found.items()]

    def keys(self, thread_id: str) -> list[Key]:
        """A thread's checkpoints, oldest row first."""
        query = f"SELECT rowid, thread_id, {self._ns}, {self._id}, {self._parent} FROM checkpoints WHERE thread_id = ?"
        try:
            found = [_key(row) for row in self.rows(query, (thread_id,))]
        except DamagedError:
            found = self._keys_one_by_one(thread_id)
        return sorted(found, key=lambda key: key.row)

    def _keys_one_by_one(self, thread_id: str) -> list[Key]:
        """Keys by the index alone, with the parents that can be read; without it, those that the table still has."""
        try:
            query = f"SELECT rowid, thread_id, {self._ns}, {self._id}, NULL FROM checkpoints WHERE thread_id = ?"
            named = [_key(row) for row in self.rows(query, (thread_id,))]
        except DamagedError:
            return [key for key in self._salvaged_keys() if key.thread_id == thread_id]
        found = []
        for key in named:
            try:
                ((parent,),) = self.rows(f"SELECT {self._parent} FROM checkpoints WHERE rowid = ?", (key.row,))
            except DamagedError:
                parent = None
            found.append(key if parent is None else replace(key, parent=_text(parent)))
        return found

    def thread_of(self, row: int) -> str | None:
        """Thread of the checkpoint in this row."""
        try:
            found = self.rows("SELECT thread_id FROM checkpoints WHERE rowid = ?", (row,))
        except DamagedError:
            return next((key.thread_id for key in self._salvaged_keys() if key.row == row), None)
        return _text(found[0][0]) if found else None

    def outline(self, thread_id: str, namespace: str, id: str) -> Outline:
        """What stands before the blob of one checkpoint."""
        found = self.rows(
            f"SELECT rowid, {self._parent}, {self._type}, length(checkpoint) FROM checkpoints "
            f"WHERE thread_id = ? AND {self._ns} = ? AND {self._id} = ?",
            (thread_id, namespace, id),
        )
        if not found:
            raise DamagedError("its row can't be found")
        row, parent, kind, size = found[0]
        return Outline(
            row, None if parent is None else _text(parent), _text(kind), size if isinstance(size, int) else 0
        )

    # Contents

    def stored(self, row: int) -> Stored:
        """A checkpoint's contents."""
        try:
            found = self.rows(f"SELECT {self._type}, checkpoint, metadata FROM checkpoints WHERE rowid = ?", (row,))
        except DamagedError as error:
            return Stored(problem=str(error))
        return Stored(*found[0]) if found else Stored(problem="the row is gone")

    def writes(self, thread_id: str, namespace: str, id: str, most: int | None = None) -> list[Write]:
        """Writes of the tasks that ran from a checkpoint, in the order in which they were applied.

        Values of more than ``most`` bytes are not read. A write that can't be read is one to the
        messages, of type ``DAMAGED``: it may have been.
        """
        if not self.has_writes:
            return []
        value = "value" if most is None else f"CASE WHEN length(value) <= {most:d} THEN value END"
        query = (
            f"SELECT rowid, task_id, {self._path}, idx, channel, {self._write_type}, {value} "
            f"FROM writes WHERE thread_id = ? AND {self._write_ns} = ? AND checkpoint_id = ?"
        )
        try:
            found = self.rows(query, (thread_id, namespace, id))
        except DamagedError:
            found = self._one_by_one(query, (thread_id, namespace, id))
        return sorted((_write(row) for row in found), key=lambda write: write.order)

    def runs(self, nodes: Sequence[str]) -> dict[str, int]:
        """Tasks of these nodes that wrote anything, counted by thread; no value is read."""
        if not self.has_writes:
            return {}
        marks = ",".join("?" * len(nodes))
        values = list(nodes)
        own = f"channel IN ({marks})"  # before they stored paths, releases let a node write to a channel of its name
        if self._path != "''":
            own = f"(task_path = '' AND {own}) OR task_path IN ({marks})"
            values += [f"~__pregel_pull, {node}" for node in nodes]
        query = (
            "SELECT thread_id, count(DISTINCT checkpoint_id || ' ' || task_id) FROM writes "
            f"WHERE {own} GROUP BY thread_id"
        )
        try:
            return dict(self.rows(query, values))
        except DamagedError:
            return {}

    def _one_by_one(self, query: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        lost = ("", "", 0, "messages", DAMAGED, None)
        try:
            ids = [row[0] for row in self.rows(f"SELECT rowid{query[query.index(' FROM ') :]}", values)]
        except DamagedError:
            return [(0, *lost)]
        found: list[tuple[Any, ...]] = []
        for id in ids:
            try:
                found += self.rows(f"{query} AND rowid = ?", (*values, id))
            except DamagedError:
                found.append((id, *lost))
        return found

    def _salvaged_keys(self) -> Iterator[Key]:
        columns = f"rowid, thread_id, {self._ns}, {self._id}, {self._parent}"
        return map(_key, salvaged(self.rows, "checkpoints", columns))

    # What the file is like

    def _learn(self) -> None:
        """Names of columns: they changed with LangGraph's releases."""
        try:
            columns = {str(row[1]) for row in self.rows("PRAGMA table_info(checkpoints)")}
            writes = {str(row[1]) for row in self.rows("PRAGMA table_info(writes)")}
        except DamagedError as error:
            raise WorkspaceError(
                f"{self.path} is damaged: its list of tables can't be read. Copy the file before you try to repair it."
            ) from error
        if not {"thread_id", "checkpoint"} <= columns:
            raise WorkspaceError(f"{self.path} has no checkpoints of LangGraph in it.")
        self._id = "checkpoint_id" if "checkpoint_id" in columns else "thread_ts"
        self._parent = "parent_checkpoint_id" if "parent_checkpoint_id" in columns else "parent_ts"
        self._ns = "checkpoint_ns" if "checkpoint_ns" in columns else "''"
        self._type = "type" if "type" in columns else "NULL"
        self.has_writes = {"thread_id", "checkpoint_id", "task_id", "idx", "channel", "value"} <= writes
        self._write_ns = "checkpoint_ns" if "checkpoint_ns" in writes else "''"
        self._write_type = "type" if "type" in writes else "NULL"
        self._path = "task_path" if "task_path" in writes else "''"

    def _where(self) -> str:
        """Where the file is damaged, in words; looked for once."""
        if self._damage is None:
            query = "SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('checkpoints', 'writes')"
            try:
                roots = [row[0] for row in self.access.connection.execute(query) if isinstance(row[0], int)]
                page = None if self.access.has_wal else damaged_page(self.access.file, roots)
            except (sqlite3.DatabaseError, OSError):
                page = None
            self._damage = f"damaged near page {page}" if page else "damaged"
        return self._damage


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


def _key(row: tuple[Any, ...]) -> Key:
    return Key(row[0], _text(row[1]), _text(row[2]), _text(row[3]), None if row[4] is None else _text(row[4]))


def _write(row: tuple[Any, ...]) -> Write:
    index = row[3] if isinstance(row[3], int) else 0
    return Write(row[0], _text(row[1]), _text(row[2]), index, _text(row[4]), row[5], row[6])
