"""What is known of the agent that is edited, a moment after each change: problems, effective values, tools, keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

import engine
from inspector import agent_jobs, format
from inspector.agent_edit import AgentEdit
from inspector.agent_jobs import Judged
from inspector.jobs import Jobs

if TYPE_CHECKING:
    from engine.blueprint import ToolSchema, ToolSource

DELAY_MS = 250
"""After the last key: an answer is worth asking for."""


class Checks(QObject):
    """Asks in jobs, and tells."""

    judged = Signal(object)
    """``Judged`` of the agent that is edited now."""
    tools_listed = Signal()
    """``listed`` is another one."""
    said = Signal(str, str, bool)
    """What came of listing the tools of a source: its name, a sentence, and whether that failed."""
    key_said = Signal(str, bool)
    """What came of remembering or forgetting a key: a sentence, and whether it was done."""
    failed = Signal(str)
    """It can't be told what is wrong with the agent; a sentence."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._edit: AgentEdit | None = None
        self.listed: dict[str, Sequence[ToolSchema]] = {}
        """Source → its tools, of all that were listed; one whose code was changed since is not among them."""
        self._digests: dict[str, str] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DELAY_MS)
        self._timer.timeout.connect(self.ask)

    def set_edit(self, edit: AgentEdit | None) -> None:
        """Watch another agent."""
        if self._edit is not None:
            self._edit.changed.disconnect(self._timer.start)
        self._edit = edit
        self._jobs.cancel((self, "judge"))
        self._timer.stop()
        if edit is not None:
            edit.changed.connect(self._timer.start)
            self.ask()

    def ask(self) -> None:
        """Judge it as it is now."""
        self._timer.stop()
        edit = self._edit
        if edit is None:
            return
        names = {source: [tool.name for tool in tools] for source, tools in self.listed.items()}
        self._jobs.run("Checking the agent", agent_jobs.judge, edit.snapshot(), names,
                       done=lambda found: self._take(edit, found), failed=self.failed.emit, key=(self, "judge"),
                       quiet=True)  # fmt: skip

    def waits(self) -> bool:
        """Whether something typed is to be judged in a moment."""
        return self._timer.isActive()

    def list_tools(self, source: ToolSource) -> None:
        """List the tools of code that may run."""
        self._list(source.text, source.digest, engine.list_tools, source.text)

    def trust(self, source: str, digest: str) -> None:
        """Let code run that the user was shown, and list its tools."""
        self._list(source, digest, agent_jobs.trust_and_list, source, digest)

    def distrust(self, source: str) -> None:
        """Let the code of a source run no longer."""
        self.listed.pop(source, None)
        self.tools_listed.emit()
        self._jobs.run("Forgetting that it may run", engine.distrust_tool, source, done=lambda _none: self.ask(),
                       failed=lambda sentence: self.said.emit(source, sentence, True))  # fmt: skip

    def remember_key(self, model: str, key: str) -> None:
        """Put a key into the keyring of the system, and nowhere else."""
        self._jobs.run("Remembering the key", engine.remember_key, model, key,
                       done=lambda _state: self._key_done("The key is in the system’s keyring."),
                       failed=lambda sentence: self.key_said.emit(sentence, False), key=(self, "key"))  # fmt: skip

    def forget_key(self, model: str) -> None:
        """Take a key out of the keyring."""
        self._jobs.run("Forgetting the key", engine.forget_key, model,
                       done=lambda _state: self._key_done("The system’s keyring has it no longer."),
                       failed=lambda sentence: self.key_said.emit(sentence, False), key=(self, "key"))  # fmt: skip

    def close(self) -> None:
        """Ask for nothing more."""
        self.set_edit(None)

    def _list(self, source: str, digest: str, *job: object) -> None:
        self.said.emit(source, "Loading its code in a process of its own, to list its tools.", False)
        self._jobs.run(f"Listing the tools of {format.one_line(source, 60)}", *job,  # type: ignore[arg-type]
                       done=lambda tools: self._tools(source, digest, tools),
                       failed=lambda sentence: self._not_listed(source, sentence),
                       key=(self, "list", source))  # fmt: skip

    def _take(self, edit: AgentEdit, found: Judged) -> None:
        if edit is not self._edit:
            return
        edit.judged = found
        stale = [text for text, digest in self._digests.items()
                 if text in self.listed and getattr(found.sources.get(text), "digest", digest) != digest]  # fmt: skip
        for text in stale:
            del self.listed[text]
        if stale:
            self.tools_listed.emit()
        self.judged.emit(found)

    def _tools(self, source: str, digest: str, tools: Sequence[ToolSchema]) -> None:
        self.listed[source], self._digests[source] = tools, digest
        self.tools_listed.emit()
        self.ask()

    def _not_listed(self, source: str, sentence: str) -> None:
        self.said.emit(source, sentence, True)

    def _key_done(self, sentence: str) -> None:
        self.key_said.emit(sentence, True)
        self.ask()
