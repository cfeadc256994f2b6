"""A filter over the table of requests: the same filters as those of Find."""

from __future__ import annotations

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
            self._say("")
            self._session.show_only(None)
            return
        rows = self._session.rows.known()
        self._jobs.run(
            "Filtering the requests", self._finding.filter, rows, query, self._annotations.marked,
            frozenset(self._annotations.notes), done=lambda ids: self._filtered(ids, len(rows)),
            failed=lambda sentence: self._say(sentence, error=True), key=(self, "filter"), quiet=True,
        )  # fmt: skip

    def _filtered(self, ids: list[int], total: int) -> None:
        passes = "passes" if len(ids) == 1 else "pass"
        self._say(f"{format.exact(len(ids))} of {format.count(total, 'request')} {passes}")
        self._session.show_only(ids)

    def _say(self, text: str, error: bool = False) -> None:
        self.says.set_text(text, error=error)
        self.says.setVisible(bool(text))
