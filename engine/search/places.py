"""Where parts stand: in which requests, in which area, at which place. A picture of the record at one moment.

A part belongs to every request whose list runs through a chain node that holds it. The nodes are numbered so
that what lies below a node is a range; then the requests of a part are a slice of an array, for any
number of requests, and those of all parts at once are a few array operations.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from engine.search.model import Area
from engine.trace.book import Book

_FIRST: dict[Area, int] = {"system": 2, "tools": 1, "messages": 1, "raw": 1}
"""Depth of the first item of each list; of a system message, the first node holds the message around the blocks."""
_SINGLE: tuple[Area, ...] = ("provider", "response")
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
    """Numbers of requests are their places in ``requests``, the array of their ids: in a thread, as they were made."""

    def __init__(
        self, requests: Any, threads: Any, ends: Mapping[Area, Any], single: Mapping[Area, Any], nodes: Any
    ) -> None:
        """Arrays by request: ids, numbers of threads, last nodes and single parts by area; and the nodes, a row
        each of id, parent, part and depth, in the order of their ids."""
        self.requests, self.threads = requests, threads
        self.number = {int(id): number for number, id in enumerate(requests)}
        """Number of a request by its id."""
        self._ids, self._parts, self._depths = nodes[:, 0], nodes[:, 2], nodes[:, 3]
        self._enter, self._leave = _ranges(self._ids, nodes[:, 1])
        self._by_part = numpy.argsort(self._parts, kind="stable")
        self._sorted_parts = self._parts[self._by_part]
        self._lists: dict[Area, _List] = {area: self._list(ends[area], first) for area, first in _FIRST.items()}
        self._single: dict[Area, _Single] = {area: _Single(single[area]) for area in _SINGLE}

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


def of_record(book: Book) -> Places:
    """The places of a workspace's record."""
    names = ("system_node", "tools_node", "messages_node", "raw_node", "params_part", "response_part")
    rows = book.rows(f"SELECT id, thread, {', '.join(names)} FROM requests ORDER BY id")
    table = numpy.array([[value or 0 for value in row] for row in rows], numpy.int64).reshape(-1, 2 + len(names))
    nodes = numpy.array(book.rows("SELECT id, parent, part, depth FROM chain ORDER BY id"), numpy.int64).reshape(-1, 4)
    ends = {area: table[:, 2 + column] for column, area in enumerate(_FIRST)}
    single = {area: table[:, 6 + column] for column, area in enumerate(_SINGLE)}
    return Places(table[:, 0], table[:, 1], ends, single, nodes)


def of_lists(lists: Mapping[int, Mapping[str, Sequence[int]]], threads: Mapping[int, int]) -> Places:
    """The places of requests that are given by the parts of their lists; their system messages have no shell."""
    known: dict[tuple[str, int, int], int] = {}
    nodes: list[tuple[int, int, int, int]] = []
    ends: dict[Area, list[int]] = {area: [] for area in _FIRST}
    before: dict[Area, tuple[Sequence[int], list[int]]] = {area: ((), []) for area in _FIRST}

    def walk(area: Area, parts: Sequence[int]) -> int:
        """The last node of a list; what it shares with the list before is not walked again."""
        old, path = before[area]
        same = len(old)
        if parts[:same] != old:
            same = next(
                (at for at, (one, other) in enumerate(zip(old, parts, strict=False)) if one != other), len(parts)
            )
        del path[same:]
        for part in parts[len(path) :]:
            above = path[-1] if path else 0
            node = known.get((area, above, part))
            if node is None:
                node = known[area, above, part] = len(nodes) + 1
                nodes.append((node, above, part, len(path) + _FIRST[area]))
            path.append(node)
        before[area] = parts, path
        return path[-1] if path else 0

    for told in lists.values():
        for area in _FIRST:
            ends[area].append(walk(area, told.get(area, ())))
    ids = numpy.fromiter(lists, numpy.int64, len(lists))
    responses = [(*told.get("response", ()), 0)[0] for told in lists.values()]
    return Places(
        ids,
        numpy.fromiter((threads[id] for id in lists), numpy.int64, len(lists)),
        {area: numpy.array(found, numpy.int64) for area, found in ends.items()},
        {"provider": numpy.zeros(len(lists), numpy.int64), "response": numpy.array(responses, numpy.int64)},
        numpy.array(nodes, numpy.int64).reshape(-1, 4),
    )


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
