"""Figures beside goals, as a table of plain text."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass

MARK = {True: "✓", False: "✗", None: " "}


@dataclass(frozen=True)
class Row:
    """One figure; ``met`` is None where no goal is set."""

    what: str
    figure: str
    goal: str = ""
    met: bool | None = None


def at_most(what: str, figure: float, goal: float, form: Callable[[float], str]) -> Row:
    """A figure that should be no more than its goal."""
    return Row(what, form(figure), f"≤ {form(goal)}", figure <= goal)


def show(title: str, rows: Sequence[Row], note: str = "") -> None:
    """Print one table."""
    print(f"\n{title}")
    widths = [max(len(getattr(row, name)) for row in rows) for name in ("what", "figure", "goal")]
    for row in rows:
        line = f"  {row.what:<{widths[0]}}  {row.figure:>{widths[1]}}  {row.goal:<{widths[2]}}  {MARK[row.met]}"
        print(line.rstrip())
    if note:
        print(f"  {note}")


def ms(seconds: float) -> str:
    """Milliseconds."""
    return f"{seconds * 1000:,.1f} ms" if seconds < 0.1 else f"{seconds * 1000:,.0f} ms"


def seconds(value: float) -> str:
    """Seconds."""
    return f"{value:,.2f} s"


def ratio(value: float) -> str:
    """A ratio."""
    return f"{value:.3f} ×"


def megabytes(count: float) -> str:
    """Millions of bytes."""
    return f"{count / 1e6:,.2f} MB"


def spread(values: Sequence[float], form: Callable[[float], str] = ms) -> str:
    """The median, with the least and the most where there are several."""
    middle = form(statistics.median(values))
    return middle if len(values) < 2 else f"{middle} ({form(min(values))} – {form(max(values))})"
