"""The status bar: the source, what is loading with Cancel, and tokens used against the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QProgressBar, QPushButton, QStatusBar, QWidget

from inspector import format, theme
from inspector.jobs import Jobs
from inspector.panes import LOADING_DELAY_MS, plain_label
from inspector.views.labels import ElidedLabel
from inspector.views.runs import RunsButton

if TYPE_CHECKING:
    from engine.trace.model import RequestRow

PROBLEM_MS = 12_000


class StatusLine(QStatusBar):
    """Says where the data comes from and what is going on."""

    cancelled = Signal(object)
    """The user cancelled a job: its key."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Status")
        self.setSizeGripEnabled(False)
        self._jobs = jobs
        self.source = ElidedLabel(middle=True, least=60)
        self.problem = ElidedLabel(muted=True)
        self.job = plain_label("", self, muted=True)
        self.job.setAccessibleName("What is going on")
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedSize(90, 6)
        self.bar.setAccessibleName("Progress")
        self.cancel = QPushButton("Cancel", self)
        self.cancel.setAccessibleName("Cancel what is going on")
        self.cancel.setFlat(True)
        self.cancel.clicked.connect(self._cancel)
        self.tokens = plain_label("", self)
        self.tokens.setAccessibleName("Tokens used and window")
        self.tokens.setFont(theme.figure_font())
        self.tokens.setContentsMargins(6, 0, 6, 0)
        for label, stretch in ((self.source, 2), (self.problem, 3)):
            label.setContentsMargins(6, 0, 0, 0)
            self.addWidget(label, stretch)
        self.runs = RunsButton(self)
        for widget in (self.runs, self.job, self.bar, self.cancel, self.tokens):
            self.addPermanentWidget(widget)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOADING_DELAY_MS)
        self._timer.timeout.connect(self._show_job)
        self._fade = QTimer(self)
        self._fade.setSingleShot(True)
        self._fade.setInterval(PROBLEM_MS)
        self._fade.timeout.connect(lambda: self.problem.set_text(""))
        self._shows_job = True
        jobs.changed.connect(self._jobs_changed)
        jobs.problem.connect(self.show_problem)
        self._show_job()

    def show_source(self, path: str, rights: str = "", why: str = "") -> None:
        """Where the data comes from, whether it may be written (``read only``), and why not."""
        self.source.set_text(f"{path} · {rights}" if rights else path)
        if why:
            self.source.setToolTip(format.tip(f"{path}\n{why}"))

    def show_request(self, row: RequestRow | None) -> None:
        """Tokens of the selected request against the window."""
        if row is None:
            self.tokens.setText("")
            self.tokens.setToolTip("")
            return
        used = format.tokens(row.input_tokens, row.tokens == "estimated")
        exact = format.exact_tokens(row.input_tokens, row.tokens == "estimated")
        if row.window:
            share = "" if row.input_tokens is None else f" ({100 * row.input_tokens / row.window:.0f} %)"
            self.tokens.setText(f"{used} of {format.size(row.window)} tokens{share}")
            self.tokens.setToolTip(format.tip(f"Input: {exact}\nWindow: {format.exact(row.window)}"))
        else:
            self.tokens.setText(f"{used} tokens, window {format.UNKNOWN}")
            self.tokens.setToolTip(format.tip(f"Input: {exact}\nThe model's window is not known."))

    def show_problem(self, sentence: str) -> None:
        """A failure that no pane shows; it fades after a while."""
        self._say(sentence, error=True)

    def show_note(self, sentence: str) -> None:
        """Something worth knowing that is no failure; it fades after a while."""
        self._say(sentence, error=False)

    def show_masked(self, number: int) -> None:
        """So many secrets are not in what was copied."""
        are = "1 likely secret is" if number == 1 else f"{format.exact(number)} likely secrets are"
        self.show_note(f"{are} masked in what was copied.")

    def _say(self, sentence: str, error: bool) -> None:
        self.problem.set_text(("! " if error else "") + sentence, error=error)
        self._fade.start()

    def _jobs_changed(self) -> None:
        if not self._jobs.active():
            self._timer.stop()
            self._show_job()
        elif self.job.text():
            self._show_job()
        elif not self._timer.isActive():
            self._timer.start()

    def _show_job(self) -> None:
        active = self._jobs.active()
        if self._shows_job != bool(active):  # each change lays the whole bar out again
            self._shows_job = bool(active)
            for widget in (self.job, self.bar, self.cancel):
                widget.setVisible(self._shows_job)
        if not active:
            self.job.setText("")
            return
        job = active[0]
        more = f" and {len(active) - 1} more" if len(active) > 1 else ""
        self.job.setText(format.one_line(f"{job.text or job.what}{more}", 80))
        self.bar.setRange(0, job.total or 0)
        self.bar.setValue(job.done_so_far if job.total else 0)

    def _cancel(self) -> None:
        active = self._jobs.active()
        if active:
            self._jobs.cancel_job(active[0])
            self.cancelled.emit(active[0].key)
