"""Heights of the chart's bars: pure numbers, made from rows. Imports numpy: import it off the GUI thread."""

from __future__ import annotations

import numpy as np

from engine.trace.model import RequestRow
from inspector import theme
from inspector.models.rows import Rows

MAX_BARS = 1200
"""More requests than this share bars: each stands for the largest of its group."""


class Bars:
    """Heights of the bars: pure numbers, made from rows. ``group`` requests share one bar."""

    def __init__(self, rows: Rows, limit: int = MAX_BARS) -> None:
        count = len(rows)
        self.group = max(1, -(-count // limit))
        self.count = -(-count // self.group) if count else 0
        self.heights = {kind: np.zeros(self.count) for kind in theme.KINDS}
        self.totals = np.zeros(self.count)
        self.window: int | None = None
        self.trigger: int | None = None
        for bar in range(self.count):
            row = self._largest(rows, bar, count)
            if row is None:
                continue
            for kind, tokens in row.sizes.items():
                self.heights[kind if kind in self.heights else "other"][bar] += tokens
            self.totals[bar] = row.estimated_tokens
        for row in reversed(rows.known()):
            if row.depth == 0 and (row.window or row.trigger):
                self.window, self.trigger = row.window, row.trigger
                break

    def _largest(self, rows: Rows, bar: int, count: int) -> RequestRow | None:
        best = None
        for index in range(bar * self.group, min((bar + 1) * self.group, count)):
            row = rows.at(index)
            if row is not None and (best is None or row.estimated_tokens > best.estimated_tokens):
                best = row
        return best

    @property
    def kinds(self) -> list[str]:
        """Kinds that have a height anywhere, in the order of stacking."""
        return [kind for kind in theme.KINDS if self.heights[kind].any()]

    @property
    def top(self) -> float:
        """Height of the tallest bar."""
        return float(self.totals.max()) if self.count else 0.0
