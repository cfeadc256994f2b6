"""Agents in the main window: their own window, the thread's agent by name, and new threads with one."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from inspector.agents import Agents
from inspector.commands import Command
from inspector.models.threads import title
from inspector.running import OwnAgent, own_agent

if TYPE_CHECKING:
    from inspector.views.agents import AgentsWindow
    from inspector.window import MainWindow


class AgentsHere(QObject):
    """Made when a workspace that can be written was opened; closed before another one is."""

    def __init__(self, w: MainWindow) -> None:
        super().__init__(w)
        assert w.desk is not None
        self._w, self._desk = w, w.desk
        self.agents = Agents(w.desk.opened.path, w.jobs, parent=self)
        self.window: AgentsWindow | None = None
        self._for_new: int | None = None
        """The agent that the next new thread begins with."""
        session = w.desk.session
        session.threads_changed.connect(self.agents.refresh)
        session.thread_changed.connect(self._thread_changed)
        self.agents.listed.connect(self._show)

    def open(self, id: int | None = None) -> None:
        """Show the window, at an agent."""
        from inspector.views.agents import AgentsWindow  # with its many fields, when it is wanted

        if self.window is None:
            self.window = AgentsWindow(self.agents, self._w.jobs, self._w.ask, self._w)
            self.window.start_wanted.connect(self.start)
            self.window.left_unsaved.connect(self._w.status.show_note)
            self.window.assigned.connect(self._assigned)
            self._show()
        self.window.show_agent(id)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def open_own(self) -> None:
        """Show the window at the agent of the selected thread."""
        agent = self.agents.of_thread(self._desk.session.thread_id)
        self.open(agent.id if agent is not None else None)

    def start(self, id: int) -> None:
        """The next message starts a thread with this agent."""
        agent = self.agents.get(id)
        if agent is None:
            return
        self._w.new_thread()
        self._for_new = id
        self._w.composer.begin_with(agent.name, str(agent.settings.model))
        self._w.raise_()
        self._w.activateWindow()
        self._w.focus("composer")

    def new_thread_id(self) -> str:
        """Id of a new thread; it begins with the agent that was chosen for it."""
        thread_id, id = str(uuid.uuid4()), self._for_new
        running = self._w.running
        if id is not None and running is not None:
            running.begin_with(thread_id, id)
        return thread_id

    def close(self) -> None:
        """Keep what is not saved, and let go."""
        if self.window is not None:
            self.window.shut()
            self.window = None
        self.agents.close()
        self._w.composer.set_agent("")

    def _thread_changed(self, _thread_id: str | None) -> None:
        self._for_new = None
        self._show()

    def _assigned(self, thread_id: str) -> None:
        """The thread's own model counts from now on, not one that was chosen for another agent."""
        self._w.following.forget_model(thread_id)
        self._w.jobs.run("Looking up the thread's agent", own_agent, self._desk.opened.path, thread_id,
                         done=lambda own: self._own_known(thread_id, own), failed=self._w.status.show_problem,
                         key=(self, "own"), quiet=True)  # fmt: skip

    def _own_known(self, thread_id: str, own: OwnAgent) -> None:
        if thread_id == self._desk.session.thread_id:
            self._w.composer.model.set_own(own.name, own.model)

    def _show(self) -> None:
        thread_id = self._desk.session.thread_id
        if thread_id is not None or self._for_new is None:
            self._w.composer.set_agent(self.agents.name_of(thread_id))
        if self.window is not None:
            row = self._desk.session.thread_row()
            self.window.set_thread(thread_id, title(row) if row is not None else "")
        self._w.commands.refresh()


def commands(w: MainWindow) -> list[Command]:
    """Commands of the menu Thread."""

    def there() -> bool:
        return w.agents is not None

    def own() -> bool:
        return w.agents is not None and w.session is not None and bool(w.agents.agents.name_of(w.session.thread_id))

    return [
        Command("thread.agents", "Agents…", lambda: w.agents.open() if w.agents is not None else None, "Thread",
                ("Ctrl+Shift+A",), there, separated=True,
                hint="Make, change and check agents: model, prompt, tools, subagents, memory, limits, files, rules."),
        Command("thread.agent", "Agent of this thread…", lambda: w.agents.open_own() if w.agents is not None else None,
                "Thread", enabled=own, contexts=("thread",), hint="Its settings, in the window of agents."),
    ]  # fmt: skip
