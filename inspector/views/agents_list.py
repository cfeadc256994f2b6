"""The agents of the workspace: a search box over a list, two lines an agent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QListView,
    QVBoxLayout,
    QWidget,
)

from inspector.models.agents import ID_ROLE, SECOND_ROLE, AgentsModel
from inspector.panes import Pane
from inspector.views.bar_delegate import BarDelegate
from inspector.views.buttons import WordButton
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from engine.blueprint import StoredAgent


class AgentsList(QWidget):
    """Shows agents and tells which one was chosen."""

    chosen = Signal(int)
    """The user chose an agent: its id."""
    new_wanted = Signal()
    copy_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._selected: int | None = None
        self.model = AgentsModel(self)
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search agents")
        self.search.setAccessibleName("Search agents")
        self.search.setClearButtonEnabled(True)
        self.search.installEventFilter(self)
        self.search.textChanged.connect(self._search)
        self.list = QListView()
        quiet(self.list)
        self.list.setAccessibleName("List of agents")
        self.list.setModel(self.model)
        self.list.setItemDelegate(BarDelegate(self.list, second=SECOND_ROLE))
        self.list.setUniformItemSizes(True)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.pane = Pane()
        self.pane.set_content(self.list)
        self.new_button = WordButton("New", self.new_wanted.emit, name="New agent")
        self.copy_button = WordButton("Duplicate", self.copy_wanted.emit, name="Duplicate the agent")
        buttons = QHBoxLayout()
        buttons.setSpacing(6)
        buttons.addWidget(self.new_button)
        buttons.addWidget(self.copy_button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(6)
        column.addWidget(self.search)
        column.addWidget(self.pane, 1)
        column.addLayout(buttons)

    def set_agents(self, agents: Sequence[StoredAgent]) -> None:
        """Show these; the selection stays."""
        with QSignalBlocker(self.list.selectionModel()):
            self.model.set_agents(agents)
        self.select(self._selected)
        self._show_state()

    def set_unsaved(self, ids: Iterable[int]) -> None:
        """Mark those that have changes."""
        self.model.set_unsaved(ids)

    def select(self, id: int | None) -> None:
        """Mark an agent as the one that is shown, without telling."""
        self._selected = id
        with QSignalBlocker(self.list.selectionModel()):
            row = self.model.row_of(id)
            if row >= 0:
                self.list.setCurrentIndex(self.model.index(row))
            else:
                self.list.clearSelection()
                self.list.selectionModel().clearCurrentIndex()
        self.list.viewport().update()
        self.copy_button.setEnabled(id is not None)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down and Return lead from the search box into the list; Escape shows all."""
        if watched is self.search and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.model.rowCount():
                self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
                if not self.list.currentIndex().isValid():
                    self.list.setCurrentIndex(self.model.index(0))
                return True
            if event.key() == Qt.Key.Key_Escape and self.search.text():
                self.search.clear()
                return True
        return super().eventFilter(watched, event)

    def _search(self, text: str) -> None:
        with QSignalBlocker(self.list.selectionModel()):
            self.model.set_search(text)
        self.select(self._selected)
        self._show_state()

    def _current_changed(self, current: QModelIndex) -> None:
        id = current.data(ID_ROLE)
        if id is not None and id != self._selected:
            self._selected = id
            self.copy_button.setEnabled(True)
            self.chosen.emit(id)

    def _show_state(self) -> None:
        if self.model.rowCount():
            self.pane.show_content()
        elif self.search.text().strip():
            self.pane.show_empty("No agent matches.", "Press Escape in the search box to see all.")
        else:
            self.pane.show_empty("No agents yet.", "New makes one.")
