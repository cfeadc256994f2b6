"""The requests of one thread as far as they are known: plain values, no Qt, no reader.

Rows arrive in any order; each may be replaced by a newer state of itself. What a view asks of
the whole (the request before of the same agent, the next one with a summary) is answered here.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.trace.model import RequestRow


class Rows:
    """Ids in order of number, and the rows that have been read."""

    def __init__(self, ids: Sequence[int] = ()) -> None:
        self.ids: list[int] = list(ids)
        self._index = {id: i for i, id in enumerate(self.ids)}
        self._rows: dict[int, RequestRow] = {}
        self._before: dict[int, int | None] = {}
        self._linked = 0
        self._last: dict[Hashable, int] = {}

    def __len__(self) -> int:
        return len(self.ids)

    def extend(self, ids: Sequence[int]) -> int:
        """Append the ids that are new; how many were."""
        new = [id for id in ids if id not in self._index]
        for id in new:
            self._index[id] = len(self.ids)
            self.ids.append(id)
        return len(new)

    def put(self, rows: Iterable[RequestRow]) -> list[int]:
        """Keep rows; the indexes that changed, ascending."""
        changed = []
        for row in rows:
            index = self._index.get(row.id)
            if index is not None and self._rows.get(row.id) != row:
                self._rows[row.id] = row
                changed.append(index)
        self._link()
        return sorted(changed)

    def index(self, id: int | None) -> int:
        """Place of a request in the list, -1 for none of this thread."""
        return -1 if id is None else self._index.get(id, -1)

    def row(self, id: int | None) -> RequestRow | None:
        """The row, None while it hasn't been read."""
        return None if id is None else self._rows.get(id)

    def at(self, index: int) -> RequestRow | None:
        """The row at a place."""
        return self._rows.get(self.ids[index]) if 0 <= index < len(self.ids) else None

    def missing(self) -> list[int]:
        """Ids whose rows have not been read, in order."""
        return [id for id in self.ids if id not in self._rows]

    @property
    def complete(self) -> bool:
        """Whether every row has been read."""
        return len(self._rows) == len(self.ids)

    def unfinished(self) -> list[int]:
        """Ids of requests that were running when they were read."""
        return [id for id in self.ids if (row := self._rows.get(id)) and row.status == "running"]

    def known(self) -> list[RequestRow]:
        """The rows that have been read, in order."""
        return [self._rows[id] for id in self.ids if id in self._rows]

    def before(self, id: int | None) -> RequestRow | None:
        """The same agent's request before this one; None for its first, or while unknown."""
        return None if id is None else self.row(self._before.get(id))

    def linked(self, id: int) -> bool:
        """Whether everything up to this row has been read, so that ``before`` is final."""
        return 0 <= self.index(id) < self._linked

    def change(self, id: int) -> int | None:
        """Input tokens against the same agent's request before; None without a comparable one."""
        row, before = self.row(id), self.before(id)
        if row is None or before is None:
            return None
        mine, theirs = row.usage.input_tokens, before.usage.input_tokens
        if mine is not None and theirs is not None:
            return mine - theirs
        if row.estimated_tokens and before.estimated_tokens:
            return row.estimated_tokens - before.estimated_tokens
        return None

    def change_is_reported(self, id: int) -> bool:
        """Whether both sides of ``change`` were reported by the provider."""
        row, before = self.row(id), self.before(id)
        return (
            row is not None
            and before is not None
            and row.usage.input_tokens is not None
            and before.usage.input_tokens is not None
        )

    def find(self, start: int, step: int, wanted: Callable[[RequestRow], bool]) -> int | None:
        """Place of the next row (``step`` 1) or the one before (-1) that is wanted, from ``start``."""
        index = start + step
        while 0 <= index < len(self.ids):
            row = self._rows.get(self.ids[index])
            if row is not None and wanted(row):
                return index
            index += step
        return None

    def step(self, start: int | None, by: int, shown: Sequence[int] | None = None) -> int | None:
        """Id ``by`` places from ``start`` among ``shown`` (None: all), held within the ends; None without any."""
        ids = self.ids if shown is None else shown
        if not ids:
            return None
        index = self.index(start)
        if index < 0:
            return ids[0]
        here = index if shown is None else bisect_left(ids, index, key=self.index)
        if here == len(ids) or self.index(ids[here]) != index:
            by -= by > 0  # from a request that is not shown, the next one is one step away
        return ids[max(0, min(here + by, len(ids) - 1))]

    def _known_before(self, row: RequestRow, key: Hashable | None) -> int | None:
        """The request before: what the checkpoints tell, else the agent's last one."""
        if row.follows is not None or row.branch:
            return row.follows
        return None if key is None else self._last.get(key)

    def _link(self) -> None:
        while self._linked < len(self.ids):
            id = self.ids[self._linked]
            row = self._rows.get(id)
            if row is None:
                return
            key = same_agent(row)
            self._before[id] = self._known_before(row, key)
            if key is not None:
                self._last[key] = id
            self._linked += 1


def on_branch(row: RequestRow) -> bool:
    """The request was made on another line of history than the thread's first."""
    return row.branch > 0


def same_agent(row: RequestRow) -> Hashable | None:
    """Equal for requests of one agent in one conversation; None for a call that stands alone."""
    if row.purpose not in ("agent", "subagent"):
        return None
    if row.purpose == "subagent":
        return (row.agent, row.parent_call or row.parent, row.depth)
    return (row.agent, row.depth)


def has_summary(row: RequestRow) -> bool:
    """A summary came into force with this request, or this request wrote one."""
    return "summary" in row.events or row.purpose == "summary"


def has_offload(row: RequestRow) -> bool:
    """Something was offloaded before this request."""
    return "offload" in row.events


def has_error(row: RequestRow) -> bool:
    """The request failed, or carries a warning or a lost record."""
    return row.error is not None or row.status == "failed" or bool({"warning", "lost"} & set(row.events))
