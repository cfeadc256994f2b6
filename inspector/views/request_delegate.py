"""How a row of the table of requests is painted: plain text, marks in the colours of their kinds, one accent bar."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from inspector import theme
from inspector.models.marks import Mark
from inspector.models.requests import LEFT, MARKS, MARKS_ROLE, NUMERIC, RIGHT
from inspector.views.frame import PAD

_ONE_LINE = int(Qt.TextFlag.TextSingleLine)
_LEFT, _RIGHT = LEFT | _ONE_LINE, RIGHT | _ONE_LINE


class RequestDelegate(QStyledItemDelegate):
    """A cell is drawn here and not by the style, which asks the model for ten things of every cell."""

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """The ground, the text or the marks, and the bar at the left edge of the selected row."""
        rect: QRect = option.rect
        column = index.column()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(rect, theme.selection_colour())
        area = rect.adjusted(PAD, 0, -PAD, 0)
        if column == MARKS:
            marks = index.data(MARKS_ROLE)
            if marks:
                painter.setClipRect(rect)
                _paint_marks(painter, area, option.font, marks)
        else:
            colour = index.data(Qt.ItemDataRole.ForegroundRole)
            painter.setPen(colour if isinstance(colour, QColor) else theme.text_colour())
            painter.setFont(option.font)
            text = str(index.data(Qt.ItemDataRole.DisplayRole) or "")
            shown = option.fontMetrics.elidedText(text, Qt.TextElideMode.ElideMiddle, area.width())
            painter.drawText(area, _RIGHT if column in NUMERIC else _LEFT, shown)
        if column == 0 and selected:
            view = option.widget
            focused = view is not None and view.hasFocus()
            bar = QRect(rect.left(), rect.top(), 3, rect.height())
            painter.fillRect(bar, theme.accent_colour() if focused else theme.muted_colour())
        painter.restore()


def _paint_marks(painter: QPainter, area: QRect, font: QFont, marks: tuple[Mark, ...]) -> None:
    bold = QFont(font)
    bold.setBold(True)
    plain, strong = QFontMetrics(font), QFontMetrics(bold)
    x = area.left()
    for mark in marks:
        left = area.right() - x
        if left < 12:
            return
        painter.setPen(theme.kind_colour(mark.kind))
        painter.setFont(bold)
        painter.drawText(QRect(x, area.top(), left, area.height()), _LEFT, mark.letter)
        x += strong.horizontalAdvance(mark.letter + " ")
        painter.setFont(font)
        word = plain.elidedText(mark.word, Qt.TextElideMode.ElideRight, area.right() - x)
        painter.drawText(QRect(x, area.top(), area.right() - x, area.height()), _LEFT, word)
        x += plain.horizontalAdvance(word) + 12
