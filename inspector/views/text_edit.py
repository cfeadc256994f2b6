"""The read-only editor that draws a ``ShownText``: marks painted, copies true but for masked secrets.

Knows nothing of where the text comes from. Only what is on the screen is highlighted, so that the cost
of scrolling does not depend on the length of the text.
"""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QHelpEvent,
    QResizeEvent,
    QTextBlock,
    QTextCharFormat,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QMenu, QPlainTextEdit, QToolTip, QWidget

from inspector import clipboard, format, theme
from inspector.models.shown_text import Mark, Masked, ShownText, for_clipboard, shown
from inspector.views.focus_edge import FocusEdge
from inspector.views.quiet import quiet
from inspector.views.secret_marks import SecretMarks

TAB_CHARACTERS = 4
_EMPTY = shown("")


class ShownTextEdit(QPlainTextEdit):
    """Draws one text letter by letter. Offsets given and taken are of the true text."""

    find_asked = Signal()
    """The menu's Find."""
    line_asked = Signal(int)
    """Show the line at this true offset whole."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        FocusEdge(self)
        self._shown = _EMPTY
        self._matches: list[tuple[int, int]] = []
        self._match_starts: list[int] = []
        self._current: tuple[int, int] | None = None
        self._coloured: set[int] = set()
        """Blocks whose colours are up to date."""
        self._dyed: set[int] = set()
        """Blocks that have any."""
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAcceptDrops(False)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(8)
        self._take_font()
        self.secrets = SecretMarks(self)
        self.updateRequest.connect(self._scrolled)
        theme.notifier().changed.connect(self._colour_again)

    # -- text ------------------------------------------------------------------------------

    def set_shown(self, text: ShownText) -> None:
        """Draw another text, from its beginning."""
        self._shown = text
        self._matches, self._match_starts, self._current = [], [], None
        self._coloured.clear()
        self._dyed.clear()
        self.setPlainText(text.text)
        self._colour()

    def shown_text(self) -> ShownText:
        """What is drawn."""
        return self._shown

    def selected_text(self) -> str:
        """True text of the selection, masked secrets aside."""
        return self._selected().text

    def offset(self) -> int:
        """True offset of the cursor."""
        return self._shown.to_source(self._shown.from_utf16(self.textCursor().position()))

    def offset_at(self, at: QPoint) -> int | None:
        """True offset of the letter at a place of the viewport; None where no letter is."""
        cursor = self.cursorForPosition(at)
        rect = self.cursorRect(cursor)
        if abs(rect.x() - at.x()) > self.fontMetrics().maxWidth() or not rect.top() <= at.y() <= rect.bottom():
            return None
        before = at.x() < rect.x()  # Qt gives the nearest gap between letters
        return self._shown.to_source(max(0, self._shown.from_utf16(cursor.position()) - before))

    def top_offset(self) -> int:
        """True offset of the first character on the screen."""
        return self._shown.to_source(self._shown.from_utf16(self.cursorForPosition(QPoint(4, 4)).block().position()))

    def scroll_to(self, offset: int) -> None:
        """Bring the line at a true offset to the top of the screen."""
        at = self._shown.utf16(self._shown.to_drawn(offset))
        block = self.document().findBlock(at)
        self.verticalScrollBar().setValue(block.firstLineNumber())

    def go_to(self, offset: int) -> None:
        """Put the cursor at a true offset and bring it on the screen."""
        cursor = self.textCursor()
        cursor.setPosition(self._shown.utf16(self._shown.to_drawn(offset)))
        self.setTextCursor(cursor)
        rect = self.cursorRect()
        if not self.viewport().rect().adjusted(0, 0, 0, -rect.height()).contains(rect.topLeft()):
            self.centerCursor()

    def set_matches(self, matches: list[tuple[int, int]], current: tuple[int, int] | None) -> None:
        """Paint these true ranges as found, one of them as the current one."""
        self._matches, self._current = matches, current
        self._match_starts = [start for start, _end in matches]
        self._colour_again()

    # -- painting --------------------------------------------------------------------------

    def _scrolled(self, _rect: object, dy: int) -> None:
        if dy:
            self._colour()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another part of the text may be on the screen now."""
        super().resizeEvent(event)
        self._colour()

    def _colour_again(self) -> None:
        self._coloured.clear()
        self._colour()

    def _colour(self) -> None:
        """Colour the blocks on the screen that have not been yet: marks, then what was found."""
        if not (self._shown.visible or self._shown.revealed or self._matches or self._dyed):
            return
        block = self.firstVisibleBlock()
        bottom = self.cursorForPosition(QPoint(0, self.viewport().height())).block().blockNumber()
        while block.isValid() and block.blockNumber() <= bottom:
            number = block.blockNumber()
            if number not in self._coloured:
                self._coloured.add(number)
                made = self._formats(block)
                if made or number in self._dyed:
                    block.layout().setFormats(made)
                    self.document().markContentsDirty(block.position(), block.length())
                    self._dyed.add(number)
            block = block.next()

    def _formats(self, block: QTextBlock) -> list[QTextLayout.FormatRange]:
        text, at = self._shown, block.position()
        start = text.from_utf16(at)
        end = text.from_utf16(at + block.length() - 1)
        made = [
            _range(text.utf16(mark.start) - at, text.utf16(mark.end) - at, _mark_format(mark))
            for mark in text.visible_between(start, end)
        ]
        made += [
            _range(text.utf16(left) - at, text.utf16(right) - at, _shown_secret_format())
            for left, right in text.revealed_between(start, end)
        ]
        true_start, true_end = text.to_source(start), text.to_source(end, after=True)
        first = max(0, bisect_left(self._match_starts, true_start) - 1)
        for match in self._matches[first : bisect_left(self._match_starts, true_end)]:
            left = max(at, text.utf16(text.to_drawn(match[0])))
            right = min(at + block.length() - 1, text.utf16(text.to_drawn(match[1])))
            if right > left:
                made.append(_range(left - at, right - at, _found_format(match == self._current)))
        return sorted(made, key=lambda each: each.start)

    # -- copying ---------------------------------------------------------------------------

    def _selected(self) -> Masked:
        cursor, text = self.textCursor(), self._shown
        return text.selected(text.from_utf16(cursor.selectionStart()), text.from_utf16(cursor.selectionEnd()))

    def createMimeDataFromSelection(self) -> QMimeData:
        """The true text, not the drawn one; what is masked stays so."""
        data, selected = QMimeData(), self._selected()
        data.setText(for_clipboard(selected.text))
        clipboard.tell(selected)
        return data

    def copy_all(self) -> None:
        """Copy the whole true text; what is masked stays so."""
        clipboard.put(self._shown.whole())

    # -- menu, hover -----------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        """Say what a mark is."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            mark = self._mark_under(event.pos())
            QToolTip.showText(event.globalPos(), format.tip(mark.says) if mark else "", self)
            return True
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Copy, find, wrap; a cut line can be had whole."""
        self.menu(event.pos()).popup(event.globalPos())

    def menu(self, at: QPoint) -> QMenu:
        """The context menu for a place in the viewport."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction("Copy", self.copy)
        copy.setEnabled(self.textCursor().hasSelection())
        menu.addAction("Copy the whole text", self.copy_all)
        menu.addAction("Select all", self.selectAll)
        menu.addSeparator()
        menu.addAction("Find", self.find_asked.emit)
        mark = self._mark_under(at)
        if mark is not None and mark.kind == "cut":
            menu.addAction("Show this line whole", lambda: self.line_asked.emit(mark.source - 1))
        self.secrets.add_to(menu, at)
        wrap = menu.addAction("Wrap lines", self._toggle_wrap)
        wrap.setCheckable(True)
        wrap.setChecked(self.lineWrapMode() != QPlainTextEdit.LineWrapMode.NoWrap)
        return menu

    def _toggle_wrap(self) -> None:
        mode = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(mode.WidgetWidth if self.lineWrapMode() == mode.NoWrap else mode.NoWrap)

    def _mark_under(self, at: QPoint) -> Mark | None:
        # Qt gives the nearest gap between characters, which may be the one after the mark.
        offset = self._shown.from_utf16(self.cursorForPosition(at).position())
        for near in (offset, offset - 1):
            mark = self._shown.mark_at(near) if near >= 0 else None
            if mark is not None and mark.kind != "line end":
                return mark
        return None

    def changeEvent(self, event: QEvent) -> None:
        """Follow the size of the interface font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ApplicationFontChange:
            self._take_font()

    def _take_font(self) -> None:
        self.setFont(theme.mono_font())
        self.setTabStopDistance(TAB_CHARACTERS * self.fontMetrics().horizontalAdvance(" "))


def _range(start: int, end: int, wanted: QTextCharFormat) -> QTextLayout.FormatRange:
    made = QTextLayout.FormatRange()
    made.start, made.length, made.format = start, end - start, wanted
    return made


def _mark_format(mark: Mark) -> QTextCharFormat:
    wanted = QTextCharFormat()
    loud = mark.kind in ("hidden", "control", "surrogate")
    colour = theme.error_colour() if loud else theme.muted_colour()
    if mark.kind == "secret":
        colour = theme.kind_colour("summary")
    elif mark.kind == "label":
        colour = theme.accent_colour()
        wanted.setFontWeight(QFont.Weight.Bold)
    wanted.setForeground(colour)
    wanted.setBackground(_tint(colour, 36 if loud else 28))
    return wanted


def _shown_secret_format() -> QTextCharFormat:
    wanted = QTextCharFormat()
    wanted.setBackground(_tint(theme.kind_colour("summary"), 40))
    return wanted


def _found_format(current: bool) -> QTextCharFormat:
    wanted = QTextCharFormat()
    wanted.setBackground(_tint(theme.kind_colour("tools"), 150 if current else 50))
    if current:
        wanted.setFontUnderline(True)
    return wanted


def _tint(colour: QColor, alpha: int) -> QColor:
    tinted = QColor(colour)
    tinted.setAlpha(alpha)
    return tinted
