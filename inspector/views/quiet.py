"""A scroll bar that does not shout: a narrow handle on the ground of what it scrolls."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QEnterEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QStyle, QStyleOptionSlider

from inspector import theme

WIDTH = 11


class QuietBar(QScrollBar):
    """Works as the style's own, and stands back while the pointer is elsewhere."""

    def __init__(self, orientation: Qt.Orientation, area: QAbstractScrollArea) -> None:
        super().__init__(orientation, area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._near = False
        theme.notifier().changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """Narrow."""
        hint = super().sizeHint()
        return QSize(WIDTH, hint.height()) if self._upright() else QSize(hint.width(), WIDTH)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Stand out."""
        super().enterEvent(event)
        self._near = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """Stand back."""
        super().leaveEvent(event)
        self._near = False
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The handle, where the style has it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = self._area.viewport()
        painter.fillRect(self.rect(), ground.palette().color(ground.backgroundRole()))
        if self.maximum() <= self.minimum():
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        complex_control, part = QStyle.ComplexControl.CC_ScrollBar, QStyle.SubControl.SC_ScrollBarSlider
        handle = QRectF(self.style().subControlRect(complex_control, option, part, self))
        handle = handle.adjusted(3, 1, -2, -1) if self._upright() else handle.adjusted(1, 3, -1, -2)
        colour = QColor(theme.muted_colour())
        colour.setAlpha(190 if self._near or self.isSliderDown() else 100)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colour)
        painter.drawRoundedRect(handle, 3, 3)

    def _upright(self) -> bool:
        return self.orientation() == Qt.Orientation.Vertical


def quiet(area: QAbstractScrollArea) -> None:
    """Give an area quiet scroll bars."""
    area.setVerticalScrollBar(QuietBar(Qt.Orientation.Vertical, area))
    area.setHorizontalScrollBar(QuietBar(Qt.Orientation.Horizontal, area))
