"""The composer: a message, a model, Send and Stop. What was typed stays until a run has taken it.

It works on the thread that is shown; runs of others go on meanwhile (``inspector.turns``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.turns import Turn, Turns
from inspector.views.buttons import WordButton, tool_button
from inspector.views.fields import MessageEdit
from inspector.views.labels import ElidedLabel
from inspector.views.model_choice import ModelChoice

DRAFT_MS = 1000
HINT = "Ctrl+Return sends, Return makes a new line."


class DraftsLike(Protocol):
    """Where drafts are kept; called in jobs."""

    def read(self, source: str, thread_id: str) -> str: ...
    def write(self, source: str, thread_id: str, text: str) -> bool: ...


class RunningLike(Protocol):
    """Begins runs, in jobs; ``model`` is None for the thread's own."""

    def start(self, thread_id: str, message: str, model: str | None) -> Any: ...
    def resume(self, thread_id: str, model: str | None) -> Any: ...
    def compact(self, thread_id: str, model: str | None) -> Any: ...


class Composer(QWidget):
    """Runs the selected thread on, or starts a new one."""

    started = Signal(str)
    """A run that was begun here, as a new thread, has taken its message: the thread's id."""
    state_changed = Signal()
    """What one may do has changed."""
    model_chosen = Signal(str, str)
    """A run has taken its message: its thread, and the model as it stood in the field (empty for the thread's own)."""
    agent_wanted = Signal()
    """The reader wants to see the thread's agent."""
    details_wanted = Signal()
    """The reader wants to know how the last run failed."""

    def __init__(self, jobs: Jobs, drafts: DraftsLike, turns: Turns, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Composer")
        self._jobs, self._drafts, self.turns = jobs, drafts, turns
        self._running: RunningLike | None = None
        self._source = ""
        self._thread: str | None = None
        self._new: Turn | None = None
        """The run that the present new thread begins with, until it has taken the message."""
        self._closed_why = "Nothing is open."
        self._kept: dict[str, str] = {}
        self._fields: dict[int, tuple[str, str]] = {}
        """Where a run's message was typed, and its model, until it has taken the message."""
        self._filling = False
        self._stands = self._problem = ""
        self._failed = self._can_go_on = self._waits = False
        self._can: tuple[bool, ...] = ()
        self._build()
        self._save_timer = QTimer(self)
        self._save_timer.setSingleShot(True)
        self._save_timer.setInterval(DRAFT_MS)
        self._save_timer.timeout.connect(self.save_draft)
        turns.changed.connect(self._turn_changed)
        turns.accepted.connect(self._accepted)
        turns.ended.connect(self._ended)
        self._refresh()

    # -- what it works on --------------------------------------------------------------------

    def open(self, source: str, running: RunningLike | None, why_not: str = "") -> None:
        """Work on this source; without a door to running nothing can be sent, for the reason given."""
        self.save_draft()
        self.turns.forget()
        self.model.forget()
        self._source, self._running, self._closed_why = source, running, why_not
        self._kept, self._fields, self._new, self._thread = {}, {}, None, None
        self.model.set_thread(None)
        self._fill("")
        self.edit.setReadOnly(running is None)
        self.model.setEnabled(running is not None)
        self.set_standing("")
        self._load_draft()
        self._say_what_to_type()
        self.state_changed.emit()

    def set_thread(self, thread_id: str | None, model: str = "") -> None:
        """Write to this thread; None to a new one. Its draft comes back; ``model`` was chosen for it before."""
        if thread_id == self._thread:
            return
        self.save_draft()
        self.turns.leave(self._thread)
        self._thread, self._new, self._problem = thread_id, None, ""
        self.model.set_thread(thread_id, model)
        self._fill("")
        self.set_standing("")
        self._load_draft()
        self._say_what_to_type()

    def set_agent(self, name: str) -> None:
        """The agent that the thread was given, by name; empty for none."""
        self.agent_button.setText(format.menu_text(format.elide_middle(name, 24), 24))
        self.agent_button.setToolTip(format.tip(f"The agent of this thread: {name}"))
        self.agent_button.setAccessibleName(f"Agent of this thread: {format.one_line(name, 80)}")
        self.agent_button.setVisible(bool(name))

    def begin_with(self, agent: str, model: str) -> None:
        """Write to a new thread that begins with an agent, on its own model."""
        self.set_agent(agent)
        self.model.set_own(agent, model)
        self.model.setEditText("")
        self.edit.setPlaceholderText(f"Message that starts a thread with {format.one_line(agent, 60)}. {HINT}")

    def set_standing(
        self, sentence: str, *, failed: bool = False, can_go_on: bool = False, waits: bool = False
    ) -> None:
        """How the thread stands while no run goes on in it: it failed, can be gone on with, waits for a decision."""
        self._stands, self._failed, self._can_go_on, self._waits = sentence, failed, can_go_on, waits
        self._refresh()

    # -- commands ----------------------------------------------------------------------------

    @property
    def turn(self) -> Turn | None:
        """The last run of the thread that is shown, or of the new one."""
        return self._new if self._thread is None else self.turns.of(self._thread)

    @property
    def running(self) -> bool:
        """Whether a run of this thread is under way."""
        return self.turn is not None and not self.turn.over

    def _idle(self) -> bool:
        return self._running is not None and not self.running

    def can_send(self) -> bool:
        """Whether there is something to send, and nothing under way here."""
        return self._idle() and bool(self.edit.text().strip())

    def can_stop(self) -> bool:
        """Whether a run of this thread is under way that was not yet asked to stop."""
        return self.running and self.turn is not None and not self.turn.stopping

    def can_resume(self) -> bool:
        """Whether the thread's last run can be gone on with."""
        return self._idle() and self._can_go_on

    def can_compact(self) -> bool:
        """Whether the thread's older messages may be summarized now."""
        return self._idle() and self._thread is not None and not self._waits

    def send(self, new_thread_id: Callable[[], str]) -> None:
        """Run the thread on with the message; the text stays until the run has taken it."""
        running = self._running
        if running is None or not self.can_send():
            return
        message, model = self.edit.text(), self.model.name()
        thread_id = self._thread if self._thread is not None else new_thread_id()
        self.save_draft()
        turn = self.turns.begin(thread_id, "message", lambda: running.start(thread_id, message, model), message)
        self._fields[id(turn)] = (self._thread or "", self.model.currentText().strip())
        if self._thread is None:
            self._new = turn
        self._refresh()

    def resume(self) -> None:
        """Go on with the run that failed or was stopped."""
        if self.can_resume():
            self.begin("resume", "resume")

    def compact(self) -> None:
        """Summarize older messages now."""
        if self.can_compact():
            self.begin("compact", "compact")

    def begin(self, what: str, how: str, *given: Any) -> None:
        """Begin a run of the thread that takes no message: ``how`` names the method of the door to running."""
        thread_id, model, door = self._thread, self.model.name(), self._running
        if door is None or thread_id is None or self.running:
            return
        self.set_standing("")
        self.turns.begin(thread_id, what, lambda: getattr(door, how)(thread_id, *given, model))

    def stop(self) -> None:
        """Stop the run of this thread."""
        if self.turn is not None:
            self.turns.stop(self.turn.thread_id)

    # -- drafts ------------------------------------------------------------------------------

    def save_draft(self, now: bool = False) -> None:
        """Keep what is typed; ``now`` waits for the disk (the window is closing)."""
        self._save_timer.stop()
        if not self._source:
            return
        text, key = self.edit.text(), self._thread or ""
        if self._kept.get(key) == text or (key not in self._kept and not text):
            return
        self._kept[key] = text
        if now:
            self._drafts.write(self._source, key, text)
        else:
            self._write_draft(key, text)

    def forget(self, thread_id: str) -> None:
        """The thread was deleted: what was typed for it goes, on the disk too."""
        if thread_id == self._thread:
            self._save_timer.stop()
            self._fill("")
        self._kept[thread_id] = ""
        self._write_draft(thread_id, "")

    def _write_draft(self, key: str, text: str) -> None:
        self._jobs.run("Keeping the draft", self._drafts.write, self._source, key, text,
                       done=self._draft_written, key=(self, "write", key), quiet=True, lane="drafts")  # fmt: skip

    def _draft_written(self, kept: bool) -> None:
        lost = "The draft could not be written to the disk: it is kept only while the window is open."
        self._problem = "" if kept else lost
        self._refresh()

    def _load_draft(self) -> None:
        key, source = self._thread or "", self._source
        if key in self._kept:
            self._fill(self._kept[key])
        elif source:
            self._jobs.run("Reading the draft", self._drafts.read, source, key,
                           done=lambda text: self._draft_read(source, key, text),
                           key=(self, "read"), quiet=True)  # fmt: skip

    def _draft_read(self, source: str, key: str, text: str) -> None:
        if source != self._source or key in self._kept:
            return
        self._kept[key] = text
        if text and key == (self._thread or ""):
            typed = self.edit.text()
            self._fill(f"{text}\n{typed}" if typed else text)

    def _fill(self, text: str) -> None:
        self._filling = True
        self.edit.setPlainText(text)
        self._filling = False
        self._refresh()

    # -- the runs tell -----------------------------------------------------------------------

    def _turn_changed(self, thread_id: str) -> None:
        if self.turn is not None and self.turn.thread_id == thread_id:
            self._refresh()

    def _accepted(self, turn: Turn) -> None:
        key, model = self._fields.pop(id(turn), (None, ""))
        if key is None:
            return
        here = key == (self._thread or "")
        left = self.edit.text() if here else self._kept.get(key, "")
        if left.startswith(turn.message):
            left = left[len(turn.message) :].lstrip("\n")
        if here:
            self._fill(left)
        self._kept[key] = left
        self._write_draft(key, left)
        self.model_chosen.emit(turn.thread_id, model)
        if turn is self._new:
            self.started.emit(turn.thread_id)

    def _ended(self, turn: Turn) -> None:
        self._fields.pop(id(turn), None)

    def _say(self, text: str, error: bool = False) -> None:
        self.line.set_text(("! " if error else "") + text, error=error)

    # -- inside ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.edit = MessageEdit(self)
        self.edit.setAccessibleName("Message")
        self.model = ModelChoice(self)
        self.agent_button = tool_button("", "Agent of this thread", self.agent_wanted.emit, self)
        self.agent_button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.agent_button.hide()
        self.send_button = QPushButton("Send", self)
        self.stop_button = QPushButton("Stop", self)
        self.line = ElidedLabel(muted=True)
        self.go_on_button = WordButton("Go on", self.resume, name="Go on with the run")
        self.details_button = WordButton("Details…", self.details_wanted.emit, name="How the run failed")
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.edit, 1)
        for widget in (self.agent_button, self.model, self.send_button, self.stop_button):
            top.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self._below = QWidget()
        below = QHBoxLayout(self._below)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(6)
        below.addWidget(self.line, 1)
        below.addWidget(self.go_on_button)
        below.addWidget(self.details_button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 5, 8, 3)
        layout.setSpacing(1)
        layout.addLayout(top)
        layout.addWidget(self._below)
        self.edit.textChanged.connect(self._typed)
        self.edit.escaped.connect(self._escaped)

    def event(self, event: QEvent) -> bool:
        """Never higher than what it holds: its dock shrinks with it again."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.setMaximumHeight(self.minimumSizeHint().height())
        return handled

    def _escaped(self) -> None:
        if self.can_stop():
            self.stop()

    def _typed(self) -> None:
        if not self._filling:
            self._save_timer.start()
        self._refresh()

    def _refresh(self) -> None:
        turn = self.turn
        failed = turn.state == "failed" if turn is not None else self._failed
        if self._problem and not self.running:
            self._say(self._problem, True)
        elif turn is not None:
            self._say(turn.line(), failed or bool(turn.over and turn.lost))
        else:
            self._say(self._stands, failed)
        self._below.setVisible(bool(self.line.text()))
        can = (self.can_send(), self.can_stop(), self.can_resume(), self.can_compact(), failed)
        if can == self._can:  # a run tells of itself thirty times a second
            return
        self._can = can
        self.send_button.setEnabled(can[0])
        self.stop_button.setEnabled(can[1])
        self.go_on_button.setVisible(can[2])
        self.details_button.setVisible(failed)
        self._say_what_to_type()
        self.state_changed.emit()

    def _say_what_to_type(self) -> None:
        if self._running is None:
            words = self._closed_why
        elif self._thread is None:
            words = f"Message that starts a new thread. {HINT}"
        else:
            words = f"Message to this thread. {HINT}"
        self.edit.setPlaceholderText(words)
