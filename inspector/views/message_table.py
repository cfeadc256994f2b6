"""A quiet table of uniform rows, as the areas of a request have it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from inspector.views.frame import Header
from inspector.views.in_sight import keep_in_sight
from inspector.views.message_delegate import row_height
from inspector.views.quiet import quiet


class MessageTable(QTableView):
    """A quiet table of uniform rows: Enter opens, letters stay the window's shortcuts."""

    opened = Signal()
    """Enter or a double click on a row."""
    resized = Signal(int)
    """The width that the columns have now."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        quiet(self)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setHorizontalHeader(Header(self))
        header = self.horizontalHeader()
        header.setMinimumSectionSize(24)
        header.setAccessibleName("Columns")
        self._size_rows()
        self.doubleClicked.connect(lambda _index: self.opened.emit())

    def keyboardSearch(self, _search: str) -> None:
        """Letters are the window's shortcuts."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; the rest as always."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns may have to give way."""
        super().resizeEvent(event)
        keep_in_sight(self, event)
        self.resized.emit(event.size().width())

    def changeEvent(self, event: QEvent) -> None:
        """Rows follow the size of the font."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.ApplicationFontChange):
            self._size_rows()

    def _size_rows(self) -> None:
        height = row_height(self)
        self.verticalHeader().setMinimumSectionSize(height)
        self.verticalHeader().setDefaultSectionSize(height)

    def is_at_end(self) -> bool:
        """Whether the last row is on the screen."""
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum()

    def place_row(self, row: int, y: int) -> None:
        """Scroll so that a row stands ``y`` pixels below the top edge."""
        height = self.verticalHeader().defaultSectionSize()
        self.verticalScrollBar().setValue(row * height - y)
