"""Databases of earlier releases: whole lists in every checkpoint, no task paths, JSON blobs, no writes at all."""

from __future__ import annotations

import json
import sqlite3
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.load import dumpd
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langgraph.checkpoint.base.id import uuid6
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.graph import START, MessagesState, StateGraph

from engine import Source, open_source
from tests.contract.models import Told, call, deep_agent, say, thread
from tests.engine.sources.databases import effective, everything, received, saver_over


def texts(source: Source, thread_id: str = "t") -> list[list[str]]:
    """Texts of the effective messages, request by request."""
    return [[source.text(item.part) for item in source.request(row.id).messages] for row in source.requests(thread_id)]


def test_whole_lists_in_every_checkpoint(tmp_path: Path) -> None:
    """Before delta channels; and any graph of LangGraph's own message state today."""
    model = Told(turns=["one", "two"])

    def model_node(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("agent", model_node)
    graph.add_edge(START, "agent")
    with saver_over(tmp_path / "t.db") as saver:
        agent = graph.compile(checkpointer=saver)
        for question in ("a", "b"):
            say(agent, question)
    with closing(open_source(tmp_path / "t.db")) as source:
        assert texts(source) == [["a"], ["a", "one", "b"]]
        assert [row.status for row in source.requests("t")] == ["done", "done"]
        assert [row.requests for row in source.threads()] == [2]


def test_a_node_of_another_name_that_answers_is_a_model_call(tmp_path: Path) -> None:
    model = Told(turns=["one", "two"])

    def chatter(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("chatter", chatter)
    graph.add_edge(START, "chatter")
    with saver_over(tmp_path / "t.db") as saver:
        agent = graph.compile(checkpointer=saver)
        say(agent, "a")
        say(agent, "b")
    with closing(open_source(tmp_path / "t.db")) as source:
        assert texts(source) == [["a"], ["a", "one", "b"]]
        assert [row.checkpoint_ns.partition(":")[0] for row in source.requests("t")] == ["chatter", "chatter"]


def test_an_agent_inside_a_graph_is_a_subagent_and_its_node_no_call(tmp_path: Path) -> None:
    from langchain.agents import create_agent

    model = Told(turns=["inner answer"])
    inner = create_agent(model=model)
    graph = StateGraph(MessagesState)
    graph.add_node("expert", inner)
    graph.add_edge(START, "expert")
    with saver_over(tmp_path / "t.db") as saver:
        say(graph.compile(checkpointer=saver), "a")
    with closing(open_source(tmp_path / "t.db")) as source:
        (row,) = source.requests("t")
        assert (row.purpose, row.depth, row.parent) == ("subagent", 1, None)
        assert row.checkpoint_ns == model.given[0].metadata["langgraph_checkpoint_ns"]
        assert effective(source, row) == received(model.given[0])


def test_writes_without_task_paths(tmp_path: Path) -> None:
    """To 2025. Which node wrote is told by the task's id."""

    def task(id: str) -> AIMessage:
        return call("task", id, description=f"for {id}", subagent_type="reader")

    main = Told(turns=[task("a"), task("b"), "done"])
    helper = Told(turns=[call("ls", "r1", path="/"), call("ls", "r2", path="/"), "ok", "ok"])
    reader = {"name": "reader", "description": "reads", "system_prompt": "read", "model": helper}
    with saver_over(tmp_path / "t.db") as saver:
        say(deep_agent(main, checkpointer=saver, subagents=[reader]), "go")
        saver.conn.execute("ALTER TABLE writes DROP COLUMN task_path")
    before = everything(tmp_path)
    with closing(open_source(tmp_path / "t.db")) as source:
        rows = source.requests("t")
        asked = {
            given.metadata["langgraph_checkpoint_ns"]: received(given) for m in (main, helper) for given in m.asked
        }
        assert {row.checkpoint_ns: effective(source, row) for row in rows} == asked
        assert {row.parent_call for row in rows if row.purpose == "subagent"} == {"a", "b"}
    assert everything(tmp_path) == before, "no column was added"


TALK: list[AnyMessage] = [
    HumanMessage("a", id="h1"),
    AIMessage("", id="a1", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "c1"}]),
    ToolMessage("r", tool_call_id="c1", id="t1"),
    AIMessage("one", id="a2"),
    HumanMessage("b", id="h2"),
    AIMessage("two", id="a3"),
]
STEPS = [
    ("input", -1, 0, None), ("loop", 0, 1, "__start__"), ("loop", 1, 2, "agent"), ("loop", 2, 3, "tools"),
    ("loop", 3, 4, "agent"), ("input", 4, 4, None), ("loop", 5, 5, "__start__"), ("loop", 6, 6, "agent"),
]  # fmt: skip
"""source, step, messages in the state, node that wrote."""


