"""Runs under way, one a thread: started off the GUI thread, drained together every 33 ms, stopped one by one.

A run tells far more than can be painted (a token a millisecond); a signal for each would take the
GUI thread. So runs queue, and one timer drains them all. It knows no widget and nothing of the engine but the
shape of a run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from PySide6.QtCore import QObject, QTimer, Signal

from engine.running import Compaction, HandRequest, Update
from inspector import format
from inspector.jobs import Failure, Jobs

DRAIN_MS = 33
TAIL = 160
"""Characters of the answer that the progress line shows at most."""
_END = ("done", "failed", "stopped", "interrupted")


class RunLike(Protocol):
    """A run of the engine."""

    result: Any
    lost: int
    lost_reason: str

    def drain(self) -> Sequence[Update]: ...
    def waiting(self) -> list[HandRequest]: ...
    def stop(self) -> None: ...
    @property
    def finished(self) -> bool: ...


Start = Callable[[], RunLike]


class Turn:
    """One run, from the click that begins it to its end. ``Turns`` drives it."""

    def __init__(self, thread_id: str, what: str, message: str) -> None:
        self.thread_id = thread_id
        self.what = what
        """``message``, ``resume``, ``answer`` or ``compact``."""
        self.message = message
        self.run: Any = None
        self.is_accepted = False
        """Whether the run has begun: its message is in the thread."""
        self.stopping = False
        self.over = False
        self.how = ""
        """Once it is over: ``done``, ``failed``, ``stopped`` or ``interrupted``."""
        self.sentence = ""
        """Why it failed."""
        self.lost = ""
        """What the record lost of this run, in a sentence; empty when nothing."""
        self.hands: list[HandRequest] = []
        """Requests that wait for an answer by hand, by their numbers."""
        self.words = ""
        """The answer of the main agent's latest request, as far as it has come."""
        self.answers = 0
        """Which answer ``words`` is: 1 for the first."""
        self.requests = 0
        self._open: dict[tuple[str, int], Update] = {}

    @property
    def state(self) -> str:
        """``running``, ``waiting`` (for an answer by hand), or how it ended."""
        if self.over:
            return self.how
        return "waiting" if self.hands and not self.stopping else "running"

    def take(self, update: Update) -> bool:
        """Take in what the run told; whether there is a new request to read."""
        self.is_accepted = self.is_accepted or update.kind not in ("failed", "stopped")
        if update.kind == "token":
            self.words += update.text
        elif update.kind in ("request", "tool"):
            key = (update.kind, update.number)
            if update.state in ("", "started"):
                self._open[key] = update
            else:
                self._open.pop(key, None)
            if update.kind == "request" and update.state in ("", "started"):
                self.requests = max(self.requests, update.number)
                if update.purpose in ("", "agent"):
                    self.words, self.answers = "", self.answers + 1
            return update.kind == "request"
        return update.kind == "hand"

    def line(self) -> str:
        """One line on what it is doing, or on how it ended."""
        if self.over:
            return self._last_line()
        if self.stopping:
            return "Stopping"
        if self.hands:
            if len(self.hands) > 1:
                return f"{format.count(len(self.hands), 'request')} wait for your answer"
            return f"{_called(self.hands[0])} waits for your answer"
        if not self.is_accepted:
            return {"compact": "Summarizing older messages"}.get(self.what, "Starting the agent")
        told = [_requests(self._of("request")), _tools(self._of("tool"))]
        tail = format.one_line(self.words[-2 * TAIL :], 2 * TAIL)
        if len(self.words) > TAIL:
            tail = "…" + tail[-TAIL:]
        head = " · ".join(filter(None, told)) or (
            f"{format.count(self.requests, 'request')} so far" if self.requests else "Running"
        )
        return f"{head} · {tail}" if tail and not self._of("tool") else head

    def _of(self, kind: str) -> list[Update]:
        return [update for (which, _number), update in self._open.items() if which == kind]

    def _last_line(self) -> str:
        lost = f" {self.lost}." if self.lost else ""
        if self.how == "failed":
            kept = " The message is still here." if self.message and not self.is_accepted else ""
            return (self.sentence or "The run failed.") + kept + lost
        if self.how == "stopped":
            return "Stopped. What was finished is recorded." + lost
        if self.how == "interrupted":
            return "The run waits for your decision." + lost
        result = getattr(self.run, "result", None)
        return (compacted(result) if isinstance(result, Compaction) else "Done.") + lost


