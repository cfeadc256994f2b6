"""The two fields of the composer: the message, and the model."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QFrame, QPlainTextEdit, QSizePolicy, QWidget

from inspector.views.focus_edge import FocusEdge
from inspector.views.quiet import quiet

MIN_LINES, MAX_LINES = 1, 8


class MessageEdit(QPlainTextEdit):
    """Plain text that grows with its lines, from one to eight."""

    escaped = Signal()
    """Escape was pressed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        FocusEdge(self)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self._fit()

    def text(self) -> str:
        """The message as typed: no-break spaces stay, line ends are ``\\n``."""
        return self.document().toRawText().replace("\u2029", "\n").replace("\u2028", "\n")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width wraps otherwise."""
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        """As high as it is fixed."""
        return QSize(super().sizeHint().width(), self.minimumHeight())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape is told."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        super().keyPressEvent(event)

    def _fit(self) -> None:
        lines = self.document().documentLayout().documentSize().height()  # in lines, for plain text
        shown = max(MIN_LINES, min(MAX_LINES, round(lines)))
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if lines > MAX_LINES else policy.ScrollBarAlwaysOff)
        line = QFontMetrics(self.font()).lineSpacing()
        margins = 2 * (self.frameWidth() + int(self.document().documentMargin()))
        if (height := shown * line + margins) != self.minimumHeight():
            self.setFixedHeight(height)


class ModelField(QComboBox):
    """A field with suggestions; the wheel that passes over it changes nothing."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Left to whoever scrolls."""
        event.ignore()
