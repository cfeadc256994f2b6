"""The table of Raw ↔ Effective: what is selected in it, and where it stands when another request is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from engine.trace.model import RequestDetail
from inspector.models.aligned import CARD, Side
from inspector.views.message_table import MessageTable


class AlignedTable(MessageTable):
    """Chooses a side as well as a row, and keeps its place from request to request."""

    card_opened = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter on the card opens its file."""
        card = self.currentIndex().data(CARD)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and card is not None:
            self.card_opened.emit(card)
        else:
            super().keyPressEvent(event)

    def place_in(self, before: RequestDetail | None, now: RequestDetail, has_cut: bool) -> tuple[int, int, int | None]:
        """Row and side to select in another request, and where on the screen; None there: at the cut, or the end.

        ``has_cut`` says whether the request before had one. To be asked before the model has the other request.
        """
        index = self.currentIndex()
        last = len(now.aligned) - 1
        if before is None or not index.isValid() or not before.aligned or not now.aligned:
            return last, Side.SENT, None
        row, side = index.row(), index.column()
        y = self.rowViewportPosition(row)
        if before.row.id == now.row.id:
            return min(row, last), side, y
        if before.cutoff != now.cutoff and now.cutoff is not None:
            return last, Side.SENT, None
        if row == len(before.aligned) - 1:
            return last, side, y + self._growth(before, now) if has_cut else None
        raw = before.aligned[row].raw
        if raw is not None:
            for n in range(max(0, raw.index), len(now.aligned)):
                twin = now.aligned[n].raw
                if twin is not None and twin.index == raw.index:
                    return n, side, y
        return min(row, last), side, y

    def _growth(self, before: RequestDetail, now: RequestDetail) -> int:
        """How much further down the last row may stand: as far as the table has room."""
        height = self.verticalHeader().defaultSectionSize()
        room = self.viewport().height() - height - self.rowViewportPosition(len(before.aligned) - 1)
        return max(0, min(room, (len(now.aligned) - len(before.aligned)) * height))
