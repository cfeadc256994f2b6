"""Two quiet pieces of the frame: the title of a dock, and the header of a table."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QSizePolicy, QToolButton, QWidget

from inspector import theme
from inspector.panes import plain_label

PAD = 6
"""Blank at both sides of a cell, in the header as in the rows."""


class DockTitle(QWidget):
    """A word and a button that hides the pane. Drags and double clicks go to the dock."""

    closed = Signal()

    def __init__(self, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.label = plain_label(title, self, muted=True)
        self.button = QToolButton(self)
        self.button.setAutoRaise(True)
        self.button.setText("×")
        self.button.setAccessibleName(f"Hide {title}")
        self.button.setToolTip("Hide; the View menu shows it again")
        self.button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.button.clicked.connect(self.closed)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(9, 3, 4, 1)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._flat = False

    def set_flat(self, flat: bool) -> None:
        """Without height: a tab names the dock already."""
        if flat != self._flat:
            self._flat = flat
            self.label.setVisible(not flat)
            self.button.setVisible(not flat)
            self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Nothing when flat."""
        return QSize(0, 0) if self._flat else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Nothing when flat."""
        return QSize(0, 0) if self._flat else super().minimumSizeHint()


class NoTitle(QWidget):
    """Title bar of a dock that needs none. A bare widget would count as one pixel less than nothing."""

    def sizeHint(self) -> QSize:
        """Nothing."""
        return QSize(0, 0)

    def minimumSizeHint(self) -> QSize:
        """Nothing."""
        return QSize(0, 0)


class Header(QHeaderView):
    """Flat, with the blanks of the rows under it and one line below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setHighlightSections(False)
        self.setSectionsClickable(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def sizeHint(self) -> QSize:
        """One line of text with some air."""
        return QSize(super().sizeHint().width(), QFontMetrics(self.font()).height() + 8)

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """The name of a column, aligned as its cells."""
        painter.save()
        painter.fillRect(rect, theme.base_colour())
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, theme.line_colour())
        if section < self.count() - 1:
            painter.fillRect(rect.right(), rect.top() + 5, 1, rect.height() - 10, theme.line_colour())
        model, horizontal = self.model(), Qt.Orientation.Horizontal
        name = str(model.headerData(section, horizontal, Qt.ItemDataRole.DisplayRole) or "")
        where = model.headerData(section, horizontal, Qt.ItemDataRole.TextAlignmentRole)
        flags = int(where) if where is not None else int(self.defaultAlignment())
        area = rect.adjusted(PAD, 0, -PAD, 0)
        shown = QFontMetrics(self.font()).elidedText(name, Qt.TextElideMode.ElideRight, area.width())
        painter.setFont(self.font())
        painter.setPen(theme.muted_colour())
        painter.drawText(area, flags | int(Qt.TextFlag.TextSingleLine), shown)
        painter.restore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The same colour past the last column."""
        painter = QPainter(self.viewport())
        painter.fillRect(self.viewport().rect(), theme.base_colour())
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line_colour())
        painter.end()
        super().paintEvent(event)
