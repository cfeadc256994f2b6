"""The agents of one workspace: which there are, which of them a thread has, and changes to them. All work is jobs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

import engine
from engine.errors import EditConflict
from inspector import agent_jobs
from inspector.agent_edit import AgentEdit
from inspector.agent_jobs import Opened, State
from inspector.drafts import Drafts
from inspector.jobs import Failure, Jobs

if TYPE_CHECKING:
    from engine.blueprint import StoredAgent


class Agents(QObject):
    """Lists the agents, opens them for editing, and changes them. Edits stay until they are saved or given up."""

    listed = Signal()
    """``agents`` was read again."""
    opened = Signal(int)
    """``edit(id)`` is there."""
    saved = Signal(int)
    deleted = Signal(int)
    created = Signal(int)
    """A new agent or a copy is there: its id."""
    conflicted = Signal(int, str)
    """An agent was not saved, since somebody else changed it: id and sentence."""
    failed = Signal(int, str)
    """Something was not done to an agent (0: to none of them): its id and a sentence."""

    def __init__(self, path: Path, jobs: Jobs, drafts: Drafts | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.path, self._jobs = path, jobs
        self._drafts = drafts or Drafts()
        self.agents: Sequence[StoredAgent] = ()
        self.known = False
        """Whether the list was read."""
        self._edits: dict[int, AgentEdit] = {}

    # -- what there is ---------------------------------------------------------------------------

    def refresh(self) -> None:
        """Read the list again."""
        self._jobs.run("Reading the agents", agent_jobs.list_agents, self.path, done=self._listed,
                       failed=lambda sentence: self.failed.emit(0, sentence), key=(self, "list"),
                       quiet=True)  # fmt: skip

    def get(self, id: int) -> StoredAgent | None:
        """An agent as it was when the list was read."""
        return next((agent for agent in self.agents if agent.id == id), None)

    def of_thread(self, thread_id: str | None) -> StoredAgent | None:
        """The agent that a thread was given; None for one that goes on with the default or its own."""
        return next((agent for agent in self.agents if thread_id in agent.threads), None)

    def name_of(self, thread_id: str | None) -> str:
        """Name of the agent that a thread was given; empty for none."""
        agent = self.of_thread(thread_id)
        return agent.name if agent is not None else ""

    # -- editing ---------------------------------------------------------------------------------

    def edit(self, id: int) -> AgentEdit | None:
        """What is typed for an agent, when it was opened."""
        return self._edits.get(id)

    def open(self, id: int) -> None:
        """Open an agent for editing; ``opened`` or ``failed`` follows."""
        if id in self._edits:
            self.opened.emit(id)
            return
        self._jobs.run("Opening the agent", agent_jobs.open_agent, self.path, id, self._drafts, done=self._opened,
                       failed=lambda sentence: self.failed.emit(id, sentence), key=(self, "open", id))  # fmt: skip

    def save(self, id: int, done: Callable[[], None] | None = None) -> None:
        """Store what is typed; ``saved``, ``conflicted`` or ``failed`` follows."""
        edit = self._edits.get(id)
        if edit is None:
            return
        state = edit.snapshot()

        def kept(found: tuple[StoredAgent, State]) -> None:
            agent, base = found
            edit.saved(agent.version, base, state)
            self._put(agent)
            self.saved.emit(id)
            if done is not None:
                done()

        self._jobs.run("Saving the agent", agent_jobs.save, self.path, id, edit.version, state, done=kept,
                       failed=lambda failure: self._refused(id, failure), key=(self, "save", id))  # fmt: skip

    def save_copy(self, id: int) -> None:
        """Store what is typed as an agent of its own, and give up the edit of the other."""
        edit = self._edits.get(id)
        if edit is not None:

            def made(agent: StoredAgent) -> None:
                self.load_theirs(id)
                self._made(agent)

            self._run("Saving a copy", id, made, agent_jobs.save_copy, self.path, edit.snapshot())

    def load_theirs(self, id: int) -> None:
        """Give up what is typed for what is stored."""

        def done(agents: Sequence[StoredAgent]) -> None:
            self._listed(agents)
            agent, edit = self.get(id), self._edits.get(id)
            if agent is None:
                self._gone(id)
            elif edit is not None:
                edit.load(agent.version, agent_jobs.state_of(agent))
                self.opened.emit(id)

        self._run("Reading the agent", id, done, agent_jobs.list_agents, self.path)

    def dirty(self) -> list[AgentEdit]:
        """Edits that are not saved."""
        return [edit for edit in self._edits.values() if edit.dirty]

    # -- changing the list -----------------------------------------------------------------------

    def create(self) -> None:
        """Make a new agent, which the user answers for."""
        self._run("Making an agent", 0, self._made, agent_jobs.create, self.path)

    def duplicate(self, id: int) -> None:
        """Make a copy of an agent as it is stored."""
        self._run("Copying the agent", id, self._made, engine.duplicate_agent, self.path, id)

    def delete(self, id: int) -> None:
        """Delete an agent; its threads go on with the default one. Whoever calls has asked."""
        agent = self.get(id)
        if agent is not None:
            self._run(
                "Deleting the agent",
                id,
                lambda _none: self._gone(id),
                engine.delete_agent,
                self.path,
                id,
                agent.version,
                True,
            )

    def assign(self, thread_id: str, id: int | None, done: Callable[[], None] | None = None) -> None:
        """Let a thread go on with an agent from its next run; None for none of these."""

        def told(_none: object) -> None:
            self.refresh()
            if done is not None:
                done()

        self._run("Giving the thread its agent", id or 0, told, engine.assign_agent, self.path, thread_id, id)

    def close(self) -> None:
        """Keep what is not saved, and let go of everything."""
        for edit in self._edits.values():
            edit.leave()
        self._edits.clear()
        self._jobs.cancel((self, "list"))

    # -- inside ----------------------------------------------------------------------------------

    def _run(self, what: str, id: int, done: Callable[[Any], None], fn: Callable[..., Any], *args: Any) -> None:
        self._jobs.run(what, fn, *args, done=done, failed=lambda failure: self._refused(id, failure),
                       key=(self, what, id))  # fmt: skip

    def _listed(self, agents: Sequence[StoredAgent]) -> None:
        self.known, self.agents = True, agents
        self.listed.emit()

    def _put(self, agent: StoredAgent) -> None:
        others = [each for each in self.agents if each.id != agent.id]
        self._listed(sorted([*others, agent], key=lambda each: (each.name.casefold(), each.id)))

    def _opened(self, opened: Opened) -> None:
        id = opened.agent.id
        if id not in self._edits:
            self._edits[id] = AgentEdit(self._jobs, self.path, opened, self)
            self._edits[id].problem.connect(lambda sentence: self.failed.emit(id, sentence))
        self.opened.emit(id)

    def _made(self, agent: StoredAgent) -> None:
        self._put(agent)
        self.created.emit(agent.id)

    def _gone(self, id: int) -> None:
        edit = self._edits.pop(id, None)
        if edit is not None:
            edit.forget()
            edit.deleteLater()
        self._listed([agent for agent in self.agents if agent.id != id])
        self.deleted.emit(id)

    def _refused(self, id: int, failure: Failure) -> None:
        if isinstance(failure.error, EditConflict):
            self.conflicted.emit(id, str(failure))
        else:
            self.failed.emit(id, str(failure))
