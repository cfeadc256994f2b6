"""One agent while it is edited: what is typed, what it was made from, and its draft on disk."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal

from engine.errors import InspectorError
from inspector import agent_jobs
from inspector.agent_jobs import Judged, Opened, State
from inspector.jobs import Jobs

DRAFT_MS = 500
"""What is typed is on disk at most this long after the first key that changed it."""


class AgentEdit(QObject):
    """What is typed for one agent. Nothing here is stored before ``Agents.save``."""

    changed = Signal()
    """Something was typed, saved or loaded."""
    problem = Signal(str)
    """The draft can't be kept; a sentence."""

    def __init__(self, jobs: Jobs, path: Path, opened: Opened, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._path, self._slot = jobs, path, opened.slot
        self.id = opened.agent.id
        self.version = opened.draft_version if opened.draft is not None else opened.agent.version
        self.restored = opened.draft is not None
        """Whether it began with what was typed before and not saved."""
        self.outdated = self.restored and self.version != opened.agent.version
        """Whether the agent was saved by somebody else since this was typed."""
        self.base: State = opened.base
        self.state: State = copy.deepcopy(opened.draft if opened.draft is not None else opened.base)
        self.judged: Judged | None = None
        self._turn = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DRAFT_MS)
        self._timer.timeout.connect(self._keep)

    @property
    def name(self) -> str:
        """The name as typed."""
        return str(self.state["name"])

    @property
    def dirty(self) -> bool:
        """Whether something is not saved."""
        return self.state != self.base

    def get(self, field: str, default: Any = None) -> Any:
        """A setting's JSON form as it is typed now. Not to be changed in place."""
        return self.state["form"].get(field, default)

    def text(self, field: str) -> str:
        """A field that is typed as JSON."""
        return str(self.state["texts"].get(field, ""))

    def set(self, field: str, value: Any) -> None:
        """A setting was typed."""
        if self.state["form"].get(field) != value:
            self.state["form"] = {**self.state["form"], field: value}
            self._follow()

    def set_text(self, field: str, text: str) -> None:
        """A field that is typed as JSON was."""
        if self.text(field) != text:
            self.state["texts"] = {**self.state["texts"], field: text}
            self._follow()

    def set_name(self, name: str) -> None:
        """The name was typed."""
        if self.name != name:
            self.state["name"] = name
            self._follow()

    def snapshot(self) -> State:
        """What is typed, for a job: it stays as it is."""
        return copy.deepcopy(self.state)

    def saved(self, version: int, base: State, state: State) -> None:
        """``state`` is stored as ``version``; what was typed since stays."""
        typed_since = self.state != state
        self.version, self.base, self.outdated = version, base, False
        if not typed_since:
            self.state = copy.deepcopy(base)
        self._follow()

    def load(self, version: int, base: State) -> None:
        """Give up what was typed for what is stored."""
        self.version, self.base, self.state = version, base, copy.deepcopy(base)
        self.restored = self.outdated = False
        self._follow()

    def waits(self) -> bool:
        """Whether something typed is to be put on disk in a moment."""
        return self._timer.isActive()

    def flush(self) -> None:
        """Put what is not saved on disk now, before the window goes."""
        self._timer.stop()
        if self.dirty:
            self._turn += 1
            try:
                agent_jobs.keep_draft(*self._draft())
            except InspectorError as error:
                self.problem.emit(str(error))

    def leave(self) -> None:
        """Let go of the draft; it stays on disk for whoever opens the agent next."""
        self.flush()
        self._slot.leave()

    def forget(self) -> None:
        """The agent is gone, and so is its draft."""
        self._timer.stop()
        self._turn += 1
        self._jobs.run("Forgetting the draft", agent_jobs.forget_draft, self._slot, self._turn,
                       failed=self.problem.emit, quiet=True)  # fmt: skip

    def _follow(self) -> None:
        if self.dirty:
            if not self._timer.isActive():
                self._timer.start()
        else:
            self.forget()
        self.changed.emit()

    def _keep(self) -> None:
        if self.dirty:
            self._turn += 1
            self._jobs.run("Keeping what is not saved", agent_jobs.keep_draft, *self._draft(),
                           failed=self.problem.emit, quiet=True)  # fmt: skip

    def _draft(self) -> tuple[Any, ...]:
        return (self._slot, self._turn, self._path, self.id, self.version, self.base, self.snapshot())
