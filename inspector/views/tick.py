"""A check box whose edge is seen in dark as in light."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton

from inspector import theme


class Tick(QCheckBox):
    """A box whose edge can be seen in dark too: the style draws it darker than the ground."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """The edge over what the style draws."""
        super().paintEvent(event)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        painter = QPainter(self)
        painter.setPen(theme.accent_colour() if self.hasFocus() else theme.muted_colour())
        painter.drawRect(box.adjusted(0, 0, -1, -1))
