"""Paints Raw ↔ Effective: a message a side, the reason where a side is empty, the cut through both."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from inspector import format, theme
from inspector.models.aligned import CARD, REASON, AlignedModel, Card, Side
from inspector.models.cells import Cell
from inspector.models.messages import CELL
from inspector.models.shown_text import one_line
from inspector.views.message_delegate import GUTTER, PAD, RIGHT, TILE, Strokes, row_height, tinted

Index = QModelIndex | QPersistentModelIndex


class AlignedDelegate(QStyledItemDelegate):
    """One side of one row."""

    opened = Signal(str)
    """The path of a file whose badge, or whose name on the card, was clicked."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._strokes = Strokes(view.font())
        figures = QFontMetrics(self._strokes.figures)
        self._number = figures.horizontalAdvance("00000")
        self._size = figures.horizontalAdvance("00.0k") + 2
        self._name = QFontMetrics(self._strokes.font).horizontalAdvance("M" * 6)

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Uniform rows."""
        return QSize(120, row_height(self._view))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Message, card or reason; then the lines that run through."""
        model = index.model()
        if not isinstance(model, AlignedModel):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect
        self._back(painter, rect, option, index, model)
        cell = index.data(CELL)
        card = index.data(CARD)
        if isinstance(cell, Cell):
            self._message(painter, rect, cell)
        elif isinstance(card, Card):
            self._card(painter, rect, card)
        else:
            inner = rect.adjusted(PAD + GUTTER + self._number, 0, -PAD, 0)
            colour = theme.muted_colour()
            self._strokes.text(painter, inner, str(index.data(REASON)), colour, self._strokes.note)
        self._lines(painter, rect, index, model)
        painter.restore()

    def _back(
        self, painter: QPainter, rect: QRect, option: QStyleOptionViewItem, index: Index, model: AlignedModel
    ) -> None:
        current = self._view.currentIndex()
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, theme.selection_colour())
            self._strokes.bar(painter, rect, self._view.hasFocus())
        elif model.card(index.row()) is not None:
            painter.fillRect(rect, tinted(theme.kind_colour("summary"), 26))
        elif current.isValid() and current.row() == index.row():
            painter.fillRect(rect, tinted(theme.selection_colour(), 110))
        elif index.data(CELL) is None:
            painter.fillRect(rect, theme.panel_colour())

    def _message(self, painter: QPainter, rect: QRect, cell: Cell) -> None:
        strokes, muted = self._strokes, theme.muted_colour()
        strokes.join(painter, QRect(rect.left() + self._number + 2, rect.top(), GUTTER, rect.height()), cell.pair)
        left = rect.left() + 2
        number = QRect(left, rect.top(), self._number, rect.height())
        strokes.text(painter, number, cell.number, muted, strokes.figures, RIGHT)
        left += self._number + GUTTER
        strokes.letter(painter, QRect(left, rect.top(), TILE, rect.height()), cell.kind, dim=cell.dim)
        left += TILE + 5
        colour = muted if cell.dim else theme.text_colour()
        name = QRect(left, rect.top(), self._name, rect.height())
        strokes.text(painter, name, cell.name, colour, elide=Qt.TextElideMode.ElideMiddle)
        left += self._name + PAD
        size = QRect(rect.right() - self._size - PAD, rect.top(), self._size, rect.height())
        strokes.text(painter, size, format.size(cell.chars), muted, strokes.figures, RIGHT)
        end = strokes.badges(painter, self._badge_area(rect), cell.badges)
        strokes.segments(painter, QRect(left, rect.top(), end - left, rect.height()), cell.segments, dim=cell.dim)

    def _badge_area(self, rect: QRect) -> QRect:
        return rect.adjusted(0, 0, -self._size - PAD, 0)

    def _card(self, painter: QPainter, rect: QRect, card: Card) -> None:
        strokes = self._strokes
        inner = rect.adjusted(PAD + GUTTER + self._number, 0, -PAD, 0)
        strokes.text(painter, inner, card.text, theme.kind_colour("summary"), strokes.bold)
        rest = self._path_rect(rect, card)
        if rest.width() < 30:
            return
        if card.path is not None:
            path = f"{one_line(card.path, 300)} ▸"
            strokes.text(painter, rest, path, theme.accent_colour(), strokes.mono, elide=Qt.TextElideMode.ElideMiddle)
        elif card.lost:
            strokes.text(painter, rest, "the history was not saved", theme.error_colour(), strokes.note)

    def _path_rect(self, rect: QRect, card: Card) -> QRect:
        inner = rect.adjusted(PAD + GUTTER + self._number, 0, -PAD, 0)
        used = self._strokes.width(card.text, self._strokes.bold) + 10
        return inner.adjusted(used, 0, 0, 0)

    def _lines(self, painter: QPainter, rect: QRect, index: Index, model: AlignedModel) -> None:
        if index.column() == Side.RAW:
            painter.setPen(QPen(theme.line_colour(), 1))
            painter.drawLine(rect.right(), rect.top(), rect.right(), rect.bottom())
        if model.cut is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        if index.row() == model.cut:
            painter.fillRect(QRect(rect.left(), rect.top(), rect.width(), 2), theme.kind_colour("summary"))
        elif model.cut == len(model.rows) == index.row() + 1:
            painter.fillRect(QRect(rect.left(), rect.bottom() - 1, rect.width(), 2), theme.kind_colour("summary"))

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click on a badge or on the card's file."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
        ):
            path = self._path_at(option.rect, index, event.position().toPoint())
            if path is not None:
                self.opened.emit(path)
                return True
        return super().editorEvent(event, model, option, index)  # type: ignore[arg-type]

    def _path_at(self, rect: QRect, index: Index, at: QPoint) -> str | None:
        cell, card = index.data(CELL), index.data(CARD)
        if isinstance(cell, Cell):
            badge = self._strokes.badge_at(self._badge_area(rect), cell.badges, at)
            return badge.opens if badge is not None else None
        if isinstance(card, Card) and self._path_rect(rect, card).contains(at):
            return card.path
        return None
