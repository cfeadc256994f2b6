"""How a side pane is divided: two parts that turn with its shape, hair lines, small headings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSplitter, QWidget

from inspector import theme
from inspector.panes import plain_label

MARGIN = 8
BESIDE_NEVER = 100_000
"""``least`` of a splitter whose parts always stand under each other."""


def heading(text: str) -> QLabel:
    """A small title above a part of a pane; a constant of ours or plain text."""
    label = plain_label(text, muted=True)
    label.setContentsMargins(MARGIN, 6, MARGIN, 2)
    return label


class AspectSplitter(QSplitter):
    """Two parts under each other; beside each other where there is more width than height."""

    def __init__(self, first: QWidget, second: QWidget, shares: tuple[int, int], least: int = 640) -> None:
        super().__init__(Qt.Orientation.Vertical)
        self._least = least
        self._shares = shares
        self._wanted: int | None = None
        self._moved = False
        self.addWidget(first)
        self.addWidget(second)
        self.setStretchFactor(0, 0)
        self.setStretchFactor(1, 1)
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._by_hand)

    def fit_first(self, height: int) -> None:
        """Give the upper part this height, or its share where that is less, until the user moves the line."""
        self._wanted = height
        self._settle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn where the shape asks for it."""
        super().resizeEvent(event)
        size = event.size()
        beside = size.width() >= self._least and size.width() > size.height()
        wanted = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self._moved = False
        self._settle()

    def _by_hand(self, _position: int, _index: int) -> None:
        self._moved = True

    def _settle(self) -> None:
        if self._moved or self.count() < 2:
            return
        if self.orientation() == Qt.Orientation.Horizontal:
            whole = self.width()
            self.setSizes([whole * 45 // 100, whole * 55 // 100])
            return
        whole = self.height()
        share = whole * self._shares[0] // sum(self._shares)
        first = share if self._wanted is None else min(self._wanted, share)
        self.setSizes([first, max(1, whole - first)])


class Line(QWidget):
    """A hair line between two parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """In the line colour of the scheme in force."""
        QPainter(self).fillRect(self.rect(), theme.line_colour())
