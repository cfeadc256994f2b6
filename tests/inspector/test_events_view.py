"""An agent's edits of memory are events on the request that made them, with their difference, and can be reverted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine.memory import read_memory
from inspector.models.marks import marks
from inspector.views.why import EVENTS
from tests.engine.memory.test_versions import PATH, World, edit
from tests.inspector.conftest import settle
from tests.inspector.side_world import rich_labels, unnamed

MADE = "/memories/made.md"


class Seen:
    """The window on a workspace whose agent edited its memory."""

    def __init__(self, qtbot: Any, make_window: Any, world: World) -> None:
        self.qtbot, self.world = qtbot, world
        self.window = make_window(world.file)
        self.desk = self.window.desk
        self.events = self.desk.request.why.events
        self.select(1)

    def select(self, number: int) -> None:
        self.desk.session.select_index(number - 1)
        settle(self.qtbot, self.window)

    def run(self, command: str) -> None:
        found = next(one for one in self.window.commands.all() if one.id == command)
        assert found.enabled()
        found.run()
        self.settle()

    def settle(self) -> None:
        settle(self.qtbot, self.window)

    def press(self, title: str) -> None:
        self.qtbot.mouseClick(self.events.revert.note.buttons()[title], Qt.MouseButton.LeftButton)
        self.settle()

    def stored(self, path: str = PATH) -> str | None:
        return read_memory(self.world.file, path).text


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path / "w.ctx")
    made.user("one <b>\ntwo &amp;\nthree\nfour\n")
    made.agent(edit("two &amp;", "TWO <i>"))
    return made


def test_the_edit_is_an_event_with_its_difference(qtbot, make_window, world: World) -> None:
    seen = Seen(qtbot, make_window, world)
    row = seen.desk.session.request_row()
    assert "memory edited" in [mark.word for mark in marks(row)]
    seen.run("why.events")
    why = seen.desk.request.why
    assert why.tabs.currentIndex() == EVENTS
    assert why.tabs.tabText(EVENTS) == f"Events {len(seen.desk.request.detail().events)}"
    edited = [one for one in seen.events.model.items if one.edit is not None]
    assert len(edited) == 1
    seen.events.table.setCurrentIndex(seen.events.table.model().index(seen.events.model.items.index(edited[0]), 0))
    seen.settle()
    assert seen.events.facts.text().startswith(f"The agent edited {PATH} with edit_file.")
    marked = seen.events.text.marked
    assert marked.of("removed") == "two &amp;"
    assert marked.of("added") == "TWO <i>"
    assert "one <b>" in marked.text.source
    assert not rich_labels(seen.events)
    assert not unnamed(seen.events)


def test_it_is_taken_back_after_asking_and_later_edits_stay(qtbot, make_window, world: World) -> None:
    world.user("one <b>\nTWO <i>\nthree\nFOUR\n")
    seen = Seen(qtbot, make_window, world)
    seen.run("memory.revert_edit")
    assert "Take this edit out of" in seen.events.revert.note.text()
    assert seen.stored() == "one <b>\nTWO <i>\nthree\nFOUR\n"
    seen.press("Cancel")
    seen.run("memory.revert_edit")
    seen.press("Revert")
    assert seen.stored() == "one <b>\ntwo &amp;\nthree\nFOUR\n"
    assert "was taken out of the file" in seen.events.revert.note.text()


def test_a_change_after_the_question_is_not_overwritten(qtbot, make_window, world: World) -> None:
    seen = Seen(qtbot, make_window, world)
    seen.run("memory.revert_edit")
    world.user("somebody else's\n")
    seen.press("Revert")
    assert seen.stored() == "somebody else's\n"
    assert "was changed" in seen.events.revert.note.text()
    assert "Ask again" in seen.events.revert.note.buttons()


def test_later_edits_of_the_same_lines_are_decided_in_the_editor(qtbot, make_window, world: World) -> None:
    later = "one <b>\nTWO <i> and more\nthree\nfour\n"
    world.user(later)
    seen = Seen(qtbot, make_window, world)
    seen.run("memory.revert_edit")
    seen.press("Revert")
    assert seen.stored() == later
    seen.press("Decide in the editor")
    memory = seen.desk.around["memory"]
    assert memory.isVisible()
    qtbot.waitUntil(lambda: "<<<<<<<" in memory.edit.editor.shown_text().source, timeout=20_000)
    source = memory.edit.editor.shown_text().source
    assert "TWO <i> and more" in source
    assert "two &amp;" in source
    assert memory.has_unsaved()
    assert seen.stored() == later
    memory.edit.editor.undo()
    assert memory.edit.editor.shown_text().source == later


def test_a_file_that_the_agent_made_is_deleted_again(qtbot, make_window, tmp_path: Path) -> None:
    from engine.agent.scripted import Call

    made = World(tmp_path / "w.ctx")
    made.agent(Call("write_file", {"file_path": PATH, "content": "made\n"}))
    seen = Seen(qtbot, make_window, made)
    seen.run("memory.revert_edit")
    seen.press("Revert")
    assert seen.stored() is None
    assert "was deleted" in seen.events.revert.note.text()


def test_from_a_version_to_the_request_that_wrote_it(qtbot, make_window, world: World) -> None:
    seen = Seen(qtbot, make_window, world)
    seen.select(2)
    seen.window.focus("memory")
    seen.settle()
    memory = seen.desk.around["memory"]
    memory.edit.modes["versions"].click()
    seen.settle()
    versions = memory.edit.bench.versions
    assert versions.model.items[0].author == "agent"
    assert versions.request_button.isVisible()
    qtbot.mouseClick(versions.request_button, Qt.MouseButton.LeftButton)
    seen.settle()
    assert seen.desk.session.request_row().number == 1
    versions.table.select(versions.model.items[1].id)
    assert versions.request_button.isHidden()


def test_ctrl_s_saves_the_editor_that_is_used(qtbot, make_window, world: World) -> None:
    from engine.memory import save_memory

    path = "/skills/report/SKILL.md"
    save_memory(world.file, path, "---\nname: report\ndescription: d\n---\nDo.\n", "")
    seen = Seen(qtbot, make_window, world)
    seen.window.focus("memory")
    seen.settle()
    memory = seen.desk.around["memory"]
    memory.edit.editor.insertPlainText("mine ")
    seen.window.focus("skills")
    seen.settle()
    skills = seen.desk.around["skills"]
    skills.table.select(path)
    skills.edit_button.click()
    seen.settle()
    editor = skills.edits.edit
    editor.editor.moveCursor(editor.editor.textCursor().MoveOperation.End)
    editor.editor.insertPlainText("typed\n")
    editor.editor.setFocus()
    seen.run("memory.save")
    assert (read_memory(world.file, path).text or "").endswith("typed\n")
    assert not (seen.stored() or "").startswith("mine")
    seen.run("memory.save")
    assert (seen.stored() or "").startswith("mine ")


def test_the_share_from_which_a_file_is_too_long_is_remembered(qtbot, make_window, world: World, prefs) -> None:
    world.user("word " * 3_000)
    seen = Seen(qtbot, make_window, world)
    seen.window.focus("memory")
    seen.settle()
    memory = seen.desk.around["memory"]
    memory.edit.watch.set_sources([], 50_000)
    memory.edit.modes["preview"].click()
    seen.settle()
    assert [one.kind for _, one in memory.edit.bench.preview.model.items] == ["long"]
    memory.edit.bench.preview.share.setValue(20)
    seen.settle()
    assert memory.edit.bench.preview.model.items == []
    assert prefs.number("memory_share", 5) == 20
    again = make_window(world.file, prefs)
    assert again.desk.around["memory"].edit.bench.preview.share.value() == 20
    assert again.desk.around["memory"].edit.watch.share == 0.2
