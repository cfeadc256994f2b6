"""Memory files that are missing, unreadable or not ours: created after asking, or only shown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.trace.model import MemoryFile
from inspector import memory_files
from inspector.views.memory import MemoryView
from tests.inspector.memory_world import World, press, save, shown, typed
from tests.inspector.side_world import AGENTS, WorkspaceReader


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_a_missing_file_is_created_after_asking(world: World) -> None:
    view = world.window()
    assert view.edit.text.state() == "empty"
    assert view.edit.editor.isReadOnly()
    press(world, view, "Create it…")
    assert f"Create {AGENTS}?" in view.edit.note.text()
    press(world, view, "Cancel")
    assert view.edit.editor.isReadOnly()
    assert world.stored() is None
    press(world, view, "Create it…")
    press(world, view, "Create")
    assert world.stored() is None
    typed(view, "new notes")
    save(world, view)
    assert world.stored() == b"new notes"


def test_a_file_created_elsewhere_meanwhile_is_not_overwritten(world: World) -> None:
    view = world.window()
    press(world, view, "Create it…")
    press(world, view, "Create")
    typed(view, "mine")
    world.put("theirs")
    save(world, view)
    assert world.stored() == b"theirs"
    assert shown(view) == "mine"
    assert "exists by now" in view.edit.note.text()


def test_a_file_is_deleted_after_asking_and_can_be_had_back(world: World) -> None:
    world.put("notes <b>\r\n")
    view = world.window()
    typed(view, "unsaved ")
    assert not view.edit.delete_button.isEnabled()
    view.edit.revert()
    view.edit.delete_button.click()
    assert f"Delete {AGENTS}?" in view.edit.note.text()
    press(world, view, "Cancel")
    assert world.stored() == b"notes <b>\r\n"
    view.edit.delete_button.click()
    press(world, view, "Delete")
    assert world.stored() is None
    assert view.edit.text.state() == "empty"
    assert view.table.proxy.index(0, 2).data() == "missing"
    assert not view.edit.delete_button.isEnabled()
    assert "does not exist" in view.edit.note.text()
    view.edit.modes["versions"].click()
    world.settle()
    versions = view.edit.bench.versions
    assert [(one.author, bool(one.version)) for one in versions.model.items] == [("user", False), ("user", True)]
    versions.table.select(versions.model.items[1].id)
    versions.restore_button.click()
    versions.note.buttons()["Restore"].click()
    world.settle()
    assert world.stored() == b"notes <b>\r\n"
    assert shown(view) == "notes <b>\n"
    assert not view.has_unsaved()


def test_a_file_that_was_changed_since_it_was_seen_is_not_deleted(world: World) -> None:
    world.put("notes")
    view = world.window()
    view.edit.delete_button.click()
    world.put("theirs")
    press(world, view, "Delete")
    assert world.stored() == b"theirs"
    assert shown(view) == "theirs"
    assert "was not deleted" in view.edit.note.text() or "changed elsewhere" in view.edit.note.text()


def test_a_file_that_is_not_utf8_is_only_shown(world: World) -> None:
    world.put(b"caf\xe9 notes")
    view = world.window()
    assert view.edit.editor.isReadOnly()
    assert view.edit.editor.tabChangesFocus()
    assert "byte 3 is 0xe9" in view.edit.note.text()
    assert shown(view).startswith("00000000  63 61 66 e9")
    assert view.table.proxy.index(0, 2).data() == "not UTF-8"
    assert not view.can_save()
    save(world, view)
    assert world.stored() == b"caf\xe9 notes"
    world.put("now it is text")
    view.refresh()
    world.settle()
    assert shown(view) == "now it is text"
    assert not view.edit.editor.isReadOnly()


def test_a_source_that_cannot_be_written_is_only_shown(world: World) -> None:
    world.put("notes")
    reader = WorkspaceReader(world.file)
    world.readers.append(reader)
    reader.read_only = "It belongs to somebody else."  # type: ignore[attr-defined]
    view = MemoryView(reader, world.jobs, world.file, drafts=world.drafts)
    world.qtbot.addWidget(view)
    view.set_thread("t")
    view.show()
    world.settle()
    assert view.edit.editor.isReadOnly()
    assert "can be read, not edited" in view.edit.note.text()


def test_a_memory_file_outside_the_store_is_only_shown(world: World) -> None:
    file = MemoryFile(
        "/AGENTS.md", "text", "v", 4, "elsewhere", None, None, read_only="It can be read here, not edited."
    )
    opened = memory_files.open_file(None, "t", file, world.file, world.drafts)
    assert opened.read_only == file.read_only
    assert opened.slot is None
