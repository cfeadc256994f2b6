"""A program that is recorded goes on as it would have: results, errors, tracebacks, classes, threads, callbacks."""

from __future__ import annotations

import asyncio
import copy
import os
import pickle
import sqlite3
import threading
import traceback
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake import FakeListLLM
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from engine import record
from engine.errors import InspectorError, UsageError, WorkspaceError
from tests.contract.recorded import Recorded
from tests.contract.stranger import Native, Plain, Streaming, call


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path / "any.ctx")


class Passes(AgentMiddleware):
    """Passes everything on."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(request)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request)

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(request)


@tool
def breaks(at: str) -> str:
    """Break."""
    raise ZeroDivisionError(at)


def agent_of(model: Plain) -> Any:
    return create_agent(model, [breaks], middleware=[Passes()])


FAILING: dict[str, tuple[tuple[Any, ...], Callable[[Plain], Any]]] = {
    "invoke": ((ValueError("no"),), lambda m: m.invoke("x")),
    "ainvoke": ((ValueError("no"),), lambda m: asyncio.run(m.ainvoke("x"))),
    "stream": ((ValueError("no"),), lambda m: list(m.stream("x"))),
    "interrupted": ((KeyboardInterrupt(),), lambda m: m.invoke("x")),
    "exit": ((SystemExit(3),), lambda m: m.invoke("x")),
    "chain": ((ValueError("no"),), lambda m: (RunnableLambda(lambda x: x) | m).invoke("x")),
    "agent": ((ValueError("no"),), lambda m: agent_of(m).invoke({"messages": "x"})),
    "agent, async": ((ValueError("no"),), lambda m: asyncio.run(agent_of(m).ainvoke({"messages": "x"}))),
    "tool": ((call("breaks", "c", at="x"),), lambda m: agent_of(m).invoke({"messages": "x"})),
    "tool, async": ((call("breaks", "c", at="x"),), lambda m: asyncio.run(agent_of(m).ainvoke({"messages": "x"}))),
}


def error_of(run: Callable[[], Any]) -> tuple[BaseException, list[tuple[str, str]]]:
    """What it raises, and the files and functions of its traceback."""
    try:
        run()
    except BaseException as error:
        frames = [(frame.filename, frame.name) for frame in traceback.extract_tb(error.__traceback__)]
        return error, [frame for frame in frames if frame[1] not in ("error_of", "<lambda>", "recorded_run")]
    raise AssertionError("nothing was raised")


@pytest.mark.parametrize("kind", [Plain, Native])
@pytest.mark.parametrize("way", FAILING)
def test_errors_and_their_tracebacks_are_the_same(recorded: Recorded, kind: type[Plain], way: str) -> None:
    answers, run = FAILING[way]

    def recorded_run() -> None:
        with record(recorded.path):
            run(recorded.model(kind, *answers))

    before, frames = error_of(lambda: run(kind(answers=answers)))
    after, frames_after = error_of(recorded_run)
    assert type(after) is type(before)
    assert str(after) == str(before)
    assert frames_after == frames
    assert not [file for file, _ in frames_after if f"{os.sep}engine{os.sep}" in file]
    recorded.check(1)


def test_a_decorated_function_is_the_function(recorded: Recorded) -> None:
    @record(recorded.path)
    def answer(question: str) -> str:
        """Answers."""
        return str(recorded.model(Plain).invoke(question).content)

    @record(recorded.path, thread="night")
    async def answer_later(question: str) -> str:
        return str((await recorded.model(Native).ainvoke(question)).content)

    @record(recorded.path)
    def fail() -> None:
        raise ValueError("no")

    assert (answer.__name__, answer.__doc__) == ("answer", "Answers.")
    assert asyncio.iscoroutinefunction(answer_later)
    assert answer("?") == "yes it is"
    assert asyncio.run(answer_later("?")) == "yes it is"
    _, frames = error_of(fail)
    assert [name for _, name in frames] == ["fail"]
    recorded.check(2)
    with recorded.reading() as reader:
        assert [row.number for row in reader.requests("night")] == [1]


def test_a_generator_cant_be_decorated(recorded: Recorded) -> None:
    def words() -> Any:
        yield "a"

    with pytest.raises(UsageError, match="generator"):
        record(recorded.path)(words)


def test_a_models_class_and_pickle_stay_its_own(recorded: Recorded) -> None:
    model = Streaming(answers=("a",))
    with record(recorded.path):
        model.invoke("x")
        assert type(model) is Streaming
        assert type(pickle.loads(pickle.dumps(model))) is Streaming
        assert type(copy.deepcopy(model)) is Streaming


def test_a_configuration_with_our_handler_can_be_copied_and_sent(recorded: Recorded) -> None:
    recording = record(recorded.path)
    config: Any = {"callbacks": [recording.handler]}
    assert copy.deepcopy(config)["callbacks"] == config["callbacks"]
    assert type(pickle.loads(pickle.dumps(config))["callbacks"][0]) is BaseCallbackHandler
    recording.close()


class Hears(BaseCallbackHandler):
    """A callback of the program's own."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def on_llm_start(self, *_: Any, **__: Any) -> None:
        self.heard.append("start")

    def on_llm_end(self, *_: Any, **__: Any) -> None:
        self.heard.append("end")


