"""The window Agents: the agents of the open workspace at the left, the form of one of them at the right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QSplitter, QWidget

from inspector import agent_commands, agent_jobs, format
from inspector.agents import Agents
from inspector.commands import Commands
from inspector.jobs import Jobs
from inspector.panes import Pane
from inspector.tab_order import following
from inspector.views.agents_form import AgentForm
from inspector.views.agents_list import AgentsList
from inspector.views.labels import ElidedLabel

Ask = Callable[[QWidget, str, str, str], bool]


class AgentsWindow(QMainWindow):
    """Lists, edits and gives agents. What is typed stays until it is saved or given up, here and on disk."""

    start_wanted = Signal(int)
    """Begin a thread with this agent."""
    assigned = Signal(str)
    """A thread was given an agent, or goes on without one: its id."""
    left_unsaved = Signal(str)
    """It was closed while something is not saved; a sentence."""

    def __init__(self, agents: Agents, jobs: Jobs, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.agents, self.ask = agents, ask
        self.id: int | None = None
        """The agent that is shown."""
        self._thread: tuple[str, str] | None = None
        self._wanted: int | None = None
        self._new: int | None = None
        """An agent that was just made: its name takes the keyboard once it is there."""
        self.setWindowTitle(f"Agents – {format.one_line(Path(agents.path).name, 80)}")
        self.list = AgentsList()
        self.form = AgentForm(jobs)
        self.pane = Pane()
        self.pane.set_content(self.form)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.addWidget(self.list)
        splitter.addWidget(self.pane)
        splitter.setChildrenCollapsible(False)
        splitter.setStretchFactor(1, 1)
        splitter.setSizes([220, 1000])
        self.setCentralWidget(splitter)
        self.status = ElidedLabel(muted=True)
        self.status.setContentsMargins(8, 0, 8, 0)
        self.statusBar().setSizeGripEnabled(False)
        self.statusBar().addWidget(self.status, 1)
        self.commands = Commands(self)
        self.commands.add(*agent_commands.window_commands(self))
        self.commands.name_in_place(*agent_commands.IN_PLACE)
        self.commands.build_menus(self.menuBar())
        self.setMinimumSize(1120, 520)
        self.resize(1220, 780)
        self._connect()
        self._show_thread()
        self.pane.show_loading("Reading the agents")
        agents.refresh()
        jobs.run("Looking for models", agent_jobs.known_models, done=lambda names: self.form.known.setStringList(names),
                 key=(self, "models"), quiet=True)  # fmt: skip

    # -- what others call ------------------------------------------------------------------------

    def set_thread(self, thread_id: str | None, title: str = "") -> None:
        """The thread that is selected in the main window."""
        self._thread = None if thread_id is None else (thread_id, title)
        self._show_thread()

    def show_agent(self, id: int | None) -> None:
        """Show an agent; None for the first one."""
        self._wanted = id
        if self.agents.known:
            self._show_wanted()

    def shut(self) -> None:
        """The workspace is closed: keep what is not saved, and go."""
        self.form.set_edit(None)
        self.form.checks.close()
        self.hide()
        self.deleteLater()

    # -- what can be done ------------------------------------------------------------------------

    @property
    def thread_id(self) -> str | None:
        """The thread that is selected in the main window."""
        return self._thread[0] if self._thread is not None else None

    def can_save(self) -> bool:
        """Whether something is not saved."""
        return self.form.edit is not None and self.form.edit.dirty

    def can_use(self) -> bool:
        """Whether the selected thread could be given the agent that is shown."""
        if self.form.edit is None or self.thread_id is None:
            return False
        agent = self.agents.of_thread(self.thread_id)
        return agent is None or agent.id != self.id

    def save(self, then: Callable[[], None] | None = None) -> None:
        """Save the agent that is shown; at once when nothing was changed."""
        if self.id is None:
            return
        if self.can_save():
            self.form.note.clear()
            self.agents.save(self.id, then)
        elif then is not None:
            then()

    # -- what happened ---------------------------------------------------------------------------

    def _connect(self) -> None:
        agents, form = self.agents, self.form
        agents.listed.connect(self._listed)
        agents.opened.connect(self._opened)
        agents.saved.connect(self._saved)
        agents.created.connect(self._created)
        agents.deleted.connect(self._deleted)
        agents.conflicted.connect(self._conflicted)
        agents.failed.connect(self._failed)
        self.list.chosen.connect(self._choose)
        self.list.new_wanted.connect(agents.create)
        self.list.copy_wanted.connect(lambda: self.commands.run("agent.duplicate"))
        self.list.list.customContextMenuRequested.connect(self._menu)
        form.changed.connect(self._mark)
        form.save_wanted.connect(self.save)
        form.use_wanted.connect(lambda: self.commands.run("agent.use"))
        form.start_wanted.connect(lambda: self.commands.run("agent.start"))

    def _listed(self) -> None:
        self.list.set_agents(self.agents.agents)
        self._mark()
        self._show_thread()
        if self.id is None:
            self._show_wanted()

    def _show_wanted(self) -> None:
        agents = self.agents.agents
        id = self._wanted if self._wanted is not None and self.agents.get(self._wanted) is not None else None
        if id is None and agents:
            id = self.id if self.id is not None else agents[0].id
        self._wanted = None
        if id is not None:
            self._choose(id)
        else:
            self._show_none()

    def _show_none(self) -> None:
        self.id = None
        self.form.set_edit(None)
        self.list.select(None)
        self.pane.show_empty("No agent is here yet.", "New makes one that you answer for by hand: Ctrl+N.")
        self.commands.refresh()

    def _choose(self, id: int) -> None:
        self.id = id
        self.list.select(id)
        if self.agents.edit(id) is None:
            self.form.set_edit(None)
            self.pane.show_loading("Opening the agent")
        self.agents.open(id)

    def _opened(self, id: int) -> None:
        edit = self.agents.edit(id)
        if id != self.id or edit is None:
            return
        self.form.set_edit(edit)
        self.pane.show_content()
        if edit.outdated:
            self._offer_both("What you changed here before is not saved, and the agent was changed elsewhere since.")
        elif edit.restored and edit.dirty:
            self.form.note.say(
                "What you changed here before is still here. It is not saved.", ("Save", self.save),
                ("Give it up…", lambda: self.commands.run("agent.give_up")), ("Close", self.form.note.clear),
            )  # fmt: skip
        if self._new == id:
            self.form.name.setFocus()
            self.form.name.selectAll()
        self._new = None
        self._mark()
        self._show_thread()

    def _saved(self, id: int) -> None:
        if id == self.id:
            self.form.note.clear()
            self.form.fill()
            self.form.checks.ask()
        self._mark()

    def _created(self, id: int) -> None:
        self.list.search.clear()
        self._new = id
        self._choose(id)

    def _deleted(self, id: int) -> None:
        if id == self.id:
            self.id = None
            self.form.set_edit(None)
            self._show_wanted()

    def _conflicted(self, id: int, sentence: str) -> None:
        if id == self.id:
            self._offer_both(sentence)

    def _offer_both(self, sentence: str) -> None:
        id = self.id
        if id is not None:
            self.form.note.say(
                sentence, ("Keep mine as a copy", lambda: self.agents.save_copy(id)),
                ("Load theirs", lambda: self.agents.load_theirs(id)), kind="error",
            )  # fmt: skip

    def _failed(self, id: int, sentence: str) -> None:
        if self.form.edit is not None:
            self.form.note.say(sentence, ("Close", self.form.note.clear), kind="error")
        else:
            self.pane.show_error(sentence, self.agents.refresh if id == 0 else None)

    def _mark(self) -> None:
        self.list.set_unsaved(edit.id for edit in self.agents.dirty())
        self.commands.refresh()

    def _show_thread(self) -> None:
        self.form.use_button.setEnabled(self.can_use())
        self.form.start_button.setEnabled(self.id is not None)
        if self._thread is None:
            self.status.set_text("No thread is selected in the main window.")
        else:
            thread_id, title = self._thread
            name = self.agents.name_of(thread_id)
            what = f"the agent “{format.one_line(name, 60)}”" if name else "no agent of these"
            self.status.set_text(
                f"Selected thread: “{format.one_line(title or thread_id, 80)}”, which goes on with {what}."
            )
        self.commands.refresh()

    def _menu(self, at: Any) -> None:
        index: QModelIndex = self.list.list.indexAt(at)
        if index.isValid():
            self.commands.context_menu("agent", self).popup(self.list.list.viewport().mapToGlobal(at))

    # -- Qt --------------------------------------------------------------------------------------

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep what is not saved, and say so."""
        unsaved = self.agents.dirty()
        for edit in unsaved:
            edit.flush()
        if unsaved:
            names = ", ".join(f"“{format.one_line(edit.name, 40)}”" for edit in unsaved[:3])
            self.left_unsaved.emit(f"What you changed in {names} is kept, and not saved.")
        super().closeEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Tab leads as one reads."""
        target = following(self, QApplication.focusWidget(), forward)
        if target is None:
            return False
        target.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
        return True
