"""Sums of pieces by area and kind."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.explain.model import Amount, Area
from engine.kinds import block_kind
from engine.trace.model import Kind, Piece

_MESSAGES = {"human", "ai", "tool", "summary", "system"}


class Sums:
    """A running sum; adding and taking away."""

    def __init__(self) -> None:
        self._sums: dict[tuple[Area, Kind], list[int]] = {}

    def add(self, area: Area, kind: Kind, piece: Piece, sign: int = 1) -> None:
        """Add a piece, or take it away."""
        sums = self._sums.setdefault((area, kind), [0, 0, 0])
        for at, value in enumerate((1, piece[2], piece[3])):
            sums[at] += sign * value

    def all(self, amounts: Iterable[Amount]) -> None:
        """Add amounts."""
        for amount in amounts:
            sums = self._sums.setdefault((amount.area, amount.kind), [0, 0, 0])
            for at, value in enumerate((amount.count, amount.chars, amount.tokens)):
                sums[at] += value

    def amounts(self) -> tuple[Amount, ...]:
        """What is not nothing."""
        return tuple(Amount(area, kind, *sums) for (area, kind), sums in self._sums.items() if any(sums))


def kind_of(area: Area, piece: Piece, contributor: str = "") -> Kind:
    """Kind of a piece, as a request's sizes have it."""
    found: Any = "tools"
    if area == "system":
        found = block_kind(contributor)
    elif area == "messages":
        found = piece[1] if piece[1] in _MESSAGES else "other"
    return found
