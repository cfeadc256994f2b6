"""What mouse and keys do to the chart's range: wheel and keys zoom, dragging chooses a range, Shift+wheel moves."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget

from inspector.views.chart_canvas import Canvas

ZOOM = 1.5
"""One step of zooming."""


class Plot(Canvas):
    """A canvas that answers to the mouse and can be zoomed."""

    clicked = Signal(int)
    """The user chose a request: its place."""
    hovered = Signal(int, QPoint)
    """The mouse points at a request, −1 for none; where it is on the screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._pressed: float | None = None
        self._dragged: float | None = None

    # -- zooming -----------------------------------------------------------------------------

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Show ``factor`` times less, around a pixel, else around the selected request or the middle."""
        low, high = self.shown()
        if x is not None:
            fixed = self.place_of(x)
        else:
            course = self.scene.course
            there = 0 <= self.selected < len(course.left)
            fixed = float(course.left[self.selected] + course.right[self.selected]) / 2 if there else (low + high) / 2
            if not low <= fixed <= high:
                low, high = fixed - (high - low) / 2, fixed + (high - low) / 2
        self.set_range(fixed - (fixed - low) / factor, fixed + (high - fixed) / factor)

    def show_whole(self) -> None:
        """Show everything."""
        self.set_range(*self.scene.course.whole)

    def reveal(self, index: int) -> None:
        """Bring a request into view, with a little of what is beside it; nothing moves when it is there."""
        if self.range is None or not 0 <= index < len(self.scene.course.left):
            return
        low, high = self.range
        left, right = float(self.scene.course.left[index]), float(self.scene.course.right[index])
        margin = (high - low) / 10
        if left < low:
            self.set_range(left - margin, left - margin + high - low)
        elif right > high:
            self.set_range(right + margin - high + low, right + margin)

    # -- the mouse ---------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the mouse; sideways or with Shift, move."""
        delta, sideways = event.angleDelta().y(), event.angleDelta().x()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            delta, sideways = 0, sideways or delta
        if sideways:
            low, high = self.shown()
            by = -sideways / 120 * (high - low) / 8
            self.set_range(low + by, high + by)
        elif delta:
            self.zoom(ZOOM ** (delta / 120), event.position().x())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click or a drag begins."""
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed = event.position().x()
        elif event.button() == Qt.MouseButton.MiddleButton:
            self._dragged = event.position().x()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose a range, move what is shown, or tell what is under the mouse."""
        x = event.position().x()
        if self._pressed is not None:
            far = abs(x - self._pressed) >= QApplication.startDragDistance()
            if far or self.band is not None:
                self.band = self._pressed, x
                self.update()
        elif self._dragged is not None:
            low, high = self.shown()
            by = self.place_of(self._dragged) - self.place_of(x)
            self._dragged = x
            self.set_range(low + by, high + by)
        else:
            self._point(x, event.globalPosition().toPoint())
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Select what was clicked, or show the range that was chosen."""
        pressed, band = self._pressed, self.band
        self._pressed = self._dragged = self.band = None
        if band is not None:
            ends = sorted(self.place_of(x) for x in band)
            self.set_range(ends[0], ends[1])
        elif pressed is not None and (index := self.index_at(pressed)) >= 0:
            self.clicked.emit(index)
        self.update()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """Nothing is under the mouse."""
        super().leaveEvent(event)
        self._point(-1.0, QPoint())

    def _point(self, x: float, where: QPoint) -> None:
        area = self.area()
        index = self.index_at(x) if area.left() <= x <= area.right() else -1
        course = self.scene.course
        if index >= 0 and x > self.x_of(float(course.right[-1])) + 4:
            index = -1  # to the right of the last bar
        if index != self.pointed:
            self.pointed = index
            self.update()
        self.hovered.emit(index, where)
