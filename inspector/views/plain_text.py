"""Plain text as small widgets: a name that is always whole, and a link."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QPointF, QSize, Qt
from PySide6.QtGui import (
    QContextMenuEvent,
    QEnterEvent,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QAbstractButton, QMenu, QSizePolicy, QWidget

from inspector import clipboard, format, theme
from inspector.invisible import mark


class PathLabel(QWidget):
    """A text that is always whole: it wraps between words, and anywhere in a long one. Copies true."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._true = self._drawn = ""
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show another name."""
        self._true = text
        self._drawn = format.marked(text).replace("\n", mark(0x0A))
        self.setAccessibleName(self._drawn or "Name")
        self.updateGeometry()
        self.update()

    def text(self) -> str:
        """The true text."""
        return self._true

    def heightForWidth(self, width: int) -> int:
        """Height of the wrapped text."""
        layout = self._laid_out(width)
        return max(self.fontMetrics().height(), int(layout.boundingRect().height() + 0.99))

    def hasHeightForWidth(self) -> bool:
        """Wraps."""
        return True

    def sizeHint(self) -> QSize:
        """One line, or what the present width needs."""
        return QSize(120, self.heightForWidth(max(40, self.width())))

    def minimumSizeHint(self) -> QSize:
        """As high as the present width needs."""
        return QSize(40, self.heightForWidth(max(40, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, underlined by a line while it has the focus."""
        painter = QPainter(self)
        painter.setPen(theme.text_colour())
        self._laid_out(self.width()).draw(painter, QPointF(0, 0))
        if self.hasFocus():
            painter.setPen(theme.accent_colour())
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Copy", self.copy)
        menu.popup(event.globalPos())

    def copy(self) -> None:
        """Put the true text on the clipboard, likely secrets masked."""
        clipboard.put_text(self._true)

    def _laid_out(self, width: int) -> QTextLayout:
        layout = QTextLayout(self._drawn, self.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        layout.setTextOption(option)
        layout.beginLayout()
        height = 0.0
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1, width))
            line.setPosition(QPointF(0, height))
            height += line.height()
        layout.endLayout()
        return layout


class Link(QAbstractButton):
    """A button that reads as a link: plain text, reached by keyboard, goes where its signal says."""

    def __init__(self, text: str, go: Callable[[], object], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._said = format.elide_middle(format.one_line(text), 48)
        self.setAccessibleName(format.one_line(text))
        self.setToolTip(format.tip(text) if len(text) > 48 else "")
        self.clicked.connect(lambda _checked=False: go())

    def text(self) -> str:
        """What it says."""
        return self._said

    def sizeHint(self) -> QSize:
        """The text and a little air."""
        metrics = self.fontMetrics()
        return QSize(metrics.horizontalAdvance(self._said) + 2, metrics.height() + 4)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text in the accent colour, underlined where the pointer or the keyboard is."""
        painter = QPainter(self)
        font = self.font()
        font.setUnderline(self.hasFocus() or self.underMouse())
        painter.setFont(font)
        painter.setPen(theme.accent_colour() if self.isEnabled() else theme.muted_colour())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(self.rect(), int(flags), self._said)

    def enterEvent(self, event: QEnterEvent) -> None:
        """Underline."""
        super().enterEvent(event)
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        """No longer."""
        super().leaveEvent(event)
        self.update()
