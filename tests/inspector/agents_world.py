"""What the tests of the window Agents share: a workspace with agents, the window over it, and hands."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import engine
from engine.agent.settings import AgentSettings
from engine.workspace import Workspace
from inspector.agents import Agents
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.views.agents import AgentsWindow

WAIT_MS = 20_000
TOOLS = '''"""Tools for tests."""


def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


def weather(city: str, days: int = 3) -> str:
    """Tell the <b>weather</b> of a city."""
    return city
'''


class World:
    """One workspace, one window of agents, and the questions that it asked."""

    def __init__(self, qtbot: Any, folder: Path) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.path = folder / "work.ctx"
        Workspace.create(self.path)
        self.jobs = Jobs()
        self.asked: list[str] = []
        self.answer = True
        self.window: AgentsWindow | None = None

    def agent(self, name: str = "One", **settings: Any) -> int:
        """Keep an agent, as another program would."""
        given: dict[str, Any] = {"model": "hand", **settings}
        return engine.save_agent(self.path, name, AgentSettings(**given)).id

    def open(self, id: int | None = None) -> AgentsWindow:
        """The window, at an agent, when all that it asked for has come."""
        agents = Agents(self.path, self.jobs, Drafts(self.folder / "drafts"))
        self.window = AgentsWindow(agents, self.jobs, self._ask)
        agents.setParent(self.window)
        self.window.show()
        self.window.show_agent(id)
        self.settle()
        return self.window

    def settle(self) -> None:
        """Wait until nothing is asked for any more, and no change waits to be judged or kept."""

        def settled() -> bool:
            assert self.window is not None
            checks, edit = self.window.form.checks, self.window.form.edit
            return self.jobs.idle() and not checks.waits() and (edit is None or not edit.waits())

        self.qtbot.waitUntil(settled, timeout=WAIT_MS)

    def until(self, done: Callable[[], object]) -> None:
        """Wait for something."""
        self.qtbot.waitUntil(lambda: bool(done()), timeout=WAIT_MS)

    def type(self, field: Any, text: str) -> None:
        """Put a text in place of what stands in a field, key by key."""
        field.setFocus()
        field.selectAll()
        QTest.keyClick(field, Qt.Key.Key_Delete)
        QTest.keyClicks(field, text)
        completer = field.completer() if hasattr(field, "completer") else None
        if completer is not None and completer.popup().isVisible():
            QTest.keyClick(completer.popup(), Qt.Key.Key_Escape)
            field.window().activateWindow()

    def focused(self) -> Any:
        """The field of the window that has the keyboard."""
        assert self.window is not None
        return self.window.focusWidget()

    def choose(self, field: Any, words: str) -> None:
        """Choose by its words."""
        at = [field.itemText(n) for n in range(field.count())]
        field.setCurrentIndex(next(n for n, each in enumerate(at) if words in each))

    def click(self, button: Any) -> None:
        """Click, and wait for what comes of it."""
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        self.settle()

    def stored(self, id: int) -> Any:
        """The agent as it is stored now."""
        return next(agent for agent in engine.list_agents(self.path) if agent.id == id)

    def close_window(self) -> None:
        """As the main window does."""
        if self.window is not None:
            agents, window = self.window.agents, self.window
            self.window = None
            window.close()
            window.shut()
            agents.close()

    def close(self) -> None:
        """Let go of all."""
        self.close_window()
        self.jobs.close()
        self.jobs.deleteLater()

    def _ask(self, _parent: object, sentence: str, *_answers: str) -> bool:
        self.asked.append(sentence)
        return self.answer


def damage(path: Path, id: int) -> None:
    """Make the stored settings of an agent unreadable, as a fault of a disk would."""
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE agents SET settings = '{' WHERE id = ?", (id,))
