"""The threads of the source: a search box over a list, two lines a thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from inspector import format, theme
from inspector.annotations import Signs
from inspector.models.threads import ROW_ROLE, SECOND_ROLE, SIGNS_ROLE, STATUS_ROLE, STATUS_WORDS, ThreadsModel, title
from inspector.panes import Pane
from inspector.views.quiet import quiet

if TYPE_CHECKING:
    from engine.trace.model import ThreadRow

CLOCK_MS = 30_000
"""How often relative times are written anew."""


class ThreadsView(QWidget):
    """Shows threads and tells which one was chosen. It reads nothing by itself."""

    thread_chosen = Signal(str)
    """The user chose a thread: its id."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Threads")
        self._selected: str | None = None
        self._updating = False
        self.model = ThreadsModel(self)
        self.search = QLineEdit(self)
        self.search.setPlaceholderText("Search threads")
        self.search.setAccessibleName("Search threads")
        self.search.setClearButtonEnabled(True)
        self.search.textChanged.connect(self._filter)
        self.search.installEventFilter(self)
        self.list = QListView(self)
        quiet(self.list)
        self.list.setAccessibleName("List of threads")
        self.list.setModel(self.model)
        self.list.setItemDelegate(ThreadDelegate(self.list))
        self.list.setUniformItemSizes(True)
        self.list.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.selectionModel().currentChanged.connect(self._current_changed)
        self.pane = Pane(self)
        self.pane.set_content(self.list)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(6, 6, 6, 0)
        layout.setSpacing(6)
        layout.addWidget(self.search)
        layout.addWidget(self.pane, 1)
        self._clock = QTimer(self)
        self._clock.setInterval(CLOCK_MS)
        self._clock.timeout.connect(self.list.viewport().update)
        self._clock.start()

    def set_threads(self, rows: Sequence[ThreadRow]) -> None:
        """Show these threads; the selection and the scroll position stay."""
        bar = self.list.verticalScrollBar()
        anchor = self.list.indexAt(self.list.viewport().rect().topLeft()) if bar.value() else QModelIndex()
        top = QPersistentModelIndex(anchor)
        offset = self.list.visualRect(anchor).top() if anchor.isValid() else 0
        self._updating = True
        self.model.set_rows(rows)
        self._updating = False
        self.select(self._selected)
        if top.isValid():
            self.list.doItemsLayout()
            moved = self.list.visualRect(self.model.index(top.row())).top() - offset
            bar.setValue(bar.value() + moved)
        self._show_state()

    def set_signs(self, signs: Mapping[str, Signs]) -> None:
        """Show marks and notes of the reader, by thread."""
        self._updating = True
        self.model.set_signs(signs)
        self._updating = False
        self.select(self._selected)

    def set_live(self, live: Mapping[str, str]) -> None:
        """Show how our runs stand: ``running`` or ``waiting``, by thread."""
        self.model.set_live(live)

    def select(self, thread_id: str | None) -> None:
        """Mark a thread as the selected one, without telling."""
        self._selected = thread_id
        self._updating = True
        index = self.model.index_of(thread_id)
        if index.isValid():
            if index != self.list.currentIndex():
                self.list.setCurrentIndex(index)
        else:
            self.list.clearSelection()
            self.list.selectionModel().clearCurrentIndex()
        self._updating = False

    def show_loading(self, what: str, cancel: Callable[[], None] | None = None) -> None:
        """The threads are on their way."""
        self.pane.show_loading(what, cancel)

    def show_progress(self, done: int, total: int | None, text: str = "") -> None:
        """How far they are."""
        self.pane.set_progress(done, total, text)

    def show_error(self, sentence: str, retry: Callable[[], None] | None = None) -> None:
        """They could not be read."""
        self.pane.show_error(sentence, retry)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Down and Return lead from the search box into the list."""
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

    def _filter(self, text: str) -> None:
        self._updating = True
        self.model.set_filter(text)
        self._updating = False
        self.select(self._selected)
        self._show_state()

    def _current_changed(self, current: QModelIndex) -> None:
        row = self.model.row_at(current)
        if self._updating or row is None or row.thread_id == self._selected:
            return
        self._selected = row.thread_id
        self.thread_chosen.emit(row.thread_id)

    def _show_state(self) -> None:
        if self.model.rowCount():
            self.pane.show_content()
        elif self.model.total:
            self.pane.show_empty("No thread matches the search.", "Press Escape in the search box to see all.")
        else:
            self.pane.show_empty(
                "There is no thread yet.", "Write a message below and send it: that starts the first one."
            )


class ThreadDelegate(QStyledItemDelegate):
    """Title over agent, number of requests and time; status at the right, in words."""

    PAD_X, PAD_Y, GAP = 8, 5, 2

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The same for every row."""
        height = QFontMetrics(option.font).height()
        return QSize(120, 2 * height + self.GAP + 2 * self.PAD_Y)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        """Everything as plain text."""
        row = index.data(ROW_ROLE)
        if row is None:
            return
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if selected:
            painter.fillRect(option.rect, theme.selection_colour())
            bar = QRect(option.rect.left(), option.rect.top(), 3, option.rect.height())
            focused = bool(option.state & QStyle.StateFlag.State_HasFocus)
            painter.fillRect(bar, theme.accent_colour() if focused else theme.muted_colour())
        area = option.rect.adjusted(self.PAD_X, self.PAD_Y, -self.PAD_X, -self.PAD_Y)
        metrics = QFontMetrics(option.font)
        first = QRect(area.left(), area.top(), area.width(), metrics.height())
        second = first.translated(0, metrics.height() + self.GAP)
        painter.setFont(option.font)
        now = index.data(STATUS_ROLE)
        status = STATUS_WORDS.get(now, format.one_line(now, 30))
        if status:
            width = metrics.horizontalAdvance(status)
            painter.setPen(theme.error_colour() if now == "failed" else theme.accent_colour())
            painter.drawText(second, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, status)
            second.setRight(second.right() - width - 8)
        if signs := index.data(SIGNS_ROLE):
            painter.setPen(theme.kind_colour("human"))
            painter.drawText(first, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, signs)
            first.setRight(first.right() - metrics.horizontalAdvance(signs) - 8)
        painter.setPen(theme.text_colour())
        shown = metrics.elidedText(title(row), Qt.TextElideMode.ElideMiddle, first.width())
        left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(first, left | Qt.TextFlag.TextSingleLine, shown)
        painter.setPen(theme.error_colour() if row.problem else theme.muted_colour())
        below = metrics.elidedText(index.data(SECOND_ROLE), Qt.TextElideMode.ElideRight, second.width())
        painter.drawText(second, left | Qt.TextFlag.TextSingleLine, below)
        painter.restore()
