"""What is typed into memory is never lost."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from tests.inspector.memory_world import TEAM, World, press, save, shown, typed
from tests.inspector.side_world import AGENTS


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def wait_for_draft(world: World, count: int = 1) -> None:
    world.qtbot.waitUntil(lambda: len(world.draft_files()) == count)
    world.settle()


def test_unsaved_text_survives_a_crash(world: World) -> None:
    world.put("notes\r\n")
    view = world.window()
    typed(view, "typed before the crash\n")
    wait_for_draft(world)
    world.kill(view)

    again = world.window()
    assert shown(again) == "typed before the crash\nnotes\n"
    assert "was restored" in again.edit.note.text()
    assert again.has_unsaved()
    assert world.stored() == b"notes\r\n"
    save(world, again)
    assert world.stored() == b"typed before the crash\r\nnotes\r\n"
    world.qtbot.waitUntil(lambda: world.draft_files() == [])


def test_restored_text_can_be_discarded_and_had_back(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "mine ")
    wait_for_draft(world)
    world.kill(view)
    again = world.window()
    press(world, again, "Discard it")
    assert shown(again) == "notes"
    assert not again.has_unsaved()
    world.qtbot.waitUntil(lambda: world.draft_files() == [])
    again.edit.editor.undo()
    assert shown(again) == "mine notes"


def test_text_made_from_an_older_version_is_restored_and_never_saved_unseen(world: World) -> None:
    world.put("old\r\n")
    view = world.window()
    typed(view, "mine ")
    wait_for_draft(world)
    world.kill(view)
    world.put("newer\r\n")
    again = world.window()
    assert shown(again) == "mine old\n"
    assert "has changed since" in again.edit.note.text()
    press(world, again, "Differences")
    assert "− newer" in again.edit.compare.text()
    press(world, again, "Keep editing")
    save(world, again)
    assert world.stored() == b"newer\r\n"
    press(world, again, "Save mine over it")
    assert world.stored() == b"mine old\r\n"


def test_a_draft_that_was_saved_after_all_is_not_offered(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "mine ")
    wait_for_draft(world)
    world.kill(view)
    world.put("mine notes")
    again = world.window()
    assert not again.has_unsaved()
    assert "restored" not in again.edit.note.text()
    assert world.draft_files() == []


def test_a_draft_of_a_file_to_create(world: World) -> None:
    view = world.window()
    press(world, view, "Create it…")
    press(world, view, "Create")
    typed(view, "first words")
    wait_for_draft(world)
    world.kill(view)
    again = world.window()
    assert shown(again) == "first words"
    save(world, again)
    assert world.stored() == b"first words"


def test_another_thread_and_a_refresh_keep_unsaved_text_and_its_undo(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "mine ")
    view.set_thread("none")
    world.settle()
    assert view.has_unsaved()
    view.set_thread("other")
    world.settle()
    view.refresh()
    world.settle()
    assert shown(view) == "mine notes"
    view.edit.editor.undo()
    assert shown(view) == "notes"


def test_selecting_another_file_and_back_keeps_text_and_place(world: World) -> None:
    world.put("\n".join(str(n) for n in range(300)))
    world.put("team", TEAM)
    view = world.window()
    cursor = view.edit.editor.textCursor()
    cursor.setPosition(500)
    view.edit.editor.setTextCursor(cursor)
    view.edit.editor.insertPlainText("here")
    scroll = view.edit.editor.verticalScrollBar().value()
    assert scroll > 0
    view.table.select(TEAM)
    world.settle()
    assert shown(view) == "team"
    view.table.select(AGENTS)
    world.settle()
    assert view.edit.editor.textCursor().position() == 504
    assert view.edit.editor.verticalScrollBar().value() == scroll


def test_closing_the_window_puts_the_last_key_on_disk(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "the last word ")
    assert world.draft_files() == []
    view.hide()
    assert len(world.draft_files()) == 1
    view.deleteLater()
    del view
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    again = world.window()
    assert shown(again) == "the last word notes"


def test_two_windows_keep_drafts_apart(world: World) -> None:
    world.put("notes")
    one, other = world.window(), world.window()
    typed(one, "one ")
    wait_for_draft(world, 1)
    typed(other, "other ")
    wait_for_draft(world, 2)
    world.kill(one)
    world.kill(other)
    again = world.window()
    assert shown(again) == "other notes"
    assert "1 older unsaved text" in again.edit.note.text()
    press(world, again, "Discard it")
    world.qtbot.waitUntil(lambda: len(world.draft_files()) == 1)
    world.kill(again)
    assert shown(world.window()) == "one notes"


def test_a_disk_that_takes_no_draft_is_said_and_the_text_stays(world: World) -> None:
    world.put("notes")
    view = world.window()
    world.drafts.folder.parent.mkdir(exist_ok=True)
    world.drafts.folder.write_text("a file where the folder should be")
    typed(view, "mine ")
    world.qtbot.waitUntil(lambda: "can't be kept on disk" in view.edit.note.text())
    world.settle()
    assert shown(view) == "mine notes"
    save(world, view)
    assert world.stored() == b"mine notes"
