"""Check: every request of the file worked out from its state again, and what does not fit, as a plain list."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from engine.explain.model import Integrity
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.check import Finding, FindingModel, findings, run_check, verdict
from inspector.panes import Pane
from inspector.views.items_table import ItemsTable
from inspector.views.plain_text import PathLabel


class CheckDialog(QDialog):
    """Runs the check when it is opened, and stops it when it is closed."""

    go_to = Signal(str, int)
    """A thread and a request of it."""

    def __init__(self, jobs: Jobs, explaining: Explaining, called: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Check of {format.one_line(called, 80)}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._jobs, self._explaining = jobs, explaining
        self.found: Integrity | None = None
        self.verdict = PathLabel("")
        self.verdict.hide()
        self.model = FindingModel()
        self.table: ItemsTable[Finding] = ItemsTable(
            self.model, "What the check found",
            ("8 888", "competitor-report", "Message 88: not changed", "", "SummarizationMiddleware"),
            stretch=3, optional=(4,),
        )  # fmt: skip
        self.words = PathLabel("")
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        column.addWidget(self.words)
        self.pane = Pane()
        self.pane.set_content(body)
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Close, self)
        box.rejected.connect(self.close)
        outer = QVBoxLayout(self)
        outer.addWidget(self.verdict)
        outer.addWidget(self.pane, 1)
        outer.addWidget(box)
        self.resize(900, 420)
        self.table.current_changed.connect(lambda row: self.words.set_text("" if row is None else row.words))
        for signal in (self.table.link_clicked, self.table.opened):
            signal.connect(self._go)
        jobs.changed.connect(self._look_at_progress)
        self.start()

    def start(self) -> None:
        """Check, or check again."""
        what = "Checking every request"
        self.pane.show_empty("Every request is worked out from its state again, and compared with what was recorded.")
        self.pane.show_loading(what, self._cancelled)
        self._jobs.run(what, run_check, self._explaining, done=self._show, failed=self._failed, key=(self, "check"))

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody waits for it any more."""
        super().hideEvent(event)
        if not event.spontaneous():
            self._jobs.cancel((self, "check"))

    def _look_at_progress(self) -> None:
        for job in self._jobs.active():
            if job.key == (self, "check"):
                self.pane.set_progress(job.done_so_far, job.total, job.text)

    def _show(self, found: Integrity) -> None:
        self.found = found
        rows = findings(found)
        self.verdict.set_text(verdict(found))
        self.verdict.setVisible(bool(rows))
        self.model.set_items(rows)
        if not rows:
            how = (
                "Every request is what the engine's rules make of its state, and every file that it speaks of is there."
            )
            self.pane.show_empty(verdict(found), how)
            return
        self.pane.show_content()
        self.table.select_first()

    def _failed(self, sentence: str) -> None:
        self.pane.show_error(sentence, self.start)

    def _cancelled(self) -> None:
        self._jobs.cancel((self, "check"))
        self.pane.show_error("The file was not checked: cancelled.", self.start)

    def _go(self, row: Finding | None) -> None:
        if row is not None and row.request is not None:
            self.go_to.emit(row.thread_id, row.request)
