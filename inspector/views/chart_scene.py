"""What the chart draws, before a colour or a pixel is chosen: bars, marks over them, lines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from PySide6.QtGui import QColor, QPen

from inspector import format, theme
from inspector.models.bars import HAPPENED, MAIN, SERIES, SUBAGENT, SUMMARY, Bars, Numbers
from inspector.models.course import Course, by_number, over_time
from inspector.models.raster import DOTS, LINES, SLANTS, SOLID
from inspector.models.request_facts import letter, title
from inspector.models.spending import MAKERS, Spending, money
from inspector.views.chart_axes import dollars

MODES = {"requests": "By request", "time": "Over time", "cost": "Cumulative cost"}
FAR = 3.0
"""A limit more than this many times above the tallest bar is written, not drawn: the bars keep their room."""
PATTERNS = {MAIN: SOLID, SUBAGENT: SLANTS, SUMMARY: LINES}
"""How a bar is hatched for who made the request."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of every bar."""

    kind: str
    """Whose colour it has."""
    letter: str
    name: str
    pattern: int = SOLID


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """Marks in one row over the bars."""

    kind: str
    letter: str
    name: str
    marked: Numbers
    """Of requests."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A line over the bars, one value a request; NaN where there is none."""

    name: str
    kind: str
    values: Numbers
    scale: float = 1.0
    """Its values are multiplied by this to stand among the bars."""

    def pen(self) -> QPen:
        """Told apart by its dashes as well as its colour."""
        pen = QPen(theme.kind_colour(self.kind), 1)
        if self.name == "trigger":
            pen.setDashPattern([4, 3])
        elif self.name == "cache":
            pen.setDashPattern([1, 2])
        return pen


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Everything that is drawn of a thread."""

    mode: str = "requests"
    course: Course = field(default_factory=Course)
    parts: Sequence[Part] = ()
    edges: Numbers = field(default_factory=lambda: np.zeros((0, 0)))
    """Upper edge of each part of each request, in what is counted."""
    makers: Numbers = field(default_factory=lambda: np.zeros(0, np.int8))
    lanes: Sequence[Lane] = ()
    lines: Sequence[Line] = ()
    words: Sequence[str] = ()
    """What there is to say of limits and sums, in the legend."""
    top: float = 1.0
    """What stands at the upper edge."""
    label: Callable[[float], str] = lambda value: format.size(round(value))

    @property
    def totals(self) -> Numbers:
        """Height of each bar."""
        return self.edges[:, -1] if self.edges.size else np.zeros(len(self.edges))


def part(series: str) -> Part:
    """How a series of ``Bars`` is shown. What middlewares appended to the system message is dotted."""
    if series == "added":
        return Part("system", letter(series), title(series), DOTS)
    return Part(series, letter(series), title(series))


def contexts(bars: Bars, mode: str, own: Sequence[Lane]) -> Scene:
    """Contexts by kind, by request or over time; ``own`` is what the reader put on requests."""
    shown = [index for index, name in enumerate(SERIES) if name in bars.series]
    limits = [("window", "error", bars.windows), ("trigger", "summary", bars.triggers)]
    lines, words, high = [], [], bars.top
    for name, kind, values in limits:
        known = values[~np.isnan(values)]
        near = known[known <= bars.top * FAR]
        if len(near):
            high = max(high, float(near.max()))
            lines.append(Line(name, kind, np.where(values <= bars.top * FAR, values, np.nan)))
        words += _said(name, known, bars.top * FAR)
    return Scene(
        mode,
        over_time(bars.started, bars.ended) if mode == "time" else by_number(len(bars)),
        [part(SERIES[index]) for index in shown],
        np.cumsum(bars.heights[:, shown], axis=1),
        bars.makers,
        _lanes(bars, own),
        lines,
        words,
        (high or 1) * 1.06,
    )


def costs(bars: Bars, spent: Spending, own: Sequence[Lane]) -> Scene:
    """Cost as it adds up, by who made the requests, and how much of the input came from the cache."""
    edges = np.cumsum(spent.costs, axis=1)
    top = float(edges[-1, -1]) * 1.06 if len(edges) and edges[-1, -1] else 1.0
    kinds = (("system", SOLID), ("other", SLANTS), ("summary", LINES))
    parts = [Part(kind, "■", name, pattern) for (kind, pattern), name in zip(kinds, MAKERS, strict=True)]
    cached = spent.cached[~np.isnan(spent.cached)]
    words, lines = [f"{money(spent.total())} · {spent.said()}"] if spent.known else [spent.said()], []
    if len(cached) and spent.cached[-1] > 0:
        lines.append(Line("cache", "skills", spent.cached, top))
        words.append(f"{spent.cached[-1]:.0%} of input read from the cache")
    return Scene(
        "cost", by_number(len(bars)), parts, edges, np.zeros(len(bars), np.int8), _lanes(bars, own), lines, words,
        top, dollars,
    )  # fmt: skip


def swatch_colour(kind: str, dim: bool) -> QColor:
    """Colour of a part; a dimmed one is near the background."""
    colour = theme.kind_colour(kind)
    if not dim:
        return colour
    base, share = theme.base_colour(), 0.28
    return QColor(*(round(a * share + b * (1 - share)) for a, b in zip(_rgb(colour), _rgb(base), strict=True)))


def _rgb(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def _lanes(bars: Bars, own: Sequence[Lane]) -> list[Lane]:
    events = [
        Lane(kind, theme.kind_letter(kind), name, bars.happened[:, place])
        for place, (kind, name, _) in enumerate(HAPPENED)
    ]
    return [lane for lane in (*own, *events) if lane.marked.any()]


def _said(name: str, known: Numbers, far: float) -> list[str]:
    """A limit in the legend: its last value, and whether it is out of sight."""
    if not len(known):
        return []
    last = float(known[-1])
    words = f"{'summary trigger' if name == 'trigger' else name} {format.size(round(last))}"
    changed = len(np.unique(known)) > 1
    return [f"{words}{', changed' if changed else ''}{', above ↑' if last > far else ''}"]
