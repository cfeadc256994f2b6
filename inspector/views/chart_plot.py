"""The pieces of the chart: its axes, the plot that traps neither wheel nor drag, and its legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QMouseEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QWidget

from inspector import format, theme
from inspector.views.focus_edge import FocusEdge

SAMPLE = 18
"""Width of the sample of a line in the legend."""
_GAP = 18
_FLAGS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


class Limit(NamedTuple):
    """A limit in the legend."""

    name: str
    words: str
    drawn: bool

    def said(self, short: bool) -> str:
        """Its words; fewer where there is little room."""
        return self.words.removeprefix("summary ") if short else self.words

    @property
    def sample(self) -> int:
        """Room for the sample of its line."""
        return SAMPLE + 5 if self.drawn else 0


def limit_pen(name: str) -> QPen:
    """How the line of a limit is drawn, in the chart and in its legend."""
    pen = QPen(theme.kind_colour("error" if name == "window" else "summary"), 1)
    pen.setCosmetic(True)  # one pixel, not one token
    if name != "window":
        pen.setDashPattern([4, 3])
    return pen


class TokenAxis(pg.AxisItem):
    """Tokens as ``40k``."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Short numbers; none below zero."""
        return [format.size(round(value)) if value >= 0 else "" for value in values]


class NumberAxis(pg.AxisItem):
    """Numbers of requests: whole ones only, counted from 1."""

    group = 1
    last = 1
    """Number of the last request; there is nothing to number after it."""

    def tickValues(self, minVal: float, maxVal: float, size: float) -> list[tuple[float, list[float]]]:
        """A handful of whole numbers."""
        low, high = minVal * self.group + 1, min(maxVal * self.group + 1, self.last)
        room = max(1.0, (maxVal - minVal) * self.group / max(size / 60, 1))
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

    def __init__(self, parent: QWidget | None = None) -> None:
        self.numbers = NumberAxis("bottom")
        super().__init__(parent, axisItems={"left": TokenAxis("left"), "bottom": self.numbers}, background=None)
        self.setMenuEnabled(False)
        self.hideButtons()
        self.setMouseEnabled(False, False)
        self.setMouseTracking(True)
        self.setFrameShape(pg.PlotWidget.Shape.NoFrame)
        FocusEdge(self)

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
        """Letters in the colours of their kinds, names in the ordinary colour; words give way to room."""
        painter = QPainter(self)
        bold = QFont(self.font())
        bold.setBold(True)
        plain, strong = QFontMetrics(self.font()), QFontMetrics(bold)
        names = sum(strong.horizontalAdvance(theme.kind_letter(k)) + 4 for k in self._kinds) + sum(
            plain.horizontalAdvance(theme.kind_name(k)) + 10 for k in self._kinds
        )
        short = names > self._limits_begin(False) - 10
        x, end = 10, self._paint_limits(painter, short)
        letters_only = names > end - x
        for kind in self._kinds:
            letter = theme.kind_letter(kind)
            painter.setPen(theme.kind_colour(kind))
            painter.setFont(bold)
            painter.drawText(QRect(x, 0, self.width(), self.height()), _FLAGS, letter)
            x += strong.horizontalAdvance(letter) + 4
            if not letters_only:
                painter.setFont(self.font())
                painter.setPen(theme.muted_colour())
                painter.drawText(QRect(x, 0, self.width(), self.height()), _FLAGS, theme.kind_name(kind))
                x += plain.horizontalAdvance(theme.kind_name(kind)) + 10
        painter.end()

    def _limits_begin(self, short: bool) -> int:
        """Where the room for the kinds ends."""
        metrics = QFontMetrics(self.font())
        widths = (metrics.horizontalAdvance(limit.said(short)) + limit.sample for limit in self._limits)
        return self.width() - 10 - sum(width + _GAP for width in widths)

    def _paint_limits(self, painter: QPainter, short: bool) -> int:
        """From the right, each with a sample of its line; where the room for the kinds ends."""
        metrics, x = QFontMetrics(self.font()), self.width() - 10
        for limit in reversed(self._limits):
            x -= metrics.horizontalAdvance(limit.said(short))
            painter.setPen(theme.muted_colour())
            painter.drawText(QRect(x, 0, self.width(), self.height()), _FLAGS, limit.said(short))
            x -= limit.sample
            if limit.drawn:
                painter.setPen(limit_pen(limit.name))
                painter.drawLine(x, self.height() // 2, x + SAMPLE, self.height() // 2)
            x -= _GAP
        return x
