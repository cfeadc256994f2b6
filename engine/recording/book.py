"""The tables as the writer fills them: parts by content, lists as chains, ids that it has seen.

For the writer's thread only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from engine.canonical import column_text, json_text
from engine.packing import PLAIN, packer
from engine.recording.canon import Encoded
from engine.recording.lanes import Lane, ListChange

_PACK_FROM = 160  # bytes; shorter bodies don't get smaller
_MEMO = 200_000  # remembered ids


class Rows:
    """The connection, for statements whose texts may be anything that a program calls its threads or agents."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.close = connection.close

    def execute(self, statement: str, values: Sequence[Any] = ()) -> sqlite3.Cursor:
        """As SQLite's own; a text that no column can hold is escaped, here and in every look-up alike."""
        try:
            return self._connection.execute(statement, values)
        except UnicodeEncodeError:
            held = [column_text(value) if isinstance(value, str) else value for value in values]
            return self._connection.execute(statement, held)


class Book:
    """Prepared access to the tables."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.db = Rows(connection)
        self._deletions: int | None = None
        self.forget()
        self._packing, self._pack = packer()

    def forget(self) -> None:
        """Drop what was remembered: after a rollback it may be untrue."""
        self._parts: dict[bytes, int] = {}
        self._nodes: dict[tuple[int, int], int] = {}
        self._threads: dict[str, int] = {}
        self.paths: dict[int, dict[str, list[int]]] = {}
        self.origins: dict[int, tuple[Any, int]] = {}
        self.requests: dict[str, int] = {}
        self._runs: dict[str, int] = {}

    def something_was_deleted(self) -> bool:
        """Whether rows were deleted from the file since this was last asked; ids that may be gone are forgotten."""
        latest = int(self.db.execute("SELECT coalesce(max(id), 0) FROM deletions").fetchone()[0])
        before, self._deletions = self._deletions, latest
        if before is None or before == latest:
            return False
        paths = {lane: lists for lane, lists in self.paths.items() if all(map(self._stands, lists.values()))}
        self.forget()
        self.paths = paths
        return True

    def _stands(self, path: list[int]) -> bool:
        """Whether a list is still in the file: its last node keeps all others."""
        found = self.db.execute("SELECT 1 FROM chain WHERE id = ?", path[-1:] or (0,)).fetchone()
        return not path or found is not None

    def let_go(self, lane: int) -> None:
        """Forget the lists of the lane with this key."""
        self.paths.pop(lane, None)
        self.origins.pop(lane, None)

    def part(self, encoded: Encoded) -> int:
        """Id of a part, stored if it is new."""
        known = self._parts.get(encoded.digest)
        if known is None:
            packed = self._pack(encoded.body) if len(encoded.body) >= _PACK_FROM else encoded.body
            smaller = len(packed) < len(encoded.body)
            body = packed if smaller else encoded.body
            how = self._packing if smaller else PLAIN
            values = (encoded.digest, encoded.kind, how, encoded.chars, encoded.tokens, body)
            known = self._insert(
                "INSERT OR IGNORE INTO parts(digest, kind, packed, chars, tokens, body) VALUES (?, ?, ?, ?, ?, ?)",
                values,
                "SELECT id FROM parts WHERE digest = ?",
                (encoded.digest,),
            )
            if len(self._parts) > _MEMO:
                self._parts.clear()
            self._parts[encoded.digest] = known
        return known

    def node(self, parent: int, part: int, depth: int) -> int:
        """Id of the chain node that follows ``parent`` with ``part``, made if it is new."""
        known = self._nodes.get((parent, part))
        if known is None:
            known = self._insert(
                "INSERT OR IGNORE INTO chain(parent, part, depth) VALUES (?, ?, ?)",
                (parent, part, depth),
                "SELECT id FROM chain WHERE parent = ? AND part = ?",
                (parent, part),
            )
            if len(self._nodes) > _MEMO:
                self._nodes.clear()
            self._nodes[parent, part] = known
        return known

    def _insert(self, insert: str, values: tuple[Any, ...], select: str, key: tuple[Any, ...]) -> int:
        """Id of the row inserted, or of the one that was there; mostly it is new, so that is tried first."""
        cursor = self.db.execute(insert, values)
        if cursor.rowcount != 1:
            cursor = self.db.execute(select, key)
            return int(cursor.fetchone()[0])
        return int(cursor.lastrowid or 0)

    def list(self, lane: Lane, change: ListChange) -> int:
        """Node of a list (0 for an empty one), from what changed in it."""
        path = self.paths.setdefault(lane.key, {}).setdefault(change.place, [])
        if len(path) < change.keep:
            raise FollowsLoss(f"the list before ({change.place}) was lost", counted=True)
        del path[change.keep :]
        for encoded in change.new:
            path.append(self.node(path[-1] if path else 0, self.part(encoded), len(path) + 1))
        return path[-1] if path else 0

    def thread(self, thread_id: str, title: str, agent: str | None, at: float) -> int:
        """Row id of a thread, made with this title if it is new."""
        known = self._threads.get(thread_id)
        if known is None:
            if len(self._threads) > _MEMO:
                self._threads.clear()
            self.db.execute(
                "INSERT INTO threads(thread_id, title, agent, created_at, updated_at) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT(thread_id) DO NOTHING",
                (thread_id, title, agent, at, at),
            )
            row = self.db.execute("SELECT id FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
            known = self._threads[thread_id] = int(row[0])
        return known

    def request(self, token: str | None) -> int | None:
        """Row id of a request by its token."""
        if token is None:
            return None
        known = self.requests.get(token)
        if known is None:
            row = self.db.execute("SELECT id FROM requests WHERE token = ?", (token,)).fetchone()
            if row is None:
                return None
            known = int(row[0])
        return known

    def run(self, token: str | None) -> int | None:
        """Row id of a run by its token."""
        if token is None:
            return None
        if token not in self._runs:
            row = self.db.execute("SELECT id FROM runs WHERE token = ?", (token,)).fetchone()
            if row is None:
                return None
            self._runs[token] = int(row[0])
        return self._runs[token]


class FollowsLoss(LookupError):
    """What this operation builds on was lost before it; the first loss has the reason."""

    def __init__(self, what: str, *, counted: bool) -> None:
        super().__init__(what)
        self.counted = counted


def row_data(data: dict[str, Any]) -> str:
    """JSON text of an event's data."""
    return json_text(data)
