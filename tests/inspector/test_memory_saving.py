"""Edits of memory are saved byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

from engine.trace.model import MemoryFile
from inspector.exact_text import ExactText
from inspector.jobs import Jobs
from inspector.memory_files import Opened
from inspector.views.memory_buffer import MemoryBuffer
from tests.inspector.memory_world import World, save, shown, typed
from tests.inspector.side_world import AGENTS


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_saving_writes_the_file_and_keeps_undo(world: World) -> None:
    world.put("notes\r\n")
    view = world.window()
    assert not view.has_unsaved()
    assert not view.can_save()
    typed(view, "first\n")
    assert view.has_unsaved()
    assert view.table.proxy.index(0, 0).data() == f"● {AGENTS}"
    save(world, view)
    assert world.stored() == b"first\r\nnotes\r\n"
    assert not view.has_unsaved()
    assert view.table.proxy.index(0, 0).data() == AGENTS
    view.edit.editor.undo()
    assert shown(view) == "notes\n"
    assert view.has_unsaved()
    save(world, view)
    assert world.stored() == b"notes\r\n"
    view.edit.editor.redo()
    assert shown(view) == "first\nnotes\n"


def test_revert_goes_back_and_undo_brings_the_edit_back(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "my ")
    view.edit.revert_button.click()
    assert shown(view) == "notes"
    assert not view.has_unsaved()
    view.edit.editor.undo()
    assert shown(view) == "my notes"
    assert view.has_unsaved()


def test_what_is_typed_while_it_is_saved_stays_unsaved(world: World) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "one ")
    view.save()
    typed(view, "two ")
    world.settle()
    assert world.stored() == b"one notes"
    assert shown(view) == "two one notes"
    assert view.has_unsaved()
    save(world, view)
    assert world.stored() == b"two one notes"


PIECES = [
    "\r\n",
    "\r",
    "\n",
    "\u2028",
    "\u2029",
    "\u0085",
    "\ufeff",
    "\ufdd0",
    "\xa0",
    "\0",
    "a",
    "b",
    " ",
    "\U0001f469",
]


@settings(max_examples=150, deadline=None)
@given(text=st.lists(st.sampled_from(PIECES), max_size=25).map("".join), data=st.data())
def test_an_edit_of_one_line_in_the_editor_changes_only_its_bytes(qapp, text: str, data: st.DataObject) -> None:
    file = MemoryFile(AGENTS, text, "v", len(text.encode()), "store", None, None)
    exact = ExactText.of(text)
    buffer = MemoryBuffer(Jobs.__new__(Jobs), None, Opened(file, exact, None, None, 0, None, ""))
    editor = QPlainTextEdit()
    editor.setDocument(buffer.document)
    assert not buffer.read_only
    assert buffer.exact_text()() == text
    at = data.draw(st.integers(0, len(exact.lines) - 1))
    new = "x" + data.draw(st.text("ab\u2028\xa0\ufeff\0", max_size=5))
    cursor = QTextCursor(buffer.document.findBlockByNumber(at))
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.insertText(new)
    start = exact.mark + "".join(a + b for a, b in zip(exact.lines[:at], exact.ends[:at], strict=True))
    end = text[len(start) + len(exact.lines[at]) :]
    assert buffer.exact_text()() == start + new + end
    editor.undo()
    assert buffer.exact_text()() == text
    buffer.use("other\r\ntext")
    editor.undo()
    assert buffer.exact_text()() == text


def test_bytes_through_the_real_store(world: World) -> None:
    text = "\ufeffone\r\ntwo\rthree\u2028still three\u2029four\u0085\xa0\n\nlast"
    world.put(text)
    view = world.window()
    assert "mixed line ends (CRLF, LF, CR) · byte order mark · no line end at the end" in view.edit.where.text()
    cursor = view.edit.editor.textCursor()
    cursor.setPosition(shown(view).index("two"))
    cursor.insertText("2, ")
    save(world, view)
    assert world.stored() == text.replace("two", "2, two").encode()


def test_a_copy_is_true(world: World) -> None:
    world.put("a\xa0b\u2028c\nd")
    view = world.window()
    view.edit.editor.selectAll()
    view.edit.editor.copy()
    assert QGuiApplication.clipboard().text() == "a\xa0b\u2028c\nd"


def test_a_text_that_the_editor_would_lose_opens_read_only(qapp) -> None:
    file = MemoryFile(AGENTS, "ab\ud800c", "v", 5, "store", None, None)
    opened = Opened(file, ExactText.of("ab\ud800c"), None, None, 0, None, "")
    buffer = MemoryBuffer(Jobs.__new__(Jobs), None, opened)
    assert "U+D800 at character 3" in buffer.read_only
    assert not buffer.editable


def test_a_locked_file_loses_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.put("notes")
    view = world.window()
    typed(view, "my ")
    monkeypatch.setattr("engine.workspace.BUSY_SECONDS", 0.0)
    from engine.workspace import Workspace

    blocker = Workspace.open(world.file).connect(autocommit=True)
    blocker.execute("BEGIN IMMEDIATE")
    save(world, view)
    assert "locked" in view.edit.note.text()
    assert "Your text is still here." in view.edit.note.text()
    assert shown(view) == "my notes"
    blocker.execute("ROLLBACK")
    blocker.close()
    save(world, view)
    assert world.stored() == b"my notes"
    assert view.edit.note.isHidden()
