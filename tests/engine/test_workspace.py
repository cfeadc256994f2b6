"""The workspace file: made, opened, migrated, and refused without being touched."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import struct
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver
from sqlite_utils import Database

from engine import Reader
from engine.errors import InspectorError, UsageError, WorkspaceError
from engine.schema import migrate, migrations
from engine.workspace import APPLICATION_ID, VERSION, Workspace, check_file, check_workspace

AS_ROOT = os.geteuid() == 0

Snapshot = dict[str, tuple[bytes, int, int]]


def snapshot(folder: Path) -> Snapshot:
    """Bytes, mode and time of change of every file in a folder."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.rglob("*")
        if path.is_file()
    }


def resting(workspace: Workspace) -> Path:
    """The workspace's file with nothing beside it."""
    with closing(workspace.connect()) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert not workspace.path.with_name(workspace.path.name + "-wal").exists()
    return workspace.path


def set_header(path: Path, at: int, value: int) -> None:
    data = bytearray(path.read_bytes())
    data[at : at + 4] = struct.pack(">I", value)
    path.write_bytes(data)


def dump(workspace: Workspace) -> list[str]:
    with closing(workspace.connect()) as connection:
        return list(connection.iterdump())


def applied(workspace: Workspace) -> list[tuple[str, str]]:
    with closing(workspace.connect()) as connection:
        return connection.execute("SELECT name, applied_at FROM _sqlite_migrations ORDER BY name").fetchall()


# --- making one ---


def test_a_new_workspace_opens_and_is_whole(tmp_path: Path) -> None:
    made = Workspace.create(tmp_path / "w.ctx")
    opened = Workspace.open(made.path)
    assert opened.path == made.path
    with closing(opened.connect()) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"threads", "runs", "parts", "chain", "requests", "events", "snapshots"} <= tables


def test_its_header_says_that_it_is_ours_and_of_which_format(tmp_path: Path) -> None:
    header = resting(Workspace.create(tmp_path / "w.ctx")).read_bytes()[:100]
    assert header[:16] == b"SQLite format 3\x00"
    assert header[18:20] == b"\x02\x02"  # WAL
    assert struct.unpack(">I", header[60:64])[0] == VERSION
    assert header[68:72] == b"CTXI" == struct.pack(">I", APPLICATION_ID)


def test_the_version_is_the_number_of_migrations(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    names = [name for name, _ in applied(workspace)]
    assert len(names) == VERSION
    assert names == sorted(names)
    with closing(sqlite3.connect(":memory:")) as connection:
        assert len(migrations.pending(Database(connection))) == VERSION


@pytest.mark.parametrize("mask", [0o022, 0o000, 0o077])
def test_only_the_user_may_read_it(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        path = Workspace.create(tmp_path / "w.ctx").path
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_what_sqlite_makes_beside_it_only_the_user_may_read(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    with closing(workspace.connect()) as connection:
        connection.execute("INSERT INTO threads(thread_id, title, created_at, updated_at) VALUES ('t', '', 0, 0)")
        connection.commit()
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {"w.ctx": 0o600, "w.ctx-wal": 0o600, "w.ctx-shm": 0o600}


def test_its_folder_is_made_too(tmp_path: Path) -> None:
    assert Workspace.create(tmp_path / "a" / "b" / "w.ctx").path.exists()


@pytest.mark.parametrize("there", [b"", b"something", None])
def test_what_is_there_already_is_not_replaced(tmp_path: Path, there: bytes | None) -> None:
    path = tmp_path / "w.ctx"
    path.mkdir() if there is None else path.write_bytes(there)
    before = snapshot(tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        Workspace.create(path)
    assert snapshot(tmp_path) == before


def test_a_dangling_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "w.ctx").symlink_to(tmp_path / "elsewhere.ctx")
    with pytest.raises(UsageError, match="is there already"):
        Workspace.create(tmp_path / "w.ctx")
    assert not (tmp_path / "elsewhere.ctx").exists()


def test_a_place_that_cant_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(InspectorError, match="file"):
        Workspace.create(tmp_path / "file" / "w.ctx")


@pytest.mark.parametrize("name", ["a b?c#d%20.ctx", "ünï 'quoted'.ctx", "<b>x&amp;.ctx", "-rf", "w"])
def test_any_file_name_will_do(tmp_path: Path, name: str) -> None:
    workspace = Workspace.open(Workspace.create(tmp_path / name).path)
    resting(workspace)
    assert [path.name for path in tmp_path.iterdir()] == [name]


# --- migrations ---


def test_opening_a_workspace_of_this_version_changes_no_byte(tmp_path: Path) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    before = path.read_bytes()
    Workspace.open(path)
    assert path.read_bytes() == before


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    before, dates = dump(workspace), applied(workspace)
    with closing(workspace.connect()) as connection:
        migrate(connection)
        migrate(connection)
    assert dump(workspace) == before
    assert applied(workspace) == dates


def test_an_older_workspace_is_brought_up_to_date_when_it_is_opened(tmp_path: Path) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    empty = tmp_path / "older.ctx"
    with closing(sqlite3.connect(empty)) as connection:  # version 0: ours, and no migration yet
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE kept(a)")
        connection.execute("INSERT INTO kept VALUES (1)")
        connection.commit()
    opened = Workspace.open(empty)
    assert [name for name, _ in applied(opened)] == [name for name, _ in applied(Workspace(path))]
    with closing(opened.connect()) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION,)
        assert connection.execute("SELECT a FROM kept").fetchall() == [(1,)]


# --- refusing ---


DOORS = (check_workspace, Workspace.open, lambda place: Workspace.open(str(place)))


def refused(path: Path, kind: type[InspectorError], sentence: str, *more: Callable[[Path], object]) -> None:
    """Every door refuses the file with this sentence, and changes nothing in its folder."""
    before = snapshot(path.parent)
    for door in (*DOORS, *(more or (check_file,))):
        with pytest.raises(kind, match=sentence) as caught:
            door(path)
        assert str(path) in str(caught.value)
    assert snapshot(path.parent) == before


def test_a_workspace_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.commit()
    assert [each.name for each in tmp_path.iterdir()] == ["w.ctx"]
    refused(path, WorkspaceError, f"format {VERSION + 1}, this one knows {VERSION}")
    assert [each.name for each in tmp_path.iterdir()] == ["w.ctx"]


def test_a_newer_workspace_that_is_in_use_is_left_as_it_is(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    with closing(workspace.connect()) as connection:
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        refused(workspace.path, WorkspaceError, "newer version")


def test_a_newer_version_that_is_still_in_the_wal_is_refused(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    with closing(workspace.connect()) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.commit()
        with pytest.raises(WorkspaceError, match="newer version"):
            Workspace.open(workspace.path)


@pytest.mark.parametrize("version", [VERSION + 1, VERSION + 1_000, 2**31 - 1])
def test_any_newer_version_is_refused(tmp_path: Path, version: int) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    set_header(path, 60, version)
    refused(path, WorkspaceError, "newer version")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "is empty"),
        (b"\0" * 4096, "is not an SQLite database"),
        (b"SQLite format 4\x00" + b"\0" * 4080, "is not an SQLite database"),
        (b"# Notes\n" * 100, "is not an SQLite database"),
        (b"SQLite", "is not an SQLite database"),
        (b"SQLite format 3\x00" + b"\0" * 40, "is cut off inside its header"),
    ],
    ids=["empty", "zeros", "another format", "text", "shorter than the mark", "half a header"],
)
def test_a_file_that_is_no_database_is_refused(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "w.ctx"
    path.write_bytes(data)
    refused(path, WorkspaceError, sentence)


@pytest.mark.parametrize("left", [0.99, 0.5, 0.1])
def test_a_workspace_that_was_cut_off_is_refused(tmp_path: Path, left: float) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * left)])
    refused(path, WorkspaceError, "is cut off: its header speaks of")


