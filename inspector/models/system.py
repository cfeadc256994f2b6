"""Rows of the System view: the whole message first, then one row a block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.trace.model import SystemBlock
from inspector import format
from inspector.models.cells import Badge, Cell, Segment
from inspector.models.messages import CELL
from inspector.models.shown_text import one_line

Index = QModelIndex | QPersistentModelIndex
TITLES = ("Block", "Chars", "~Tokens")
WHOLE = "Whole message"
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def contributor_name(block: SystemBlock) -> str:
    """Who added a block, in words where that is the caller."""
    if block.contributor == "caller":
        return "caller's prompt"
    return block.contributor or "not known"


class SystemModel(QAbstractTableModel):
    """Blocks of one system message."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.blocks: Sequence[SystemBlock] = ()
        self._marked: Collection[int] = ()

    def set_blocks(self, blocks: Sequence[SystemBlock], marked: Collection[int]) -> None:
        """Show another message; ``marked`` are the blocks that carry a cache marker."""
        self.beginResetModel()
        self.blocks, self._marked = blocks, marked
        self.endResetModel()

    def block(self, row: int) -> SystemBlock | None:
        """The block of a row; None for the whole message."""
        return self.blocks[row - 1] if 1 <= row <= len(self.blocks) else None

    def cell(self, row: int) -> Cell:
        """What a row shows."""
        block = self.block(row)
        if block is None:
            chars, tokens = sum(b.chars for b in self.blocks), sum(b.tokens for b in self.blocks)
            says = Segment(format.count(len(self.blocks), "block"), "note")
            return Cell("", "system", WHOLE, (says,), (), chars, tokens)
        badges = (Badge("cache marker", "muted", "the provider may cache everything up to here"),)
        name = one_line(contributor_name(block), 120)
        shown = badges if block.index in self._marked else ()
        return Cell(str(block.index), block.kind, name, (), shown, block.chars, block.tokens)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """The whole message and its blocks."""
        return 0 if parent.isValid() or not self.blocks else len(self.blocks) + 1

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Block, characters, tokens."""
        return 0 if parent.isValid() else len(TITLES)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Strings for readers; the delegate asks for the cell."""
        if not index.isValid():
            return None
        if role == CELL:
            return self.cell(index.row())
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            cell = self.cell(index.row())
            return (cell.name, format.size(cell.chars), format.tokens(cell.tokens))[index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column():
            return _RIGHT
        if role == Qt.ItemDataRole.ToolTipRole:
            cell = self.cell(index.row())
            badges = [f"{badge.word}: {badge.why}" for badge in cell.badges]
            words = ["\n".join([cell.name, *badges]), format.count(cell.chars, "character"),
                     format.exact_tokens(cell.tokens)]  # fmt: skip
            return format.tip(words[index.column()])
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Titles."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return TITLES[section]
        return _RIGHT if role == Qt.ItemDataRole.TextAlignmentRole and section else None
