"""Raw ↔ Effective: the messages in the state beside those that the model received, and the cut between them."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from engine.trace.model import RequestDetail, Summary
from inspector import format
from inspector.jobs import Jobs, Progress
from inspector.models.aligned import AlignedModel, Card, Side, summary_in_force
from inspector.models.cells import Cell
from inspector.models.gaps import Gaps, look_for_gaps
from inspector.models.heads import Heads
from inspector.models.late import while_alive
from inspector.models.messages import CELL, PART
from inspector.panes import Pane
from inspector.searching import Searchable
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.aligned_delegate import AlignedDelegate
from inspector.views.aligned_table import AlignedTable
from inspector.views.buttons import tool_button
from inspector.views.labels import ElidedLabel
from inspector.views.message import MessageView


class RawEffectiveView(QWidget):
    """Both lists of one request, aligned."""

    open_artifact = Signal(str)
    open_summary = Signal(int)
    go_to_request = Signal(int)

    def __init__(self, reader: Any, jobs: Jobs, heads: Heads, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._reader, self._jobs = reader, jobs
        self._detail: RequestDetail | None = None
        self.caption = ElidedLabel()
        self.model = AlignedModel(heads, self)
        self.table = AlignedTable("Raw and effective messages")
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

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Show a request's two lists; the selection stays at its message, else goes to the cut or the end."""
        place = self.table.place_in(self._detail, detail, self.model.cut is not None)
        self._detail = detail
        self._jobs.cancel(self._key("gaps"))
        self._jobs.cancel(self._key("summary"))
        self._jobs.cancel(self._key("caption"))
        self.model.set_detail(detail)
        self.caption.set_text(f"{format.exact(len(detail.raw))} raw → {format.exact(len(detail.messages))} effective")
        self._enable()
        if not detail.aligned:
            self.message.clear()
            why = (
                "A summarizing call is made outside the state: it has effective messages only."
                if detail.row.purpose == "summary"
                else "The state's messages were not recorded with it; Messages shows what the model received."
            )
            self.pane.show_empty("There is no raw side to this request.", why)
            return
        self.pane.show_content()
        row, side, y = place
        self.table.setCurrentIndex(self.model.index(row, side))
        if y is not None:
            self.table.place_row(row, y)
        elif self.model.cut is not None:
            self.show_cut()
        else:
            self.table.scrollToBottom()
        self._count(detail)
        self._look_up_summary(detail)
        self._gap_timer.start()

    def clear(self) -> None:
        """Show no request."""
        self._detail = None
        self.model.set_detail(None)
        self.message.clear()
        self._enable()
        self.pane.show_empty("No request is selected.", "Select one above to see what of the state was sent.")

    def show_cut(self) -> None:
        """Bring the cut on the screen and select the row at it."""
        if self.model.cut is None or not self.model.rows:
            return
        row = min(self.model.cut, len(self.model.rows) - 1)
        side = Side.SENT if self.model.rows[row].sent is not None else Side.RAW
        self.table.setCurrentIndex(self.model.index(row, side))
        self.table.place_row(row, self.table.viewport().height() // 3)

    def show_message(self, raw: int | None, sent: int | None) -> None:
        """Select a message by its place on either side."""
        detail, rows = self._detail, self.model.rows
        if detail is None:
            return
        start = min(raw, max(0, len(rows) - 1)) if raw is not None else 0  # a raw message never stands before its place
        for n in range(start, len(rows)):
            side = rows[n].raw if raw is not None else rows[n].sent
            if side is not None and side.index == (raw if raw is not None else sent):
                self.table.setCurrentIndex(self.model.index(n, Side.RAW if raw is not None else Side.SENT))
                self.table.place_row(n, self.table.viewport().height() // 3)
                return

    def step_difference(self, by: int) -> None:
        """Select the next row (1), or the one before (-1), where both sides are not the same message."""
        row = self.table.currentIndex().row() + by
        while 0 <= row < len(self.model.rows):
            if self.model.differs(row):
                side = Side.RAW if self.model.rows[row].raw is not None else Side.SENT
                index = self.model.index(row, side)
                self.table.setCurrentIndex(index)
                self.table.scrollTo(index, QAbstractItemView.ScrollHint.EnsureVisible)
                return
            row += by

    def selected_part(self) -> int | None:
        """Part of the message in the selected cell; None where a side has none."""
        index = self.table.currentIndex()
        return index.data(PART) if index.isValid() else None

    def find_target(self) -> Searchable | None:
        """The text of the selected message."""
        return self.message.find_target()

    def can_show_cut(self) -> bool:
        """Whether there is a cut."""
        return self.model.cut is not None

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        self.table.setModel(self.model)
        delegate = AlignedDelegate(self.table)
        delegate.opened.connect(self.open_artifact)
        self.table.setItemDelegate(delegate)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.selectionModel().currentChanged.connect(self._moved)
        self.table.opened.connect(lambda: self.message.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.table.card_opened.connect(self._open_card)
        self.table.customContextMenuRequested.connect(self._menu)
        self.message.open_artifact.connect(self.open_artifact)
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.addWidget(self.caption, 1)
        self.cut_button = tool_button("To the cut", "To the cut (C)", self.show_cut)
        self.previous_button = tool_button("↑", "Difference before (Shift+D)", lambda: self.step_difference(-1))
        self.next_button = tool_button("↓", "Next difference (D)", lambda: self.step_difference(1))
        for button in (self.cut_button, self.previous_button, self.next_button):
            head.addWidget(button)
        top = QWidget()
        column = QVBoxLayout(top)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.table, 1)
        self.split = AdaptiveSplitter(over=62, beside=62)
        self.split.addWidget(top)
        self.split.addWidget(self.message)
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.setFocusProxy(self.table)

    def _enable(self) -> None:
        self.cut_button.setEnabled(self.model.cut is not None)
        for button in (self.previous_button, self.next_button):
            button.setEnabled(bool(self.model.rows))

    def _count(self, detail: RequestDetail) -> None:
        self._jobs.run(
            "Counting the messages", caption, detail,
            done=self.caption.set_text, failed=lambda _sentence: None, key=self._key("caption"), quiet=True,
        )  # fmt: skip

    def _look_up_summary(self, detail: RequestDetail) -> None:
        part = next((row.part for row in detail.messages if row.origin == "summary"), None)
        if part is None:
            return
        self._jobs.run(
            "Looking up the summary", _summary, self._reader, detail.row.thread_id, part, detail.cutoff,
            done=self.model.set_summary, failed=lambda _sentence: None, key=self._key("summary"), quiet=True,
        )  # fmt: skip

    def _look_for_gaps(self) -> None:
        detail = self._detail
        lines = (self.model.raw_lines, self.model.sent_lines)
        if detail is None or not self.isVisible() or not any(each.needs_gaps for each in lines):
            return
        self._jobs.run(
            "Looking for calls and results", _both_gaps, self._reader, detail,
            done=while_alive(self, lambda gaps: self.model.set_gaps(*gaps)), failed=lambda _sentence: None,
            key=self._key("gaps"), quiet=True,
        )  # fmt: skip

    def _key(self, what: str) -> tuple[str, int]:
        return (what, id(self))

    def _moved(self, current: QModelIndex, _before: QModelIndex) -> None:
        part = current.data(PART) if current.isValid() else None
        if part is None:
            reason = self.model.rows[current.row()].reason if current.isValid() else ""
            self.message.clear("No message on this side", reason)
            return
        cell: Cell = current.data(CELL)
        opens = next((badge.opens for badge in cell.badges if badge.opens), None)
        why = " · ".join(badge.why for badge in cell.badges if badge.why)
        self.message.show_part(part, opens, why)

    def _heads_arrived(self, parts: set[int]) -> None:
        index = self.table.currentIndex()
        if self.isVisible() and index.isValid() and index.data(PART) in parts:
            self._moved(index, index)
        self._gap_timer.start()

    def _open_card(self, card: Card) -> None:
        if card.path is not None:
            self.open_artifact.emit(card.path)
        elif card.event is not None:
            self.open_summary.emit(card.event)

    def _menu(self, at: QPoint) -> None:
        index = self.table.indexAt(at)
        if index.isValid():
            self.menu(index).popup(self.table.viewport().mapToGlobal(at))

    def menu(self, index: QModelIndex) -> QMenu:
        """What can be done with a row."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if index.data(PART) is not None:
            menu.addAction("Copy the text", self.message.copy_text)
            menu.addAction("Copy the JSON", self.message.copy_json)
        cell = index.data(CELL)
        for badge in cell.badges if isinstance(cell, Cell) else ():
            if badge.opens is not None:
                menu.addAction(f"Open {format.menu_text(badge.opens)}", partial(self.open_artifact.emit, badge.opens))
        summary = self.model.summary
        if self.model.card(index.row()) is not None and summary is not None:
            menu.addAction("Show the summary", partial(self.open_summary.emit, summary.event))
            if summary.summary_request is not None:
                go = partial(self.go_to_request.emit, summary.summary_request)
                menu.addAction("Go to the call that wrote it", go)
        if self.model.cut is not None:
            menu.addAction("To the cut", self.show_cut)
        return menu


def caption(detail: RequestDetail) -> str:
    """``41 raw · ~96k → 9 effective · ~12k``, and what became of the raw ones. Looks at every row: for a job."""
    tokens = 0
    fates: dict[str, int] = {}
    for row in detail.raw:
        tokens += row.tokens
        fates[row.fate] = fates.get(row.fate, 0) + 1
    raw = f"{format.exact(len(detail.raw))} raw · {format.tokens(tokens)}"
    sent_tokens = format.tokens(sum(row.tokens for row in detail.messages))
    sent = f"{format.exact(len(detail.messages))} effective · {sent_tokens}"
    if set(fates) == {"sent"} and len(detail.raw) == len(detail.messages):
        return f"{raw} → {sent} · every message was sent as it is"
    counted = (f"{format.exact(many)} {fate}" for fate, many in fates.items() if fate != "sent")
    return " · ".join([f"{raw} → {sent}", *counted])


def _summary(reader: Any, thread_id: str, part: int, cutoff: int | None) -> Summary | None:
    return summary_in_force(reader.summaries(thread_id), part, cutoff)


def _both_gaps(reader: Any, detail: RequestDetail, progress: Progress) -> tuple[Gaps, Gaps]:
    raw = look_for_gaps(reader, detail.raw, (), progress)
    return raw, look_for_gaps(reader, detail.messages, detail.raw, progress)
