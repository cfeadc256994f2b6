"""What SQLite and LangGraph's classes over it do to a file, and why saver, store and writer are kept apart."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import PutOp
from langgraph.store.sqlite import SqliteStore

from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.workspace import BUSY_SECONDS, Workspace
from tests.contract.models import Told, call, deep_agent, say, thread

CHECKPOINT: Any = {"configurable": {"thread_id": "t", "checkpoint_ns": "", "checkpoint_id": "1"}}


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "w.ctx")


def a_thread(file: Path, *, wal: bool) -> None:
    """A database that LangGraph wrote, of a thread with two turns."""
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        agent = deep_agent(Told(turns=["one", "two"]), checkpointer=saver)
        say(agent, "a")
        say(agent, "b")
        if not wal:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- connections ---


def test_a_saver_and_a_store_on_one_connection_end_each_others_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(tmp_path / "one.db", check_same_thread=False, isolation_level=None)) as connection:
        saver, store = SqliteSaver(connection), SqliteStore(connection)
        saver.setup()
        store.setup()
        put = store._batch_put_ops

        def put_while_the_saver_commits(*ops: Any) -> None:
            saver.put_writes(CHECKPOINT, [("a", 1)], "x")
            put(*ops)

        monkeypatch.setattr(store, "_batch_put_ops", put_while_the_saver_commits)
        with pytest.raises(sqlite3.OperationalError, match="no transaction is active"):
            store.batch([PutOp(("m",), "k", {"v": 1})])


def test_on_connections_of_their_own_neither_ends_the_others_transaction(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
    with closing(saver.conn), closing(store.conn):
        saver.setup()
        put = store._batch_put_ops

        def put_while_the_saver_commits(*ops: Any) -> None:
            saver.put_writes(CHECKPOINT, [("a", 1)], "x")
            put(*ops)

        monkeypatch.setattr(store, "_batch_put_ops", put_while_the_saver_commits)
        store.batch([PutOp(("m",), "k", {"v": 1})])
        assert store.get(("m",), "k").value == {"v": 1}
        assert saver.conn.execute("SELECT count(*) FROM writes").fetchone() == (1,)


def test_connections_are_wal_and_wait_for_a_lock(workspace: Workspace) -> None:
    with closing(workspace.connect()) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (int(BUSY_SECONDS * 1000),)
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)


def test_one_connection_reads_while_another_writes(workspace: Workspace) -> None:
    with closing(workspace.connect(autocommit=True)) as writer, closing(workspace.connect()) as reader:
        writer.execute("CREATE TABLE x(a)")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO x VALUES (1)")
        assert reader.execute("SELECT count(*) FROM x").fetchone() == (0,)
        writer.execute("COMMIT")
        assert reader.execute("SELECT count(*) FROM x").fetchone() == (1,)


def test_data_version_tells_of_anothers_commit_and_not_of_ones_own(workspace: Workspace) -> None:
    def version(connection: sqlite3.Connection) -> int:
        return int(connection.execute("PRAGMA data_version").fetchone()[0])

    with closing(workspace.connect(autocommit=True)) as one, closing(workspace.connect(autocommit=True)) as other:
        before = version(one), version(other)
        one.execute("CREATE TABLE x(a)")
        assert version(one) == before[0]
        assert version(other) != before[1]


# --- other people's files ---


def test_opening_a_file_with_langgraphs_saver_changes_its_bytes(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    a_thread(file, wal=False)
    before = file.read_bytes()
    with closing(sqlite3.connect(file, check_same_thread=False)) as connection:
        SqliteSaver(connection).get_tuple(thread())
    assert file.read_bytes() != before


def test_a_saver_told_that_it_is_set_up_leaves_a_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    a_thread(file, wal=False)
    before = file.read_bytes()
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, check_same_thread=False)) as connection:
        saver = SqliteSaver(connection)
        saver.is_setup = True
        assert saver.get_tuple(thread()) is not None
    assert file.read_bytes() == before
    assert names(tmp_path) == ["theirs.db"]


def test_reading_a_resting_wal_file_in_mode_ro_makes_files_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    a_thread(file, wal=True)
    assert names(tmp_path) == ["theirs.db"]
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
        connection.execute("SELECT count(*) FROM checkpoints").fetchone()
    assert names(tmp_path) == ["theirs.db", "theirs.db-shm", "theirs.db-wal"]


def test_immutable_hides_what_is_still_in_the_wal(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE x(a)")
        writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        writer.execute("INSERT INTO x VALUES (1)")
        with closing(sqlite3.connect(f"file:{file}?immutable=1", uri=True)) as reader:
            assert reader.execute("SELECT count(*) FROM x").fetchone() == (0,)
        assert writer.execute("SELECT count(*) FROM x").fetchone() == (1,)


def test_json_extract_over_a_listing_fails_at_one_damaged_row(tmp_path: Path) -> None:
    file = tmp_path / "theirs.db"
    a_thread(file, wal=False)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE checkpoints SET metadata = 'not json' WHERE rowid = 2")
        with pytest.raises(sqlite3.OperationalError, match="malformed JSON"):
            connection.execute("SELECT json_extract(CAST(metadata AS TEXT), '$.step') FROM checkpoints").fetchall()


def test_a_raw_row_holds_no_messages_in_a_workspace(workspace: Workspace) -> None:
    saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
    with closing(saver.conn), closing(store.conn):
        agent = deep_agent(Told(turns=["one answer"]), checkpointer=saver, store=store)
        say(agent, "a question")
        rows = saver.conn.execute("SELECT checkpoint FROM checkpoints ORDER BY checkpoint_id").fetchall()
        assert len(rows) > 3
        assert not any(b"one answer" in row[0] for row in rows)
        assert saver.conn.execute(
            "SELECT count(*) FROM writes WHERE channel = 'messages' AND instr(value, CAST('one answer' AS BLOB))"
        ).fetchone() == (1,)


def test_a_copy_in_memory_goes_on_without_touching_the_file(workspace: Workspace) -> None:
    """How the next request can be had without sending it."""
    saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
    with closing(saver.conn), closing(store.conn):
        say(deep_agent(Told(turns=["one"]), checkpointer=saver, store=store), "a")
        before = list(saver.conn.iterdump())
        with closing(sqlite3.connect(":memory:", check_same_thread=False)) as copy:
            saver.conn.backup(copy)
            model = Told(turns=["two"])
            say(deep_agent(model, checkpointer=SqliteSaver(copy)), "b")
            assert [m.text for m in model.given[0].conversation] == ["a", "one", "b"]
        assert list(saver.conn.iterdump()) == before


def test_the_request_of_an_earlier_checkpoint_is_had_again_on_a_copy(workspace: Workspace) -> None:
    saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
    with closing(saver.conn), closing(store.conn):
        model = Told(turns=[call("ls", "c1", path="/"), call("ls", "c2", path="/"), "done"])
        say(deep_agent(model, checkpointer=saver, store=store), "a")
        for given in model.given:
            at = {"thread_id": "t", "checkpoint_id": given.configurable["checkpoint_map"][""]}
            with closing(sqlite3.connect(":memory:", check_same_thread=False)) as copy:
                saver.conn.backup(copy)
                again = Told(turns=[RuntimeError("not sent")])
                with pytest.raises(RuntimeError, match="not sent"):
                    deep_agent(again, checkpointer=SqliteSaver(copy)).invoke(None, {"configurable": at})
            assert again.given[0].messages == given.messages
            assert again.given[0].tools == given.tools


def test_two_agents_write_to_one_file_in_turn(workspace: Workspace) -> None:
    savers, stores = [WorkspaceSaver(workspace) for _ in "ab"], [WorkspaceStore(workspace) for _ in "ab"]
    agents = [
        deep_agent(Told(turns=["one", "two"]), checkpointer=saver, store=store)
        for saver, store in zip(savers, stores, strict=True)
    ]
    try:
        for text in ("a", "b"):
            for n, agent in enumerate(agents):
                say(agent, text, thread(f"thread {n}"))
        for n in (0, 1):
            found = agents[1 - n].get_state(thread(f"thread {n}")).values["messages"]
            assert [m.text for m in found] == ["a", "one", "b", "two"]
        assert isinstance(found[0], HumanMessage)
    finally:
        for each in (*savers, *stores):
            each.conn.close()
