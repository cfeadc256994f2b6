"""How a row of what was found is painted: place over snippet, the matches underlined. Plain text, letter by letter."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from engine.search.model import Hit
from inspector import format, theme
from inspector.models.found import ROW_ROLE, Row, place, spread

PAD_X, PAD_Y, GAP = 8, 4, 2
INDENT = 14
_BEFORE = 24
"""Characters kept before the first match, when the line has to be cut."""
_LINE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine


def pieces(hit: Hit) -> Iterator[tuple[str, bool]]:
    """The snippet cut into stretches, each with whether it is a match; made as far as somebody asks."""
    text, at = hit.snippet, 0
    first = hit.marks[0][0] if hit.marks else 0
    if first > _BEFORE:
        at = first - _BEFORE
        yield "…", False
    for start, length in sorted(hit.marks):
        if start < at:
            continue
        if start > at:
            yield format.marked(text[at:start]), False
        yield format.marked(text[start : start + length]), True
        at = start + length
    if at < len(text):
        yield format.marked(text[at:]), False


class FoundDelegate(QStyledItemDelegate):
    """Rows of one height: a thread with its count, or a hit."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The same for every row."""
        return QSize(120, 2 * QFontMetrics(option.font).height() + GAP + 2 * PAD_Y)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Everything as plain text."""
        row: Row | None = index.data(ROW_ROLE)
        if row is None:
            return
        painter.save()
        painter.setClipRect(option.rect)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.selection_colour())
            bar = QRect(option.rect.left(), option.rect.top(), 3, option.rect.height())
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.fillRect(bar, theme.accent_colour() if focused else theme.muted_colour())
        area = option.rect.adjusted(PAD_X, PAD_Y, -PAD_X, -PAD_Y)
        if row.hit is None:
            self._paint_thread(painter, area, option.font, row)
        else:
            self._paint_hit(painter, area.adjusted(INDENT, 0, 0, 0), option.font, row.hit)
        painter.restore()

    def _paint_thread(self, painter: QPainter, area: QRect, font: QFont, row: Row) -> None:
        bold = QFont(font)
        bold.setBold(True)
        count = format.count(row.count, "text")
        width = self._right(painter, area, font, count)
        painter.setFont(bold)
        painter.setPen(theme.text_colour())
        room = area.width() - width
        shown = QFontMetrics(bold).elidedText(format.one_line(row.title), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(area.left(), area.top(), room, area.height()), int(_LINE), shown)

    def _paint_hit(self, painter: QPainter, area: QRect, font: QFont, hit: Hit) -> None:
        metrics = QFontMetrics(font)
        first = QRect(area.left(), area.top(), area.width(), metrics.height())
        second = first.translated(0, metrics.height() + GAP)
        width = self._right(painter, first, font, spread(hit))
        x = first.left()
        if hit.kind:
            bold = QFont(font)
            bold.setBold(True)
            painter.setFont(bold)
            painter.setPen(theme.kind_colour(hit.kind))
            painter.drawText(first, int(_LINE), theme.kind_letter(hit.kind))
            x += QFontMetrics(bold).horizontalAdvance("M") + 6
            painter.setFont(font)
        painter.setPen(theme.muted_colour())
        room = max(0, first.right() - width - x)
        shown = metrics.elidedText(place(hit), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(x, first.top(), room, first.height()), int(_LINE), shown)
        self._paint_snippet(painter, second, font, hit)

    def _paint_snippet(self, painter: QPainter, area: QRect, font: QFont, hit: Hit) -> None:
        strong = QFont(font)
        strong.setBold(True)
        measured = {False: QFontMetrics(font), True: QFontMetrics(strong)}
        x = area.left()
        for text, match in pieces(hit):
            metrics = measured[match]
            room = area.right() - x
            if room < metrics.horizontalAdvance("…"):
                return
            painter.setFont(strong if match else font)
            painter.setPen(theme.text_colour())
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRect(x, area.top(), room, area.height()), int(_LINE), shown)
            width = metrics.horizontalAdvance(shown)
            if match:
                painter.setPen(QPen(theme.accent_colour(), 2))
                painter.drawLine(x, area.bottom(), x + width, area.bottom())
            x += width
            if shown != text:
                return

    @staticmethod
    def _right(painter: QPainter, area: QRect, font: QFont, text: str) -> int:
        """Muted text at the right end; how much room it takes."""
        if not text:
            return 0
        painter.setFont(font)
        painter.setPen(theme.muted_colour())
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        painter.drawText(area, int(flags), text)
        return QFontMetrics(font).horizontalAdvance(text) + 8
