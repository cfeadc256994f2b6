"""A table over a list of frozen values: columns are declared, strings are made when they are shown.

For lists of some thousands at most (files, summaries, skills, memory). A new list is brought in by
removing and inserting what differs, so that selection and scroll stay. Knows no view.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector import format, theme

T = TypeVar("T")
Index = QModelIndex | QPersistentModelIndex

_MANY_STEPS = 200
"""More separate changes than these are taken over as a new list."""


@dataclass(frozen=True)
class Column(Generic[T]):
    """One column: what it says of an item."""

    title: str
    text: Callable[[T], str]
    tip: Callable[[T], str] | None = None
    """Plain text; by default the whole text of the cell."""
    sort: Callable[[T], Any] | None = None
    kind: Callable[[T], str | None] | None = None
    """Kind (or ``error``) that colours the text; the text must say it in words too."""
    right: bool = False
    """A number: right-aligned, with figures of one width."""
    muted: bool = False
    cut_end: bool = False
    """Too long a text loses its end, not its middle."""
    said: Callable[[T], str] | None = None
    """What a screen reader says where the text is a sign."""
    link: bool = False
    """A click goes somewhere."""
    hint: str = ""
    """What the column means, on hover over its title."""


class ItemsModel(QAbstractTableModel, Generic[T]):
    """The list. ``key`` names an item across reloads."""

    def __init__(
        self, columns: Sequence[Column[T]], key: Callable[[T], Hashable], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._key = key
        self._items: list[T] = []
        self._given: list[T] = []
        self._texts: list[str] = []
        self._column = -1
        self._order = Qt.SortOrder.AscendingOrder

    @property
    def items(self) -> list[T]:
        """The items in the order in which they are shown."""
        return list(self._items)

    def item(self, index: Index) -> T | None:
        """The item of a row."""
        row = index.row()
        return self._items[row] if index.isValid() and 0 <= row < len(self._items) else None

    def row_of(self, key: Hashable) -> int:
        """Row of the item with this key; -1 without one."""
        return next((row for row, item in enumerate(self._items) if self._key(item) == key), -1)

    def set_items(self, given: Sequence[T]) -> None:
        """Take over a new list, touching only what differs."""
        self._given = list(given)
        self._texts = []
        items = self._ordered()
        steps = _steps([self._key(item) for item in self._items], [self._key(item) for item in items])
        if len(steps) > _MANY_STEPS:
            self.beginResetModel()
            self._items = list(items)
            self.endResetModel()
            return
        for tag, old, old_end, new, new_end in reversed(steps):
            if tag == "delete":
                self.beginRemoveRows(QModelIndex(), old, old_end - 1)
                del self._items[old:old_end]
                self.endRemoveRows()
            elif tag == "insert":
                self.beginInsertRows(QModelIndex(), old, old + new_end - new - 1)
                self._items[old:old] = items[new:new_end]
                self.endInsertRows()
        changed = [row for row, item in enumerate(items) if self._items[row] != item]
        self._items = list(items)
        if changed:
            self.dataChanged.emit(self.index(changed[0], 0), self.index(changed[-1], len(self.columns) - 1))

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows by a column; by -1 as they were given."""
        self._column, self._order = column, order
        self.layoutAboutToBeChanged.emit()
        before, self._items, self._texts = self._items, self._ordered(), []
        places = {id(item): row for row, item in enumerate(self._items)}
        old = self.persistentIndexList()
        new = [self.index(places[id(before[index.row()])], index.column()) for index in old]
        self.changePersistentIndexList(old, new)
        self.layoutChanged.emit()

    def matches(self, row: int, needle: str) -> bool:
        """Whether a row has ``needle``, in lower case, in any of its cells."""
        if not self._texts:
            self._texts = ["\n".join(each.text(item) for each in self.columns).lower() for item in self._items]
        return needle in self._texts[row]

    def _ordered(self) -> list[T]:
        if not 0 <= self._column < len(self.columns):
            return list(self._given)
        column = self.columns[self._column]
        backwards = self._order == Qt.SortOrder.DescendingOrder
        return sorted(self._given, key=column.sort or column.text, reverse=backwards)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Items; no item has children."""
        return 0 if parent.isValid() else len(self._items)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Declared columns."""
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Titles of the columns, aligned as the cells below."""
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip(column.hint) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """What a cell shows, says and sorts by."""
        item = self.item(index)
        if item is None:
            return None
        column = self.columns[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return format.one_line(column.text(item))
        if role == Qt.ItemDataRole.ToolTipRole:
            return format.tip((column.tip or column.text)(item))
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return _colour(column, item)
        if role == Qt.ItemDataRole.FontRole and column.right:
            return theme.figure_font()
        if role == Qt.ItemDataRole.AccessibleTextRole:
            said = format.one_line((column.said or column.text)(item)) or "none"
            return f"{column.title}: {said}" if column.title else said
        return None


def _alignment(column: Column[Any]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _colour(column: Column[T], item: T) -> Any:
    kind = column.kind(item) if column.kind is not None else None
    if kind is not None:
        return theme.kind_colour(kind)
    if column.link and column.text(item) != format.UNKNOWN:
        return theme.accent_colour()
    return theme.muted_colour() if column.muted else None


def _steps(old: list[Hashable], new: list[Hashable]) -> list[tuple[str, int, int, int, int]]:
    """Removals and insertions from one list of keys to another, in order."""
    if old == new:
        return []
    if not old:
        return [("insert", 0, 0, 0, len(new))]
    from rapidfuzz.distance import Indel

    numbers: dict[Hashable, int] = {}
    before = [numbers.setdefault(key, len(numbers)) for key in old]
    after = [numbers.setdefault(key, len(numbers)) for key in new]
    return [
        (op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end)
        for op in Indel.opcodes(before, after)
        if op.tag != "equal"
    ]
