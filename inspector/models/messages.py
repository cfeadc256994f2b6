"""Rows of the Messages view: uniform, made when shown, heads read a page at a time.

Keyed by place, never by message id: ids repeat and are missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.trace.model import MessageRow, RawRow
from inspector import format
from inspector.models.cells import Badge, Cell, badges_of, loading_segments, name_of
from inspector.models.gaps import Gaps, merged
from inspector.models.heads import Heads
from inspector.models.pairs import NONE, Pair, Pairs

Index = QModelIndex | QPersistentModelIndex
CELL = Qt.ItemDataRole.UserRole + 1
PART = Qt.ItemDataRole.UserRole + 2
CELLS_KEPT = 2_048
AHEAD = 24
"""Rows read beyond the one that is shown, in both directions."""


class Column(IntEnum):
    """Columns of the view."""

    NUMBER, FROM, TEXT, CHARS, TOKENS = range(5)


TITLES = {
    Column.NUMBER: "#", Column.FROM: "From", Column.TEXT: "Message", Column.CHARS: "Chars",
    Column.TOKENS: "~Tokens",
}  # fmt: skip
_HINTS = {
    Column.NUMBER: "Place in the list as the model received it, from 0",
    Column.FROM: "Role, or the tool whose result it is",
    Column.CHARS: "Characters of text",
    Column.TOKENS: "Tokens, estimated",
}
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Lines:
    """Cells for a list of messages, raw or effective: heads, pairs and what was found out about gaps."""

    def __init__(
        self,
        rows: Sequence[MessageRow] | Sequence[RawRow],
        heads: Heads,
        *,
        show_new: bool = False,
        show_fate: bool = True,
    ) -> None:
        self.rows = rows
        self._show_fate = show_fate
        self._heads = heads
        self._show_new = show_new
        self._pairs = Pairs(rows, heads.get)
        self._gaps: Gaps | None = None
        self._has_gap = False
        self._cells: dict[int, Cell] = {}

    def set_gaps(self, gaps: Gaps | None) -> None:
        """Where the calls and results stand that have no twin near by."""
        self._gaps = gaps
        self._cells.clear()

    def cell(self, n: int) -> Cell:
        """The line for a row; asks for its head where that is missing."""
        known = self._cells.get(n)
        if known is not None:
            return known
        row = self.rows[n]
        head = self._heads.get(row.part)
        missing = self._pairs.missing(n)
        if head is None or missing:
            self._want(n, missing)
        whole = self._pairs.pair(n)
        pair = whole or NONE
        self._has_gap = self._has_gap or pair.no_call or bool(pair.open_calls)
        badges = badges_of(row, head, new=self._show_new, fate=self._show_fate)
        badges += self._gap_badges(n, pair)
        made = self._heads.segments(row.part) or loading_segments(self._heads.problem(row.part))
        cell = Cell(
            str(row.index), row.kind, name_of(row, head), made, tuple(badges), row.chars, row.tokens, pair,
            dim=isinstance(row, RawRow) and row.sent_index is None,
        )  # fmt: skip
        if head is not None and whole is not None:
            if len(self._cells) >= CELLS_KEPT:
                self._cells.clear()
            self._cells[n] = cell
        return cell

    @property
    def needs_gaps(self) -> bool:
        """Whether a row was shown that has a call without result or is a result without call."""
        return self._has_gap and self._gaps is None

    def _want(self, n: int, missing: list[int]) -> None:
        around = self.rows[max(0, n - AHEAD) : n + AHEAD + 1]
        self._heads.want([*(row.part for row in around), *missing, self.rows[n].part])

    def _gap_badges(self, n: int, pair: Pair) -> list[Badge]:
        if self._gaps is None or not (pair.no_call or pair.open_calls):
            return []
        if pair.no_call:
            head = self._heads.get(self.rows[n].part)
            return [self._gaps.result_badge(n, head.tool_call_id if head else None)]
        return merged([self._gaps.call_badge(n, call) for call in pair.open_calls])


class MessagesModel(QAbstractTableModel):
    """The effective messages of one request."""

    def __init__(self, heads: Heads, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heads = heads
        self.lines = Lines((), heads, show_new=False)
        heads.arrived.connect(self._arrived)

    def set_rows(self, rows: Sequence[MessageRow], *, show_new: bool) -> None:
        """Show another list."""
        self.beginResetModel()
        self.lines = Lines(rows, self._heads, show_new=show_new)
        self.endResetModel()

    def set_gaps(self, gaps: Gaps | None) -> None:
        """Calls without result and results without call are known now."""
        self.lines.set_gaps(gaps)
        self._changed(0, len(self.lines.rows) - 1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Messages."""
        return 0 if parent.isValid() else len(self.lines.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Number, sender, text, characters, tokens."""
        return 0 if parent.isValid() else len(Column)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Strings for readers and copies; the delegate asks for the cell itself."""
        if not index.isValid() or index.row() >= len(self.lines.rows):
            return None
        row = self.lines.rows[index.row()]
        if role == PART:
            return row.part
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if index.column() in (Column.NUMBER, Column.CHARS, Column.TOKENS) else None
        if role == CELL:
            return self.lines.cell(index.row())
        if role == Qt.ItemDataRole.DisplayRole:
            return self._display(self.lines.cell(index.row()), index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            cell = self.lines.cell(index.row())
            return cell.spoken if index.column() == Column.TEXT else self._display(cell, index.column())
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip(self._tip(self.lines.cell(index.row()), index.column()))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        column = Column(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[column]
        if role == Qt.ItemDataRole.ToolTipRole:
            return _HINTS.get(column)
        if role == Qt.ItemDataRole.TextAlignmentRole and column in (Column.NUMBER, Column.CHARS, Column.TOKENS):
            return _RIGHT
        return None

    @staticmethod
    def _display(cell: Cell, column: int) -> str:
        return (
            cell.number, cell.name, cell.line, format.size(cell.chars), format.tokens(cell.tokens),
        )[column]  # fmt: skip

    @staticmethod
    def _tip(cell: Cell, column: int) -> str:
        if column == Column.CHARS:
            return format.count(cell.chars, "character")
        if column == Column.TOKENS:
            return format.exact_tokens(cell.tokens)
        if column == Column.TEXT:
            return "\n".join([cell.line, *(f"{badge.word}: {badge.why}" for badge in cell.badges)])
        return cell.name if column == Column.FROM else ""

    def _arrived(self, _parts: object) -> None:
        self._changed(0, len(self.lines.rows) - 1)

    def _changed(self, first: int, last: int) -> None:
        if last >= first:
            self.dataChanged.emit(self.index(first, 0), self.index(last, len(Column) - 1))
