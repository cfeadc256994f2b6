"""The base of what paints uniform lines: one value a row, its columns drawn with the strokes of messages.

Everything is drawn as plain text.
"""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from inspector.views.message_delegate import Index, Strokes, row_height


class LineDelegate(QStyledItemDelegate):
    """Background, selection and the bar of the current row; a subclass draws the value."""

    def __init__(self, view: QAbstractItemView, role: int, of: type) -> None:
        """``role`` gives the value of a row, which is ``of`` this type; a row without one stays empty."""
        super().__init__(view)
        self._view, self._role, self._of = view, role, of
        self._strokes = Strokes(view.font())

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Uniform rows."""
        return QSize(60, row_height(self._view))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One column of one line."""
        value = index.data(self._role)
        if not isinstance(value, self._of):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        self._strokes.background(painter, rect, selected=selected)
        if selected and index.column() == 0:
            self._strokes.bar(painter, rect, self._view.hasFocus())
        self.draw(painter, rect, index, value)
        painter.restore()

    def draw(self, painter: QPainter, rect: QRect, index: Index, value: Any) -> None:
        """Draw the value's column into its cell."""
        raise NotImplementedError
