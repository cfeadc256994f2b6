"""The store as two tables: its namespaces, and the items of one, of which only the pages that are seen are here."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from PySide6.QtCore import QModelIndex, QObject, Qt

from engine.namespaces import id_of
from engine.storing import StoreNamespace
from inspector import format
from inspector.models.items import Column, Index, ItemsModel
from inspector.store_items import PAGE, ItemRow, Page

KEPT = 30
"""Pages that are kept."""
WAITING = "…"


def written(namespace: str) -> str:
    """A namespace as it is stored, its parts apart and as they read."""
    return " / ".join(id_of(part) for part in namespace.split("."))


def called(namespace: StoreNamespace) -> str:
    """Its parts, apart."""
    return " / ".join(namespace.parts)


def problem_of(namespace: str, key: str) -> str:
    """Why no item can be called so; empty where one can. The engine asks the same again."""
    if not namespace or not all(namespace.split(".")):
        return "A namespace is a word, or several with dots between: none of them is empty."
    if namespace.split(".")[0] == "langgraph":
        return "LangGraph keeps the namespace langgraph for itself."
    return "" if key else "An item needs a key."


class NamespacesModel(ItemsModel[StoreNamespace]):
    """Rows keyed by the namespace as it is stored."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column(
                    "Namespace", called, lambda one: f"{called(one)}\nStored as {one.text}", sort=lambda one: one.parts,
                    hint="Parts of its name. What lies below one is a namespace of its own.",
                ),
                Column("Items", lambda one: format.exact(one.items), sort=lambda one: one.items, right=True),
                Column(
                    "Size",
                    lambda one: format.size(one.size),
                    lambda one: format.count(one.size, "byte"),
                    sort=lambda one: one.size,
                    right=True,
                    hint="Bytes of the values as they are stored.",
                ),
                Column(
                    "Updated",
                    lambda one: format.ago(one.updated_at),
                    lambda one: format.absolute(one.updated_at),
                    sort=lambda one: one.updated_at or 0,
                    muted=True,
                    hint="The latest change of an item.",
                ),
            ),
            lambda one: one.text,
            parent,
        )  # fmt: skip


class StoreItemsModel(ItemsModel[ItemRow]):
    """Items by key. A row whose page is not here says so; whoever shows it asks for the page."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Key", _key, lambda one: "\n".join(part for part in (one.key, _what(one)) if part)),
                Column(
                    "Size",
                    lambda one: format.size(one.size),
                    lambda one: format.count(one.size, "byte"),
                    right=True,
                    hint="Bytes of the value as it is stored.",
                ),
                Column("What", lambda one: "file" if one.is_file else "item", _what, muted=True,
                       hint="A file of an agent's, or an item that an application keeps."),
                Column("Created", lambda one: format.ago(one.created_at), lambda one: format.absolute(one.created_at),
                       muted=True),
                Column("Updated", lambda one: format.ago(one.updated_at), lambda one: format.absolute(one.updated_at),
                       muted=True),
            ),
            lambda one: one.key,
            parent,
        )  # fmt: skip
        self._total = 0
        self._pages: OrderedDict[int, tuple[ItemRow, ...]] = OrderedDict()
        self._old: set[int] = set()
        """Pages that are shown until they have been read again."""

    @property
    def total(self) -> int:
        """Items that there are, here or not."""
        return self._total

    def start(self, page: Page | None) -> None:
        """Another list, of which a page is here; None for an empty one."""
        self.beginResetModel()
        self._pages.clear()
        self._old.clear()
        self._total = 0 if page is None else page.total
        self._keep(page)
        self.endResetModel()

    def put(self, page: Page) -> None:
        """More of the same list."""
        self._keep(page)
        if page.rows:
            last = self.index(page.offset + len(page.rows) - 1, len(self.columns) - 1)
            self.dataChanged.emit(self.index(page.offset, 0), last)

    def outdate(self) -> None:
        """Somebody wrote: what is here is shown until it is read again."""
        self._old = set(self._pages)

    def missing(self, first: int, last: int) -> int | None:
        """Offset of the first page between two rows that is not here, or old; None where all are."""
        for offset in range(first // PAGE * PAGE, min(last + 1, self._total), PAGE):
            if offset not in self._pages or offset in self._old:
                return offset
        return None

    def item(self, index: Index) -> ItemRow | None:
        """The item of a row; None while its page is not here."""
        if not index.isValid():
            return None
        rows = self._pages.get(index.row() // PAGE * PAGE, ())
        at = index.row() % PAGE
        return rows[at] if at < len(rows) else None

    def row_of(self, key: Any) -> int:
        """Row of the item with this key among those that are here; -1 without one."""
        for offset, rows in self._pages.items():
            for at, one in enumerate(rows):
                if one.key == key:
                    return offset + at
        return -1

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """All of them."""
        return 0 if parent.isValid() else self._total

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """As any item; a row that is not here waits."""
        if index.isValid() and self.item(index) is None:
            if role == Qt.ItemDataRole.DisplayRole:
                return WAITING if index.column() == 0 else None
            return "is read when it is seen" if role == Qt.ItemDataRole.AccessibleTextRole else None
        return super().data(index, role)

    def _keep(self, page: Page | None) -> None:
        for start in range(0, len(page.rows) if page is not None else 0, PAGE):
            assert page is not None
            self._pages[page.offset + start] = page.rows[start : start + PAGE]
            self._pages.move_to_end(page.offset + start)
            self._old.discard(page.offset + start)
        while len(self._pages) > KEPT:
            self._pages.popitem(last=False)


def _key(one: ItemRow) -> str:
    return ("! " if one.problem else "") + one.key


def _what(one: ItemRow) -> str:
    if one.problem:
        return f"This can't be read: {one.problem}."
    return "A file of an agent's." if one.is_file else "An item that an application or a tool keeps."
