"""A table of items as the side panes have it: quiet, one row selected, narrow or wide."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractProxyModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from inspector import theme
from inspector.models.items import ItemsModel
from inspector.views.frame import PAD, Header
from inspector.views.in_sight import keep_in_sight
from inspector.views.quiet import quiet

T = TypeVar("T")


class CellDelegate(QStyledItemDelegate):
    """A flat selected row with one accent bar; text keeps its colour when it is selected."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """No cell of its own is focused: the row is."""
        super().initStyleOption(option, index)
        option.state &= ~QStyle.StateFlag.State_HasFocus
        colour = index.data(Qt.ItemDataRole.ForegroundRole)
        if isinstance(colour, QColor):
            option.palette.setColor(QPalette.ColorRole.HighlightedText, colour)
        table = option.widget
        column = table.items.columns[index.column()] if isinstance(table, ItemsTable) else None
        if column is not None and (column.cut_end or column.right):
            option.textElideMode = Qt.TextElideMode.ElideRight

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The row's background without gaps, then the cell with room at its sides."""
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(option.rect, theme.selection_colour())
        inner = QStyleOptionViewItem(option)
        inner.rect = option.rect.adjusted(PAD - 3, 0, 3 - PAD, 0)  # the style leaves 3 by itself
        super().paint(painter, inner, index)
        if selected and index.column() == 0:
            focused = option.widget is not None and option.widget.hasFocus()
            bar = QRect(option.rect.left(), option.rect.top(), 3, option.rect.height())
            painter.fillRect(bar, theme.accent_colour() if focused else theme.muted_colour())


