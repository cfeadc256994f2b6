"""A splitter of list and text: over one another, or side by side where the height or the width asks for it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

LOW, HIGH = 240, 280
"""Heights in pixels: side by side below the first, over one another from the second on."""
WIDE = 640
"""Width that two beside each other need when there is no height."""
NEVER = 1_000_000


class AdaptiveSplitter(QSplitter):
    """Shares its room out by percent until somebody moves the line."""

    def __init__(self, over: int = 50, beside: int = 50, roomy: int = NEVER, parent: QWidget | None = None) -> None:
        """``over`` and ``beside``: per cent for the first part; ``roomy``: width from which it is side by side."""
        super().__init__(Qt.Orientation.Vertical, parent)
        self._percent = {Qt.Orientation.Vertical: over, Qt.Orientation.Horizontal: beside}
        self._roomy = roomy
        self._moved = False
        self.setChildrenCollapsible(False)
        self.splitterMoved.connect(self._by_hand)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn, and share the room."""
        size = event.size()
        vertical = self.orientation() == Qt.Orientation.Vertical
        high = size.height() >= (LOW if vertical else HIGH)
        beside = size.width() >= self._roomy or (not high and size.width() >= WIDE)
        wanted = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        if wanted != self.orientation():
            self.setOrientation(wanted)
            self._moved = False
        super().resizeEvent(event)
        if not self._moved:
            room = size.width() if beside else size.height()
            first = room * self._percent[wanted] // 100
            self.setSizes([first, max(1, room - first)])

    def _by_hand(self, _position: int, _index: int) -> None:
        self._moved = True
