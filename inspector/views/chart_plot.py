"""A plot of pyqtgraph that traps neither wheel nor drag, with whole numbers of requests at the bottom."""

from __future__ import annotations

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from inspector import format
from inspector.views.focus_edge import FocusEdge


class TokenAxis(pg.AxisItem):
    """Tokens as ``40k``."""

    def tickStrings(self, values: Sequence[float], scale: float, spacing: float) -> list[str]:
        """Short numbers; none below zero, and none between whole ones: a half would read 0."""
        return [format.size(round(value)) if value >= 0 and value == round(value) else "" for value in values]


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
