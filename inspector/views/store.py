"""The store of the open file: its namespaces, the items of one, and the value of an item.

It belongs to no thread: what agents and applications keep across threads is here, each namespace by itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.storing import StoreNamespace
from inspector import store_items
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.models.late import while_alive
from inspector.models.store import NamespacesModel
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.store_items import ItemRow, Page
from inspector.views.buttons import WordButton
from inspector.views.items_table import ItemsTable
from inspector.views.parts import MARGIN, AspectSplitter, Line
from inspector.views.side import SidePane
from inspector.views.store_edit import Key, UnsavedBar
from inspector.views.store_item import ItemPane
from inspector.views.store_new import NewItem
from inspector.views.store_table import StoreTable

SEARCH_MS = 250
"""After the last letter that was typed."""


class StoreView(SidePane):
    """Namespaces over items over the selected item."""

    changed = Signal()
    """Something can be saved, edited or deleted, or is unsaved, as it was not before."""
    delete_namespace = Signal(str)
    """The user wants to see what deleting this namespace would take."""

    noun = "store"

    def __init__(
        self,
        reader: Any,
        jobs: Jobs,
        path: str | Path,
        parent: QWidget | None = None,
        drafts: Drafts | None = None,
    ) -> None:
        super().__init__(reader, jobs, parent)
        self.path = Path(path)
        self.workspace = None if getattr(reader, "read_only", "") else self.path
        self.namespace = ""
        self._page: Page | None = None
        """What the list began with."""
        self._wanted: tuple[str, str] | None = None
        self.namespaces: ItemsTable[StoreNamespace] = ItemsTable(
            NamespacesModel(), "Namespaces of the store", ("", "88 888", "888k", "88 min ago"), optional=(3,), room=26
        )
        self.namespaces.sort_by_header()
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search keys and values")
        self.search.setAccessibleName("Search the items of this namespace")
        self.search.setClearButtonEnabled(True)
        self.table = StoreTable()
        self.list = Pane()
        self._drafts = drafts or Drafts()
        self.item = ItemPane(jobs, self.path, self.workspace, self._drafts)
        self.edits = self.item.edits
        self.unsaved = UnsavedBar(self.edits)
        self.edit = self.edits.edit
        self.form = NewItem()
        self.new_button = WordButton("New item…", self.ask_new)
        self.delete_button = WordButton("Delete namespace…", self._ask_delete)
        self._typed = QTimer(self)
        self._typed.setSingleShot(True)
        self._typed.setInterval(SEARCH_MS)
        self._typed.timeout.connect(self._list_items)
        self._build()
        self.search.textChanged.connect(lambda _text: self._typed.start())
        self.search.returnPressed.connect(self.table.setFocus)
        self.namespaces.current_changed.connect(self._namespace_selected)
        self.namespaces.opened.connect(lambda _row: self.table.setFocus())
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(lambda _row: self.item.text.edit.setFocus())
        self.table.wanted.connect(self._more)
        self.item.touched.connect(self._touched)
        self.item.changed.connect(self.changed)
        self.item.changed.connect(self.unsaved.tell)
        self.form.wanted.connect(self.item.begin)
        self.unsaved.resumed.connect(self.item.resume)
        self.thread_id = ""
        self.pane.show_empty("The store is read when this pane is shown.")

    # -- what the window calls -------------------------------------------------------------

    def set_thread(self, _thread_id: str | None) -> None:
        """The store belongs to no thread."""

    def has_unsaved(self) -> bool:
        """Whether any item has text that is not stored."""
        return self.edits.has_unsaved()

    def flush(self) -> None:
        """Put all unsaved text on disk now."""
        self.edits.buffers.flush()

    def forget(self, deleted: Callable[[str], bool]) -> None:
        """Forget what was typed into items whose namespace was deleted for good."""
        self.edits.buffers.forget(deleted)

    def find_target(self) -> Searchable | None:
        """The value of the item, or its editor."""
        return self.item.find_target()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        super().close_jobs()
        self._typed.stop()
        self.item.close_jobs()
        for what in ("items", "more"):
            self.jobs.cancel((self, what))

    def ask_new(self) -> None:
        """Ask where a new item goes."""
        if self.workspace is not None:
            self.form.open(self.namespace)

    # -- loading ---------------------------------------------------------------------------

    def fetch(self, _thread_id: str) -> tuple[list[StoreNamespace], list[Key]]:
        """The namespaces, and of what unsaved text was left."""
        left = store_items.left(self.workspace, self._drafts) if self.workspace is not None else []
        return store_items.namespaces(self.path), left

    def show_loaded(self, loaded: tuple[list[StoreNamespace], list[Key]]) -> None:
        """Bring the namespaces up to date, and the items where theirs is another."""
        found, left = loaded
        self.unsaved.tell(left)
        self.namespaces.items.set_items(found)
        self.splitter.fit_first(self.namespaces.height_of(len(found)))
        if not found and self.workspace is None:
            self.pane.show_empty("The store is empty.", "What agents keep across threads would be here.")
            return
        self.pane.show_content()
        self.namespaces.setVisible(bool(found))
        if self._wanted is not None:
            self.namespaces.select(self._wanted[0])
        self.namespaces.select_first()
        now = self.namespaces.current()
        if now is None:
            self._namespace_selected(None)
        elif now.text != self.namespace:
            self._namespace_selected(now)
        else:
            self._list_items()

    def _namespace_selected(self, namespace: StoreNamespace | None) -> None:
        self.delete_button.setEnabled(namespace is not None)
        self._typed.stop()
        if namespace is None:
            self.namespace, self._page = "", None
            self.table.start(None)
            self.list.show_empty(
                "The store is empty.", "Memory, skills and whatever agents keep across threads lie in it."
            )
            self._clear_item("", "")
        elif namespace.text != self.namespace:
            self.namespace, self._page = namespace.text, None
            self.search.blockSignals(True)
            self.search.clear()
            self.search.blockSignals(False)
            self.table.start(None)
            self.item.clear()
            self._list_items()

    def _list_items(self) -> None:
        """The page about the selected item, or the first one."""
        namespace = self.namespaces.current()
        if namespace is None:
            return
        self._typed.stop()
        selected = self.table.current()
        around = self._wanted[1] if self._wanted is not None else selected.key if selected is not None else ""
        if self.list.state() != "content":
            self.list.show_loading("Reading the items")
        self.jobs.run(
            "Reading the items", store_items.page, self.path, namespace.text, self.search.text(), 0,
            store_items.PAGE, around, done=while_alive(self, partial(self._show_items, namespace, around)),
            failed=lambda sentence: self.list.show_error(sentence, self._list_items), key=(self, "items"),
        )  # fmt: skip

    def _show_items(self, namespace: StoreNamespace, around: str, page: Page) -> None:
        if namespace.text != self.namespace:
            return
        self._wanted = None
        self.search.setVisible(namespace.items > 1 or bool(page.query))
        editing = self.item.key is not None and self.edits.is_unsaved(self.item.key)
        if page != self._page:
            self._page = page
            self.table.start(page, around, exactly=editing)
        else:
            self.table.rows.outdate()
            self.table.put(page)
        if not page.total:
            self.list.show_empty("No item matches.", "Large and small letters count as one.")
        else:
            self.list.show_content()
        if self.item.key is not None and (self.item.key[0] == self.namespace or editing):
            self.item.show_item(*self.item.key)  # it may be another value
        if not editing:
            self.table.select_first()
        if not page.total:
            self._selected(None)

    def _more(self, offset: int) -> None:
        self.jobs.run(
            "Reading more items", store_items.page, self.path, self.namespace, self.search.text(), offset,
            done=while_alive(self, self._put), failed=lambda sentence: self.list.show_error(sentence, self._list_items),
            key=(self, "more"), quiet=True,
        )  # fmt: skip

    def _put(self, page: Page) -> None:
        if (page.namespace, page.query) != (self.namespace, self.search.text()):
            return
        if page.total != self.table.rows.total:
            self._list_items()
        else:
            self.table.put(page)

    # -- one item --------------------------------------------------------------------------

    def _selected(self, row: ItemRow | None) -> None:
        if row is not None:
            self.item.show_item(self.namespace, row.key)
        elif self.table.rows.total == 0:
            self._clear_item()

    def _clear_item(self, *says: str) -> None:
        """Show none; text that is not saved stays in sight."""
        if self.item.key is None or not self.edits.is_unsaved(self.item.key):
            self.item.clear(*says)

    def _touched(self, namespace: str, key: str) -> None:
        self._wanted = (namespace, key)
        self.refresh()

    def _ask_delete(self) -> None:
        if self.namespace:
            self.delete_namespace.emit(self.namespace)

    # -- building --------------------------------------------------------------------------

    def _build(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(MARGIN, 4, MARGIN, 4)
        tools.setSpacing(4)
        tools.addWidget(self.new_button)
        tools.addWidget(self.delete_button)
        tools.addStretch(1)
        row = QWidget()
        row.setLayout(tools)
        row.setVisible(self.workspace is not None)
        self.list.set_content(self.table)
        items = QWidget()
        below = QVBoxLayout(items)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        field = QHBoxLayout()
        field.setContentsMargins(MARGIN, 4, MARGIN, 4)
        field.addWidget(self.search)
        below.addWidget(Line())
        below.addLayout(field)
        below.addWidget(self.list, 1)
        self.below = AspectSplitter(items, self.item, (2, 3))
        self.splitter = AspectSplitter(self.namespaces, self.below, (1, 3), least=900)
        whole = QWidget()
        column = QVBoxLayout(whole)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (row, self.form, self.unsaved, Line()):
            column.addWidget(widget)
        column.addWidget(self.splitter, 1)
        self.pane.set_content(whole)

    def hideEvent(self, event: QHideEvent) -> None:
        """When the window goes, or another source is opened, what is typed must be on disk."""
        super().hideEvent(event)
        if self.isHidden() or not self.window().isVisible():
            self.flush()
