"""The difference of two sequences in time that does not grow with the product of their lengths.

Short stretches are compared exactly (rapidfuzz, bit-parallel); a long one is first divided where both
hold something that occurs once in each, and what can't be divided counts as replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Literal

from rapidfuzz.distance import Indel

Tag = Literal["equal", "insert", "delete", "replace"]
Op = tuple[Tag, int, int, int, int]
"""What happened, start and end in the old sequence, start and end in the new one."""

Tick = Callable[[], None]
"""Called now and then during long work; whatever it raises ends the work."""

_CELLS = 60_000_000
"""Product of lengths up to which a stretch is compared exactly: some 8 MB and 50 ms."""


def no_tick() -> None:
    """For work that nobody wants to end early."""


def opcodes(old: Sequence[Hashable], new: Sequence[Hashable], tick: Tick = no_tick) -> list[Op]:
    """The steps from one sequence to the other, in order; both are covered without gaps."""
    ids: dict[Hashable, int] = {}
    a = [ids.setdefault(item, len(ids)) for item in old]
    b = [ids.setdefault(item, len(ids)) for item in new]
    equal: list[tuple[int, int, int]] = []
    _equal(a, b, tick, equal)
    return _filled(sorted(equal), len(a), len(b))


def _equal(a: list[int], b: list[int], tick: Tick, found: list[tuple[int, int, int]]) -> None:
    """Runs that both have, as start in ``a``, start in ``b`` and length."""
    waiting = [(0, len(a), 0, len(b))]
    while waiting:
        tick()
        a0, a1, b0, b1 = waiting.pop()
        start = a0
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            a0, b0 = a0 + 1, b0 + 1
        if a0 > start:
            found.append((start, b0 - (a0 - start), a0 - start))
        end = a1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
        if end > a1:
            found.append((a1, b1, end - a1))
        if a0 == a1 or b0 == b1:
            continue
        if (a1 - a0) * (b1 - b0) <= _CELLS:
            for op in Indel.opcodes(a[a0:a1], b[b0:b1]):
                if op.tag == "equal":
                    found.append((a0 + op.src_start, b0 + op.dest_start, op.src_end - op.src_start))
            continue
        anchors = _anchors(a, a0, a1, b, b0, b1)
        if anchors:
            for at, bt in [*anchors, (a1, b1)]:
                waiting.append((a0, at, b0, bt))
                if at < a1:
                    found.append((at, bt, 1))
                a0, b0 = at + 1, bt + 1


def _anchors(a: list[int], a0: int, a1: int, b: list[int], b0: int, b1: int) -> list[tuple[int, int]]:
    """Places of items that occur once on each side, both rising: the longest such row."""
    in_a, in_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    places = {b[at]: at for at in range(b0, b1) if in_b[b[at]] == 1}
    pairs = [(at, places[a[at]]) for at in range(a0, a1) if in_a[a[at]] == 1 and a[at] in places]
    return [pairs[index] for index in rising([pair[1] for pair in pairs])]


def rising(values: Sequence[int]) -> list[int]:
    """Indexes of a longest strictly rising row in ``values``."""
    tails: list[int] = []
    ends: list[int] = []
    before = [-1] * len(values)
    for index, value in enumerate(values):
        at = bisect_left(tails, value)
        before[index] = ends[at - 1] if at else -1
        tails[at : at + 1] = [value]
        ends[at : at + 1] = [index]
    row: list[int] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        row.append(index)
        index = before[index]
    return row[::-1]


def _filled(equal: list[tuple[int, int, int]], old: int, new: int) -> list[Op]:
    ops: list[Op] = []
    a = b = 0
    for at, bt, length in [*equal, (old, new, 0)]:
        if at > a or bt > b:
            ops.append(("replace" if at > a and bt > b else "delete" if at > a else "insert", a, at, b, bt))
        if length:
            if ops and ops[-1][0] == "equal":
                ops[-1] = ("equal", ops[-1][1], at + length, ops[-1][3], bt + length)
            else:
                ops.append(("equal", at, at + length, bt, bt + length))
        a, b = at + length, bt + length
    return ops
