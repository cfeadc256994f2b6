"""Where parts stand: in which requests, in which area, at which place. A picture of the record at one moment.

A part belongs to every request whose list runs through a chain node that holds it. The nodes are numbered so
that what lies below a node is a range; then the requests of a part are a slice of an array, for any
number of requests, and those of all parts at once are a few array operations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy

from engine.search.model import Area
from engine.trace.book import Book

_LISTS: tuple[tuple[Area, str, int], ...] = (
    ("system", "system_node", 2),  # its first node holds the message around the blocks
    ("tools", "tools_node", 1),
    ("messages", "messages_node", 1),
    ("raw", "raw_node", 1),
)
"""Area, column of its last node, depth of its first item."""
_SINGLE: tuple[tuple[Area, str], ...] = (("provider", "params_part"), ("response", "response_part"))
_ORDER: tuple[Area, ...] = ("system", "tools", "messages", "provider", "response", "raw")
"""Where a part stands in several areas of one request, the first of these is told."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands in the requests of one thread."""

    thread: int
    """Row id of the thread."""
    request: int
    """The first one."""
    requests: int
    """How many hold it."""
    area: Area
    index: int | None


class Places:
    """Numbers of requests are their places in ``requests``, the array of their ids, which rises."""

    def __init__(self, book: Book) -> None:
        columns = [name for _, name, _ in _LISTS] + [name for _, name in _SINGLE]
        rows = book.rows(f"SELECT id, thread, {', '.join(columns)} FROM requests ORDER BY id")
        table = numpy.array([[value or 0 for value in row] for row in rows], numpy.int64).reshape(-1, 2 + len(columns))
        self.requests, self.threads = table[:, 0], table[:, 1]
        chain = book.rows("SELECT id, parent, part, depth FROM chain ORDER BY id")
        nodes = numpy.array(chain, numpy.int64).reshape(-1, 4)
        self._ids, self._parts, self._depths = nodes[:, 0], nodes[:, 2], nodes[:, 3]
        self._enter, self._leave = _ranges(self._ids, nodes[:, 1])
        self._by_part = numpy.argsort(self._parts, kind="stable")
        self._sorted_parts = self._parts[self._by_part]
        self._lists = {area: self._list(table[:, 2 + column], first) for column, (area, _, first) in enumerate(_LISTS)}
        self._single = {area: _Single(table[:, 2 + len(_LISTS) + column]) for column, (area, _) in enumerate(_SINGLE)}

    def of(self, part: int, let: Any) -> Iterator[Place]:
        """Where a part stands, a place a thread, in the requests that the array of booleans ``let`` lets through."""
        found: dict[Area, Any] = {}
        nodes = self._nodes(part)
        for area, one in self._lists.items():
            found[area] = numpy.concatenate([one.of(node, let) for node in nodes]) if len(nodes) else _NONE
        for area, single in self._single.items():
            held = single.of(part)
            found[area] = held[let[held]]
        every = numpy.unique(numpy.concatenate(list(found.values())))
        threads = self.threads[every]
        for thread in numpy.unique(threads):
            mine = every[threads == thread]
            first = int(mine[0])
            area = next(area for area in _ORDER if first in found[area])
            yield Place(int(thread), int(self.requests[first]), len(mine), area, self._index(area, nodes, first))

    def parts(self, let: Any, size: int) -> Any:
        """Which parts stand in requests that are let through: booleans by part id, of this size."""
        held = numpy.zeros(size, bool)
        for one in self._lists.values():
            held[self._parts[one.reached(let)]] = True
        for single in self._single.values():
            held[single.parts[let]] = True
        return held

    @property
    def largest_part(self) -> int:
        """The largest part id that stands anywhere."""
        arrays = [self._parts, *(single.parts for single in self._single.values())]
        return max((int(array.max()) for array in arrays if len(array)), default=0)

    def _nodes(self, part: int) -> Any:
        low, high = numpy.searchsorted(self._sorted_parts, [part, part + 1])
        return self._by_part[low:high]

    def _index(self, area: Area, nodes: Any, request: int) -> int | None:
        one = self._lists.get(area)
        if one is None:
            return None
        depths = [int(self._depths[node]) for node in nodes if one.runs_through(node, request)]
        return min(depths) - one.first if depths else None

    def _list(self, ends: Any, first: int) -> _List:
        """The lists of one area, by the nodes that they end in; 0 is an empty one."""
        if not len(self._ids):
            return _List(self._enter, self._leave, _NONE, _NONE, first)
        at = numpy.searchsorted(self._ids, ends)
        at[at == len(self._ids)] = 0
        numbers = numpy.flatnonzero(self._ids[at] == ends)
        positions = self._enter[at[numbers]]
        order = numpy.argsort(positions, kind="stable")
        return _List(self._enter, self._leave, positions[order], numbers[order], first)


class _List:
    """Requests in the order of the nodes that their lists of one area end in."""

    def __init__(self, enter: Any, leave: Any, positions: Any, numbers: Any, first: int) -> None:
        self._numbers, self.first = numbers, first
        self._low, self._high = numpy.searchsorted(positions, enter), numpy.searchsorted(positions, leave)

    def of(self, node: int, let: Any) -> Any:
        held = self._numbers[self._low[node] : self._high[node]]
        return held[let[held]]

    def reached(self, let: Any) -> Any:
        """Nodes that a list of a request that is let through runs through."""
        sums = numpy.concatenate(([0], numpy.cumsum(let[self._numbers])))
        return sums[self._high] > sums[self._low]

    def runs_through(self, node: int, request: int) -> bool:
        return bool(numpy.any(self._numbers[self._low[node] : self._high[node]] == request))


class _Single:
    """A part that each request has of its own."""

    def __init__(self, parts: Any) -> None:
        self.parts = parts
        self._by_part = numpy.argsort(parts, kind="stable")
        self._sorted = parts[self._by_part]

    def of(self, part: int) -> Any:
        low, high = numpy.searchsorted(self._sorted, [part, part + 1])
        return self._by_part[low:high]


_NONE = numpy.array([], numpy.int64)


def _ranges(ids: Any, parents: Any) -> tuple[Any, Any]:
    """Numbers of nodes such that those below a node follow it at once: each one's own, and the one behind its last.

    A node's parent has a smaller id; one whose parent is missing begins a list.
    """
    count = len(ids)
    at = numpy.searchsorted(ids, parents)
    known = (at < count) & (parents < ids)
    known[known] &= ids[at[known]] == parents[known]
    above: list[int] = numpy.where(known, at, -1).tolist()
    sizes = [1] * count
    for node in range(count - 1, -1, -1):
        if above[node] >= 0:
            sizes[above[node]] += sizes[node]
    enter, free, end = [0] * count, [0] * count, 0
    for node, parent in enumerate(above):
        if parent >= 0:
            enter[node] = free[parent]
            free[parent] += sizes[node]
        else:
            enter[node], end = end, end + sizes[node]
        free[node] = enter[node] + 1
    numbered = numpy.array(enter, numpy.int64)
    return numbered, numbered + numpy.array(sizes, numpy.int64)
