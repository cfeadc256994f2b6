"""Paints messages as uniform lines: letter, name, first line, badges, size, and the line from call to result.

Everything is drawn as plain text. One set of strokes serves the Messages view and Raw ↔ Effective.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from inspector import format, theme
from inspector.models.cells import Badge, Cell, Segment
from inspector.models.messages import CELL, Column
from inspector.models.pairs import Pair

PAD = 6
GUTTER = 16
TILE = 18
Index = QModelIndex | QPersistentModelIndex
_LINE = Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine
LEFT = int(Qt.AlignmentFlag.AlignLeft | _LINE)
RIGHT = int(Qt.AlignmentFlag.AlignRight | _LINE)
CENTRE = int(Qt.AlignmentFlag.AlignCenter)


def row_height(widget: QWidget) -> int:
    """Height of one line of messages at the size of the fonts in force."""
    return max(QFontMetrics(theme.mono_font()).height(), widget.fontMetrics().height(), TILE) + 6


class Strokes:
    """What message lines are drawn with: fonts once, colours of the scheme in force."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.bold = QFont(font)
        self.bold.setBold(True)
        self.note = QFont(font)
        self.note.setItalic(True)
        self.mono = theme.mono_font()
        self.mono_bold = QFont(self.mono)
        self.mono_bold.setBold(True)
        self.small = QFont(font)
        self.small.setPointSizeF(max(6.5, font.pointSizeF() * 0.88))
        self.figures = theme.figure_font(font)
        self.small_metrics = QFontMetrics(self.small)
        self._metrics: dict[int, QFontMetrics] = {}

    def width(self, text: str, font: QFont) -> int:
        """Width of a text in one of these fonts."""
        return self._measure(font).horizontalAdvance(text)

    def _measure(self, font: QFont) -> QFontMetrics:
        found = self._metrics.get(id(font))
        if found is None:
            found = self._metrics[id(font)] = QFontMetrics(font)
        return found

    def background(self, painter: QPainter, rect: QRect, *, selected: bool, wash: QColor | None = None) -> None:
        """Base, a wash of a kind's colour, or the selection."""
        if selected:
            painter.fillRect(rect, theme.selection_colour())
        elif wash is not None:
            painter.fillRect(rect, tinted(wash, 26))

    def text(
        self, painter: QPainter, rect: QRect, text: str, colour: QColor, font: QFont | None = None,
        flags: int = LEFT,
        elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
    ) -> None:  # fmt: skip
        """One plain line, elided to fit."""
        font = font or self.font
        painter.setFont(font)
        painter.setPen(colour)
        painter.drawText(rect, flags, self._measure(font).elidedText(text, elide, rect.width()))

    def letter(self, painter: QPainter, rect: QRect, kind: str, *, dim: bool = False) -> None:
        """The kind's letter on a tile of its colour."""
        tile = QRect(rect.left(), rect.center().y() - TILE // 2 + 1, TILE, TILE)
        colour = theme.kind_colour(kind)
        painter.setPen(Qt.PenStyle.NoPen)
        if not dim:
            painter.setBrush(tinted(colour, 38))
            painter.drawRoundedRect(tile, 3, 3)
        painter.setFont(self.font if dim else self.bold)
        painter.setPen(theme.muted_colour() if dim else colour)
        painter.drawText(tile, CENTRE, theme.kind_letter(kind))

    def segments(self, painter: QPainter, rect: QRect, parts: Sequence[Segment], *, dim: bool = False) -> None:
        """Text, notes and calls one after another, the last that fits elided."""
        left = rect.left()
        for part in parts:
            room = rect.right() - left + 1
            if room <= 8:
                return
            font, colour = self._style(part, dim)
            self.text(painter, QRect(left, rect.top(), room, rect.height()), part.text, colour, font)
            left += self.width(part.text, font)

    def _style(self, part: Segment, dim: bool) -> tuple[QFont, QColor]:
        muted = theme.muted_colour()
        if part.style == "note":
            return self.note, muted
        if part.style == "error":
            return self.note, theme.error_colour()
        if part.style == "arrow":
            return self.bold, muted if dim else theme.kind_colour("tools")
        if part.style == "call":
            return self.mono_bold, muted if dim else theme.text_colour()
        if part.style == "args" or dim:
            return self.mono, muted
        return self.mono, theme.text_colour()

    def badge_rects(self, rect: QRect, badges: Sequence[Badge]) -> list[QRect]:
        """Where badges stand, from the right edge of a cell."""
        rects: list[QRect] = []
        right = rect.right() - PAD
        height = self.small_metrics.height() + 2
        for badge in reversed(badges):
            width = self.small_metrics.horizontalAdvance(badge.word) + 10
            rects.append(QRect(right - width, rect.center().y() - height // 2 + 1, width, height))
            right -= width + 4
        return rects[::-1]

    def badges(self, painter: QPainter, rect: QRect, badges: Sequence[Badge]) -> int:
        """Draw badges; where the text in front of them has to end."""
        rects = self.badge_rects(rect, badges)
        for badge, place in zip(badges, rects, strict=True):
            colour = badge_colour(badge)
            if badge.kind != "muted":
                painter.setPen(QPen(tinted(colour, 120), 1))
                painter.setBrush(tinted(colour, 24))
                painter.drawRoundedRect(place, 3, 3)
            painter.setFont(self.small)
            painter.setPen(colour)
            painter.drawText(place, CENTRE, badge.word)
        return rects[0].left() - PAD if rects else rect.right() - PAD

    def badge_at(self, rect: QRect, badges: Sequence[Badge], at: QPoint) -> Badge | None:
        """The badge under a point."""
        for badge, place in zip(badges, self.badge_rects(rect, badges), strict=True):
            if place.contains(at):
                return badge
        return None

    def join(self, painter: QPainter, rect: QRect, pair: Pair) -> None:
        """The line in the gutter from a call to its result."""
        if not (pair.from_above or pair.to_below):
            return
        painter.setPen(QPen(theme.kind_colour("tool"), 1.4))
        x, middle = rect.left() + GUTTER // 2, rect.center().y()
        top = rect.top() if pair.from_above else middle
        painter.drawLine(x, top, x, rect.bottom() + 1 if pair.to_below else middle)
        if pair.ends_here:
            painter.drawLine(x, middle, rect.left() + GUTTER, middle)

    def bar(self, painter: QPainter, rect: QRect, focused: bool) -> None:
        """The bar at the left edge of the current row: the accent where the keyboard is."""
        colour = theme.accent_colour() if focused else theme.muted_colour()
        painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), colour)


class MessageDelegate(QStyledItemDelegate):
    """Lines of the Messages view, a column at a time."""

    opened = Signal(str)
    """The path of a file whose badge was clicked."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self._view = view
        self._strokes = Strokes(view.font())

    def restyle(self) -> None:
        """Take the fonts in force."""
        self._strokes = Strokes(self._view.font())

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        """Uniform rows."""
        return QSize(80, row_height(self._view))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """One column of one line."""
        cell = index.data(CELL)
        if not isinstance(cell, Cell):
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rect: QRect = option.rect
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        wash = theme.kind_colour("summary") if cell.kind == "summary" else None
        strokes = self._strokes
        strokes.background(painter, rect, selected=selected, wash=wash)
        inner = rect.adjusted(PAD, 0, -PAD, 0)
        column = index.column()
        if column == Column.NUMBER:
            if selected:
                strokes.bar(painter, rect, self._view.hasFocus())
            strokes.join(painter, rect.adjusted(rect.width() - GUTTER, 0, 0, 0), cell.pair)
            number = inner.adjusted(0, 0, -GUTTER + 2, 0)
            strokes.text(painter, number, cell.number, theme.muted_colour(), strokes.figures, RIGHT)
        elif column == Column.FROM:
            strokes.letter(painter, inner.adjusted(-2, 0, 0, 0), cell.kind, dim=cell.dim)
            colour = theme.muted_colour() if cell.dim else theme.text_colour()
            name = inner.adjusted(TILE + 4, 0, 0, 0)
            strokes.text(painter, name, cell.name, colour, elide=Qt.TextElideMode.ElideMiddle)
        elif column == Column.TEXT:
            end = strokes.badges(painter, rect, cell.badges)
            strokes.segments(painter, QRect(inner.left(), inner.top(), end - inner.left(), inner.height()),
                             cell.segments, dim=cell.dim)  # fmt: skip
        elif column == Column.CHARS:
            colour = theme.text_colour() if cell.chars else theme.muted_colour()
            strokes.text(painter, inner, format.size(cell.chars), colour, strokes.figures, RIGHT)
        else:
            strokes.text(painter, inner, format.tokens(cell.tokens), theme.muted_colour(), strokes.figures, RIGHT)
        painter.restore()

    def editorEvent(self, event: QEvent, model: object, option: QStyleOptionViewItem, index: Index) -> bool:
        """A click on a badge that opens a file."""
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
            and index.column() == Column.TEXT
        ):
            badge = self._strokes.badge_at(option.rect, index.data(CELL).badges, event.position().toPoint())
            if badge is not None and badge.opens is not None:
                self.opened.emit(badge.opens)
                return True
        return super().editorEvent(event, model, option, index)  # type: ignore[arg-type]


def badge_colour(badge: Badge) -> QColor:
    """Colour of a badge's word."""
    if badge.kind == "accent":
        return theme.accent_colour()
    if badge.kind == "muted":
        return theme.muted_colour()
    return theme.kind_colour(badge.kind)


def tinted(colour: QColor, alpha: int) -> QColor:
    """The colour, mostly transparent: for washes and tiles."""
    wash = QColor(colour)
    wash.setAlpha(alpha)
    return wash
