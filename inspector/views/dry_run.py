"""The next request before and after an edit, piece by piece; no model is called."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.workbench import DryComparison, DryRow, Piece
from inspector import format
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import Pane, plain_label
from inspector.views.items_table import ItemsTable
from inspector.views.parts import MARGIN


def _side(piece: Piece | None) -> str:
    return format.UNKNOWN if piece is None else format.tokens(piece.tokens)


def _name(row: tuple[int, DryRow]) -> str:
    piece = row[1].before or row[1].after
    assert piece is not None
    return ("= " if row[1].same else "≠ ") + format.one_line(f"{piece.kind} · {piece.contributor or piece.text}", 80)


class DryModel(ItemsModel[tuple[int, DryRow]]):
    """Pieces of both requests, those that differ marked."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column("Piece", _name, kind=lambda row: None if row[1].same else "error"),
                Column("Before", lambda row: _side(row[1].before), right=True),
                Column("After", lambda row: _side(row[1].after), right=True),
            ),
            lambda row: row[0],
        )


class DryPane(QWidget):
    """Totals over the pieces; works out nothing until it is asked."""

    chosen = Signal(str, object, object)
    """A piece is selected: a title, its text before, its text after."""
    opened = Signal(str, object, object)
    """As ``chosen``, of a piece that was opened."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.totals = plain_label(muted=True)
        self.totals.setWordWrap(True)
        self.totals.setContentsMargins(MARGIN, 0, MARGIN, 4)
        self.model = DryModel()
        self.table: ItemsTable[tuple[int, DryRow]] = ItemsTable(
            self.model, "Pieces of the next request, before and after", ("", "~88.8k", "~88.8k")
        )
        self.table.opened.connect(lambda row: self._tell(self.opened, row))
        self.table.current_changed.connect(lambda row: self._tell(self.chosen, row))
        self.pane = Pane()
        self.pane.set_content(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.totals)
        column.addWidget(self.pane, 1)
        self.setFocusProxy(self.table)
        self.forget()

    def run(self, make: Callable[[], DryComparison]) -> None:
        """Work it out in a job."""
        self.pane.show_loading("Working out the next request")
        self._jobs.run(
            "Working out the next request", make,
            done=self._show, failed=self.pane.show_error, key=(self, "dry"),
        )  # fmt: skip

    def forget(self) -> None:
        """What was worked out is of another edit."""
        self._jobs.cancel((self, "dry"))
        self.model.set_items([])
        self.totals.setText("")
        self.pane.show_empty("Nothing is sent, and no model is called.", "Press the button to work it out.")

    def _show(self, found: DryComparison) -> None:
        self.totals.setText(
            f"{format.tokens(found.tokens_before)} → {format.tokens(found.tokens_after)} tokens · "
            f"{format.tokens(found.kept_tokens)} at the front stay as they are · "
            f"{format.tokens(found.invalidated_tokens)} after them are sent anew"
        )
        rows = list(enumerate(found.rows))
        self.model.set_items(rows)
        self.pane.show_content()
        first = next((number for number, row in rows if not row.same), None)
        if first is not None:
            self.table.select(first)
        else:
            self.table.select_first()

    def _tell(self, signal: object, row: tuple[int, DryRow] | None) -> None:
        if row is not None:
            before, after = row[1].before, row[1].after
            title = f"Next request, {format.one_line(_name(row), 60)}: before, against after"
            signal.emit(title, before.text if before else "", after.text if after else "")  # type: ignore[attr-defined]
