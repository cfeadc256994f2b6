"""A thread that ran is given the file as it stands, after asking, and has its copy back after undo."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine import AgentSettings, Reader, Runner, Workspace
from engine.agent.scripted import ScriptedChat, Turn
from engine.memory import read_memory, save_memory
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.views.memory import MemoryView
from tests.inspector.side_world import AGENTS, rich_labels, unnamed

OLD, NEW = "Use <b>bullets</b> &amp; brackets.\n", "Use <i>numbers</i>. <!-- not sent -->\n"


class Ran:
    """A workspace with a thread that ran once over its memory, and a pane on it."""

    def __init__(self, qtbot: Any, folder: Path) -> None:
        self.qtbot = qtbot
        self.file = folder / "w.ctx"
        Workspace.create(self.file)
        self.save(OLD)
        runner = Runner(self.file)
        try:
            settings = AgentSettings(model=ScriptedChat(script=[Turn("one"), Turn("two")]))
            assert runner.start("t", "hello", settings=settings).wait(60)
        finally:
            runner.close()
        self.jobs = Jobs()
        self.drafts = Drafts(folder / "drafts")
        self.reader = Reader(self.file)

    def save(self, text: str, path: str = AGENTS) -> None:
        save_memory(self.file, path, text, read_memory(self.file, path).version)

    def stored(self, path: str = AGENTS) -> bytes | None:
        return read_memory(self.file, path).data

    def pane(self, thread: str = "t") -> MemoryView:
        view = MemoryView(self.reader, self.jobs, self.file, drafts=self.drafts)
        self.qtbot.addWidget(view)
        view.resize(380, 900)
        view.set_thread(thread)
        view.show()
        self.settle()
        return view

    def settle(self) -> None:
        self.qtbot.waitUntil(self.jobs.idle, timeout=30_000)

    def click(self, button: Any) -> None:
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        self.settle()

    def in_thread(self) -> str | None:
        with closing(Reader(self.file)) as reader:
            return next(one for one in reader.memory("t") if one.path == AGENTS).in_thread

    def close(self) -> None:
        self.jobs.close()
        self.reader.close()


@pytest.fixture
def ran(qtbot, qapp, tmp_path: Path) -> Iterator[Ran]:
    made = Ran(qtbot, tmp_path)
    yield made
    made.close()


def test_three_ways_at_a_glance(ran: Ran) -> None:
    view = ran.pane()
    assert view.drift.copy.text() == view.drift.request.text().replace("the copy", "the file") == "= the file"
    assert view.applying.button.isHidden()
    ran.save(NEW)
    view.refresh()
    ran.settle()
    assert view.drift.copy.text().startswith("≠ the file")
    assert view.drift.request.text() == "= the copy, not the file"
    assert "you, here" in view.drift.by.text()
    assert view.drift.request_link.isVisible()
    assert not rich_labels(view)
    assert not unnamed(view)
    view.compare_with_request()
    ran.settle()
    assert "- Use <b>bullets</b> &amp; brackets." in view.edit.compare.text().replace("−", "-")
    assert "+ Use <i>numbers</i>." in view.edit.compare.text()
    assert "not sent" not in view.edit.compare.text()


def test_apply_asks_and_can_be_undone(ran: Ran) -> None:
    ran.save(NEW)
    view = ran.pane()
    assert view.applying.button.isVisible()
    ran.click(view.applying.button)
    assert ran.in_thread() == OLD
    ran.click(view.applying.note.buttons()["New threads only"])
    assert ran.in_thread() == OLD
    ran.click(view.applying.button)
    ran.click(view.applying.note.buttons()["Apply"])
    assert ran.in_thread() == NEW
    assert view.applying.button.isHidden()
    assert view.drift.copy.text() == "= the file"
    assert view.drift.request.text().startswith("≠ the copy")
    ran.click(view.applying.undo_button)
    assert ran.in_thread() == OLD
    assert view.applying.undo_button.isHidden()
    assert ran.stored() == NEW.encode()


def test_it_can_be_undone_after_the_window_was_closed(ran: Ran) -> None:
    ran.save(NEW)
    view = ran.pane()
    view.applying.ask()
    ran.click(view.applying.note.buttons()["Apply"])
    view.close()
    again = ran.pane()
    assert again.applying.undo_button.isVisible()
    assert again.applying.says.text().endswith(AGENTS)
    ran.click(again.applying.undo_button)
    assert ran.in_thread() == OLD
    third = ran.pane()
    assert third.applying.undo_button.isHidden()
    assert third.applying.button.isVisible()


def test_a_refusal_is_told_and_nothing_is_written(ran: Ran, monkeypatch) -> None:
    from engine.memory import applying

    ran.save(NEW)
    view = ran.pane()
    monkeypatch.setattr(applying, "alive", lambda _pid: True)
    with closing(Workspace.open(ran.file).connect()) as db:
        db.execute("UPDATE runs SET status = 'running'")
        db.commit()
    view.applying.ask()
    ran.click(view.applying.note.buttons()["Apply"])
    assert "is running" in view.applying.note.text()
    assert ran.in_thread() == OLD
