"""Diff: the selected request against another one, piece by piece, then word by word.

The other is the same agent's request before, or a baseline that stays while one looks at other requests.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from engine.trace.model import RequestDetail, RequestRow
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.diffs import SIGNS, Compared, DiffModel, DiffRow, by_number, compare, row_text, what_of, words_of
from inspector.panes import Pane, plain_label
from inspector.searching import Searchable
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.buttons import WordButton, tool_button
from inspector.views.items_table import ItemsTable
from inspector.views.labels import ElidedLabel
from inspector.views.marked_text import MarkedTextView


class DiffView(QWidget):
    """What differs between two requests."""

    go_to_request = Signal(int)
    go_to_part = Signal(str, int)
    baseline_changed = Signal()
    """``baseline`` is another request."""

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._explaining = jobs, explaining
        self._detail: RequestDetail | None = None
        self._from_end = False
        self.baseline: RequestRow | None = None
        self.compared: Compared | None = None
        self.caption = ElidedLabel()
        self.field = QLineEdit()
        self.field.setAccessibleName("Compare with the request of this number")
        self.field.setPlaceholderText("#")
        self.field.setFixedWidth(self.fontMetrics().horizontalAdvance("888 888") + 18)
        self.field.returnPressed.connect(self._number_entered)
        self.field.setToolTip("Number of another request of this thread, then Enter")
        self.before_button = WordButton("The one before", self.compare_with_before,
                                        name="Compare with the same agent's request before")  # fmt: skip
        self.previous_button = tool_button("↑", "Difference before (Shift+D)", lambda: self.step_difference(-1))
        self.next_button = tool_button("↓", "Next difference (D)", lambda: self.step_difference(1))
        self.model = DiffModel()
        self.table: ItemsTable[DiffRow] = ItemsTable(
            self.model, "Pieces of both requests", ("+", "", "moved, from 88 to 88", "+88.8k"), stretch=1, optional=(2,)
        )
        self.title = ElidedLabel()
        self.text = MarkedTextView(jobs, "Text with its differences")
        self.pane = Pane()
        self._build()
        self.clear()

    # -- what others call ------------------------------------------------------------------

    def show_request(self, detail: RequestDetail, _previous: RequestDetail | None) -> None:
        """Compare another request."""
        self._detail = detail
        self._load()

    def clear(self) -> None:
        """Compare nothing; a baseline stays."""
        self._detail = self.compared = None
        self._jobs.cancel((self, "diff"))
        self._jobs.cancel((self, "number"))
        self.model.set_items(())
        self.title.set_text("")
        self.text.clear("Nothing is selected.")
        self.caption.set_text("")
        self._enable()
        self.pane.show_empty("No request is selected.", "Select one above to compare it.")

    def use_baseline(self, row: RequestRow | None) -> None:
        """Compare with the request that is kept as the baseline; None for each one's own before."""
        if (row and row.id) != (self.baseline and self.baseline.id):
            self._compare_with(row)

    def compare_with_before(self) -> None:
        """Compare each request with its agent's one before again."""
        self.field.clear()
        self._compare_with(None)

    def ask_number(self) -> None:
        """Give the field for the number the keyboard."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def step_difference(self, by: int) -> None:
        """Go to the next (1) or previous (-1) difference: in the text, then in the next piece that differs."""
        if self.compared is None:
            return
        current = self.table.current()
        if current is not None and current.differs and self.text.step(by):
            return
        items = self.model.items
        at = self.table.currentIndex().row() + by
        while 0 <= at < len(items):
            if items[at].differs:
                self._from_end = by < 0
                self.table.setCurrentIndex(self.table.model().index(at, 0))
                self._from_end = False
                return
            at += by

    def find_target(self) -> Searchable | None:
        """The text of the selected piece."""
        return self.text.find_target()

    # -- inside ----------------------------------------------------------------------------

    def _build(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(8, 2, 8, 2)
        head.setSpacing(6)
        head.addWidget(self.caption, 1)
        head.addWidget(plain_label("Compare with", muted=True))
        head.addWidget(self.field)
        for button in (self.before_button, self.previous_button, self.next_button):
            head.addWidget(button)
        beside = QWidget()
        column = QVBoxLayout(beside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.title.setContentsMargins(8, 3, 8, 3)
        column.addWidget(self.title)
        column.addWidget(self.text, 1)
        self.split = AdaptiveSplitter(over=42, beside=42, roomy=720)
        self.split.addWidget(self.table)
        self.split.addWidget(beside)
        self.split.setFocusProxy(self.table)
        self.pane.set_content(self.split)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addLayout(head)
        outer.addWidget(self.pane, 1)
        self.setFocusProxy(self.table)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(self._go)

    def _enable(self) -> None:
        some = self.compared is not None and any(row.differs for row in self.compared.rows)
        for button in (self.previous_button, self.next_button):
            button.setEnabled(some)
        self.before_button.setEnabled(self.baseline is not None)
        self.field.setEnabled(self._detail is not None)

    def _compare_with(self, baseline: RequestRow | None) -> None:
        self.baseline = baseline
        self.baseline_changed.emit()
        self._enable()
        self._load()

    def _number_entered(self) -> None:
        detail = self._detail
        text = "".join(self.field.text().split())
        if detail is None or not text:
            return
        if not (text.isascii() and text.isdigit() and len(text) < 10):
            self._jobs.cancel((self, "diff"))
            self.pane.show_error(f"{format.one_line(text, 40)} is not the number of a request.")
            return
        number = int(text)
        self._jobs.run(
            f"Looking up request {number}", by_number, self._explaining.reader, detail.row.thread_id, number,
            done=lambda row: self._found(number, row), failed=self._failed, key=(self, "number"),
        )  # fmt: skip

    def _found(self, number: int, row: RequestRow | None) -> None:
        if row is None:
            self._jobs.cancel((self, "diff"))
            self.pane.show_error(f"This thread has no request {number}. Enter the number of one in the table.")
            return
        self._compare_with(row)
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _load(self) -> None:
        detail = self._detail
        if detail is None or not self.isVisible():
            return
        if self.baseline is not None and self.baseline.id == detail.row.id:
            self._jobs.cancel((self, "diff"))
            self._nothing(f"Request {detail.row.number} is the baseline.", "Select another request to compare it.")
            return
        what = f"Comparing request {detail.row.number}"
        self.pane.show_loading(what, self._cancelled)
        self._jobs.run(
            what, compare, self._explaining, detail.row.id, None if self.baseline is None else self.baseline.id,
            done=self._show, failed=self._failed, key=(self, "diff"),
        )  # fmt: skip

    def _show(self, found: Compared) -> None:
        detail = self._detail
        if detail is None or detail.row.id != found.new_id:
            return
        if found.old is None:
            self._nothing("There is no request of this agent before it.", "Enter the number of another one above.")
            return
        before, self.compared = self.compared, found
        self.caption.set_text(caption(found, detail.row))
        self.model.set_items(found.rows)
        self._enable()
        self.pane.show_content()
        if _same_two(before, found) and self.table.currentIndex().isValid():
            self._selected(self.table.current())
            return
        first = next((n for n, row in enumerate(self.model.items) if row.differs), 0)
        index = self.table.model().index(first, 0)
        if self.table.currentIndex().row() == first:
            self._selected(self.table.current())
        self.table.setCurrentIndex(index)
        self.table.scrollTo(index)

    def _nothing(self, title: str, how: str) -> None:
        self.compared = None
        self.caption.set_text("")
        self.model.set_items(())
        self._enable()
        self.pane.show_empty(title, how)

    def _failed(self, sentence: str) -> None:
        self.compared = None
        self._enable()
        self.pane.show_error(sentence, self._load)

    def _cancelled(self) -> None:
        self._jobs.cancel((self, "diff"))
        self.pane.show_error("The requests were not compared: cancelled.", self._load)

    def _selected(self, row: DiffRow | None) -> None:
        compared = self.compared
        if row is None or compared is None or compared.old is None:
            self.title.set_text("")
            self.text.clear("Nothing is selected.")
            return
        self.title.set_text(f"{SIGNS[row.part.what]} {what_of(row)} · {words_of(row)}")
        if row.part.count > 1:
            self.text.clear("These are the same in both requests.", "Messages, System and Tools show them whole.")
            return
        provider = (compared.old.id, compared.new_id) if row.area == "provider" else ()
        key = (row.area, row.part.what, row.part.old_part, row.part.new_part, provider)
        self.text.load(
            "Comparing the texts", row_text, self._explaining, row, compared.old.id, compared.new_id,
            key=key, from_end=self._from_end,
        )  # fmt: skip

    def _go(self, row: DiffRow | None) -> None:
        if row is not None and row.part.new_index is not None:
            self.go_to_part.emit(row.area, row.part.new_index)


def _same_two(before: Compared | None, now: Compared) -> bool:
    """Whether the same requests were compared: what is looked at stays then."""
    if before is None or before.old is None or now.old is None:
        return False
    return (before.old.id, before.new_id) == (now.old.id, now.new_id)


def caption(found: Compared, new: RequestRow) -> str:
    """``From request 41 to 42 · 1 added · 1 changed``."""
    old = found.old
    assert old is not None
    where = "" if old.thread_id == new.thread_id else f" of thread {format.one_line(old.thread_id, 40)}"
    counts = [f"{format.exact(many)} {what}" for what, many in found.counts if what != "same"]
    says = " · ".join(counts) or "nothing differs"
    return f"From request {format.exact(old.number)}{where} to {format.exact(new.number)} · {says}"
