"""Rows of Raw ↔ Effective: two lists side by side, the cut between them, strings made when shown.

Thousands of rows cost what the rows on the screen cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.trace.model import Aligned, RequestDetail, Summary
from inspector import format
from inspector.models.cells import Cell
from inspector.models.gaps import Gaps
from inspector.models.heads import Heads
from inspector.models.messages import CELL, PART, Lines

Index = QModelIndex | QPersistentModelIndex
REASON = Qt.ItemDataRole.UserRole + 3
"""Why this side is empty; empty text where it isn't."""
CARD = Qt.ItemDataRole.UserRole + 4
"""The ``Card`` on the raw side of the summary's row, else None."""


class Side(IntEnum):
    """Columns of the view."""

    RAW, SENT = range(2)


@dataclass(frozen=True, slots=True)
class Card:
    """What stands at the cut, facing the summary."""

    text: str
    path: str | None
    """History file with the messages before the cut."""
    lost: bool
    """Saving the history failed."""
    event: int | None
    more: str = ""
    """Tokens before and after."""


class AlignedModel(QAbstractTableModel):
    """Both lists of one request."""

    def __init__(self, heads: Heads, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._heads = heads
        self._detail: RequestDetail | None = None
        self.rows: Sequence[Aligned] = ()
        self.cut: int | None = None
        """Row at whose top the cut runs; the number of rows when it runs below the last; None without one."""
        self.summary: Summary | None = None
        self._summary_known = False
        self.raw_lines = Lines((), heads)
        self.sent_lines = Lines((), heads, show_fate=False)
        heads.arrived.connect(lambda _parts: self._changed())

    def set_detail(self, detail: RequestDetail | None) -> None:
        """Show another request."""
        self.beginResetModel()
        self._detail = detail
        self.rows = detail.aligned if detail else ()
        self.raw_lines = Lines(detail.raw if detail else (), self._heads)
        self.sent_lines = Lines(detail.messages if detail else (), self._heads, show_fate=False)
        self.cut = cut_row(self.rows, detail.cutoff) if detail else None
        self.summary, self._summary_known = None, False
        self.endResetModel()

    def set_summary(self, summary: Summary | None) -> None:
        """The summary in force, once it was looked up."""
        self.summary, self._summary_known = summary, True
        self._changed()

    def set_gaps(self, raw: Gaps | None, sent: Gaps | None) -> None:
        """Calls without result and results without call are known now."""
        self.raw_lines.set_gaps(raw)
        self.sent_lines.set_gaps(sent)
        self._changed()

    def cell(self, row: int, side: int) -> Cell | None:
        """One message; None for the empty side."""
        aligned = self.rows[row]
        if side == Side.RAW:
            return self.raw_lines.cell(aligned.raw.index) if aligned.raw is not None else None
        return self.sent_lines.cell(aligned.sent.index) if aligned.sent is not None else None

    def card(self, row: int) -> Card | None:
        """What faces the summary."""
        sent = self.rows[row].sent
        if sent is None or sent.origin != "summary" or self.rows[row].raw is not None:
            return None
        cutoff = self._detail.cutoff if self._detail else None
        says = f"Summary of {format.count(cutoff, 'message')}" if cutoff else "Summary in force"
        if self.summary is not None:
            found, more = self.summary, ""
            if found.tokens_before:
                more = f"{format.tokens(found.tokens_before)} → {format.tokens(found.tokens_after)} tokens"
            return Card(says, found.path, found.path is None, found.event, more)
        head = self._heads.get(sent.part)
        return Card(says, head.artifact if head else None, False, None)

    def differs(self, row: int) -> bool:
        """Whether a row is anything but a raw message sent as it is."""
        aligned = self.rows[row]
        return aligned.raw is None or aligned.sent is None or aligned.raw.fate != "sent"

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Aligned rows."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Raw and effective."""
        return 0 if parent.isValid() else len(Side)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Strings for readers; the delegate asks for cells, reasons and the card."""
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, side = index.row(), index.column()
        if role == CELL:
            return self.cell(row, side)
        if role == PART:
            part = self.rows[row].raw if side == Side.RAW else self.rows[row].sent
            return part.part if part is not None else None
        if role == REASON:
            return self.rows[row].reason if self.cell(row, side) is None else ""
        if role == CARD:
            return self.card(row) if side == Side.RAW else None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._spoken(row, side, role == Qt.ItemDataRole.AccessibleTextRole)
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip(self._tip(row, side))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Titles, and what they mean."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return ("Raw: messages in the state", "Effective: what the model received")[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return None

    def _spoken(self, row: int, side: int, aloud: bool) -> str:
        cell = self.cell(row, side)
        if cell is None:
            card = self.card(row) if side == Side.RAW else None
            return card.text if card else f"empty: {self.rows[row].reason}"
        at_cut = "the cut stands before this, " if aloud and row == self.cut else ""
        return at_cut + (cell.spoken if aloud else cell.line)

    def _tip(self, row: int, side: int) -> str:
        cell = self.cell(row, side)
        if cell is None:
            card = self.card(row) if side == Side.RAW else None
            return "\n".join(filter(None, (card.text, card.more, card.path))) if card else self.rows[row].reason
        size = f"{format.count(cell.chars, 'character')}, {format.exact_tokens(cell.tokens)}"
        words = [f"{badge.word}: {badge.why}" for badge in cell.badges if badge.why]
        return "\n".join([cell.name, cell.line, *words, size])

    def _changed(self) -> None:
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, Side.SENT))


def cut_row(rows: Sequence[Aligned], cutoff: int | None) -> int | None:
    """Row at whose top the cut runs: the first raw message that was kept, or what was put in before it."""
    if cutoff is None:
        return None
    at = min(cutoff, len(rows))  # every evicted message has a row: the cut is not before this one
    while at < len(rows) and ((raw := rows[at].raw) is None or raw.index < cutoff):
        at += 1
    while at > 0 and rows[at - 1].raw is None:
        at -= 1
    return at


def summary_in_force(summaries: Sequence[Summary], part: int, cutoff: int | None) -> Summary | None:
    """The event that made a summary message; a part can stand in more than one."""
    made = [summary for summary in summaries if summary.part == part]
    exact = [summary for summary in made if summary.cutoff == cutoff]
    found = exact or made
    return found[-1] if found else None
