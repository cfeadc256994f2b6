"""The table of requests: one row a request, one selection shared with the chart through the session."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QPushButton, QTableView, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.models.requests import RequestsModel
from inspector.panes import Pane
from inspector.session import Session
from inspector.views.frame import PAD, Header
from inspector.views.in_sight import keep_in_sight
from inspector.views.quiet import quiet
from inspector.views.request_delegate import RequestDelegate

WIDTHS = (60, 182, 94, 70, 62, 72, 76)
"""Columns on the first start, in pixels at a 13 pixel font; the last one takes what is left."""


class RequestsView(QWidget):
    """Shows the selected thread's requests and steps through them."""

    activated = Signal()
    """Return or a double click: the reader wants to look into the selected request."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Requests")
        self._session = session
        self._updating = False
        self._entered = False
        self._new = 0
        self.model = RequestsModel(self)
        self.table = _Table(self)
        self._set_up_table()
        self.pane = Pane(self)
        self.pane.set_content(self.table)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self.pane)
        self.more = QPushButton(self.table)
        self.more.setAccessibleName("New requests")
        self.more.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.more.setCursor(Qt.CursorShape.PointingHandCursor)
        self.more.clicked.connect(self.show_newest)
        self.more.hide()
        self.table.verticalScrollBar().valueChanged.connect(self._scrolled)
        session.thread_changed.connect(self._thread_changed)
        session.rows_changed.connect(self._rows_changed)
        session.shown_changed.connect(self._shown_changed)
        session.request_changed.connect(self._request_changed)
        session.failed.connect(self._failed)
        self._thread_changed(session.thread_id)
        if len(session.rows):
            self._rows_changed()

    def column_state(self) -> QByteArray:
        """State of the header, for the preferences."""
        return self.table.horizontalHeader().saveState()

    def restore_columns(self, state: QByteArray) -> None:
        """Widths as they were left."""
        self.table.horizontalHeader().restoreState(state)

    def put_above(self, bar: QWidget) -> None:
        """A bar over the table."""
        layout = self.layout()
        assert isinstance(layout, QVBoxLayout)
        layout.setSpacing(0)
        layout.insertWidget(0, bar)

    def show_newest(self) -> None:
        """Select the last request of those shown."""
        self._session.go_to_end(True)
        self.table.scrollToBottom()
        self._set_new(0)

    # -- the session tells -------------------------------------------------------------------

    def _thread_changed(self, thread_id: object) -> None:
        self._updating = True
        self.model.set_rows(self._session.rows)
        self._updating = False
        self._set_new(0)
        self._entered = True
        if thread_id is None:
            self.pane.show_empty("No thread is selected.", "Choose one at the left.")
        else:
            self.pane.show_loading("Reading the requests")

    def _rows_changed(self) -> None:
        rows = self._session.rows
        if rows is not self.model.rows():
            self._updating = True
            self.model.set_rows(rows)
            self._updating = False
            self._request_changed(None)
        else:
            added = self.model.refresh()
            if added:
                self._set_new(self._new + added)
        self._tell_what_is_there()

    def _tell_what_is_there(self) -> None:
        rows = self._session.rows
        if not len(rows):
            self.pane.show_empty(
                "This thread has no recorded request.", "Send a message below: each request appears as it is made."
            )
        elif self._session.shown is not None and not self._session.shown:
            self.pane.show_empty(
                f"None of {format.count(len(rows), 'request')} passes the filter.",
                "Change it above, or close it: then all are listed again.",
            )
        else:
            self.pane.show_content()

    def _shown_changed(self) -> None:
        self._updating = True
        self.model.show_only(self._session.shown)
        self._updating = False
        self._request_changed(None)
        if self.table.selectionModel().hasSelection():
            self._show_selected()
        else:
            self.table.scrollToTop()
        self._tell_what_is_there()

    def _request_changed(self, _row: object) -> None:
        index = self.model.table_row(self._session.rows.index(self._session.request_id))
        self._updating = True
        if index < 0 or index >= self.model.rowCount():
            self.table.clearSelection()
        elif index != self.table.currentIndex().row() or not self.table.selectionModel().hasSelection():
            before = self.table.currentIndex()
            wanted = self.model.index(index, max(0, before.column()))
            seen = self.table.viewport().rect().contains(self.table.visualRect(wanted).center())
            self.table.setCurrentIndex(wanted)
            if not seen and abs(before.row() - index) > 1:  # a jump shows what is around it
                self._show_selected()
            if self._entered:  # the table was laid out a moment ago, or will be
                self._entered = False
                QTimer.singleShot(0, self, self._show_selected)
        self._updating = False

    def _show_selected(self) -> None:
        self.table.scrollTo(self.table.currentIndex(), QAbstractItemView.ScrollHint.PositionAtCenter)

    def _failed(self, what: str, sentence: str) -> None:
        if what == "requests" and not len(self._session.rows):
            self.pane.show_error(sentence)

    # -- the user does -----------------------------------------------------------------------

    def _selected(self, _now: object, _before: object) -> None:
        # Not when a row becomes the current one: a table that gets the keyboard does that to its first row, which
        # nobody chose, and a click does it before it selects.
        rows = self.table.selectionModel().selectedRows()
        id = self.model.id_at(rows[0]) if rows else None
        if not self._updating and id is not None:
            self._session.select_request(id)

    def _scrolled(self) -> None:
        bar = self.table.verticalScrollBar()
        if self._new and bar.value() >= bar.maximum():
            self._set_new(0)

    def _set_new(self, number: int) -> None:
        bar = self.table.verticalScrollBar()
        self._new = number
        self.more.setVisible(number > 0 and bar.maximum() > 0)
        if number:
            self.more.setText(f"{format.count(number, 'new request')} ↓")
            self.more.adjustSize()
            self._place_more()

    def _place_more(self) -> None:
        area = self.table.viewport().geometry()
        self.more.move(area.right() - self.more.width() - 10, area.bottom() - self.more.height() - 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the button in its corner."""
        super().resizeEvent(event)
        self._place_more()

    def changeEvent(self, event: QEvent) -> None:
        """Rows follow the size of the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "table"):
            self._size_rows()

    def _size_rows(self) -> None:
        height = QFontMetrics(self.table.font()).height() + PAD
        self.table.verticalHeader().setMinimumSectionSize(height)
        self.table.verticalHeader().setDefaultSectionSize(height)

    def _set_up_table(self) -> None:
        table = self.table
        quiet(table)
        table.setAccessibleName("Table of requests")
        table.setModel(self.model)
        table.setItemDelegate(RequestDelegate(table))
        table.setFont(theme.figure_font())
        table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        table.setTabKeyNavigation(False)
        table.setShowGrid(False)
        table.setWordWrap(False)
        table.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        table.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        table.setFrameShape(QTableView.Shape.NoFrame)
        table.setCornerButtonEnabled(False)
        rows = table.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = Header(table)
        table.setHorizontalHeader(header)
        header.setStretchLastSection(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setMinimumSectionSize(36)
        scale = QFontMetrics(table.font()).height() / 16
        for column, width in enumerate(WIDTHS):
            table.setColumnWidth(column, round(width * scale))
        self._size_rows()
        table.selectionModel().selectionChanged.connect(self._selected)
        table.doubleClicked.connect(lambda _index: self.activated.emit())


class _Table(QTableView):
    """The selected request stays in sight."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """As above."""
        super().resizeEvent(event)
        keep_in_sight(self, event)
