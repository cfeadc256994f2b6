"""Three lines that say what to look at on the first start."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector import theme
from inspector.panes import plain_label
from inspector.views.buttons import WordButton

LINES = (
    "Each bar and row is one request. They fall where a summary replaced old messages. N: the next summary.",
    "Raw ↔ Effective: what the thread holds, what the model got, and the reason for every difference.",
    "Files has the results that were too large for the context; Memory and Skills what else was put in.",
)


class Welcome(QWidget):
    """The lines and a button that closes them for good."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("What to look at")
        lines = QVBoxLayout()
        lines.setSpacing(2)
        for number, text in enumerate(LINES, 1):
            label = plain_label(f"{number}.  {text}", self)
            label.setWordWrap(True)
            lines.addWidget(label)
        self.close_button = WordButton("Close", self.dismissed.emit, self, name="Close these lines")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 10, 8)
        layout.setSpacing(16)
        layout.addLayout(lines, 1)
        layout.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignTop)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A bar of the accent at the left."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), theme.base_colour())
        painter.fillRect(0, 0, 3, self.height(), theme.accent_colour())
        painter.fillRect(0, self.height() - 1, self.width(), 1, theme.line_colour())
        painter.end()
