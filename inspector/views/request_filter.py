"""A filter over the table of requests: the same filters as those of Find."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector import format
from inspector.finding import Finding
from inspector.jobs import Jobs
from inspector.session import Session
from inspector.views.buttons import tool_button
from inspector.views.labels import ElidedLabel
from inspector.views.query_box import QueryBox


class RequestFilter(QWidget):
    """Hidden until it is asked for; closing it shows every request again."""

    left = Signal()
    """The reader goes on to the table."""
    arrived = Signal(int)
    """A request came, or changed, and passes: it is the last one that does."""

    def __init__(
        self, session: Session, jobs: Jobs, finding: Finding, annotations: Any, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._session, self._jobs, self._finding, self._annotations = session, jobs, finding, annotations
        self.box = QueryBox(jobs, finding, "Filter the requests")
        self.box.setPlaceholderText("Filter the requests: agent: tool: kind: tokens> has: error: purpose:")
        self.says = ElidedLabel(muted=True)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.box, 1)
        row.addWidget(tool_button("×", "Close the filter", self.close_bar))
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 3, 4, 3)
        column.setSpacing(2)
        column.addLayout(row)
        column.addWidget(self.says)
        self.says.hide()
        self.box.edited.connect(self._apply)
        self.box.left_down.connect(self.left)
        self.box.escaped.connect(self.close_bar)
        self._asked = ""
        self._passing: tuple[frozenset[int], int] | None = None
        session.thread_changed.connect(self._forget)
        session.request_changed.connect(self._tell)
        session.rows_changed.connect(self._again)
        annotations.changed.connect(self._again)
        self.hide()

    def open(self) -> None:
        """Show it and give it the keyboard."""
        self.show()
        self.box.setFocus()
        self.box.selectAll()

    def close_bar(self) -> None:
        """All requests again."""
        self.box.clear()
        self.box.tell_now()
        self.hide()
        self.left.emit()

    def close_jobs(self) -> None:
        """Ask for nothing more."""
        self.box.close_jobs()
        self._jobs.cancel((self, "filter"))

    def _again(self) -> None:
        if self.box.text().strip():
            self._apply(self.box.text())

    def _apply(self, query: str) -> None:
        if not query.strip():
            self._jobs.cancel((self, "filter"))
            self._forget()
            self._say("")
            self._session.show_only(None)
            return
        rows = self._session.rows.known()
        self._jobs.run(
            "Filtering the requests", self._finding.filter, rows, query, self._annotations.marked,
            frozenset(self._annotations.notes), done=lambda ids: self._filtered(query, ids, len(rows)),
            failed=lambda sentence: self._say(sentence, error=True), key=(self, "filter"), quiet=True,
        )  # fmt: skip

    def _filtered(self, query: str, ids: list[int], total: int) -> None:
        session, before = self._session, self._session.shown
        came = query == self._asked and bool(ids) and session.rows.index(ids[-1]) > self._last(before)
        self._asked, self._passing = query, (frozenset(ids), total)
        session.show_only(ids)
        self._tell()
        if came:
            self.arrived.emit(ids[-1])

    def _last(self, ids: Sequence[int] | None) -> int:
        """Place of the last of these in the thread."""
        return self._session.rows.index(ids[-1]) if ids else -1

    def _forget(self, *_thread: object) -> None:
        self._asked, self._passing = "", None

    def _tell(self, *_request: object) -> None:
        """How many pass; and that the selected one does not, when a link, the chart or a step back led to it."""
        if self._passing is None:
            return
        ids, total = self._passing
        said = f"{format.exact(len(ids))} of {format.count(total, 'request')} {'passes' if len(ids) == 1 else 'pass'}"
        row = self._session.request_row()
        if row is not None and row.id not in ids:
            said += f"; request {format.exact(row.number)}, which is shown below, does not"
        self._say(said)

    def _say(self, text: str, error: bool = False) -> None:
        self.says.set_text(text, error=error)
        self.says.setVisible(bool(text))
