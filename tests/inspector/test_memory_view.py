"""Memory: edits are saved byte for byte, never over an unseen change, and what is typed is never lost."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QMenu, QPlainTextEdit

from engine.errors import InspectorError
from engine.memory import earlier_versions, read_memory, save_memory
from engine.trace.model import MemoryFile
from inspector import memory_files
from inspector.drafts import SUFFIX, Drafts
from inspector.exact_text import ExactText
from inspector.jobs import Jobs
from inspector.memory_files import Opened
from inspector.views.memory import CACHED, NOT_YET, MemoryView
from inspector.views.memory_buffer import MemoryBuffer
from tests.inspector.side_world import (
    AGENTS,
    MARKUP,
    WorkspaceReader,
    labels,
    rich_labels,
    unnamed,
    workspace,
)

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
        for slot in view._slots:
            slot.leave()
        view._slots.clear()
        view._buffers.clear()

    def draft_files(self) -> list[Path]:
        return sorted(self.drafts.folder.glob(f"*{SUFFIX}")) if self.drafts.folder.is_dir() else []

    def close(self) -> None:
        self.jobs.close()
        for reader in self.readers:
            reader.close()


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


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


# ---- What is shown -----------------------------------------------------------------------------------


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
    assert shown(view) == text.replace("\r\n", "\n")
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


# ---- Saving ------------------------------------------------------------------------------------------


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


# fmt: off
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


# ---- Conflicts ---------------------------------------------------------------------------------------


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


# ---- Missing, unreadable and foreign files --------------------------------------------------------------


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


def test_a_file_that_is_not_utf8_is_only_shown(world: World) -> None:
    world.put(b"caf\xe9 notes")
    view = world.window()
    assert view.edit.editor.isReadOnly()
    assert view.edit.editor.tabChangesFocus()
    assert "byte 0xE9 at position 4" in view.edit.note.text()
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
    file = MemoryFile("/AGENTS.md", "text", "v", 4, "elsewhere", None, None)
    opened = memory_files.open_file(None, "t", file, world.file, world.drafts)
    assert "can be read here, not edited" in opened.read_only
    assert opened.slot is None


# ---- Nothing typed is lost -----------------------------------------------------------------------------


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


# ---- Earlier texts, search ----------------------------------------------------------------------------


def test_an_earlier_text_can_be_had_back(world: World) -> None:
    world.put("first")
    view = world.window()
    typed(view, "second ")
    save(world, view)
    found = memory_files.earlier(world.file, AGENTS)
    menu = view.edit.earlier.menu(found)
    (action,) = menu.actions()
    assert action.text().endswith("UTC · 5")
    action.trigger()
    world.settle()
    assert "− first" in view.edit.compare.text()
    press(world, view, "Put it in the editor")
    assert shown(view) == "first"
    assert view.has_unsaved()
    view.edit.editor.undo()
    assert shown(view) == "second first"
    menu.deleteLater()


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


def test_the_menu_of_earlier_texts_opens_below_its_button(world: World) -> None:
    world.put("first")
    view = world.window()
    world.qtbot.mouseClick(view.edit.earlier_button, Qt.MouseButton.LeftButton)
    world.settle()
    (menu,) = view.findChildren(QMenu)
    assert [action.text() for action in menu.actions()] == ["No save has replaced a text of this file"]
    menu.close()


def test_hidden_characters_are_named(world: World) -> None:
    world.put("plain\nfirst\u202eline \u200b")
    view = world.window()
    world.qtbot.waitUntil(
        lambda: "2 hidden characters, the first U+202E in line 2" in view.edit.where.text()
    )
    view.edit.editor.selectAll()
    view.edit.editor.insertPlainText("\u05e9\u05dc\u05d5\u05dd \U0001f469\u200d\U0001f52c caf\u00e9")
    world.qtbot.waitUntil(lambda: "hidden" not in view.edit.where.text())


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


Wait = Callable[[], bool]
