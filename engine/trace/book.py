"""Reading the tables: a read-only connection a thread, paths of chains, bodies of parts."""

from __future__ import annotations

import sqlite3
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

from engine.canonical import from_json
from engine.errors import InspectorError, WorkspaceError
from engine.packing import unpack
from engine.trace.model import Piece as Piece
from engine.trace.sequences import Rows
from engine.workspace import check_workspace

_PATH = """
    WITH RECURSIVE up(id, parent, part, depth) AS (
        SELECT id, parent, part, depth FROM chain WHERE id = ?
        UNION ALL
        SELECT c.id, c.parent, c.part, c.depth FROM up JOIN chain c ON c.id = up.parent)
    SELECT up.part, p.kind, p.chars, p.tokens FROM up JOIN parts p ON p.id = up.part ORDER BY up.depth
"""
_NODE = "SELECT c.parent, p.id, p.kind, p.chars, p.tokens FROM chain c JOIN parts p ON p.id = c.part WHERE c.id = ?"
_STEPS = 12  # nodes looked up one by one before a path is walked in one query; a request adds two or three
_TAIL = """
    WITH RECURSIVE up(id, parent, part, depth) AS (
        SELECT id, parent, part, depth FROM chain WHERE id = ?1
        UNION ALL
        SELECT c.id, c.parent, c.part, c.depth FROM up JOIN chain c ON c.id = up.parent WHERE up.depth > ?2 + 1)
    SELECT up.part, p.kind, p.chars, p.tokens FROM up JOIN parts p ON p.id = up.part
    WHERE up.depth > ?2 ORDER BY up.depth
"""
_CHUNK = 500

_K = TypeVar("_K")
_V = TypeVar("_V")


class Recent(Generic[_K, _V]):
    """The values last asked for, up to a total weight. Thread-safe."""

    def __init__(self, limit: int, weigh: Callable[[_V], int]) -> None:
        self._limit, self._weigh = limit, weigh
        self._kept: OrderedDict[_K, _V] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()

    def peek(self, key: _K) -> _V | None:
        """The value of a key if it is there."""
        with self._lock:
            return self._kept.get(key)

    def get(self, key: _K, make: Callable[[], _V]) -> _V:
        """The value of a key, made when it isn't there."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        with self._lock:
            if key not in self._kept:
                self._weight += self._weigh(value)
            self._kept[key] = value
            while self._weight > self._limit and len(self._kept) > 1:
                self._weight -= self._weigh(self._kept.popitem(last=False)[1])
        return value


class Book:
    """Read access to one workspace file, from any thread.

    Raises ``WorkspaceError`` with a sentence where the file can't be read.
    """

    def __init__(self, path: Path) -> None:
        check_workspace(path)
        self.path = path
        self._local = threading.local()
        self._all: list[sqlite3.Connection] = []
        self._paths: Recent[int, tuple[Piece, ...]] = Recent(400_000, len)
        self._bodies: Recent[int, bytes] = Recent(32_000_000, len)

    def close(self) -> None:
        """Close every connection; the book can't be read afterwards."""
        for connection in self._all:
            connection.close()
        self._all.clear()

    def connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        found = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode=ro", uri=True, timeout=5.0, check_same_thread=False
            )
            self._local.connection = found
            self._all.append(found)
        return found

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        try:
            return self.connection().execute(query, values).fetchall()
        except sqlite3.Error as error:
            raise WorkspaceError(f"{self.path} can't be read: {error}.") from error

    def one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query."""
        rows = self.rows(query, values)
        return rows[0] if rows else None

    def path_of(self, node: int | None) -> tuple[Piece, ...]:
        """Pieces of the list that ends in this node, in order."""
        if not node:
            return ()
        return self._paths.get(node, lambda: self._walk(node))

    def path_from(self, node: int | None, start: int, length: int) -> Sequence[Piece]:
        """Pieces of a list of this length; those before ``start`` are read when one of them is asked for."""
        if not node or start <= 0 or self._paths.peek(node) is not None:
            return self.path_of(node)
        tail = tuple(self.rows(_TAIL, (node, start)))
        if len(tail) != length - start:
            return self.path_of(node)
        return Rows(start, lambda index: self.path_of(node)[index], tail)

    def _walk(self, node: int) -> tuple[Piece, ...]:
        """The path, found from its last nodes and one that is known; walked whole where none is near."""
        last: list[Piece] = []
        at = node
        while len(last) < _STEPS:
            known = self._paths.peek(at)
            if known is not None:
                return known + tuple(reversed(last))
            row = self.one(_NODE, (at,))
            if row is None:
                break
            last.append(row[1:])
            at = row[0]
            if not at:
                return tuple(reversed(last))
        return tuple(self.rows(_PATH, (node,)))

    def body(self, part: int) -> bytes:
        """Canonical JSON of a part."""
        return self._bodies.get(part, lambda: self._read(part))

    def value(self, part: int) -> Any:
        """The JSON value of a part."""
        return from_json(self.body(part))

    def pieces(self, parts: Iterable[int]) -> dict[int, Piece]:
        """Sizes of parts by id."""
        wanted, found = list(dict.fromkeys(parts)), {}
        for start in range(0, len(wanted), _CHUNK):
            ids = wanted[start : start + _CHUNK]
            query = f"SELECT id, kind, chars, tokens FROM parts WHERE id IN ({','.join('?' * len(ids))})"
            found.update({row[0]: row for row in self.rows(query, ids)})
        return found

    def _read(self, part: int) -> bytes:
        row = self.one("SELECT packed, body FROM parts WHERE id = ?", (part,))
        if row is None:
            raise InspectorError(f"The record has no part {part}; it may have been deleted.")
        try:
            return unpack(*row)
        except ValueError as error:
            raise WorkspaceError(f"Part {part} of {self.path} is damaged: {error}.") from error
