"""Check boxes and radio buttons whose edges are seen in dark as in light."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox, QRadioButton, QStyle, QStyleOptionButton

from inspector import theme


class Tick(QCheckBox):
    """A check box."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The edge over what the style draws."""
        super().paintEvent(event)
        painter, box = _edge(self, QStyle.SubElement.SE_CheckBoxIndicator)
        painter.drawRect(box)


class Pick(QRadioButton):
    """A radio button."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The edge over what the style draws."""
        super().paintEvent(event)
        painter, box = _edge(self, QStyle.SubElement.SE_RadioButtonIndicator)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(painter.pen().color(), 1.5)
        )  # a round line of one pixel is half as strong as a straight one
        painter.drawEllipse(box)


def _edge(button: QCheckBox | QRadioButton, element: QStyle.SubElement) -> tuple[QPainter, QRect]:
    """Fusion draws it darker than the ground."""
    option = QStyleOptionButton()
    button.initStyleOption(option)
    painter = QPainter(button)
    painter.setPen(theme.accent_colour() if button.hasFocus() else theme.muted_colour())
    return painter, button.style().subElementRect(element, option, button).adjusted(0, 0, -1, -1)