def test_the_programs_own_callbacks_hear_text_completions_as_before(recorded: Recorded) -> None:
    hears = Hears()
    with record(recorded.path):
        asyncio.run(FakeListLLM(responses=["a"]).ainvoke("x", {"callbacks": [hears]}))
    assert hears.heard == ["start", "end"]
    with recorded.reading() as reader:
        assert reader.threads() == []


def test_no_thread_of_ours_can_be_seen_or_waited_for(recorded: Recorded) -> None:
    before = threading.enumerate()
    with record(recorded.path) as recording:
        recorded.model(Plain).invoke("x")
        assert recording.flush()
        assert threading.enumerate() == before


def test_nothing_is_recorded_outside(recorded: Recorded) -> None:
    model = recorded.model(Plain)
    with record(recorded.path):
        pass
    model.invoke("after")
    threading.Thread(target=model.invoke, args=("after",)).start()
    with recorded.reading() as reader:
        assert reader.threads() == []


def test_other_threads_are_left_alone(recorded: Recorded) -> None:
    inside, done = threading.Event(), threading.Event()

    def other() -> None:
        inside.wait(10)
        recorded.model(Plain).invoke("somebody else's")
        done.set()

    thread = threading.Thread(target=other)
    thread.start()
    with record(recorded.path):
        inside.set()
        assert done.wait(10)
    thread.join()
    with recorded.reading() as reader:
        assert reader.threads() == []


def test_two_files_at_once_and_one_inside_another(tmp_path: Path) -> None:
    outer, inner = Recorded(tmp_path / "outer.ctx"), Recorded(tmp_path / "inner.ctx")
    outer.seen = inner.seen
    with record(outer.path), record(inner.path):
        outer.model(Plain).invoke("x")
    outer.check(1)
    inner.check(1)


def test_one_file_twice_records_once(recorded: Recorded) -> None:
    recording = record(recorded.path)
    with record(recorded.path), recording, record(recorded.path, thread="inner"):
        recorded.model(Plain).invoke("x", {"callbacks": [recording.handler]})
    recorded.check(1)


def test_a_file_that_cant_be_recorded_into_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("not a workspace")
    with pytest.raises(WorkspaceError, match="not an SQLite database"), record(tmp_path / "text"):
        raise AssertionError("entered")
    with pytest.raises(InspectorError), record(tmp_path / "text" / "below.ctx"):
        raise AssertionError("entered")


def test_a_file_that_is_locked_loses_the_record_and_not_the_run(
    recorded: Recorded, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("engine.workspace.BUSY_SECONDS", 0.05)
    with record(recorded.path) as recording:
        with closing(sqlite3.connect(recorded.path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert recorded.model(Plain).invoke("x").content == "yes it is"
            assert recording.flush()
            other.execute("ROLLBACK")
        assert recording.lost > 0
        assert "locked" in recording.lost_reason
        assert recorded.model(Plain).invoke("y").content == "yes it is"
    assert [entry.levelname for entry in caplog.records if "not recorded" in entry.message] == ["WARNING"]
    with recorded.reading() as reader:
        rows = [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]
        assert [row.status for row in rows] == ["done"]


def test_the_file_stands_alone_when_the_block_ends(recorded: Recorded) -> None:
    with record(recorded.path):
        recorded.model(Plain).invoke("x")
    assert [path.name for path in recorded.path.parent.iterdir()] == [recorded.path.name]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_records_too(recorded: Recorded) -> None:
    model = recorded.model(Plain)
    with record(recorded.path):
        model.invoke("before")
        child = os.fork()
        if child == 0:
            model.invoke("in the child")
            os._exit(5)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 5
        model.invoke("after")
    with recorded.reading() as reader:
        titles = [thread.title for thread in reader.threads()]
    assert sorted(titles) == ["after", "before", "in the child"]


class Slotted(AgentMiddleware):
    """Keeps what it counts where it can't be shared."""

    __slots__ = ("seen",)

    def __init__(self) -> None:
        self.seen = 0

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.seen += 1
        return handler(request)


@dataclass(frozen=True)
class Frozen(AgentMiddleware):
    """Can't be changed."""

    seen: list[int] = field(default_factory=list)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.seen.append(1)
        return handler(request)


def test_middlewares_of_unusual_make_go_on_as_they_did(recorded: Recorded) -> None:
    slotted, frozen = Slotted(), Frozen()
    with record(recorded.path):
        create_agent(recorded.model(Plain), middleware=[slotted, frozen]).invoke({"messages": "x"})
    assert (slotted.seen, frozen.seen) == (1, [1])
    recorded.check(1)
