"""Notes, marks and baselines: kept in the workspace, never overwritten unseen, gone with what they stand on."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, Runner, Workspace
from engine.errors import EditConflict, InspectorError, UsageError, WorkspaceError
from engine.notes import add_note, delete_note, edit_note, list_notes, set_baseline, set_mark

THREAD = "a <b>thread</b> \u202e é"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("notes") / "w.ctx"
    Workspace.create(path)
    runner = Runner(path)
    for thread in (THREAD, "other"):
        run = runner.start(thread, "Hello")
        run.wait()
        assert run.error is None
    runner.close()
    return path


@pytest.fixture
def file(recorded: Path, tmp_path: Path) -> Path:
    with closing(sqlite3.connect(recorded)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return Path(shutil.copy(recorded, tmp_path / "w.ctx"))


def first_request(file: Path, thread: str = THREAD) -> int:
    with closing(Reader(file)) as reader:
        return reader.request_ids(thread)[0]


def test_notes_come_back_as_they_were_written(file: Path) -> None:
    request = first_request(file)
    text = "why here?\r\n\t<script>alert(1)</script> 摘要 \u202e"
    on_request, on_thread = add_note(file, THREAD, text, request), add_note(file, THREAD, "of the whole")
    assert list_notes(file) == [on_request, on_thread]
    assert (on_request.text, on_request.request, on_request.request_number) == (text, request, 1)
    assert (on_thread.request, on_thread.thread_id, on_thread.kind) == (None, THREAD, "note")
    assert list_notes(file, "other") == []


def test_an_edit_of_what_is_another_one_by_now_is_refused(file: Path) -> None:
    note = add_note(file, THREAD, "one")
    edited = edit_note(file, note.id, "two", note.version)
    assert (edited.text, edited.created_at) == ("two", note.created_at)
    with pytest.raises(EditConflict) as conflict:
        edit_note(file, note.id, "three", note.version)
    assert conflict.value.current == "two"
    with pytest.raises(EditConflict):
        delete_note(file, note.id, note.version)
    assert list_notes(file) == [edited]
    edit_note(file, note.id, "three", int(conflict.value.version))
    delete_note(file, note.id, edited.version + 1)
    delete_note(file, note.id, 1)
    assert list_notes(file) == []
    with pytest.raises(EditConflict, match="deleted"):
        edit_note(file, note.id, "four", 3)


def test_of_many_edits_at_once_one_wins_and_notes_never_meet(file: Path) -> None:
    note = add_note(file, THREAD, "start")
    outcomes: list[str] = []

    def work(number: int) -> None:
        add_note(file, THREAD, f"mine {number}")
        set_mark(file, THREAD, first, True)
        try:
            edit_note(file, note.id, f"edit {number}", note.version)
            outcomes.append("written")
        except EditConflict:
            outcomes.append("refused")

    first = first_request(file)
    workers = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(outcomes) == ["refused"] * 5 + ["written"]
    assert {note.text for note in list_notes(file, kind="note")} >= {f"mine {number}" for number in range(6)}
    assert len(list_notes(file, kind="mark")) == 1


def test_marks_and_the_baseline_are_switches(file: Path) -> None:
    request = first_request(file)
    for _ in range(2):
        set_mark(file, THREAD, request, True)
        set_mark(file, THREAD, None, True)
        set_baseline(file, THREAD, request)
    assert [(note.kind, note.request) for note in list_notes(file)] == [
        ("mark", request),
        ("mark", None),
        ("baseline", request),
    ]
    for _ in range(2):
        set_mark(file, THREAD, request, False)
        set_baseline(file, THREAD, None)
    assert [(note.kind, note.request) for note in list_notes(file)] == [("mark", None)]


def test_nothing_is_put_on_what_is_not_there(file: Path) -> None:
    foreign = first_request(file, "other")
    for action in (
        lambda: add_note(file, "nobody", "text"),
        lambda: add_note(file, THREAD, "text", foreign),
        lambda: set_mark(file, THREAD, 10**9, True),
        lambda: set_baseline(file, THREAD, foreign),
        lambda: add_note(file, THREAD, " \n"),
        lambda: add_note(file.with_name("none.ctx"), THREAD, "text"),
    ):
        with pytest.raises(UsageError):
            action()
    assert list_notes(file) == []


def test_they_go_with_their_request_and_thread(file: Path) -> None:
    request, other = first_request(file), first_request(file, "other")
    add_note(file, THREAD, "on a request", request)
    add_note(file, THREAD, "on the thread")
    kept = add_note(file, "other", "kept", other)
    with closing(Workspace.open(file).connect()) as connection:
        connection.execute("DELETE FROM requests WHERE id = ?", (request,))
        connection.commit()
        assert [note.text for note in list_notes(file)] == ["on the thread", "kept"]
        connection.execute("DELETE FROM threads WHERE thread_id = ?", (THREAD,))
        connection.commit()
    assert list_notes(file) == [kept]


def test_listing_writes_nothing_and_takes_older_files(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DROP TABLE notes")
        connection.execute("PRAGMA journal_mode=DELETE")
    before = file.read_bytes()
    assert list_notes(file) == []
    assert file.read_bytes() == before
    damaged = file.with_name("damaged.ctx")
    damaged.write_bytes(before[:100] + b"\xff" * 3996 + before[4096:])
    with pytest.raises(WorkspaceError):
        list_notes(damaged)


def test_a_locked_file_is_said_to_be_locked(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.workspace.BUSY_SECONDS", 0.05)
    with closing(Workspace(file).connect(autocommit=True)) as connection:
        connection.execute("BEGIN IMMEDIATE")
        with pytest.raises(InspectorError, match="locked"):
            add_note(file, THREAD, "text")
    assert list_notes(file) == []
