"""Long lists of rows that are made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar, overload

_T = TypeVar("_T")


class Rows(Sequence[_T], Generic[_T]):
    """``count`` rows made by ``make(index)``, then ``rest``. Immutable; equal to any sequence of equal rows."""

    __slots__ = ("_count", "_make", "_rest")

    def __init__(self, count: int, make: Callable[[int], _T], rest: Sequence[_T] = ()) -> None:
        self._count, self._make, self._rest = count, make, rest

    def __len__(self) -> int:
        return self._count + len(self._rest)

    @overload
    def __getitem__(self, index: int) -> _T: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, index: int | slice) -> _T | tuple[_T, ...]:
        if isinstance(index, slice):
            return tuple(self[at] for at in range(*index.indices(len(self))))
        at = index + len(self) if index < 0 else index
        if not 0 <= at < len(self):
            raise IndexError(index)
        return self._make(at) if at < self._count else self._rest[at - self._count]

    def __iter__(self) -> Iterator[_T]:
        yield from map(self._make, range(self._count))
        yield from self._rest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]
