"""The chart of contexts: one bar a request, stacked by kind, against the window and the trigger.

The table of requests beside it holds the same rows for whoever cannot see the chart; the selection is
one, through the session. Importing this module imports pyqtgraph (0.6 s): import it off the GUI thread.
"""

from __future__ import annotations

import time

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QTimer
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QShowEvent,
)
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.models.bars import Bars
from inspector.models.requests import agent_name
from inspector.models.rows import Rows
from inspector.panes import Pane
from inspector.session import Session
from inspector.views.chart_plot import Legend, Limit, Plot, limit_pen

REDRAW_MS = 40
REST = 10
"""Drawing takes at most this part of the GUI thread's time: a long chart is drawn less often."""
FAR = 3.0
"""A limit more than this many times above the tallest bar is written, not drawn."""


class ChartView(QWidget):
    """Bars of the selected thread's requests, one selection with the table."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Chart of contexts")
        self.setMinimumHeight(80)
        self._session = session
        self._bars = Bars(Rows())
        self._items: list[pg.BarGraphItem] = []
        self.legend = Legend(self)
        self.plot = Plot(self)
        self.plot.setAccessibleName("Chart of contexts")
        self.plot.setAccessibleDescription(
            "One bar a request, stacked by kind. The table of requests below holds the same numbers. "
            "Left and right step through the requests."
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.pane = Pane(self)
        self.pane.set_content(self.plot)
        layout.addWidget(self.legend)
        layout.addWidget(self.pane, 1)
        self._band = pg.LinearRegionItem(movable=False)
        self._band.setZValue(-10)
        self._lines = {name: pg.InfiniteLine(angle=0) for name in ("window", "trigger")}
        for item in (self._band, *self._lines.values()):
            item.hide()
            self.plot.addItem(item, ignoreBounds=True)
        self._redraw = QTimer(self)
        self._redraw.setSingleShot(True)
        self._redraw.setInterval(REDRAW_MS)
        self._redraw.timeout.connect(self.draw)
        self.plot.clicked.connect(self._clicked)
        self.plot.hovered.connect(self._hovered)
        session.thread_changed.connect(self._later)
        session.rows_changed.connect(self._later)
        session.request_changed.connect(self._select)
        theme.notifier().changed.connect(self._recolour)
        self._recolour()

    def draw(self) -> None:
        """Bars, limits and selection as the session has them now; put off while hidden."""
        self._redraw.stop()
        if not self.isVisible():
            return
        began = time.perf_counter()
        self._bars = Bars(self._session.rows)
        for item in self._items:
            self.plot.removeItem(item)
        self._items = []
        if not self._bars.count and not self._session.loading:
            self._say_empty()
            return
        self.pane.show_content()
        self.legend.show()
        base = np.zeros(self._bars.count)
        places = np.arange(self._bars.count, dtype=float)
        width = 0.8 if self._bars.count <= 300 else 1.0
        for kind in self._bars.kinds:
            heights = self._bars.heights[kind]
            item = pg.BarGraphItem(
                x=places, y0=base.copy(), height=heights, width=width, pen=None, brush=theme.kind_colour(kind)
            )
            item.setZValue(0)
            self.plot.addItem(item)
            self._items.append(item)
            base += heights
        self._fit()
        self._select()
        took = (time.perf_counter() - began) * 1000
        self._redraw.setInterval(max(REDRAW_MS, round(took * REST)))

    def _say_empty(self) -> None:
        self.legend.hide()
        if self._session.thread_id is None:
            self.pane.show_empty("No thread is selected.", "Its contexts will be drawn here, one bar a request.")
        else:
            self.pane.show_empty("There is nothing to draw yet.", "Each request will be one bar.")

    def describe(self, index: int) -> str:
        """What hovering over a bar tells."""
        row = self._session.rows.at(index)
        if row is None:
            return ""
        head = f"Request {format.exact(row.number)} · {agent_name(row)} · {row.purpose}"
        lines = [head, f"In: {format.exact_tokens(row.input_tokens, row.tokens == 'estimated')}"]
        for kind in reversed(theme.KINDS):
            tokens = row.sizes.get(kind, 0)  # type: ignore[call-overload]
            if tokens:
                lines.append(f"{theme.kind_letter(kind)} {theme.kind_name(kind)}: ~{format.exact(tokens)}")
        if row.error:
            lines.append(f"! {format.one_line(row.error, 200)}")
        return "\n".join(lines)

    def index_at(self, x: float) -> int:
        """Place of the request whose bar is nearest to ``x``; -1 without any."""
        count = len(self._session.rows)
        if not count:
            return -1
        return max(0, min(count - 1, round(x * self._bars.group)))

    def showEvent(self, event: QShowEvent) -> None:
        """What was put off."""
        super().showEvent(event)
        self._redraw.start()

    def _later(self, *_args: object) -> None:
        if not self._redraw.isActive():
            self._redraw.start()

    def _fit(self) -> None:
        bars, top = self._bars, self._bars.top
        limits = []
        high = top
        for name, value in (("trigger", bars.trigger), ("window", bars.window)):
            line = self._lines[name]
            drawn = value is not None and top > 0 and value <= top * FAR
            line.setVisible(drawn)
            if value is None:
                continue
            words = f"{'summary trigger' if name == 'trigger' else 'window'} {format.size(value)}"
            limits.append(Limit(name, words if drawn else f"{words}, above", drawn))
            if drawn:
                line.setValue(value)
                high = max(high, float(value))
        self.plot.numbers.group, self.plot.numbers.last = bars.group, len(self._session.rows)
        self.plot.setYRange(0, high * 1.08 or 1, padding=0)
        span = max(bars.count, 24)
        self.plot.setXRange(-0.7, span - 0.3, padding=0)
        self.legend.show_kinds(bars.kinds, limits)

    def _select(self, *_args: object) -> None:
        index = self._session.rows.index(self._session.request_id)
        self._band.setVisible(index >= 0)
        if index >= 0:
            middle = index // self._bars.group
            per_pixel = self.plot.getPlotItem().vb.viewPixelSize()[0] or 0.01
            half = max(0.5, 1.5 * per_pixel)
            self._band.setRegion((middle - half, middle + half))

    def _clicked(self, x: float) -> None:
        index = self.index_at(x)
        if index >= 0:
            self._session.select_index(index)

    def _hovered(self, x: float, where: QPointF) -> None:
        index = self.index_at(x)
        text = self.describe(index) if index >= 0 and -0.6 <= x <= self._bars.count - 0.4 else ""
        QToolTip.showText(where.toPoint(), format.tip(text), self.plot)

    def _recolour(self) -> None:
        accent = theme.accent_colour()
        veil = QColor(accent)
        veil.setAlpha(45)
        self._band.setBrush(veil)
        for line in self._band.lines:
            line.setPen(pg.mkPen(accent, width=1))
        for name, line in self._lines.items():
            line.setPen(limit_pen(name))
        for name in ("left", "bottom"):
            axis = self.plot.getPlotItem().getAxis(name)
            axis.setPen(pg.mkPen(theme.line_colour()))
            axis.setTextPen(pg.mkPen(theme.muted_colour()))
            axis.setStyle(tickFont=theme.figure_font(), tickLength=-3)
        self.plot.getPlotItem().getAxis("left").setWidth(QFontMetrics(self.font()).horizontalAdvance("0.0M00"))
        self.plot.setBackground(theme.base_colour())
        for item, kind in zip(self._items, self._bars.kinds, strict=True):
            item.setOpts(brush=theme.kind_colour(kind))
        self.legend.update()