@pytest.mark.parametrize("wal", [True, False])
def test_a_database_of_langgraphs_is_refused(tmp_path: Path, wal: bool) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
        SqliteSaver(connection).setup()
        connection.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
    refused(path, WorkspaceError, "not a workspace of the Context Inspector", Reader)
    assert check_file(path) == "langgraph"


@pytest.mark.parametrize("wal", [True, False])
def test_somebodys_database_of_something_else_is_refused(tmp_path: Path, wal: bool) -> None:
    path = tmp_path / "theirs.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE checkpoints(name, reached)")
        connection.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
    refused(path, WorkspaceError, "neither a workspace of the Context Inspector nor a LangGraph database")


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "w.ctx").mkdir()
    refused(tmp_path / "w.ctx", UsageError, "is a folder")


def test_a_missing_file_is_refused_with_a_way_to_make_one_and_not_made(tmp_path: Path) -> None:
    refused(tmp_path / "w.ctx", UsageError, "context-inspector demo")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(AS_ROOT, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    path.chmod(0)
    with pytest.raises(WorkspaceError, match="can't be read"):
        check_file(path)


def test_a_damaged_first_page_is_refused_in_words(tmp_path: Path) -> None:
    path = resting(Workspace.create(tmp_path / "w.ctx"))
    data = bytearray(path.read_bytes())
    data[100:1_000] = b"\xff" * 900
    data[60:64] = struct.pack(">I", 0)  # so that opening has to read it
    path.write_bytes(data)
    with pytest.raises(WorkspaceError, match="can't be opened"):
        Workspace.open(path)


@pytest.mark.parametrize(
    "prepare",
    [
        lambda path: None,
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"text"),
        lambda path: path.mkdir(),
    ],
)
def test_a_refusal_is_one_sentence_for_the_user(tmp_path: Path, prepare: Callable[[Path], object]) -> None:
    path = tmp_path / "w.ctx"
    prepare(path)
    with pytest.raises(InspectorError) as caught:
        check_file(path)
    assert caught.value.exit_code in (2, 3)
    assert "\n" not in str(caught.value)
    assert str(caught.value).endswith((".", str(path)))


# --- a file in use ---


def test_a_workspace_in_use_opens_beside_its_writer(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    with closing(workspace.connect(autocommit=True)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO threads(thread_id, title, created_at, updated_at) VALUES ('t', '', 0, 0)")
        Workspace.open(workspace.path)
        writer.execute("COMMIT")
    with closing(Workspace.open(workspace.path).connect()) as reader:
        assert reader.execute("SELECT thread_id FROM threads").fetchall() == [("t",)]


def test_a_copy_with_its_wal_holds_what_was_committed(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    (tmp_path / "copy").mkdir()
    with closing(workspace.connect(autocommit=True)) as writer:
        writer.execute("INSERT INTO threads(thread_id, title, created_at, updated_at) VALUES ('t', '', 0, 0)")
        for path in list(tmp_path.glob("w.ctx*")):
            if not path.name.endswith("-shm"):
                shutil.copy(path, tmp_path / "copy" / path.name)
    with closing(Workspace.open(tmp_path / "copy" / "w.ctx").connect()) as reader:
        assert reader.execute("SELECT thread_id FROM threads").fetchall() == [("t",)]