class Filter(QSortFilterProxyModel):
    """Leaves rows out; ordering them is the model's own work, which is quicker by far."""

    def __init__(self, model: ItemsModel[Any], parent: QObject) -> None:
        super().__init__(parent)
        self._items = model
        self._needle = ""
        self.setDynamicSortFilter(False)
        self.setSourceModel(model)

    def set_filter(self, text: str) -> None:
        """Keep rows that have ``text`` in any cell, in whatever case."""
        self._needle = text.strip().lower()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: QModelIndex | QPersistentModelIndex) -> bool:
        """Whether the row is kept."""
        return not self._needle or self._items.matches(row, self._needle)

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Order the rows."""
        self._items.sort(column, order)


class SortHeader(Header):
    """The flat header, with a mark at the column by which the rows are sorted."""

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        """Name, and ▴ or ▾."""
        super().paintSection(painter, rect, section)
        if section == self.sortIndicatorSection() and self.isSortIndicatorShown():
            painter.save()
            painter.setPen(theme.text_colour())
            mark = "▴" if self.sortIndicatorOrder() == Qt.SortOrder.AscendingOrder else "▾"
            model = self.model()
            where = model.headerData(section, Qt.Orientation.Horizontal, Qt.ItemDataRole.TextAlignmentRole)
            right = where is not None and bool(int(where) & int(Qt.AlignmentFlag.AlignRight))
            side = Qt.AlignmentFlag.AlignLeft if right else Qt.AlignmentFlag.AlignRight
            painter.drawText(rect.adjusted(2, 0, -3, 0), int(side | Qt.AlignmentFlag.AlignVCenter), mark)
            painter.restore()


class ItemsTable(QTableView, Generic[T]):
    """A table of items: one row selected at a time, the first or ``stretch`` column takes what is left."""

    current_changed = Signal(object)
    """The selected item, or None."""
    opened = Signal(object)
    """Enter or a double click on an item."""
    link_clicked = Signal(object)
    """A click on an item's link column."""

    def __init__(
        self,
        model: ItemsModel[T],
        name: str,
        widths: Sequence[str],
        stretch: int = 0,
        optional: Sequence[int] = (),
        parent: QWidget | None = None,
        room: int = 18,
    ) -> None:
        """``widths`` holds a longest usual text for each column.

        ``optional`` columns go where the one that stretches would have less room than for so many letters.
        """
        super().__init__(parent)
        quiet(self)
        self.items = model
        self._widths = widths
        self._stretch = stretch
        self._optional = tuple(optional)
        self._room = "x" * room
        self._current: Hashable | None = None
        self.proxy = self.make_proxy(model)
        model.setParent(self)
        self.setModel(self.proxy)
        self.setAccessibleName(name)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setShowGrid(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(CellDelegate(self))
        self._shape()
        self.setMinimumHeight(self.height_of(1))
        self.selectionModel().currentRowChanged.connect(self._moved)
        self.clicked.connect(self._clicked)
        self.doubleClicked.connect(lambda index: self.opened.emit(self._item(index)))

    def make_proxy(self, model: ItemsModel[T]) -> QAbstractProxyModel:
        """What stands between the items and the table."""
        return Filter(model, self)

    def set_filter(self, text: str) -> None:
        """Keep rows that have ``text`` in any cell, in whatever case."""
        if isinstance(self.proxy, Filter):
            self.proxy.set_filter(text)

    def _shape(self) -> None:
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        metrics = QFontMetrics(self.font())
        rows.setDefaultSectionSize(metrics.height() + 8)
        header = SortHeader(self)
        self.setHorizontalHeader(header)
        header.setMinimumSectionSize(24)
        header.setAccessibleName("Columns")
        header.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        for column, sample in enumerate(self._widths):
            if column == self._stretch:
                header.setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
                continue
            header.setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
            title = self.items.columns[column].title
            wide = max(metrics.horizontalAdvance(sample), metrics.horizontalAdvance(title))
            header.resizeSection(column, wide + 2 * PAD + 2)

    def sort_by_header(self, column: int | None = None, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Let a click on a title sort; until then, or with None, the items stand in their own order."""
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicator(-1 if column is None else column, order)
        header.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)

    def height_of(self, rows: int) -> int:
        """Height at which so many rows can be seen."""
        header = self.horizontalHeader().sizeHint().height()
        return header + max(1, rows) * self.verticalHeader().defaultSectionSize() + 2

    def current(self) -> T | None:
        """The selected item."""
        return self._item(self.currentIndex())

    def select(self, key: Hashable) -> bool:
        """Select the item with this key; False without one."""
        row = self.items.row_of(key)
        index = self.proxy.mapFromSource(self.items.index(row, 0)) if row >= 0 else QModelIndex()
        if not index.isValid():
            return False
        self.setCurrentIndex(index)
        self.scrollTo(index)
        return True

    def select_first(self) -> None:
        """Select the first item, when there is one and none is selected."""
        if self.proxy.rowCount() and not self.selectionModel().hasSelection():
            current = self.currentIndex()  # Qt makes one with the focus, and selects nothing
            self.setCurrentIndex(current if current.isValid() else self.proxy.index(0, 0))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out the optional columns where the table is narrow."""
        super().resizeEvent(event)
        keep_in_sight(self, event)
        header = self.horizontalHeader()
        fixed = sum(
            header.sectionSize(c) for c in range(len(self._widths)) if c not in (self._stretch, *self._optional)
        )
        left = event.size().width() - fixed - QFontMetrics(self.font()).horizontalAdvance(self._room)
        for column in self._optional:
            sample = QFontMetrics(self.font()).horizontalAdvance(self._widths[column]) + 2 * PAD + 2
            hide = left < sample
            if header.isSectionHidden(column) != hide:
                header.setSectionHidden(column, hide)
            left -= 0 if hide else sample

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; the rest as always."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.opened.emit(self.current())
            return
        super().keyPressEvent(event)

    def _item(self, index: QModelIndex) -> T | None:
        return self.items.item(self.proxy.mapToSource(index)) if index.isValid() else None

    def _moved(self, index: QModelIndex, _before: QModelIndex) -> None:
        self.current_changed.emit(self._item(index))

    def _clicked(self, index: QModelIndex) -> None:
        if self.items.columns[index.column()].link:
            self.link_clicked.emit(self._item(index))
