"""Rows of names and values under headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector import format
from inspector.models.provider import Fact
from inspector.models.shown_text import one_line

Index = QModelIndex | QPersistentModelIndex
FACT = Qt.ItemDataRole.UserRole + 1


class FactsModel(QAbstractTableModel):
    """Facts in two columns: name, value."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.facts: Sequence[Fact] = ()

    def set_facts(self, facts: Sequence[Fact]) -> None:
        """Show others."""
        self.beginResetModel()
        self.facts = facts
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Facts."""
        return 0 if parent.isValid() else len(self.facts)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Name and value."""
        return 0 if parent.isValid() else 2

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Strings, and the fact for the delegate."""
        if not index.isValid() or index.row() >= len(self.facts):
            return None
        fact = self.facts[index.row()]
        if role == FACT:
            return fact
        if role == Qt.ItemDataRole.DisplayRole:
            return one_line(fact.value if index.column() else fact.name, 400)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            words = (fact.name, fact.value, fact.note)
            return one_line(", ".join(each for each in words if each), 400)
        if role == Qt.ItemDataRole.ToolTipRole:
            shown = fact.whole or fact.value
            return format.tip(
                "\n".join(each for each in (f"{fact.name}: {shown}" if shown else fact.name, fact.note) if each)
            )
        return None
