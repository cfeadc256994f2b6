"""What the tests of the memory pane share: a workspace with windows on it, and what a user does there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextCursor

from engine.memory import read_memory, save_memory
from inspector.drafts import SUFFIX, Drafts
from inspector.jobs import Jobs
from inspector.views.memory import MemoryView
from tests.inspector.side_world import AGENTS, WorkspaceReader, workspace

TEAM = "/memories/<b>team</b> &.md"


class World:
    """A workspace with two threads, and windows on it."""

    def __init__(self, qtbot: Any, folder: Path) -> None:
        self.qtbot = qtbot
        self.file = workspace(folder / "w.sqlite", {"t": [AGENTS, TEAM], "other": [AGENTS], "none": []})
        self.drafts = Drafts(folder / "drafts")
        self.jobs = Jobs()
        self.readers: list[WorkspaceReader] = []

    def put(self, text: str | bytes, path: str = AGENTS) -> None:
        """Somebody else writes the file."""
        save_memory(self.file, path, text, read_memory(self.file, path).version)

    def stored(self, path: str = AGENTS) -> bytes | None:
        return read_memory(self.file, path).data

    def window(self, thread: str = "t", file: Path | None = None) -> MemoryView:
        reader = WorkspaceReader(self.file)
        self.readers.append(reader)
        view = MemoryView(reader, self.jobs, file or self.file, drafts=self.drafts)
        self.qtbot.addWidget(view)
        view.resize(340, 700)
        view.set_thread(thread)
        view.show()
        self.settle()
        return view

    def settle(self) -> None:
        self.qtbot.waitUntil(self.jobs.idle)

    def kill(self, view: MemoryView) -> None:
        """The window is gone as after a crash: nothing was written at the end, its locks are free."""
        view.buffers.leave()

    def draft_files(self) -> list[Path]:
        return sorted(self.drafts.folder.glob(f"*{SUFFIX}")) if self.drafts.folder.is_dir() else []

    def close(self) -> None:
        self.jobs.close()
        for reader in self.readers:
            reader.close()


def typed(view: MemoryView, text: str, at_end: bool = False) -> None:
    cursor = view.edit.editor.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.End if at_end else QTextCursor.MoveOperation.Start)
    view.edit.editor.setTextCursor(cursor)
    view.edit.editor.insertPlainText(text)


def shown(view: MemoryView) -> str:
    return view.edit.editor.shown_text().source


def press(world: World, view: MemoryView, title: str) -> None:
    world.qtbot.mouseClick(view.edit.note.buttons()[title], Qt.MouseButton.LeftButton)
    world.settle()


def save(world: World, view: MemoryView) -> None:
    view.save()
    world.settle()


def conflict(world: World) -> MemoryView:
    world.put("one\ntwo\n")
    view = world.window()
    typed(view, "mine\n")
    world.put("one\ntheirs\n")
    save(world, view)
    assert world.stored() == b"one\ntheirs\n", "a change that was not seen was overwritten"
    assert shown(view) == "mine\none\ntwo\n", "what was typed is gone"
    assert "Nothing was written." in view.edit.note.text()
    assert not view.edit.compare.isHidden()
    assert "− theirs" in view.edit.compare.text()
    assert "+ mine" in view.edit.compare.text()
    return view
