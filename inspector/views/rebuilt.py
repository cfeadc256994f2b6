"""A rebuilt request in its four areas, and piece by piece against what was recorded."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.models.heads import Heads
from inspector.models.items import Column, ItemsModel
from inspector.rebuilding import Remade
from inspector.views.compare import ComparePane
from inspector.views.flat_tabs import flat_tabs
from inspector.views.items_table import ItemsTable
from inspector.views.messages import MessagesView
from inspector.views.provider import ProviderView
from inspector.views.system import SystemView
from inspector.views.tools import ToolsView

_SIGNS = {"same": "", "changed": "≠", "only rebuilt": "+", "only recorded": "−"}
_AREAS = {"system": "System", "messages": "Messages", "tools": "Tools", "provider": "Provider"}


class RebuiltView(QWidget):
    """Read only: the request lies in memory and in no file."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.tabs = flat_tabs("The rebuilt request")
        self.model: ItemsModel[Any] = ItemsModel(
            (
                Column("", lambda row: _SIGNS[row.what], said=lambda row: row.what),
                Column("Area", lambda row: _AREAS[row.area]),
                Column("Piece", lambda row: format.one_line(row.title, 200), cut_end=True),
                Column("Against the record", lambda row: row.what, muted=True),
            ),
            key=lambda row: row.place,
        )
        self.table: ItemsTable[Any] = ItemsTable(
            self.model, "Pieces of both requests", ("≠", "Messages", "", "only recorded"), stretch=2
        )
        self.compare = ComparePane(jobs)
        self.compare.closed.connect(self.compare.hide)
        self.table.current_changed.connect(self._selected)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.tabs)
        self.areas: tuple[Any, ...] = ()
        self._compared = QSplitter(Qt.Orientation.Vertical)
        self._compared.setChildrenCollapsible(False)
        self._compared.addWidget(self.table)
        self._compared.addWidget(self.compare)
        self._compared.setSizes([240, 300])
        self.tabs.addTab(self._compared, "Compared")

    def show_remade(self, remade: Remade) -> None:
        """Show a request that was made again; the views of the one before go."""
        for area in self.areas:
            self.tabs.removeTab(self.tabs.indexOf(area))
            area.deleteLater()
        source, jobs = remade.source, self._jobs
        self.areas = (
            SystemView(source, jobs), MessagesView(source, jobs, Heads(source, jobs, self)),
            ToolsView(source, jobs), ProviderView(source, jobs),
        )  # fmt: skip
        for place, (title, area) in enumerate(zip(_AREAS.values(), self.areas, strict=True)):
            self.tabs.insertTab(place, area, title)
        for area in self.areas:
            area.show_request(source.detail, None)
        self.model.set_items(list(remade.rows))
        self.tabs.setCurrentWidget(self._compared)
        first = next((row for row in remade.rows if row.what != "same"), None)
        if first is None or not self.table.select(first.place):
            self.table.select_first()

    def _selected(self, row: Any) -> None:
        self.compare.show()
        if row is None:
            self.compare.say("Nothing is selected.", "")
        elif row.what == "same":
            self.compare.say("Equal in both.", "The area's own tab shows it whole.")
        else:
            self.compare.compare(f"{_AREAS[row.area]}, recorded → rebuilt", row.recorded or "", row.rebuilt or "")
