"""What can be had of a damaged table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from engine.sources.rows import DamagedError

Rows = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""All rows of a query with its values; raises :class:`DamagedError`."""

_BATCH = 500
_FURTHEST = 1 << 40  # row ids that are looked over for a readable one


def salvaged(rows: Rows, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    """Rows of a table in the order of their ids, stepping over what can't be read."""
    at, many = -(1 << 62), _BATCH
    query = f"SELECT {columns} FROM {table} NOT INDEXED WHERE rowid > ? ORDER BY rowid LIMIT ?"
    while True:
        try:
            found = rows(query, (at, many))
        except DamagedError:
            if many > 1:
                many = 1
                continue
            reached = _over_damage(rows, query, max(at, 0))
            if reached is None:
                return
            at = reached
            continue
        if not found:
            return
        yield from found
        at, many = found[-1][0], _BATCH if many == 1 and len(found) == _BATCH else many


def _over_damage(rows: Rows, query: str, at: int) -> int | None:
    """The smallest id behind ``at`` after which rows can be read again."""
    step = 1
    while step < _FURTHEST and not _readable(rows, query, at + step):
        step *= 2
    if step >= _FURTHEST:
        return None
    low, high = at + step // 2, at + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _readable(rows, query, middle) else (middle, high)
    return high


def _readable(rows: Rows, query: str, at: int) -> bool:
    try:
        return bool(rows(query, (at, 1)))
    except DamagedError:
        return False
