"""A splitter that puts list and text side by side where there is no height for one over the other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

LOW, HIGH = 240, 280
"""Heights in pixels: side by side below the first, over one another from the second on."""
WIDE = 640


class AdaptiveSplitter(QSplitter):
    """Vertical while it is high enough."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setChildrenCollapsible(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Turn, and share the room anew when turned."""
        size = event.size()
        vertical = self.orientation() == Qt.Orientation.Vertical
        if vertical and size.height() < LOW and size.width() >= WIDE:
            self._turn(Qt.Orientation.Horizontal, size.width())
        elif not vertical and (size.height() >= HIGH or size.width() < WIDE):
            self._turn(Qt.Orientation.Vertical, size.height())
        super().resizeEvent(event)

    def _turn(self, to: Qt.Orientation, room: int) -> None:
        self.setOrientation(to)
        self.setSizes([room // 2, room - room // 2])