def test_checkpoints_of_2024_with_json_and_without_writes(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.execute(
            "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, thread_ts TEXT NOT NULL, parent_ts TEXT, "
            "checkpoint BLOB, metadata BLOB, PRIMARY KEY (thread_id, thread_ts))"
        )
        before: str | None = None
        for n, (source_, step, many, node) in enumerate(STEPS):
            id = f"2024-06-01T10:00:{n:02}.000000+00:00"
            checkpoint = {
                "v": 1, "ts": id, "id": id, "channel_versions": {"messages": n}, "versions_seen": {},
                "channel_values": {"messages": [dumpd(message) for message in TALK[:many]]},
            }  # fmt: skip
            metadata = {"source": source_, "step": step, "writes": {node: {}} if node else None}
            connection.execute(
                "INSERT INTO checkpoints VALUES ('t', ?, ?, ?, ?)",
                (id, before, json.dumps(checkpoint).encode(), json.dumps(metadata).encode()),
            )
            before = id
        connection.commit()
    with closing(open_source(tmp_path / "t.db")) as source:
        (listed,) = source.threads()
        assert (listed.title, listed.requests, listed.problem) == ("t", None, None)
        rows = source.requests("t")
        assert texts(source) == [["a"], ["a", "", "r"], ["a", "", "r", "one", "b"]]
        answers = [source.request(row.id).response for row in rows]
        assert [source.message(part)["data"]["id"] for part in answers if part] == ["a1", "a2", "a3"]
        assert [row.started_at for row in rows] == [1717236001.0, 1717236003.0, 1717236006.0]
        (listed,) = source.threads()
        assert (listed.requests, listed.problem) == (3, None)


@pytest.mark.parametrize("kind", ["json", "msgpack"])
def test_checkpoints_of_late_2024_with_writes_to_a_nodes_own_channel(tmp_path: Path, kind: str) -> None:
    saver = SqliteSaver(sqlite3.connect(":memory:"))

    def stored(value: Any) -> tuple[str, bytes]:
        if kind == "json":
            return "json", json.dumps(value, default=dumpd).encode()
        return saver.serde.dumps_typed(value)

    with closing(sqlite3.connect(tmp_path / "t.db")) as connection:
        connection.executescript(
            "CREATE TABLE checkpoints (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', "
            "checkpoint_id TEXT NOT NULL, parent_checkpoint_id TEXT, type TEXT, checkpoint BLOB, metadata BLOB, "
            "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id));"
            "CREATE TABLE writes (thread_id TEXT NOT NULL, checkpoint_ns TEXT NOT NULL DEFAULT '', checkpoint_id TEXT "
            "NOT NULL, task_id TEXT NOT NULL, idx INTEGER NOT NULL, channel TEXT NOT NULL, type TEXT, value BLOB, "
            "PRIMARY KEY (thread_id, checkpoint_ns, checkpoint_id, task_id, idx));"
        )
        before: str | None = None
        for n, (source_, step, many, node) in enumerate(STEPS):
            if before is not None and node is not None:
                written = [(node, node), ("messages", TALK[STEPS[n - 1][2] : many])]
                task = str(uuid.uuid4())
                for index, (channel, value) in enumerate(written):
                    connection.execute(
                        "INSERT INTO writes VALUES ('t', '', ?, ?, ?, ?, ?, ?)",
                        (before, task, index, channel, *stored(value)),
                    )
            id = str(uuid6(clock_seq=step))
            checkpoint = {
                "v": 1, "ts": "2024-11-01T10:00:00+00:00", "id": id, "channel_versions": {"messages": str(n)},
                "versions_seen": {}, "pending_sends": [], "channel_values": {"messages": TALK[:many]},
            }  # fmt: skip
            connection.execute(
                "INSERT INTO checkpoints VALUES ('t', '', ?, ?, ?, ?, ?)",
                (id, before, *stored(checkpoint), json.dumps({"source": source_, "step": step}).encode()),
            )
            before = id
        connection.commit()
    saver.conn.close()
    with closing(open_source(tmp_path / "t.db")) as source:
        assert [row.requests for row in source.threads()] == [3]
        assert texts(source) == [["a"], ["a", "", "r"], ["a", "", "r", "one", "b"]]
        assert [row.status for row in source.requests("t")] == ["done"] * 3
        assert all(row.started_at > 1.7e9 for row in source.requests("t"))
        calls_ = source.heads([part for row in source.requests("t") if (part := source.request(row.id).response)])
        assert [call_.id for head in calls_.values() for call_ in head.tool_calls] == ["c1"]


def test_a_run_that_saved_its_state_only_at_its_end(tmp_path: Path) -> None:
    model = Told(turns=[call("ls", "c", path="/"), "done"])
    with saver_over(tmp_path / "t.db") as saver:
        agent = deep_agent(model, checkpointer=saver)
        agent.invoke({"messages": [HumanMessage("a")]}, thread(), durability="exit")
        state = agent.get_state(thread()).values["messages"]
    with closing(open_source(tmp_path / "t.db")) as source:
        (row,) = source.requests("t")
        assert row.purpose == "other"
        assert "No single model call can be told" in (row.problem or "")
        assert texts(source) == [[message.text for message in state]]
