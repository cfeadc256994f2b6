"""Reading a stranger's file leaves it and its folder as they are, whatever state it is in."""

from __future__ import annotations

import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from engine import Source, check_file, open_source, raw_bytes
from engine.errors import WorkspaceError
from tests.engine.sources.databases import everything, put_state, saver_over

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def private(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where private copies are made."""
    folder = tmp_path_factory.mktemp("private")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A resting database in rollback-journal mode, with one thread."""
    with saver_over(tmp_path / "theirs.db") as saver:
        put_state(saver, "t", {"messages": [HumanMessage("hello")]})
    return tmp_path / "theirs.db"


def said(source: Source, thread_id: str = "t") -> list[str]:
    """Texts of a thread's messages."""
    (row,) = source.requests(thread_id)
    return [source.text(item.part) for item in source.request(row.id).messages]


def add(connection: sqlite3.Connection, thread_id: str) -> None:
    """Another thread, written through a connection that is left open."""
    from langgraph.checkpoint.sqlite import SqliteSaver

    saver = SqliteSaver(connection)
    saver.is_setup = True
    put_state(saver, thread_id, {"messages": [HumanMessage(f"in {thread_id}")]})


@pytest.fixture
def writer(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        yield connection


def test_a_resting_file_is_read_in_place(file: Path, private: Path) -> None:
    before = everything(file.parent)
    with closing(open_source(file)) as source:
        assert said(source) == ["hello"]
        assert "in place" in source.read_only
        assert list(private.iterdir()) == []
        assert everything(file.parent) == before
    assert everything(file.parent) == before


@pytest.mark.parametrize("resting", [True, False])
def test_a_wal_file_is_read_through_a_private_copy(
    file: Path, writer: sqlite3.Connection, private: Path, resting: bool
) -> None:
    writer.execute("PRAGMA journal_mode=WAL")
    if resting:
        writer.close()
    else:
        add(writer, "in the wal")
    before = everything(file.parent)
    assert ("theirs.db-wal" in before) != resting
    with closing(open_source(file)) as source:
        assert "private copy, because it is in WAL mode" in source.read_only
        assert said(source) == ["hello"]
        if not resting:
            assert said(source, "in the wal") == ["in in the wal"]
        (folder,) = private.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert everything(file.parent) == before
    assert list(private.iterdir()) == [], "the copy is gone"
    assert everything(file.parent) == before


def test_a_database_that_is_in_its_wal_alone_is_known_and_read(tmp_path: Path) -> None:
    with saver_over(tmp_path / "young.db", wal=True) as saver:
        saver.conn.execute("PRAGMA wal_autocheckpoint=0")
        put_state(saver, "t", {"messages": [HumanMessage("hello")]})
        saver.conn.commit()
        before = everything(tmp_path)
        with closing(sqlite3.connect(f"file:{tmp_path}/young.db?immutable=1", uri=True)) as look:
            assert look.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
        assert check_file(tmp_path / "young.db") == "langgraph"
        with closing(open_source(tmp_path / "young.db")) as source:
            assert said(source) == ["hello"]
        assert everything(tmp_path) == before


def test_a_transaction_that_was_not_finished_is_rolled_back_in_the_copy_alone(file: Path) -> None:
    """A process that was killed in the middle of a commit leaves a journal that has to be rolled back."""
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA cache_size=1'); c.execute('PRAGMA cache_spill=1'); c.execute('BEGIN')\n"
        "c.execute(\"UPDATE checkpoints SET thread_id = 'half'\")\n"
        "for i in range(200):\n"
        "    c.execute(\"INSERT INTO writes VALUES ('x', '', ?, 't', '', 0, 'c', '', zeroblob(3000))\", (str(i),))\n"
        "os._exit(0)\n"
    )
    subprocess.run([sys.executable, "-c", code, str(file)], check=True)
    before = everything(file.parent)
    assert "theirs.db-journal" in before
    with closing(open_source(file)) as source:
        assert "a transaction in it is not finished" in source.read_only
        assert [row.thread_id for row in source.threads()] == ["t"]
        assert said(source) == ["hello"]
    assert everything(file.parent) == before


def test_a_locked_file_is_read_through_a_private_copy(file: Path, writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA locking_mode=EXCLUSIVE")
    writer.execute("BEGIN EXCLUSIVE")
    before = everything(file.parent)
    with closing(open_source(file)) as source:
        assert said(source) == ["hello"]
        assert "another program has it locked" in source.read_only
    assert everything(file.parent) == before
    writer.execute("ROLLBACK")


def test_reading_keeps_no_lock_that_a_writer_would_wait_for(file: Path, writer: sqlite3.Connection) -> None:
    writer.execute("PRAGMA busy_timeout=0")
    with closing(open_source(file)) as source:
        assert said(source) == ["hello"]
        add(writer, "meanwhile")
        writer.commit()
        source.data_version()
        assert said(source, "meanwhile") == ["in meanwhile"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_to(file: Path) -> None:
    file.parent.chmod(0o500)
    try:
        with closing(open_source(file)) as source:
            assert said(source) == ["hello"]
    finally:
        file.parent.chmod(0o700)


@pytest.mark.parametrize("wal", [True, False])
def test_a_file_and_a_folder_of_which_nothing_may_be_written(file: Path, writer: sqlite3.Connection, wal: bool) -> None:
    writer.execute(f"PRAGMA journal_mode={'WAL' if wal else 'DELETE'}")
    writer.close()
    file.chmod(0o400)
    file.parent.chmod(0o500)
    try:
        before = everything(file.parent)
        with closing(open_source(file)) as source:
            assert said(source) == ["hello"]
        assert everything(file.parent) == before
    finally:
        file.parent.chmod(0o700)


def test_a_file_that_goes_away_is_a_sentence(file: Path) -> None:
    with closing(open_source(file)) as source:
        assert said(source) == ["hello"]
        data = file.read_bytes()
        file.unlink()
        with pytest.raises(WorkspaceError, match="can't be read"):
            source.data_version()
        with pytest.raises(WorkspaceError, match="can't be read"):
            source.threads()
        file.write_bytes(data)
        source.data_version()
        assert said(source) == ["hello"], "it came back"


def test_a_file_that_another_took_the_place_of_is_read_anew(
    file: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    other = tmp_path_factory.mktemp("other") / "other.db"
    with saver_over(other) as saver:
        put_state(saver, "new", {"messages": [HumanMessage("another file")]})
    with closing(open_source(file)) as source:
        version = source.data_version()
        os.replace(other, file)
        assert source.data_version() != version
        assert [row.thread_id for row in source.threads()] == ["new"]
        assert said(source, "new") == ["another file"]


def test_a_copy_that_was_written_over_while_it_was_made_is_made_again(
    file: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.execute("PRAGMA journal_mode=WAL")
    add(writer, "first")
    copies = []
    copy = raw_bytes.copy

    def copy_and_write(source: Path, target: Path) -> None:
        copy(source, target)
        copies.append(source.name)
        if copies == ["theirs.db"]:  # between the file and its WAL, all of the WAL is folded back
            add(writer, "second")
            writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    monkeypatch.setattr(raw_bytes, "copy", copy_and_write)
    with closing(open_source(file)) as source:
        assert {row.thread_id for row in source.threads()} == {"t", "first", "second"}
        for thread_id in ("first", "second"):
            assert said(source, thread_id) == [f"in {thread_id}"]
    assert copies.count("theirs.db") == 2


def test_nothing_is_left_when_a_process_ends_without_closing(
    file: Path, writer: sqlite3.Connection, private: Path
) -> None:
    writer.execute("PRAGMA journal_mode=WAL")
    add(writer, "x")
    before = everything(file.parent)
    code = (
        "import sys, tempfile; tempfile.tempdir = sys.argv[2]\n"
        "from engine import open_source\n"
        "source = open_source(sys.argv[1]); print(len(source.threads()))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(file), str(private)], env=environment, capture_output=True, text=True
    )
    assert done.stdout.strip() == "2", done.stderr
    assert list(private.iterdir()) == []
    assert everything(file.parent) == before
