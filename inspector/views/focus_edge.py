"""A line of the accent at the left of a text or a chart that has the keyboard, as lists have it at their row."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector import theme

WIDTH = 2


class FocusEdge(QWidget):
    """Child of the area; shown while that has the focus."""

    def __init__(self, area: QWidget) -> None:
        super().__init__(area)
        self._area = area
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.installEventFilter(self)
        self.setVisible(area.hasFocus())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Follow the focus and the size of the area."""
        kind = event.type()
        if kind in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.setVisible(kind == QEvent.Type.FocusIn)
            self._place()
        elif kind == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """In the accent of the scheme in force."""
        QPainter(self).fillRect(self.rect(), theme.accent_colour())

    def _place(self) -> None:
        inside = self._area.contentsRect()
        self.setGeometry(inside.left(), inside.top(), WIDTH, inside.height())
        self.raise_()
