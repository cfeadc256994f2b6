"""The editor of memory: plain text with line numbers, its own keys for save and find, true copies.

It edits whatever ``MemoryBuffer``'s document is put into it, and keeps the cursor and the scroll of each.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import Any

from PySide6.QtCore import QEvent, QMimeData, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QPlainTextDocumentLayout, QPlainTextEdit, QTextEdit, QWidget

from inspector import theme
from inspector.models.shown_text import ShownText, for_clipboard
from inspector.views.document_text import text_of
from inspector.views.focus_edge import FocusEdge
from inspector.views.memory_buffer import DOCUMENT_MARGIN, MemoryBuffer
from inspector.views.quiet import quiet

TAB_CHARACTERS = 4


class MemoryEditor(QPlainTextEdit):
    """Edits the text of one buffer at a time."""

    document_changed = Signal()
    """Another buffer is edited, or none."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        FocusEdge(self)
        self.buffer: MemoryBuffer | None = None
        self._empty = QTextDocument(self)
        self._empty.setDocumentLayout(QPlainTextDocumentLayout(self._empty))
        self._empty.setDocumentMargin(DOCUMENT_MARGIN)
        self._places: dict[int, tuple[int, int]] = {}
        self._true: ShownText | None = None
        self._matches: list[tuple[int, int]] = []
        self._match: tuple[int, int] | None = None
        self._numbers = _Numbers(self)
        self.setAccessibleName("Memory text")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scrolled)
        theme.notifier().changed.connect(self._highlight)
        self.set_buffer(None)

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Edit another buffer, where it was left."""
        if self.buffer is not None:
            self._places[id(self.buffer)] = (self.textCursor().position(), self.verticalScrollBar().value())
            self.buffer.document.contentsChanged.disconnect(self._changed)
        self.buffer = buffer
        document = self._empty if buffer is None else buffer.document
        self.setDocument(document)
        self._take_font()
        self._changed()
        if buffer is not None:
            buffer.document.contentsChanged.connect(self._changed)
            position, scroll = self._places.get(id(buffer), (0, 0))
            cursor = self.textCursor()
            cursor.setPosition(min(position, document.characterCount() - 1))
            self.setTextCursor(cursor)
            self.verticalScrollBar().setValue(scroll)
        self.follow()
        self.document_changed.emit()

    def follow(self) -> None:
        """Take over from the buffer whether text can be typed."""
        editable = self.buffer is not None and self.buffer.editable
        self.setReadOnly(not editable)
        self.setTabChangesFocus(not editable)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextEditorInteraction
            if editable
            else Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )

    def forget(self, buffer: MemoryBuffer) -> None:
        """Its place is of no use any more."""
        self._places.pop(id(buffer), None)
        if self.buffer is buffer:
            self.set_buffer(None)

    # -- what a search bar asks for: true offsets, code points -----------------------------------

    def shown_text(self) -> ShownText:
        """The text as it stands, and the way from its offsets to Qt's."""
        if self._true is None:
            text = text_of(self.document())
            self._true = ShownText(text, text, [], longest=0, cut=0)
        return self._true

    def selected_text(self) -> str:
        """True text of the selection."""
        return self.textCursor().selectedText().replace("\u2029", "\n")

    def offset(self) -> int:
        """Offset of the cursor."""
        return self.shown_text().from_utf16(self.textCursor().position())

    def select(self, start: int, end: int) -> None:
        """Select and bring on the screen."""
        self.setTextCursor(self._cursor(start, end))
        self.ensureCursorVisible()

    def set_matches(self, matches: list[tuple[int, int]], current: tuple[int, int] | None) -> None:
        """Paint these ranges as found."""
        self._matches, self._match = matches, current
        self._highlight()

    def _cursor(self, start: int, end: int) -> QTextCursor:
        text = self.shown_text()
        cursor = QTextCursor(self.document())
        cursor.setPosition(min(text.utf16(start), self.document().characterCount() - 1))
        cursor.setPosition(min(text.utf16(end), self.document().characterCount() - 1), QTextCursor.MoveMode.KeepAnchor)
        return cursor

    # -- painting --------------------------------------------------------------------------------

    def _changed(self) -> None:
        self._true = None
        if self._matches:
            self.set_matches([], None)

    def _highlight(self) -> None:
        made: list[Any] = []
        if self._matches:
            text = self.shown_text()
            corner = self.viewport().rect().bottomRight()
            first = text.from_utf16(self.cursorForPosition(self.viewport().rect().topLeft()).position())
            last = text.from_utf16(self.cursorForPosition(corner).position()) + 1
            starts = [start for start, _end in self._matches]
            for match in self._matches[max(0, bisect_left(starts, first) - 1) : bisect_left(starts, last)]:
                selection: Any = QTextEdit.ExtraSelection()
                selection.cursor = self._cursor(*match)
                selection.format = _found(match == self._match)
                made.append(selection)
        self.setExtraSelections(made)
        self._numbers.update()

    def _scrolled(self, rect: QRect, dy: int) -> None:
        if dy:
            self._numbers.scroll(0, dy)
            if self._matches:
                self._highlight()
        else:
            self._numbers.update(0, rect.y(), self._numbers.width(), rect.height())

    def _make_room(self) -> None:
        self.setViewportMargins(self.number_width(), 0, 0, 0)

    def number_width(self) -> int:
        """Room for the largest line number."""
        digits = max(2, len(str(self.blockCount())))
        return 14 + self.fontMetrics().horizontalAdvance("9") * digits

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Line numbers stand at the left."""
        super().resizeEvent(event)
        inside = self.contentsRect()
        self._numbers.setGeometry(QRect(inside.left(), inside.top(), self.number_width(), inside.height()))

    def paint_numbers(self, event: QPaintEvent) -> None:
        """Draw the numbers of the lines on the screen."""
        painter = QPainter(self._numbers)
        painter.fillRect(event.rect(), theme.panel_colour())
        painter.setFont(self.font())
        height = self.fontMetrics().height()
        here = self.textCursor().blockNumber()
        block = self.firstVisibleBlock()
        place = self.blockBoundingGeometry(block).translated(self.contentOffset())
        while block.isValid() and place.top() <= event.rect().bottom():
            if block.isVisible() and place.bottom() >= event.rect().top():
                current = block.blockNumber() == here
                painter.setPen(theme.text_colour() if current else theme.muted_colour())
                painter.drawText(
                    QRect(0, round(place.top()), self._numbers.width() - 7, height),
                    Qt.AlignmentFlag.AlignRight,
                    str(block.blockNumber() + 1),
                )
            block = block.next()
            place = self.blockBoundingGeometry(block).translated(self.contentOffset())

    # -- copies -----------------------------------------------------------------------------------

    def createMimeDataFromSelection(self) -> QMimeData:
        """Qt turns a no-break space into a blank and U+2028 into a line end; a copy must be true."""
        data = QMimeData()
        data.setText(for_clipboard(self.selected_text()))
        return data

    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the interface font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._take_font()

    def _take_font(self) -> None:
        font = theme.mono_font()
        self.setFont(font)
        self.document().setDefaultFont(font)
        self.setTabStopDistance(TAB_CHARACTERS * self.fontMetrics().horizontalAdvance(" "))
        self._make_room()


class _Numbers(QWidget):
    """The strip of line numbers."""

    def __init__(self, editor: MemoryEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.setAccessibleName("Line numbers")

    def sizeHint(self) -> QSize:
        """As wide as the largest number."""
        return QSize(self._editor.number_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The editor knows where its lines are."""
        self._editor.paint_numbers(event)


def _found(current: bool) -> QTextCharFormat:
    wanted = QTextCharFormat()
    colour = QColor(theme.kind_colour("tools"))
    colour.setAlpha(130 if current else 60)
    wanted.setBackground(colour)
    wanted.setFontUnderline(current)
    return wanted
