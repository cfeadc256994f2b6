"""Memory in its pane: what is shown of the sources and their text, and finding in it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from engine.errors import InspectorError
from engine.trace.model import MemoryFile
from inspector.views.memory import CACHED, NOT_YET
from tests.inspector.memory_world import TEAM, World, conflict, press, save, shown, typed
from tests.inspector.side_world import AGENTS, MARKUP, WorkspaceReader, labels, rich_labels, unnamed


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_sources_in_order_with_their_standing(world: World, qtmodeltester) -> None:
    world.put("notes")
    view = world.window()
    qtmodeltester.check(view.model)
    proxy = view.table.proxy
    assert [[proxy.index(r, c).data() for c in range(3)] for r in range(2)] == [
        [AGENTS, "5", "not loaded"],
        [TEAM, "–", "missing"],
    ]
    assert shown(view) == "notes"
    assert view.standing.text() == NOT_YET
    reader = world.readers[0]
    reader.copies = {("t", AGENTS): "notes"}
    view.refresh()
    world.settle()
    assert proxy.index(0, 2).data() == "loaded"
    assert view.standing.text() == CACHED
    assert view.differences.isHidden()


def test_drift_is_shown_and_can_be_compared(world: World) -> None:
    world.put("one\ntwo\n")
    view = world.window()
    world.readers[0].copies = {("t", AGENTS): "one\n2\n"}
    view.refresh()
    world.settle()
    assert view.table.proxy.index(0, 2).data() == "≠ changed since"
    assert not view.differences.isHidden()
    view.differences.click()
    world.settle()
    assert "− 2" in view.edit.compare.text()
    assert "+ two" in view.edit.compare.text()
    view.edit.compare._close.click()
    assert view.edit.compare.isHidden()


def test_the_other_states(world: World) -> None:
    view = world.window("none")
    assert view.pane.state() == "empty"
    assert "no memory files" in view.pane.message()
    view.set_thread(None)
    assert "No thread is selected." in view.pane.message()

    class Broken(WorkspaceReader):
        def memory(self, thread_id: str) -> list[MemoryFile]:
            raise InspectorError("The store can't be read.")

    view.reader = Broken(world.file)
    world.readers.append(view.reader)
    view.set_thread("t")
    world.settle()
    assert view.pane.state() == "error"
    assert "The store can't be read." in view.pane.message()


def test_a_file_of_240_000_characters(world: World) -> None:
    text = "\r\n".join(f"line {n:05} " + "x" * 49 for n in range(4_000))
    world.put(text)
    view = world.window()
    world.qtbot.waitUntil(lambda: view.edit.buffer is not None, timeout=20_000)
    assert shown(view) == text.replace("\r\n", "\n")
    assert not view.has_unsaved()
    assert not view.edit.editor.document().isUndoAvailable()
    typed(view, "first")
    save(world, view)
    assert world.stored() == b"first" + text.encode()


def test_markup_shows_letter_by_letter_and_all_is_named(world: World) -> None:
    world.put(MARKUP)
    view = world.window()
    assert shown(view) == MARKUP
    view.table.select(TEAM)
    world.settle()
    assert f"{TEAM} does not exist." in view.edit.note.text()
    tip = view.table.proxy.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;team&lt;/b&gt; &amp;" in tip
    assert view.table.proxy.index(1, 0).data() == TEAM
    world.put("theirs " + MARKUP)
    view.table.select(AGENTS)
    typed(view, "mine " + MARKUP)
    save(world, view)
    assert "− theirs " + MARKUP in view.edit.compare.text()
    assert rich_labels(view) == []
    assert unnamed(view) == []
    view.edit.search.open()
    assert unnamed(view) == []


def test_finding_in_the_text(world: World) -> None:
    world.put("alpha \U0001f469 beta\nALPHA\nalpha")
    view = world.window()
    assert view.find_target() is view.edit
    view.edit.open_find()
    assert not view.edit.search.isHidden()
    view.edit.search.field.setText("alpha")
    view.edit.search.search()
    world.settle()
    assert view.edit.search.says.text() == "3"
    view.edit.search.step()
    view.edit.search.step()
    assert view.edit.editor.selected_text() == "ALPHA"
    assert view.edit.search.says.text() == "2 of 3"
    view.edit.search.step(True)
    assert view.edit.editor.offset() == 5
    world.qtbot.keyClick(view.edit.search.field, Qt.Key.Key_Escape)
    assert view.edit.search.isHidden()


def test_what_there_is_to_know_before_a_save_is_counted_where_one_types(world: World) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    world.put(f"plain\nfirst\u202eline \u200b\nkey = {key}\n")
    view = world.window()
    warned, mode = view.edit.warned, view.edit.modes["preview"]
    assert warned.text() == "! 2 hidden characters, 1 likely secret (the first in line 2)"
    assert warned.isVisible()
    assert mode.text() == "What the model gets ! 3"
    view.edit.editor.selectAll()
    view.edit.editor.insertPlainText("\u05e9\u05dc\u05d5\u05dd \U0001f469\u200d\U0001f52c caf\u00e9")
    world.qtbot.waitUntil(lambda: not warned.text(), timeout=20_000)
    assert warned.isHidden()
    assert mode.text() == "What the model gets"


def test_a_refresh_that_fails_leaves_the_editor_in_sight(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "mine ")

    def broken(_thread: str) -> list[MemoryFile]:
        raise InspectorError("The file is locked.")

    monkeypatch.setattr(view.reader, "memory", broken)
    view.refresh()
    world.settle()
    assert view.pane.state() == "content"
    assert "The file is locked." in view.edit.note.text()
    assert shown(view) == "mine notes"
    monkeypatch.undo()
    press(world, view, "Try again")
    assert "locked" not in view.edit.note.text()


def test_words_of_the_pane_have_no_exclamation_marks(world: World) -> None:
    view = conflict(world)
    assert "!" not in labels(view)
