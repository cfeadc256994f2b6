"""Invariant 4: a fault of the recorder never reaches the run, and a lost record is never silent."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import uuid
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain_core.messages import HumanMessage, ToolMessage

from engine import Reader, Recorder, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.recording.lanes import Lane


def run(recorder: Recorder | None, message: Any = "go", tools: Any = ()) -> list[str]:
    """Three requests of a plain agent; returns the texts of its messages."""
    script = [Turn(calls=[Call("ls", {"path": "/"})]), Turn(calls=[Call("ls", {"path": "/"})]), Turn("done")]
    model = ScriptedChat(script=script)
    state: Any = {"messages": [message if not isinstance(message, str) else HumanMessage(message)]}
    if recorder is None:
        graph = create_deep_agent(model=model, tools=list(tools))
        result = asyncio.run(graph.ainvoke(state, {"configurable": {"thread_id": "t"}}))
    else:
        with recorder.observing():
            graph = create_deep_agent(model=model, tools=list(tools))
            token = uuid.uuid4().hex
            recorder.begin_run(token, "t", "faults", None, {})
            config: Any = {"configurable": {"thread_id": "t"}, "callbacks": [recorder.handler]}
            result = asyncio.run(graph.ainvoke(state, config))
            recorder.end_run(token, "t", "done")
    return [item.text for item in result["messages"]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.create(tmp_path / "faults.ctx")


def test_a_locked_file_loses_the_record_and_not_the_run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.workspace.BUSY_SECONDS", 0.05)
    recorder = Recorder(workspace)
    with closing(workspace.connect(autocommit=True)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert run(recorder) == run(None)
        assert recorder.flush()
        assert recorder.losses.count > 0
        assert "locked" in recorder.losses.reason
        other.execute("ROLLBACK")
    assert run(recorder) == run(None)
    recorder.close()
    reader = Reader(workspace.path)
    whole = [row for row in reader.requests("t") if row.status == "done"]
    assert len(whole) == 3
    lost = [event for event in reader.events("t") if event.kind == "lost"]
    assert lost and lost[0].data["count"] == recorder.losses.count
    assert "locked" in lost[0].data["reason"]
    reader.close()


def test_a_full_disk_loses_the_record_and_not_the_run(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    connect = Workspace.connect

    def small(self: Workspace, *, autocommit: bool = False) -> sqlite3.Connection:
        connection = connect(self, autocommit=autocommit)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 1}")
        return connection

    monkeypatch.setattr(Workspace, "connect", small)
    recorder = Recorder(workspace)
    assert run(recorder) == run(None)
    recorder.close()
    assert recorder.losses.count > 0
    assert "full" in recorder.losses.reason
    with closing(sqlite3.connect(workspace.path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def circle() -> list[Any]:
    """A list that holds itself, which no JSON can."""
    value: list[Any] = []
    value.append(value)
    return value


@pytest.mark.parametrize("value", [object(), threading.Lock(), float("nan"), b"bytes", {1, 2}, {("a",): 1}])
def test_what_json_cannot_hold_is_named_and_the_request_kept(workspace: Workspace, value: Any) -> None:
    recorder = Recorder(workspace)
    first = HumanMessage("go", additional_kwargs={"odd": value})
    assert run(recorder, first) == run(None, HumanMessage("go", additional_kwargs={"odd": value}))
    recorder.close()
    reader = Reader(workspace.path)
    rows = reader.requests("t")
    assert len(rows) + recorder.losses.count >= 3
    if recorder.losses.count == 0:
        message = reader.message(reader.request(rows[0].id).messages[0].part)
        assert message["data"]["content"] == "go"
    else:
        assert recorder.losses.reason
    reader.close()


def test_an_artifact_that_cannot_be_kept(workspace: Workspace) -> None:
    from langchain_core.tools import tool

    @tool(response_format="content_and_artifact")
    def frame() -> tuple[str, Any]:
        """A table with an object beside it."""
        return "rows", object()

    recorder = Recorder(workspace)
    with recorder.observing():
        model = ScriptedChat(script=[Turn(calls=[Call("frame", {})]), Turn("done")])
        graph = create_deep_agent(model=model, tools=[frame])
        config: Any = {"configurable": {"thread_id": "t"}, "callbacks": [recorder.handler]}
        result = asyncio.run(graph.ainvoke({"messages": [HumanMessage("go")]}, config))
    recorder.close()
    assert recorder.losses.count == 0
    assert isinstance(result["messages"][2], ToolMessage)
    reader = Reader(workspace.path)
    last = reader.request(reader.request_ids("t")[-1])
    assert reader.message(last.messages[-1].part)["data"]["artifact"] == {"__unserializable__": "builtins.object"}
    reader.close()


def test_a_value_that_holds_itself_is_a_loss_that_is_told(workspace: Workspace) -> None:
    recorder = Recorder(workspace)
    message = HumanMessage("go", additional_kwargs={"odd": 1})
    texts = run(recorder, message)
    message.additional_kwargs["odd"] = circle()
    assert run(recorder, message) == texts
    recorder.close()
    assert recorder.losses.count > 0
    assert recorder.losses.reason


@pytest.mark.parametrize("place", ["blocks", "tools", "small", "entry"])
def test_a_bug_in_the_recorder_is_a_loss_that_is_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(Lane, place, fail)
    recorder = Recorder(workspace)
    assert run(recorder) == run(None)
    recorder.close()
    assert recorder.losses.count > 0
    assert "a bug" in recorder.losses.reason or "lost" in recorder.losses.reason


def test_a_file_that_vanishes_is_a_loss_that_is_told(workspace: Workspace) -> None:
    gone = Workspace(workspace.path.parent / "no" / "such" / "folder.ctx")
    recorder = Recorder(gone)
    assert run(recorder) == run(None)
    recorder.close()
    assert recorder.losses.count > 0
    assert "could not be written" in recorder.losses.reason


def test_what_is_told_after_the_end_is_left_to_the_next_book() -> None:
    import queue

    from engine.recording.writer import End, Flush, Writer

    first, end, second = Flush(), End(), Flush()
    handed: queue.SimpleQueue[Any] = queue.SimpleQueue()
    for item in (first, end, second):
        handed.put(item)
    assert Writer._gather(handed) == [first, end]
    assert handed.get_nowait() is second
