"""Two lists of pieces, piece by piece: same, moved, changed, added or removed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.explain.sequence import Tick, no_tick, opcodes
from engine.trace.model import Piece

Names = Callable[[int], Iterable[Hashable]]
"""Names of the piece at a place: pieces of one name on both sides are the same thing, changed."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A piece on one side or both."""

    what: Literal["same", "moved", "changed", "added", "removed"]
    old: int | None
    new: int | None


def pair(
    old: Sequence[Piece],
    new: Sequence[Piece],
    old_names: Names,
    new_names: Names,
    tick: Tick = no_tick,
    *,
    by_place: bool = False,
) -> list[Pair]:
    """All pieces of both lists, in the order of the new one; what was removed stands where it was.

    What is the same part is the same; else pieces of one name belong together. With ``by_place``, so do
    those of one kind that stand in each other's place. Names are only asked of pieces not in both lists.
    """
    ops = opcodes([piece[0] for piece in old], [piece[0] for piece in new], tick)
    twins: dict[int, int] = {}
    moved: set[int] = set()
    rest_old = [at for op in ops if op[0] != "equal" for at in range(op[1], op[2])]
    rest_new = [at for op in ops if op[0] != "equal" for at in range(op[3], op[4])]
    by_part = _places(rest_old, lambda at: (old[at][0],))
    for at in rest_new:
        if (found := _take(by_part, (new[at][0],))) is not None:
            twins[at] = found
            moved.add(at)
    left = set(rest_old) - set(twins.values())
    kinds = {new[at][1] for at in rest_new if at not in twins}  # what changed is still of its kind
    by_name = _places([at for at in rest_old if at in left and old[at][1] in kinds], old_names)
    for at in rest_new:
        if at not in twins and (found := _take(by_name, new_names(at), left)) is not None:
            twins[at] = found
            left.discard(found)
    for tag, a0, a1, b0, b1 in ops:
        if by_place and tag == "replace":
            by_kind = _places([at for at in range(a0, a1) if at in left], lambda at: (old[at][1],))
            for at in range(b0, b1):
                if at not in twins and (found := _take(by_kind, (new[at][1],), left)) is not None:
                    twins[at] = found
                    left.discard(found)
    pairs: list[Pair] = []
    for tag, a0, a1, b0, b1 in ops:
        if tag == "equal":
            pairs += [Pair("same", a, b) for a, b in zip(range(a0, a1), range(b0, b1), strict=True)]
            continue
        pairs += [Pair("removed", at, None) for at in range(a0, a1) if at in left]
        for at in range(b0, b1):
            twin = twins.get(at)
            pairs.append(Pair("added" if twin is None else "moved" if at in moved else "changed", twin, at))
    return pairs


def _places(indexes: Iterable[int], names: Names) -> dict[Hashable, deque[int]]:
    places: dict[Hashable, deque[int]] = {}
    for at in indexes:
        for name in names(at):
            places.setdefault(name, deque()).append(at)
    return places


def _take(places: dict[Hashable, deque[int]], names: Iterable[Hashable], left: set[int] | None = None) -> int | None:
    """The first place of any of these names that nobody has taken."""
    for name in names:
        queue = places.get(name)
        while queue:
            at = queue.popleft()
            if left is None or at in left:
                return at
    return None
