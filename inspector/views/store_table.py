"""The table of a namespace's items, of which the pages that are seen are asked for."""

from __future__ import annotations

from PySide6.QtCore import QAbstractProxyModel, QIdentityProxyModel, QTimer, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from inspector.models.items import ItemsModel
from inspector.models.store import StoreItemsModel
from inspector.store_items import ItemRow, Page
from inspector.views.items_table import ItemsTable

SETTLE_MS = 40
"""Rows that fly by are not asked for."""


class StoreTable(ItemsTable[ItemRow]):
    """Shows any number of items: none is touched that isn't on the screen."""

    wanted = Signal(int)
    """The page that begins at this row is on the screen, and not here."""

    def __init__(self, parent: QWidget | None = None) -> None:
        rows = StoreItemsModel()
        super().__init__(
            rows, "Items of the namespace", ("", "888k", "item", "88 min ago", "88 min ago"), optional=(4, 2, 3),
            parent=parent,
        )  # fmt: skip
        self.rows = rows
        self._settle = QTimer(self)
        self._settle.setSingleShot(True)
        self._settle.setInterval(SETTLE_MS)
        self._settle.timeout.connect(self._ask)

    def make_proxy(self, model: ItemsModel[ItemRow]) -> QAbstractProxyModel:
        """Nothing is left out here: the search asks for another list."""
        proxy = QIdentityProxyModel(self)
        proxy.setSourceModel(model)
        return proxy

    def start(self, page: Page | None, selected: str = "", exactly: bool = False) -> None:
        """Another list; the row of the key that was ``selected`` stays where it was on the screen.

        Where the key is gone the one after it is selected, or with ``exactly`` none.
        """
        current = self.currentIndex()
        top = self.visualRect(current).top() if current.isValid() else 0
        scroll = self.verticalScrollBar().value()
        self.rows.start(page)
        row = self.rows.row_of(selected) if selected else -1
        if row < 0 and page is not None and page.rows and selected and not exactly:
            row = min(page.offset + sum(one.key < selected for one in page.rows), page.offset + len(page.rows) - 1)
        self.verticalScrollBar().setValue(scroll)
        if row >= 0:
            index = self.model().index(row, 0)
            self.setCurrentIndex(index)
            self.verticalScrollBar().setValue(self.verticalScrollBar().value() + self.visualRect(index).top() - top)

    def put(self, page: Page) -> None:
        """A page that was asked for."""
        current = self.current()
        self.rows.put(page)
        if current is None and self.current() is not None:  # a row was gone to before it was here
            self.current_changed.emit(self.current())

    def paintEvent(self, event: QPaintEvent) -> None:
        """What is painted is what must be here."""
        super().paintEvent(event)
        if self._missing() is not None and not self._settle.isActive():
            self._settle.start()

    def _missing(self) -> int | None:
        first = max(0, self.rowAt(0))
        last = self.rowAt(self.viewport().height() - 1)
        return self.rows.missing(first, self.rows.total - 1 if last < 0 else last)

    def _ask(self) -> None:
        if (offset := self._missing()) is not None:
            self.wanted.emit(offset)
