"""The composer: a message, a model, Send and Stop. What was typed stays until a run has taken it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QHBoxLayout,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from inspector.jobs import Jobs
from inspector.turns import RunLike, Turn
from inspector.views.fields import MessageEdit, ModelField
from inspector.views.labels import ElidedLabel

SCRIPTED = "scripted (offline)"
DRAFT_MS = 1000
KEPT_MODELS = 8
HINT = "Ctrl+Return sends, Return makes a new line."


class DraftsLike(Protocol):
    """Where drafts are kept; called in jobs."""

    def read(self, source: str, thread_id: str) -> str: ...
    def write(self, source: str, thread_id: str, text: str) -> bool: ...


Starter = Callable[[str, str, str | None], RunLike]
"""Thread id, message, model (None for the scripted one) → a run. Called in a job."""


class Composer(QWidget):
    """Runs the selected thread on, or starts a new one."""

    started = Signal(str)
    """A run has taken a message of this thread."""
    recorded = Signal()
    """The run made a request."""
    state_changed = Signal()
    """Whether one may send or stop has changed."""
    model_chosen = Signal(str)
    """The model of a run that has taken its message."""

    def __init__(self, jobs: Jobs, drafts: DraftsLike, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Composer")
        self._jobs = jobs
        self._drafts = drafts
        self._starter: Starter | None = None
        self._source = ""
        self._thread: str | None = None
        self._closed_why = "Nothing is open."
        self._kept: dict[str, str] = {}
        self._filling = False
        self.turn: Turn | None = None
        self._build()
        self._save_timer = QTimer(self)
        self._save_timer.setSingleShot(True)
        self._save_timer.setInterval(DRAFT_MS)
        self._save_timer.timeout.connect(self.save_draft)
        self._refresh()

    # -- what it works on --------------------------------------------------------------------

    def open(self, source: str, starter: Starter | None, why_not: str = "") -> None:
        """Work on this source; without a starter nothing can be sent, for the reason given."""
        self.save_draft()
        self._source, self._starter, self._closed_why = source, starter, why_not
        self._kept = {}
        self._thread = None
        self._fill("")
        self.edit.setReadOnly(starter is None)
        self._load_draft()
        self._refresh()

    def set_thread(self, thread_id: str | None) -> None:
        """Write to this thread; None to a new one. Its draft comes back."""
        if thread_id == self._thread:
            return
        self.save_draft()
        self._thread = thread_id
        if not self.running:
            self._say("")
        self._fill("")
        self._load_draft()
        self._refresh()

    def set_models(self, names: list[str], current: str) -> None:
        """Models to offer after the scripted one, and the one in the field."""
        self.model.clear()
        self.model.addItems([SCRIPTED, *[n for n in names if n != SCRIPTED][:KEPT_MODELS]])
        self.model.setCurrentText(current or SCRIPTED)

    def models(self) -> list[str]:
        """Models that were used, the last one first."""
        return [self.model.itemText(i) for i in range(1, self.model.count())]

    # -- commands ----------------------------------------------------------------------------

    @property
    def running(self) -> bool:
        """Whether a run is under way."""
        return self.turn is not None and not self.turn.over

    def can_send(self) -> bool:
        """Whether there is something to send, and nothing under way."""
        return self._starter is not None and not self.running and bool(self.edit.text().strip())

    def can_stop(self) -> bool:
        """Whether a run is under way that was not yet asked to stop."""
        return self.running and self.turn is not None and not self.turn.stopping

    def send(self, new_thread_id: Callable[[], str]) -> None:
        """Run the thread on with the message; the text stays until the run has taken it."""
        starter = self._starter
        if starter is None or not self.can_send():
            return
        message = self.edit.text()
        thread_id = self._thread if self._thread is not None else new_thread_id()
        field = self.model.currentText().strip()
        model = None if field in ("", SCRIPTED) else field
        self.save_draft()
        turn = Turn(thread_id, message, self)
        self.turn = turn
        source, key = self._source, self._thread or ""
        turn.accepted.connect(lambda: self._accepted(turn, source, key))
        turn.accepted.connect(lambda: self.model_chosen.emit(field or SCRIPTED))
        turn.progressed.connect(lambda text: self._progressed(turn, text))
        turn.recorded.connect(self.recorded)
        turn.ended.connect(self._ended)
        turn.start(self._jobs, lambda: starter(thread_id, message, model))
        self._refresh()

    def stop(self) -> None:
        """Stop the run."""
        if self.turn is not None:
            self.turn.stop()
            self._refresh()

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

    def _write_draft(self, key: str, text: str) -> None:
        self._jobs.run("Keeping the draft", self._drafts.write, self._source, key, text,
                       done=self._draft_written, key=(self, "write", key), quiet=True)  # fmt: skip

    def _draft_written(self, kept: bool) -> None:
        if not kept and not self.running:
            self._say("The draft could not be written to the disk: it is kept only while the window is open.", True)

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

    # -- the run tells -----------------------------------------------------------------------

    def _accepted(self, turn: Turn, source: str, key: str) -> None:
        if source != self._source:
            self._drafts.write(source, key, "")
            return
        left = self._kept.get(key, "")
        if key == (self._thread or ""):
            left = self.edit.text()
        if left.startswith(turn.message):
            left = left[len(turn.message) :].lstrip("\n")
        if key == (self._thread or ""):
            self._fill(left)
        self._kept[key] = left
        self._write_draft(key, left)
        self.started.emit(turn.thread_id)

    def _ended(self, how: str, sentence: str) -> None:
        lost = f" {self.turn.lost}." if self.turn is not None and self.turn.lost else ""
        if how == "failed":
            kept = "" if self.turn is not None and self.turn.is_accepted else " The message is still here."
            self._say((sentence or "The run failed.") + kept + lost, True)
        elif how == "stopped":
            self._say("Stopped. What was finished is recorded." + lost, bool(lost))
        else:
            self._say("Done." + lost, bool(lost))
        self._refresh()

    def _progressed(self, turn: Turn, text: str) -> None:
        here = turn.thread_id == self._thread or not turn.is_accepted
        self._say(text if here else f"In another thread: {text}")

    def _say(self, text: str, error: bool = False) -> None:
        self.line.set_text(("! " if error else "") + text, error=error)
        self.line.setVisible(bool(text))

    # -- inside ------------------------------------------------------------------------------

    def _build(self) -> None:
        self.edit = MessageEdit(self)
        self.edit.setAccessibleName("Message")
        self.model = ModelField(self)
        self.model.setEditable(True)
        self.model.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.model.setAccessibleName("Model")
        self.model.setToolTip("scripted (offline), or provider:model as LangChain names it")
        self.model.setMinimumContentsLength(18)
        self.set_models([], SCRIPTED)
        self.send_button = QPushButton("Send", self)
        self.stop_button = QPushButton("Stop", self)
        self.line = ElidedLabel(muted=True)
        self.line.hide()
        top = QHBoxLayout()
        top.setSpacing(6)
        top.addWidget(self.edit, 1)
        for widget in (self.model, self.send_button, self.stop_button):
            top.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 5, 8, 3)
        layout.setSpacing(1)
        layout.addLayout(top)
        layout.addWidget(self.line)
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
        self.send_button.setEnabled(self.can_send())
        self.stop_button.setEnabled(self.can_stop())
        if self._starter is None:
            words = self._closed_why
        elif self._thread is None:
            words = f"Message that starts a new thread. {HINT}"
        else:
            words = f"Message to this thread. {HINT}"
        self.edit.setPlaceholderText(words)
        self.state_changed.emit()
