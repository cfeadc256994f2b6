"""The list of threads: nothing of a checkpoint is read for it, whatever its size or its state."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from engine import open_source
from tests.contract.models import Told, call, deep_agent, say, thread
from tests.engine.sources.databases import put_state, saver_over

LINE = "{" + ",".join(f'"k{i}":"{"v" * 40}"' for i in range(60_000)) + "}"


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three threads, each one checkpoint of several megabytes with 5,001 messages."""
    file = tmp_path_factory.mktemp("long") / "long.db"
    messages: list[Any] = []
    for i in range(2_500):
        messages += [HumanMessage(f"q{i}", id=f"h{i}"), AIMessage(f"a{i} " + "word " * 60, id=f"a{i}")]
    messages.append(ToolMessage(LINE, tool_call_id="x", id="t"))
    with saver_over(file) as saver:
        for step in range(3):
            put_state(saver, f"long-{step}", {"messages": messages}, step)
    return file


def test_the_pages_of_checkpoints_are_not_read(long: Path, tmp_path: Path) -> None:
    """Every page but the first of each checkpoint is overwritten: the list doesn't notice."""
    data = bytearray(long.read_bytes())
    blank = 0
    for page in range(5, len(data) // 4096):
        start = page * 4096
        if data[start] == 0:  # a page that goes on with a blob begins with the number of the next one
            data[start : start + 4096] = b"\xff" * 4096
            blank += 1
    assert blank > 3_000
    (tmp_path / "blank.db").write_bytes(data)
    with closing(open_source(tmp_path / "blank.db")) as source:
        rows = source.threads()
        assert [(row.thread_id, row.requests, row.problem) for row in rows] == [
            ("long-2", 0, None),
            ("long-1", 0, None),
            ("long-0", 0, None),
        ]
        assert all(row.created_at for row in rows)
        assert source.problem == ""


def test_a_long_thread_and_a_very_long_line_are_whole(long: Path) -> None:
    with closing(open_source(long)) as source:
        (row,) = source.requests("long-1")
        assert row.raw_messages == 5_001
        detail = source.request(row.id)
        assert source.text(detail.messages[-1].part) == LINE
        head = source.heads([detail.messages[-1].part])[detail.messages[-1].part]
        assert len(head.first_line) <= 200
        assert detail.messages[-1].chars == len(LINE)


def test_equal_messages_of_several_threads_are_kept_once(long: Path) -> None:
    with closing(open_source(long)) as source:
        parts = [[item.part for item in source.request(source.request_ids(f"long-{n}")[0]).messages] for n in range(3)]
        assert parts[0] == parts[1] == parts[2]


def test_titles_agents_times_and_counts(tmp_path: Path) -> None:
    model = Told(turns=["one", call("ls", "c", path="/"), "two", "three"])
    with saver_over(tmp_path / "t.db") as saver:
        agent = deep_agent(model, checkpointer=saver, name="helper")
        say(agent, "  What is\n this?  ", thread("first"))
        say(agent, [{"type": "text", "text": "Blocks " + "and more " * 30}], thread("second"))
        say(agent, "again", thread("first"))
    with closing(open_source(tmp_path / "t.db")) as source:
        first, second = source.threads()
        assert (first.thread_id, first.title, first.requests) == ("first", "What is this?", 2)
        assert (second.thread_id, second.requests) == ("second", 2)
        assert second.title.startswith("Blocks and more") and len(second.title) <= 100
        assert (first.source, first.status, first.problem) == ("langgraph", "idle", None)
        assert first.agent == "helper"
        assert first.created_at and first.updated_at and second.created_at
        assert first.created_at < second.created_at < first.updated_at
        starts = [row.started_at for row in source.requests("first")]
        assert all(first.created_at <= start <= first.updated_at for start in starts)


def test_a_very_long_first_message_is_no_title(tmp_path: Path) -> None:
    with saver_over(tmp_path / "t.db") as saver:
        say(deep_agent(Told(turns=["one"]), checkpointer=saver), "x" * 200_000)
    with closing(open_source(tmp_path / "t.db")) as source:
        (row,) = source.threads()
        assert row.title == "t"


def test_a_run_that_was_stopped_long_ago_is_stopped(tmp_path: Path) -> None:
    """The ids of checkpoints say when it was; those of a copy from the past are old."""
    import uuid

    class Stop(BaseException):
        pass

    class Stopping(Told):
        def _answer(self, given: Any) -> Any:
            raise Stop

    with saver_over(tmp_path / "t.db") as saver:
        with pytest.raises(Stop):
            deep_agent(Stopping(), checkpointer=saver).invoke(
                {"messages": [("user", "a")]}, thread(), durability="sync"
            )
        ids = [row[0] for row in saver.conn.execute("SELECT checkpoint_id FROM checkpoints")]
        for id in ids:
            old = uuid.UUID(int=uuid.UUID(id).int - (1 << 103))
            for table, column in (
                ("checkpoints", "checkpoint_id"),
                ("checkpoints", "parent_checkpoint_id"),
                ("writes", "checkpoint_id"),
            ):
                saver.conn.execute(f"UPDATE {table} SET {column} = ? WHERE {column} = ?", (str(old), id))
    with closing(open_source(tmp_path / "t.db")) as source:
        assert [row.status for row in source.threads()] == ["stopped"]
        (row,) = source.requests("t")
        assert (row.status, row.error) == ("stopped", None)
        assert "No answer is in the database" in (row.problem or "")


def test_a_database_without_threads(tmp_path: Path) -> None:
    with saver_over(tmp_path / "t.db"):
        pass
    with closing(open_source(tmp_path / "t.db")) as source:
        assert source.threads() == []
        assert source.requests("nobody") == []
        assert source.files("nobody") == source.memory("nobody") == source.skills("nobody") == []
        assert source.events("nobody") == source.summaries("nobody") == source.branches("nobody") == []