class Turns(QObject):
    """The last run of each thread. A thread has one at a time; threads run side by side."""

    changed = Signal(str)
    """What a thread's run is doing has changed: its id."""
    accepted = Signal(object)
    """A ``Turn`` has begun: its message is in the thread."""
    recorded = Signal(str)
    """A request was made in a thread: there is something new to read."""
    hand_asked = Signal(str, bool)
    """A request of this thread has begun to wait for an answer by hand; whether none waited before."""
    ended = Signal(object)
    """A ``Turn`` is over."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._turns: dict[str, Turn] = {}
        self._timer = QTimer(self)
        self._timer.setInterval(DRAIN_MS)
        self._timer.timeout.connect(self.drain)

    def of(self, thread_id: str | None) -> Turn | None:
        """A thread's last run, over or not."""
        return self._turns.get(thread_id) if thread_id is not None else None

    def running(self) -> list[Turn]:
        """Runs that are not over, oldest first."""
        return [turn for turn in self._turns.values() if not turn.over]

    def is_running(self, thread_id: str | None) -> bool:
        """Whether a run of the thread is under way."""
        turn = self.of(thread_id)
        return turn is not None and not turn.over

    def begin(self, thread_id: str, what: str, start: Start, message: str = "") -> Turn:
        """Begin a run in a job: it imports what takes seconds."""
        turn = Turn(thread_id, what, message)
        self._turns.pop(thread_id, None)
        self._turns[thread_id] = turn
        self._jobs.run(
            "Starting the agent", start,
            done=lambda run: self._started(turn, run), failed=lambda failure: self._refused(turn, failure),
        )  # fmt: skip
        self.changed.emit(thread_id)
        return turn

    def stop(self, thread_id: str | None) -> None:
        """Ask a thread's run to stop; ``ended`` follows."""
        turn = self.of(thread_id)
        if turn is None or turn.over or turn.stopping:
            return
        turn.stopping = True
        if turn.run is not None:
            turn.run.stop()
        self.changed.emit(turn.thread_id)

    def stop_all(self) -> None:
        """Ask every run to stop."""
        for turn in self.running():
            self.stop(turn.thread_id)

    def leave(self, thread_id: str | None) -> None:
        """Forget how a thread's last run ended well."""
        turn = self.of(thread_id)
        if turn is not None and turn.over and turn.how != "failed":
            del self._turns[turn.thread_id]

    def forget(self) -> None:
        """Another source is opened: its runs are stopped, and nothing is heard of them any more."""
        self.drain()
        self.stop_all()
        for turn in self.running():
            turn.over, turn.how = True, "stopped"
        self._turns.clear()
        self._timer.stop()

    def drain(self) -> None:
        """Take what the runs have told since."""
        for turn in self.running():
            if turn.run is not None:
                self._drain(turn)
        if not self.running():
            self._timer.stop()

    def _drain(self, turn: Turn) -> None:
        finished = turn.run.finished  # asked first: what is told between the two is drained below
        updates = turn.run.drain()
        was_accepted, news, asked = turn.is_accepted, False, False
        last: Update | None = None
        for update in updates:
            news = turn.take(update) or news
            asked = asked or update.kind == "hand"
            last = update if update.kind in _END else last
        before = len(turn.hands)
        if asked or before:
            turn.hands = sorted(turn.run.waiting(), key=lambda each: each.number or 0)
        if turn.is_accepted and not was_accepted:
            self.accepted.emit(turn)
        if last is not None:
            self._end(turn, last.kind, last.text if last.kind == "failed" else "")
        elif finished:
            self._end(turn, "stopped" if turn.stopping else "done", "")
        elif updates or len(turn.hands) != before:
            if news:
                self.recorded.emit(turn.thread_id)
            self.changed.emit(turn.thread_id)
            if asked:
                self.hand_asked.emit(turn.thread_id, not before)

    def _started(self, turn: Turn, run: RunLike) -> None:
        turn.run = run
        if turn.over or turn.stopping:
            run.stop()
        if not turn.over:
            self._timer.start()
            self.drain()

    def _refused(self, turn: Turn, failure: Failure) -> None:
        if not turn.over:
            self._end(turn, "failed", failure)

    def _end(self, turn: Turn, how: str, sentence: str) -> None:
        turn.over, turn.how, turn.sentence, turn.hands = True, how, str(sentence), []
        if turn.run is not None and turn.run.lost:
            reason = format.one_line(str(turn.run.lost_reason), 200) or "reason not known"
            turn.lost = f"{format.count(turn.run.lost, 'entry', 'entries')} of the record lost: {reason}"
        self.recorded.emit(turn.thread_id)
        self.changed.emit(turn.thread_id)
        self.ended.emit(turn)


def compacted(result: Compaction) -> str:
    """What a summary on demand did, in a sentence."""
    sizes = f"{format.tokens(result.tokens_before)} → {format.tokens(result.tokens_after)} tokens"
    where = f"The history is in {result.path}." if result.path else "The history could not be saved to a file."
    return f"{format.count(result.summarized, 'message')} summarized, {result.kept} kept: {sizes}. {where}"


def _called(request: HandRequest) -> str:
    """``Request 4 of researcher``."""
    number = "The request" if request.number is None else f"Request {format.exact(request.number)}"
    return f"{number} of {format.one_line(request.agent, 40)}" if request.agent else number


def _requests(requests: Sequence[Update]) -> str:
    if not requests:
        return ""
    names = list(dict.fromkeys(format.one_line(each.name, 40) for each in requests if each.name))
    summary = any(each.purpose == "summary" for each in requests)
    numbers = ", ".join(str(each.number) for each in requests if each.number)
    head = (f"Requests {numbers}" if len(requests) > 1 else f"Request {numbers}").strip()
    told = f"{head} of the run" + (f" ({', '.join(names)})" if names else "")  # the table counts in the thread
    return told + (", writing a summary" if summary else "")


def _tools(tools: Sequence[Update]) -> str:
    names = [format.one_line(each.name, 40) for each in tools if each.name]
    if not tools:
        return ""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"calling {', '.join(names[:3])}{more}" if names else "calling tools"
