"""Round figures for the axes of the chart, and where they stand."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise

from inspector import format
from inspector.models.course import Course

STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400)

LATEST = 253_000_000_000.0
"""No calendar of ours goes further."""


def heights(top: float, room: int) -> list[float]:
    """A few round values up to ``top``, at least ``room`` parts of it apart."""
    rough = top / max(1, room)
    if rough <= 0 or not math.isfinite(rough):
        return []
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(base * power for base in (1, 2, 5, 10) if base * power >= rough * 0.999)
    return [step * number for number in range(1, int(top / step) + 1)]


def dollars(value: float) -> str:
    """A round sum, short: ``$0.0005``, ``$20``."""
    return f"${value:,.0f}" if value >= 10 else f"${value:.3g}"


def numbers(low: float, high: float, last: int, room: int) -> list[tuple[float, str]]:
    """Places and numbers of requests between two places, at most ``room`` of them, counted from 1."""
    first, final = max(1, math.ceil(low) + 1), min(last, math.floor(high) + 1)
    rough = max(1.0, (high - low) / max(1, room))
    step = next(step for step in _whole_steps() if step >= rough)
    start = first if step == 1 else max(step, -(-first // step) * step)
    if start > final:
        return [(first - 1, format.exact(first))] if first <= final else []
    return [(number - 1, format.exact(number)) for number in range(start, final + 1, step)]


def times(course: Course, low: float, high: float, room: int) -> list[tuple[float, str]]:
    """Places and times of the clock; the date where it is another one than at the left."""
    if not 0 <= course.clock(low) + high - low < LATEST:
        return []
    rough = (high - low) / max(1, room)
    step = next((step for step in STEPS_S if step >= rough), STEPS_S[-1] * math.ceil(rough / STEPS_S[-1]))
    edges = [course.whole[0], *(end for _, end, _ in course.pauses), course.whole[1] + 1]
    found, day = [], ""
    for begin, end in pairwise(edges):
        offset = course.clock(max(begin, 0.0)) - max(begin, 0.0)
        local = datetime.fromtimestamp(offset).astimezone().utcoffset()
        zone = local.total_seconds() if local is not None else 0.0
        at = math.ceil((max(begin, low) + offset + zone) / step) * step - zone
        while at - offset < min(end, high):
            if at - offset >= 0:
                shown = datetime.fromtimestamp(at)
                today = shown.strftime("%Y-%m-%d")
                found.append((at - offset, shown.strftime("%H:%M:%S" if step < 60 else "%H:%M"), today != day, today))
                day = today
            at += step
    return [(x, f"{today} {clock}" if another else clock) for x, clock, another, today in found]


def _whole_steps() -> Iterator[int]:
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10
