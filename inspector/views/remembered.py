"""What of a request was remembered, and by which of the six mechanisms."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.explain.model import Remembered
from inspector.models.remembered import RememberedModel
from inspector.models.why import Why
from inspector.panes import Pane
from inspector.views.items_table import ItemsTable


class RememberedPane(QWidget):
    """A row a thing that was not said in this turn, and is here all the same."""

    go_to_part = Signal(str, int)
    """A piece of the request, by its area and its place."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.table: ItemsTable[Remembered] = ItemsTable(
            RememberedModel(), "What is remembered in this request", ("runtime context", "", "Message 8 888"), stretch=1
        )
        self.pane = Pane()
        self.pane.set_content(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.pane)
        self.table.opened.connect(self._go)
        self.table.link_clicked.connect(self._go)

    def show_why(self, why: Why) -> None:
        """Of another request."""
        self.table.items.set_items(why.remembered)
        if why.remembered:
            self.pane.show_content()
            self.table.select_first()
        else:
            self.pane.show_empty(
                "Nothing in this request is remembered.",
                "What comes from a checkpoint, memory, the store, the runtime context, a summary or a subagent "
                "would be here.",
            )

    def clear(self) -> None:
        """Of none."""
        self.table.items.set_items([])

    def _go(self, one: Remembered | None) -> None:
        if one is not None and one.area:
            self.go_to_part.emit(one.area, one.index)
