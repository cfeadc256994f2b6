"""A memory file that was changed elsewhere is never overwritten unseen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.memory import earlier_versions
from tests.inspector.memory_world import World, conflict, press, save, shown, typed
from tests.inspector.side_world import AGENTS


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_a_conflict_keeps_both_and_asks(world: World) -> None:
    view = conflict(world)
    assert list(view.edit.note.buttons()) == ["Keep editing", "Merge both", "Take the stored one", "Save mine over it"]
    press(world, view, "Keep editing")
    assert view.edit.compare.isHidden()
    assert view.has_unsaved()
    typed(view, "more ")
    save(world, view)
    assert world.stored() == b"one\ntheirs\n"
    assert shown(view).startswith("more mine")


def test_a_conflict_can_be_ended_by_taking_the_other(world: World) -> None:
    view = conflict(world)
    press(world, view, "Take the stored one")
    assert shown(view) == "one\ntheirs\n"
    assert not view.has_unsaved()
    assert world.stored() == b"one\ntheirs\n"
    view.edit.editor.undo()
    assert shown(view) == "mine\none\ntwo\n"
    assert view.has_unsaved()


def test_a_conflict_can_be_ended_by_saving_over_it(world: World) -> None:
    view = conflict(world)
    press(world, view, "Save mine over it")
    assert world.stored() == b"mine\none\ntwo\n"
    assert not view.has_unsaved()
    assert view.edit.compare.isHidden()
    assert earlier_versions(world.file, AGENTS)[0].data == b"one\ntheirs\n"


def test_a_change_between_seeing_and_saving_over_is_not_overwritten_either(world: World) -> None:
    view = conflict(world)
    world.put("a third hand\n")
    view.edit.note.buttons()["Save mine over it"].click()
    world.settle()
    assert world.stored() == b"a third hand\n"
    assert "− a third hand" in view.edit.compare.text()
    press(world, view, "Save mine over it")
    assert world.stored() == b"mine\none\ntwo\n"


def test_two_windows_on_one_file(world: World) -> None:
    world.put("base\n")
    one, other = world.window(), world.window()
    typed(one, "one ")
    typed(other, "other ")
    save(world, one)
    save(world, other)
    assert world.stored() == b"one base\n"
    assert shown(other) == "other base\n"
    press(world, other, "Save mine over it")
    assert world.stored() == b"other base\n"
    one.refresh()
    world.settle()
    assert shown(one) == "other base\n"
    assert "changed elsewhere" in one.edit.note.text()
    one.edit.editor.undo()
    assert shown(one) == "one base\n"


def test_a_refresh_says_that_the_file_changed_and_touches_nothing(world: World) -> None:
    world.put("base\n")
    view = world.window()
    typed(view, "mine ")
    world.put("theirs\n")
    view.refresh()
    world.settle()
    assert shown(view) == "mine base\n"
    assert "changed elsewhere while you edited" in view.edit.note.text()
    press(world, view, "Differences")
    assert "− theirs" in view.edit.compare.text()


def test_a_removed_file_keeps_its_text(world: World) -> None:
    from engine.checkpoints import WorkspaceStore
    from engine.workspace import Workspace

    world.put("base\n")
    view = world.window()
    store = WorkspaceStore(Workspace.open(world.file))
    store.delete(("memories",), "/AGENTS.md")
    store.conn.close()
    view.refresh()
    world.settle()
    assert shown(view) == "base\n"
    assert "was removed" in view.edit.note.text()
    press(world, view, "Save it again")
    assert world.stored() == b"base\n"
