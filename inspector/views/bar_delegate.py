"""Rows of a list of names: one line or two, the selected one with a bar of the accent at its left."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from inspector import theme

Index = QModelIndex | QPersistentModelIndex
PAD_X, GAP = 8, 2


class BarDelegate(QStyledItemDelegate):
    """Everything as plain text; ``second`` is the role of the line under the name, if there is one."""

    def __init__(self, parent: object = None, *, second: int | None = None, pad: int = 5,
                 elide: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle) -> None:  # fmt: skip
        super().__init__(parent)  # type: ignore[arg-type]
        self._second, self._pad, self._elide = second, pad, elide

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """The same for every row."""
        line = QFontMetrics(option.font).height()
        return QSize(60, (line if self._second is None else 2 * line + GAP) + 2 * self._pad)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The name, and the line under it elided at its end."""
        painter.save()
        if bool(option.state & QStyle.StateFlag.State_Selected):
            painter.fillRect(option.rect, theme.selection_colour())
            bar = QRect(option.rect.left(), option.rect.top(), 3, option.rect.height())
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.fillRect(bar, theme.accent_colour() if focused else theme.muted_colour())
        area = option.rect.adjusted(PAD_X, self._pad, -PAD_X, -self._pad)
        metrics = QFontMetrics(option.font)
        line = QRect(area.left(), area.top(), area.width(), metrics.height())
        flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
        colour = index.data(int(Qt.ItemDataRole.ForegroundRole))
        painter.setFont(option.font)
        painter.setPen(colour.color() if isinstance(colour, QBrush) else colour or theme.text_colour())
        painter.drawText(line, flags, metrics.elidedText(str(index.data() or ""), self._elide, line.width()))
        if self._second is not None:
            below = str(index.data(self._second) or "")
            painter.setPen(theme.error_colour() if below.startswith("!") else theme.muted_colour())
            under = line.translated(0, metrics.height() + GAP)
            painter.drawText(under, flags, metrics.elidedText(below, Qt.TextElideMode.ElideRight, under.width()))
        painter.restore()
