"""Tabs as words over one line; the chosen one stands on the accent."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QTabBar, QTabWidget, QWidget

from inspector import theme

_PAD = 12
_GAP = 3
"""Left on either side of a word where the tabs of docks are squeezed, which Qt does before it lets them scroll."""
DIFFERS = "≠"
"""Ends the title of a pane in which something is not as the thread has it."""


def paint_flat(bar: QTabBar) -> None:
    """Words over one line, and the accent under the chosen one."""
    painter = QPainter(bar)
    painter.fillRect(0, bar.height() - 1, bar.width(), 1, theme.line_colour())
    for n in range(bar.count()):
        rect = bar.tabRect(n)
        chosen = n == bar.currentIndex()
        painter.setPen(theme.text_colour() if chosen else theme.muted_colour())
        if not bar.isTabEnabled(n):
            painter.setPen(theme.line_colour())
        _paint_words(painter, rect.adjusted(0, 0, 0, -2), bar.tabText(n))
        if chosen:
            painter.fillRect(rect.left() + 4, bar.height() - 2, rect.width() - 8, 2, theme.accent_colour())
            if bar.hasFocus():
                painter.setPen(theme.accent_colour())
                painter.drawRoundedRect(QRect(rect).adjusted(4, 3, -5, -5), 3, 3)


def _paint_words(painter: QPainter, rect: QRect, text: str) -> None:
    """In the middle; the sign of what differs in the colour of a warning."""
    metrics = painter.fontMetrics()
    area = QRect(rect)
    area.setLeft(rect.left() + max(_GAP, (rect.width() - metrics.horizontalAdvance(text)) // 2))
    flags = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine)
    words = text.removesuffix(DIFFERS)
    room = rect.right() + 1 - _GAP - area.left() - metrics.horizontalAdvance(text.removeprefix(words))
    words = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
    painter.drawText(area, flags, words)
    if text.endswith(DIFFERS):
        painter.setPen(theme.error_colour())
        area.setLeft(area.left() + metrics.horizontalAdvance(words))
        painter.drawText(area, flags, DIFFERS)


class FlatTabBar(QTabBar):
    """Painted flat. Texts are plain: a ``&`` is shown doubled by Qt's rules only where a mnemonic is meant."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setElideMode(Qt.TextElideMode.ElideNone)
        self.setUsesScrollButtons(True)
        theme.notifier().changed.connect(self.update)

    def tabSizeHint(self, index: int) -> QSize:
        """The words with some air; as wide chosen as not, so that nothing moves."""
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.tabText(index)) + 2 * _PAD, metrics.height() + 12)

    def minimumTabSizeHint(self, index: int) -> QSize:
        """Never squeezed: it scrolls instead."""
        return self.tabSizeHint(index)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Flat."""
        paint_flat(self)


class Flattener(QObject):
    """Paints tab bars flat that Qt makes by itself, as a main window does for its docks."""

    def flatten(self, bar: QTabBar, name: str) -> None:
        """From now on, and named for readers."""
        bar.setAccessibleName(name)
        bar.setDrawBase(False)
        bar.setExpanding(False)
        bar.setElideMode(Qt.TextElideMode.ElideNone)  # the widths are for whole words
        bar.setStyleSheet("QTabBar::tab { padding: 6px 5px; }")  # room only: it is painted below
        bar.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Paint in place of the style."""
        if event.type() == QEvent.Type.Paint and isinstance(watched, QTabBar):
            paint_flat(watched)
            return True
        return super().eventFilter(watched, event)


def flat_tabs(name: str, parent: QWidget | None = None) -> QTabWidget:
    """A tab widget with flat tabs and no frame."""
    tabs = QTabWidget(parent)
    tabs.setTabBar(FlatTabBar(name))
    tabs.setDocumentMode(True)
    return tabs
