"""The list of a message's contents: every block and every call, in order."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QFrame, QListView, QWidget

from inspector import format, theme
from inspector.models.contents import Piece
from inspector.models.shown_text import one_line
from inspector.views.line_delegate import LineDelegate
from inspector.views.message_delegate import PAD, RIGHT, Index
from inspector.views.quiet import quiet

PIECE = Qt.ItemDataRole.UserRole + 1
_KINDS = {
    "whole": "other", "text": "other", "reasoning": "skills", "media": "human", "call": "tools",
    "argument": "tools", "server call": "tools", "server result": "tool", "refusal": "error",
}  # fmt: skip


class PieceModel(QAbstractListModel):
    """Pieces as rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.pieces: tuple[Piece, ...] = ()

    def set_pieces(self, pieces: tuple[Piece, ...]) -> None:
        """Show another message's pieces."""
        self.beginResetModel()
        self.pieces = pieces
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Pieces."""
        return 0 if parent.isValid() else len(self.pieces)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The piece, and its words for readers and tooltips."""
        if not index.isValid() or index.row() >= len(self.pieces):
            return None
        piece = self.pieces[index.row()]
        if role == PIECE:
            return piece
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(piece.label, 200)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (one_line(piece.label, 200), one_line(piece.note, 200)) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            size = "" if piece.chars is None else format.count(piece.chars, _unit(piece))
            return format.tip("\n".join(part for part in (piece.label, piece.note, size) if part))
        return None


class PieceDelegate(LineDelegate):
    """Label, note and size on one line."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view, PIECE, Piece)

    def draw(self, painter: QPainter, rect: QRect, index: Index, piece: Piece) -> None:
        strokes = self._strokes
        inner = rect.adjusted(PAD + 2 + 14 * piece.depth, 0, -PAD, 0)
        if piece.chars is not None:
            size = format.size(piece.chars)
            strokes.text(painter, inner, size, theme.muted_colour(), strokes.figures, RIGHT)
            inner = inner.adjusted(0, 0, -strokes.width(size, strokes.figures) - PAD, 0)
        kind = "error" if piece.is_error else _KINDS.get(piece.what, "other")
        plain = kind == "other"
        colour = theme.text_colour() if plain else theme.kind_colour(kind)
        label = one_line(piece.label, 120)
        font = strokes.mono if piece.what == "argument" else strokes.font
        strokes.text(painter, inner, label, colour, font, elide=Qt.TextElideMode.ElideMiddle)
        inner = inner.adjusted(strokes.width(label, font) + 8, 0, 0, 0)
        if piece.note and inner.width() > 24:
            note = theme.error_colour() if piece.is_error else theme.muted_colour()
            strokes.text(painter, inner, one_line(piece.note, 160), note, strokes.small)


class PieceList(QListView):
    """Pieces to choose from."""

    chosen = Signal(object)
    """The ``Piece`` that is current now, or None."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        self.pieces = PieceModel(self)
        self.setModel(self.pieces)
        self.setItemDelegate(PieceDelegate(self))
        self.setUniformItemSizes(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setAccessibleName("Contents of the message")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(
            lambda current, _before: self.chosen.emit(current.data(PIECE) if current.isValid() else None)
        )

    def keyboardSearch(self, _search: str) -> None:
        """Letters are the window's shortcuts."""

    def show_pieces(self, pieces: tuple[Piece, ...], row: int) -> None:
        """Show these, one of them chosen."""
        self.pieces.set_pieces(pieces)
        if pieces:
            self.setCurrentIndex(self.pieces.index(max(0, min(row, len(pieces) - 1))))


def _unit(piece: Piece) -> str:
    return "byte" if piece.what == "media" else "character"
