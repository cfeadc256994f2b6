"""One run under way: starts it off the GUI thread, drains what it tells every 33 ms, stops it.

A run tells far more than can be painted (a token a millisecond); a signal for each would take the
GUI thread. So it queues, and this drains. It knows no widget and nothing of the engine but the shape
of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from inspector import format
from inspector.jobs import Failure, Jobs

DRAIN_MS = 33
TAIL = 160
"""Characters of the answer that the progress line shows at most."""


class UpdateLike(Protocol):
    """One thing a run tells."""

    @property
    def kind(self) -> str: ...
    @property
    def text(self) -> str: ...


class RunLike(Protocol):
    """A run of the engine."""

    def drain(self) -> Sequence[UpdateLike]: ...
    def stop(self) -> None: ...
    @property
    def finished(self) -> bool: ...


Start = Callable[[], RunLike]
FINAL = {"done": "done", "failed": "failed", "stopped": "stopped"}


class Turn(QObject):
    """One run, from the click on Send to its end."""

    accepted = Signal()
    """The run has taken the message: it is in the thread."""
    progressed = Signal(str)
    """One line on what it is doing."""
    recorded = Signal()
    """A request was made: there is something new to read."""
    ended = Signal(str, str)
    """``done``, ``failed`` or ``stopped``, and a sentence (empty when done)."""

    def __init__(self, thread_id: str, message: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.thread_id = thread_id
        self.message = message
        self.is_accepted = False
        self.stopping = False
        self.over = False
        self.lost = ""
        """What the record lost of this run, in a sentence; empty when nothing."""
        self._run: RunLike | None = None
        self._tail = ""
        self._requests = 0
        self._timer = QTimer(self)
        self._timer.setInterval(DRAIN_MS)
        self._timer.timeout.connect(self.drain)

    def start(self, jobs: Jobs, start: Start) -> None:
        """Build the agent and begin, in a job: it imports what takes seconds."""
        self.progressed.emit("Starting the agent")
        jobs.run("Starting the agent", start, done=self._started, failed=self._refused, key=(self, "start"))

    def stop(self) -> None:
        """Ask the run to stop; ``ended`` follows."""
        if self.over:
            return
        self.stopping = True
        self.progressed.emit("Stopping")
        if self._run is not None:
            self._run.stop()

    def drain(self) -> None:
        """Take what the run has told since."""
        run = self._run
        if run is None or self.over:
            return
        finished = run.finished  # asked first: what is told between the two is drained below
        updates = run.drain()
        requests = self._requests
        for update in updates:
            self._take(update)
            if self.over:
                break
        if self._requests != requests:
            self.recorded.emit()
        if updates and not self.over and not self.stopping:
            self.progressed.emit(self._line())
        if finished and not self.over:
            self._end("stopped" if self.stopping else "done", "")

    def _take(self, update: UpdateLike) -> None:
        if update.kind in FINAL:
            if update.kind == "done":
                self._accept()
            self._end(FINAL[update.kind], update.text if update.kind == "failed" else "")
            return
        if update.kind == "token":
            self._tail = (self._tail + update.text)[-TAIL:]
        elif update.kind == "request":
            self._requests += 1
            self._tail = ""
        elif update.kind == "tool":
            self._tail = f"calling {update.text}" if update.text else "calling tools"
        self._accept()

    def _line(self) -> str:
        head = f"Request {self._requests}" if self._requests else "Running"
        tail = format.one_line(self._tail, TAIL)
        return f"{head} · {tail}" if tail else head

    def _accept(self) -> None:
        if not self.is_accepted:
            self.is_accepted = True
            self.accepted.emit()

    def _started(self, run: RunLike) -> None:
        self._run = run
        self._timer.start()
        if self.stopping:
            run.stop()
        self.drain()

    def _refused(self, failure: Failure) -> None:
        self._end("failed", failure)

    def _end(self, how: str, sentence: str) -> None:
        self._timer.stop()
        self.over = True
        lost = getattr(self._run, "lost", 0)
        if lost:
            reason = format.one_line(str(getattr(self._run, "lost_reason", "")), 200) or "reason not known"
            self.lost = f"{format.count(lost, 'entry', 'entries')} of the record lost: {reason}"
        self.recorded.emit()
        self.ended.emit(how, str(sentence))
