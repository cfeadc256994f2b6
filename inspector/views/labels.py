"""One line of plain text that elides instead of pushing the window wider; whole on hover and for readers."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from inspector import format, theme
from inspector.models.shown_text import one_line

_STEP = 8
"""Pixels in which a label's wish grows: a digit more or less then lays out nothing anew."""


class ElidedLabel(QWidget):
    """Shows as much of its text as fits."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        muted: bool = False,
        middle: bool = False,
        least: int = 24,
    ) -> None:
        super().__init__(parent)
        self._text = self._line = ""
        self._muted = muted
        self._error = False
        self._least = least
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        theme.notifier().changed.connect(self.update)
        self.set_text(text)

    def set_text(self, text: str, *, error: bool = False) -> None:
        """Show another text."""
        if text == self._text and error == self._error:
            return
        before = self.sizeHint()
        self._text, self._error = text, error
        self._line = one_line(text, 1000)
        self.setAccessibleName(self._line)
        self.setToolTip(format.tip(text))
        if self.sizeHint() != before and self.sizePolicy().horizontalPolicy() != QSizePolicy.Policy.Ignored:
            self.updateGeometry()
        self.update()

    def fill(self) -> None:
        """Take the room that the others leave, whatever it says: then another text lays out nothing anew."""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def text(self) -> str:
        """The whole text."""
        return self._text

    def sizeHint(self) -> QSize:
        """Room for all of it."""
        margins, metrics = self.contentsMargins(), self.fontMetrics()
        words = -(-metrics.horizontalAdvance(self._line[:400]) // _STEP) * _STEP
        return QSize(
            words + 2 + margins.left() + margins.right(), metrics.height() + max(4, margins.top() + margins.bottom())
        )

    def minimumSizeHint(self) -> QSize:
        """``least`` pixels, or all of a shorter text."""
        hint = self.sizeHint()
        return QSize(min(self._least, hint.width()), hint.height())

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The text, elided."""
        painter = QPainter(self)
        painter.setPen(self._colour())
        room = self.contentsRect()
        text = self.fontMetrics().elidedText(self._line, self._mode, room.width())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(room, int(flags), text)

    def _colour(self) -> QColor:
        if self._error:
            return theme.error_colour()
        return theme.muted_colour() if self._muted else theme.text_colour()
