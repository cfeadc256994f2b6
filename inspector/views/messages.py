"""Messages: what the model received, in order, one uniform line each, and the selected one whole below."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QHeaderView, QMenu, QVBoxLayout, QWidget

from engine.trace.model import MessageRow, RequestDetail
from inspector import format, theme
from inspector.jobs import Jobs
from inspector.models.cells import Cell
from inspector.models.gaps import look_for_gaps
from inspector.models.happened import unread
from inspector.models.heads import Heads
from inspector.models.messages import CELL, PART, Column, MessagesModel
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.labels import ElidedLabel
from inspector.views.message import MessageView
from inspector.views.message_delegate import MessageDelegate
from inspector.views.message_table import MessageTable

_ROOMY = 1150
"""Width from which list and message stand beside each other: each has room for its lines."""
_NARROW = 560
"""Width of the list below which it shows one size only."""


class MessagesView(QWidget):
    """The effective messages of one request."""

    open_artifact = Signal(str)

    def __init__(self, reader: Any, jobs: Jobs, heads: Heads, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._detail: RequestDetail | None = None
        self.caption = ElidedLabel(muted=True)
        self.caption.fill()
        self.model = MessagesModel(heads, self)
        self.table = MessageTable("Messages")
        self.message = MessageView(reader, jobs)
        self.pane = Pane()
        self._build()
        self._gap_timer = QTimer(self)
        self._gap_timer.setSingleShot(True)
        self._gap_timer.setInterval(0)
        self._gap_timer.timeout.connect(self._look_for_gaps)
        heads.arrived.connect(self._heads_arrived)
        self.clear()

    # -- what the request view calls -------------------------------------------------------

    def show_request(self, detail: RequestDetail, previous: RequestDetail | None) -> None:
        """Show a request's messages; the selection stays at its message, or at its place from the end."""
        before = self._detail
        self._detail = detail
        keep = self._place(before, detail)
        rows = detail.messages
        new = sum(row.is_new for row in rows)
        self.model.set_rows(rows, show_new=0 < new < len(rows))
        self._jobs.cancel(self._gap_key())
        self.caption.set_text(_caption(detail, previous, new))
        if not rows:
            self.message.clear()
            why = unread(detail)
            if why:
                self.pane.show_empty("The messages can't be read.", format.one_line(why, 400))
            else:
                self.pane.show_empty("This request was sent without messages.")
            return
        self.pane.show_content()
        row, y = keep
        self.table.setCurrentIndex(self.model.index(row, Column.TEXT))
        if y is None:
            self.table.scrollToBottom()
        else:
            self.table.place_row(row, y)
        self._gap_timer.start()

    def clear(self) -> None:
        """Show no request."""
        self._detail = None
        self.model.set_rows((), show_new=False)
        self.message.clear()
        self.pane.show_empty("No request is selected.", "Select one above to see the messages it was sent with.")

    def selected_part(self) -> int | None:
        """Part of the selected message."""
        index = self.table.currentIndex()
        return index.data(PART) if index.isValid() else None

    def select(self, row: int) -> None:
        """Select a message by its place."""
        index = self.model.index(row, Column.TEXT)
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)

    def find_target(self) -> Searchable | None:
        """The text of the selected message."""
        return self.message.find_target()

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        self.table.setModel(self.model)
        delegate = MessageDelegate(self.table)
        delegate.opened.connect(self.open_artifact)
        self.table.setItemDelegate(delegate)
        header = self.table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(Column.TEXT, QHeaderView.ResizeMode.Stretch)
        self._size_columns()
        self.table.selectionModel().currentRowChanged.connect(self._moved)
        self.table.resized.connect(self._fit_columns)
        self.table.opened.connect(self._open)
        self.table.customContextMenuRequested.connect(self._menu)
        self.message.open_artifact.connect(self.open_artifact)
        top = QWidget()
        top.setMinimumWidth(260)
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(_padded(self.caption))
        column.addWidget(self.table, 1)
        self.split = AdaptiveSplitter(over=52, beside=46, roomy=_ROOMY)
        self.split.addWidget(top)
        self.split.addWidget(self.message)
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)

    def _size_columns(self) -> None:
        figures = QFontMetrics(theme.figure_font(self.table.font()))
        name = QFontMetrics(self.table.font())
        self.table.setColumnWidth(Column.NUMBER, figures.horizontalAdvance("00000") + 30)
        self.table.setColumnWidth(Column.FROM, name.horizontalAdvance("M" * 13))
        self.table.setColumnWidth(Column.CHARS, figures.horizontalAdvance("00000") + 18)
        self.table.setColumnWidth(Column.TOKENS, name.horizontalAdvance("~Tokens") + 18)

    def _fit_columns(self, width: int) -> None:
        """Leave out the tokens where the list is narrow; they stand on hover."""
        self.table.setColumnHidden(Column.TOKENS, width < _NARROW)
        letters = 8 if width < _NARROW else 13
        self.table.setColumnWidth(Column.FROM, QFontMetrics(self.table.font()).horizontalAdvance("M" * letters))

    def _place(self, before: RequestDetail | None, now: RequestDetail) -> tuple[int, int | None]:
        """Row to select, and where on the screen; None there: at the end."""
        last = len(now.messages) - 1
        index = self.table.currentIndex()
        if before is None or not index.isValid() or not before.messages:
            return last, None
        row = index.row()
        y = self.table.rowViewportPosition(row)
        if before.row.id == now.row.id:
            return min(row, last), y
        if row == len(before.messages) - 1:
            return last, None
        found = _nearest(now.messages, before.messages[row].part, row)
        if found is None:
            found = max(0, last - (len(before.messages) - 1 - row))
        return found, y

    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        self._show_current(current)

    def _show_current(self, index: QModelIndex) -> None:
        if not index.isValid():
            self.message.clear()
            return
        cell: Cell = index.data(CELL)
        row = self.model.lines.rows[index.row()]
        opens = next((badge.opens for badge in cell.badges if badge.opens), None)
        self.message.show_part(row.part, opens, _why(cell))

    def _open(self) -> None:
        self.message.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _heads_arrived(self, parts: set[int]) -> None:
        index = self.table.currentIndex()
        if self.isVisible() and index.isValid() and index.data(PART) in parts:
            self._show_current(index)
        self._gap_timer.start()

    def _look_for_gaps(self) -> None:
        detail = self._detail
        if detail is None or not self.isVisible() or not self.model.lines.needs_gaps:
            return
        self._jobs.run(
            "Looking for calls and results", look_for_gaps, self._reader, detail.messages, detail.raw,
            done=self.model.set_gaps, failed=lambda _sentence: None, key=self._gap_key(), quiet=True,
        )  # fmt: skip

    def _gap_key(self) -> tuple[str, int]:
        return ("gaps", id(self))

    def _menu(self, at: QPoint) -> None:
        index = self.table.indexAt(at)
        if index.isValid():
            self.menu(index).popup(self.table.viewport().mapToGlobal(at))

    def menu(self, index: QModelIndex) -> QMenu:
        """What can be done with a message."""
        cell: Cell = index.data(CELL)
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("Open the whole message", self._open)
        menu.addAction("Copy the text", self.message.copy_text)
        menu.addAction("Copy the JSON", self.message.copy_json)
        for badge in cell.badges:
            if badge.opens is not None:
                menu.addAction(f"Open {format.menu_text(badge.opens)}", partial(self.open_artifact.emit, badge.opens))
        return menu


def _nearest(rows: tuple[MessageRow, ...], part: int, near: int) -> int | None:
    """The place of a part that is nearest to a place: a part can stand twice."""
    found = [n for n, row in enumerate(rows) if row.part == part]
    return min(found, key=lambda n: abs(n - near)) if found else None


def _caption(detail: RequestDetail, previous: RequestDetail | None, new: int) -> str:
    rows = detail.messages
    tokens = format.tokens(sum(row.tokens for row in rows))
    says = [format.count(len(rows), "message"), f"{tokens} tokens"]
    if previous is not None:
        says.append(f"{format.exact(new)} new since request {format.exact(previous.row.number)}")
    elif rows and new == len(rows):
        says.append("all new: this agent's first request")
    return " · ".join(says)


def _why(cell: Cell) -> str:
    return " · ".join(badge.why for badge in cell.badges if badge.why and badge.word != "new")


def _padded(widget: QWidget) -> QWidget:
    box = QWidget()
    layout = QVBoxLayout(box)
    layout.setContentsMargins(8, 2, 8, 2)
    layout.addWidget(widget)
    return box
