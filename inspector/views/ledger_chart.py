"""What the model received against the original, request by request. The table under it has the same numbers.

Importing this module imports pyqtgraph (0.6 s): import it off the GUI thread.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from engine.ledger.model import LedgerRow
from inspector import format, theme
from inspector.panes import plain_label
from inspector.views.chart_plot import Plot


class LedgerChart(QWidget):
    """A bar a request: received, over what it would have been."""

    chosen = Signal(int)
    """The user clicked a bar: its place in the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[LedgerRow] = ()
        self._bars: list[pg.BarGraphItem] = []
        self.legend = plain_label("", muted=True)
        self.legend.setWordWrap(True)
        self.plot = Plot(self)
        self.plot.setAccessibleName("Chart of the ledger")
        self.plot.setAccessibleDescription("Characters received and original, a bar a request; the table has them too.")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 2, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
        self.setMinimumHeight(90)
        self.plot.clicked.connect(self._clicked)
        self.plot.hovered.connect(self._hovered)
        theme.notifier().changed.connect(self._draw)

    def set_rows(self, rows: Sequence[LedgerRow]) -> None:
        """Draw these requests."""
        self._rows = rows
        self.plot.numbers.last = len(rows)
        self.legend.setText("Characters: received (filled) of the original (light), a bar a request")
        self._draw()

    def _draw(self) -> None:
        for item in self._bars:
            self.plot.removeItem(item)
        self._bars = []
        if not self._rows:
            return
        places = np.arange(len(self._rows))
        whole = QColor(theme.muted_colour())
        whole.setAlpha(90)
        for heights, colour in (
            ([row.original_chars or row.received_chars for row in self._rows], whole),
            ([row.received_chars for row in self._rows], theme.kind_colour("human")),
        ):
            bars = pg.BarGraphItem(x=places, height=np.array(heights), width=0.8, pen=None, brush=colour)
            self._bars.append(bars)
            self.plot.addItem(bars)
        for side in ("left", "bottom"):
            axis = self.plot.getAxis(side)
            axis.setTextPen(theme.muted_colour())
            axis.setPen(theme.muted_colour())
        top = max(row.original_chars or row.received_chars for row in self._rows)
        self.plot.setXRange(-0.6, max(len(self._rows), 8) - 0.4, padding=0)
        self.plot.setYRange(0, max(top, 1) * 1.05, padding=0)

    def _row(self, x: float) -> int | None:
        at = round(x)
        return at if 0 <= at < len(self._rows) else None

    def _clicked(self, x: float) -> None:
        at = self._row(x)
        if at is not None:
            self.chosen.emit(at)

    def _hovered(self, x: float, where: QPointF) -> None:
        at = self._row(x)
        if at is None:
            return
        row = self._rows[at]
        original = format.UNKNOWN if row.original_chars is None else format.exact(row.original_chars)
        words = f"Request {row.number}: {format.exact(row.received_chars)} of {original} characters"
        QToolTip.showText(where.toPoint(), format.tip(words), self.plot)
