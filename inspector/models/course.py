"""Where each request stands from left to right: by its number, or by the time at which it began.

Over time a pause that would leave little room for the rest is cut: it takes a fixed small width, and says how
long it was. A thread that waits over night reads like one that did not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, np.dtype[Any]]

PAUSE_S = 30.0
"""No shorter pause is cut."""
SHARE = 20
"""A pause is cut when it is longer than this part of the time without pauses; what is left of it is half of that."""
FEWEST = 24
"""Room for so many requests at least: a single bar is not as wide as the window."""


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """Left and right edge of each request, ascending, in requests or in seconds since the first began."""

    left: Numbers = field(default_factory=lambda: np.zeros(0))
    right: Numbers = field(default_factory=lambda: np.zeros(0))
    whole: tuple[float, float] = (-0.5, FEWEST - 0.5)
    """The range that shows everything."""
    least: float = 5.0
    """The narrowest range."""
    pauses: tuple[tuple[float, float, float], ...] = ()
    """Cut pauses: where one begins and ends, and how long it was in seconds."""
    began: float | None = None
    """Time at 0, for a course over time."""

    def at(self, x: float) -> int:
        """The request at a place: the last one that began before it, or the first; −1 without any."""
        if not len(self.left):
            return -1
        return max(0, int(np.searchsorted(self.left, x, side="right")) - 1)

    def between(self, low: float, high: float) -> slice:
        """Requests that are seen in a range."""
        first = max(0, int(np.searchsorted(self.left, low, side="left")) - 1)
        return slice(first, int(np.searchsorted(self.left, high, side="right")))

    def clock(self, x: float) -> float:
        """Time at a place of a course over time."""
        cut = sum(length - (end - start) for start, end, length in self.pauses if end <= x)
        return (self.began or 0.0) + x + cut


def by_number(count: int) -> Course:
    """Requests side by side."""
    places = np.arange(count, dtype=float)
    return Course(places - 0.5, places + 0.5, (-0.5, max(count, FEWEST) - 0.5))


def over_time(started: Numbers, ended: Numbers) -> Course:
    """Requests from their beginning to their end, or to the next one's beginning; long pauses cut."""
    if not len(started):
        return Course()
    begins = np.maximum.accumulate(started)
    ends = np.maximum.accumulate(np.maximum(ended, begins))
    idle = np.maximum(begins[1:] - ends[:-1], 0.0)
    busy = max(float(ends[-1] - begins[0] - idle[idle > PAUSE_S].sum()), 1.0)
    longest = max(PAUSE_S, busy / SHARE)
    kept = busy / SHARE / 2
    cuts = np.where(idle > longest, idle - kept, 0.0)
    shift = np.concatenate(([0.0], np.cumsum(cuts)))
    left = begins - begins[0] - shift
    right = np.minimum(ended - begins[0] - shift, np.append(left[1:], np.inf))
    right = np.maximum(right, left)
    pauses = tuple(
        (float(left[index + 1] - kept), float(left[index + 1]), float(idle[index])) for index in np.flatnonzero(cuts)
    )
    whole = max(float(ends[-1] - begins[0] - shift[-1]), 1.0)
    return Course(left, right, (-whole / 100, whole * 1.01), max(1.0, whole / 2000), pauses, float(begins[0]))
