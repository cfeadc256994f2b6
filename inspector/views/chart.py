"""The chart of contexts: one bar a request, stacked by kind, against the window and the trigger.

The table of requests beside it holds the same rows for whoever cannot see the chart; the selection is
one, through the session. Importing this module imports pyqtgraph (0.6 s): import it off the GUI thread.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from engine.trace.model import RequestRow
from inspector import format, theme
from inspector.models.requests import agent_name
from inspector.models.rows import Rows
from inspector.session import Session

MAX_BARS = 1200
"""More requests than this share bars: each stands for the largest of its group."""
REDRAW_MS = 40
REST = 10
"""Drawing takes at most this part of the GUI thread's time: a long chart is drawn less often."""
FAR = 3.0
"""A limit more than this many times above the tallest bar is written, not drawn."""


SAMPLE = 18
"""Width of the sample of a line in the legend."""


class Limit(NamedTuple):
    """A limit in the legend."""

    name: str
    words: str
    drawn: bool


def limit_pen(name: str) -> QPen:
    """How the line of a limit is drawn, in the chart and in its legend."""
    if name == "window":
        return QPen(theme.error_colour(), 1)
    pen = QPen(theme.kind_colour("summary"), 1)
    pen.setDashPattern([4, 3])
    return pen


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


class TokenAxis(pg.AxisItem):
    """Tokens as ``40k``."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Short numbers; none below zero."""
        return [format.size(round(value)) if value >= 0 else "" for value in values]


class NumberAxis(pg.AxisItem):
    """Numbers of requests: whole ones only, counted from 1."""

    group = 1

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """A handful of whole numbers."""
        low, high = minVal * self.group + 1, maxVal * self.group + 1
        room = max(1.0, (high - low) / max(size / 70, 1))
        step = next((s for s in _steps() if s >= room), 1)
        first = max(step, int(-(-low // step)) * step) if step > 1 else max(1, round(low + 0.5))
        return [(step, [(n - 1) / self.group for n in range(first, int(high) + 1, step)])]

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """As the table writes them."""
        return [format.exact(round(value * self.group + 1)) for value in values]


def _steps() -> list[int]:
    return [base * 10**power for power in range(7) for base in (1, 2, 5)]


class Plot(pg.PlotWidget):
    """The plot itself: no wheel, no dragging, no menu of pyqtgraph's own."""

    clicked = Signal(float)
    hovered = Signal(float, QPointF)
    stepped = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        self.numbers = NumberAxis("bottom")
        super().__init__(parent, axisItems={"left": TokenAxis("left"), "bottom": self.numbers}, background=None)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setMouseEnabled(False, False)
        self.setMouseTracking(True)
        self.setFrameShape(pg.PlotWidget.Shape.NoFrame)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to whoever scrolls around the chart."""
        event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select what is under the mouse."""
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        if event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(self._x(event.position()))
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Tell what is under the mouse; with the button down, select along."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self.clicked.emit(self._x(event.position()))
        self.hovered.emit(self._x(event.position()), event.globalPosition())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Nothing is dragged."""
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """As a click."""
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right step through the requests."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None:
            event.ignore()
        else:
            self.stepped.emit(step)

    def _x(self, position: QPointF) -> float:
        return float(self.getPlotItem().vb.mapSceneToView(self.mapToScene(position.toPoint())).x())


class Legend(QWidget):
    """One line: letters and names of the kinds at the left, the limits at the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Legend of the chart")
        self._kinds: list[str] = []
        self._limits: list[Limit] = []
        self.setFixedHeight(QFontMetrics(self.font()).height() + 6)

    def show_kinds(self, kinds: list[str], limits: list[Limit]) -> None:
        """Name these kinds and these limits."""
        self._kinds, self._limits = kinds, limits
        names = [f"{theme.kind_letter(k)} {theme.kind_name(k)}" for k in kinds]
        self.setAccessibleDescription(", ".join([*names, *(limit.words for limit in limits)]))
        self.update()

    def sizeHint(self) -> QSize:
        """One line of text."""
        return QSize(300, QFontMetrics(self.font()).height() + 6)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Letters in the colours of their kinds, names in the ordinary colour."""
        painter = QPainter(self)
        bold = QFont(self.font())
        bold.setBold(True)
        plain, strong = QFontMetrics(self.font()), QFontMetrics(bold)
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        x, end = 10, self._paint_limits(painter)
        names = sum(strong.horizontalAdvance(theme.kind_letter(k)) + 4 for k in self._kinds) + sum(
            plain.horizontalAdvance(theme.kind_name(k)) + 10 for k in self._kinds
        )
        short = names > end - x
        for kind in self._kinds:
            letter = theme.kind_letter(kind)
            painter.setPen(theme.kind_colour(kind))
            painter.setFont(bold)
            painter.drawText(QRect(x, 0, self.width(), self.height()), flags, letter)
            x += strong.horizontalAdvance(letter) + 4
            if not short:
                painter.setFont(self.font())
                painter.setPen(theme.muted_colour())
                painter.drawText(QRect(x, 0, self.width(), self.height()), flags, theme.kind_name(kind))
                x += plain.horizontalAdvance(theme.kind_name(kind)) + 10
        painter.end()

    def _paint_limits(self, painter: QPainter) -> int:
        """From the right, each with a sample of its line; where the room for the kinds ends."""
        metrics, x = QFontMetrics(self.font()), self.width() - 10
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        for limit in reversed(self._limits):
            x -= metrics.horizontalAdvance(limit.words)
            painter.setPen(theme.muted_colour())
            painter.drawText(QRect(x, 0, self.width(), self.height()), flags, limit.words)
            if limit.drawn:
                x -= SAMPLE + 5
                painter.setPen(limit_pen(limit.name))
                painter.drawLine(x, self.height() // 2, x + SAMPLE, self.height() // 2)
            x -= 18
        return x


class ChartView(QWidget):
    """Bars of the selected thread's requests, one selection with the table."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Chart of contexts")
        self.setMinimumHeight(90)
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
        layout.addWidget(self.legend)
        layout.addWidget(self.plot, 1)
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
        self.plot.stepped.connect(session.step)
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
        self.plot.numbers.group = bars.group
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
