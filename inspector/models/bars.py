"""The requests of a thread as numbers for the chart. Imports numpy: import it off the GUI thread.

Heights are estimated tokens by series, as the rows have them; a series is a kind, but for the system message,
whose part from the caller stands apart from what middlewares appended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.trace.model import RequestRow
from inspector.models.rows import has_offload, has_summary

Numbers = np.ndarray[Any, np.dtype[Any]]

SERIES = ("system", "memory", "skills", "added", "tools", "human", "ai", "tool", "summary", "other")
"""From the bottom to the top."""
MAIN, SUBAGENT, SUMMARY = 0, 1, 2
"""Who made a request: a main agent (or nobody known), a subagent, a summarizing call."""
HAPPENED: tuple[tuple[str, str, Callable[[RequestRow], bool]], ...] = (
    ("summary", "summary", has_summary),
    ("tool", "offload", has_offload),
    ("error", "failed", lambda row: row.error is not None or row.status == "failed"),
)
"""What is marked over the bars: the kind whose colour and letter it has, a word, and which requests."""


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """One column of numbers a request, in order; a row that hasn't been read is all zero."""

    rows: Sequence[RequestRow | None] = ()
    heights: Numbers = field(default_factory=lambda: np.zeros((0, len(SERIES))))
    """A line a request, a column a series."""
    makers: Numbers = field(default_factory=lambda: np.zeros(0, np.int8))
    windows: Numbers = field(default_factory=lambda: np.zeros(0))
    """The context window of the main agent's model at each request; NaN where it isn't known."""
    triggers: Numbers = field(default_factory=lambda: np.zeros(0))
    happened: Numbers = field(default_factory=lambda: np.zeros((0, len(HAPPENED)), bool))
    started: Numbers = field(default_factory=lambda: np.zeros(0))
    ended: Numbers = field(default_factory=lambda: np.zeros(0))
    limits: Numbers = field(default_factory=lambda: np.zeros((0, 2)))
    """Window and trigger of each request itself: −1 where it isn't the main agent's, NaN where not known."""

    def with_rows(self, rows: Sequence[RequestRow | None]) -> Bars:
        """The same with these rows: only those that are other objects than before are looked at."""
        count, had = len(rows), min(len(rows), len(self.rows))
        arrays = {
            name: _grown(getattr(self, name)[:had], count)
            for name in ("heights", "makers", "happened", "started", "ended", "limits")
        }
        arrays["limits"][had:] = -1
        for index in range(count):
            row = rows[index]
            if row is not None and (index >= had or row is not self.rows[index]):
                _enter(arrays, index, row)
        return Bars(
            rows=rows,
            windows=_standing(arrays["limits"][:, 0]),
            triggers=_standing(arrays["limits"][:, 1]),
            **arrays,
        )

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def totals(self) -> Numbers:
        """Height of each bar."""
        return np.asarray(self.heights.sum(axis=1))

    @property
    def top(self) -> float:
        """Height of the tallest bar."""
        return float(self.totals.max()) if len(self) else 0.0

    @property
    def series(self) -> list[str]:
        """Those that have a height anywhere."""
        return [name for at, name in enumerate(SERIES) if self.heights[:, at].any()]


def sizes(row: RequestRow) -> dict[str, int]:
    """Estimated tokens of a request by series."""
    found: dict[str, int] = {}
    for kind, tokens in row.sizes.items():
        name = kind if kind in SERIES else "other"
        found[name] = found.get(name, 0) + tokens
    whole = found.get("system", 0)
    if row.system_base is not None and row.system_base < whole:
        found["system"], found["added"] = row.system_base, whole - row.system_base
    return found


def maker(row: RequestRow) -> int:
    """Who made a request."""
    return {"subagent": SUBAGENT, "summary": SUMMARY}.get(row.purpose, MAIN)


def _grown(array: Numbers, count: int) -> Numbers:
    made = np.zeros((count, *array.shape[1:]), array.dtype)
    made[: len(array)] = array
    return made


def _enter(arrays: dict[str, Numbers], index: int, row: RequestRow) -> None:
    found = sizes(row)
    arrays["heights"][index] = [found.get(name, 0) for name in SERIES]
    arrays["makers"][index] = maker(row)
    arrays["happened"][index] = [happened(row) for _, _, happened in HAPPENED]
    arrays["started"][index] = row.started_at
    arrays["ended"][index] = row.started_at + (row.duration_ms or 0.0) / 1000
    main = row.depth == 0 and row.purpose not in ("subagent", "summary")
    known = [np.nan if value is None else value for value in (row.window, row.trigger)]
    arrays["limits"][index] = known if main else -1


def _standing(values: Numbers) -> Numbers:
    """Each main request's value held until the next one's; the first one's before it."""
    if not len(values):
        return values
    places = np.where(values == -1, -1, np.arange(len(values)))  # NaN is a value here: not known from there on
    last = np.maximum.accumulate(places)
    first = next((int(place) for place in places if place >= 0), -1)
    if first < 0:
        return np.full(len(values), np.nan)
    return np.asarray(values[np.where(last < 0, first, last)])
