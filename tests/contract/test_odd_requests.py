"""Requests of every odd kind, recorded exactly: media, reasoning, markers, failures, parallel subagents."""

from __future__ import annotations

import asyncio
import base64
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain.agents.middleware import AgentMiddleware, ModelRetryMiddleware
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, message_to_dict
from langgraph.checkpoint.memory import InMemorySaver

from engine import Reader, Recorder, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
from tests.received import Witness, differences, text, witnessed

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_000)).decode()
MEDIA = [
    {"type": "text", "text": "Look at these."},
    {"type": "image", "base64": PNG, "mime_type": "image/png"},
    {"type": "image_url", "image_url": {"url": "data:image/png;base64," + PNG}},
    {"type": "image", "source_type": "base64", "data": PNG, "mime_type": "image/png"},
    {"type": "file", "base64": "JVBERi0=", "mime_type": "application/pdf", "filename": "../../a.pdf"},
    {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}},
    {"text": "a block without a type"},
    "a bare string",
]
THINKING = [
    {"type": "thinking", "thinking": "", "signature": "SIG-1"},
    {"type": "redacted_thinking", "data": "OPAQUE"},
    {"type": "block_of_next_year", "x": 1},
]


class Markers(AgentMiddleware):
    """Puts cache markers where providers' middlewares put them."""

    def _marked(self, request: Any) -> Any:
        system = request.system_message or SystemMessage("base")
        blocks = [dict(block) for block in system.content_blocks]
        blocks[-1]["cache_control"] = {"type": "ephemeral"}
        return request.override(
            system_message=SystemMessage(content=blocks),
            model_settings={**request.model_settings, "cache_control": {"type": "ephemeral", "ttl": "5m"}},
        )

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(self._marked(request))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return await handler(self._marked(request))


class ChangesInPlace(AgentMiddleware):
    """Does what it should not: changes the last message itself, at every request."""

    count = 0

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.count += 1
        request.messages[-1].additional_kwargs["seen"] = self.count
        if isinstance(request.messages[0].content, list):
            request.messages[0].content[0]["cache_control"] = {"type": "ephemeral", "n": self.count}
        return await handler(request)


def broken(reason: str) -> str:
    """A tool that fails."""
    raise RuntimeError(reason)


class Recorded:
    """A recorder over a new workspace, and what its models received."""

    def __init__(self, path: Path) -> None:
        self.workspace = Workspace.create(path)
        self.recorder = Recorder(self.workspace)
        self.witness = Witness()

    def model(self, *script: Any, **options: Any) -> ScriptedChat:
        """A witnessed scripted model."""
        chat: ScriptedChat = witnessed(ScriptedChat(script=script, **options), self.witness)
        return chat

    def run(self, messages: list[Any], thread: str = "t", *, sync: bool = False, **agent: Any) -> Any:
        """Run an agent of these settings once; returns its state, or the error it ended with."""
        with self.recorder.observing():
            graph = create_deep_agent(checkpointer=InMemorySaver(), **agent)
            config: Any = {"configurable": {"thread_id": thread}, "callbacks": [self.recorder.handler]}
            token = uuid.uuid4().hex
            self.recorder.begin_run(token, thread, "odd", None, {})
            try:
                state: Any = {"messages": messages}
                return graph.invoke(state, config) if sync else asyncio.run(graph.ainvoke(state, config))
            except Exception as error:
                return error
            finally:
                self.recorder.end_run(token, thread, "done")
                assert self.recorder.flush()

    def reader(self) -> Reader:
        """A reader of what was recorded so far, after holding it against the witness."""
        assert self.recorder.losses.count == 0, self.recorder.losses.reason
        reader = Reader(self.workspace.path)
        missing, invented = differences(self.witness, reader)
        assert not missing
        assert not invented
        assert self.witness.calls
        return reader


@pytest.fixture
def recorded(tmp_path: Path) -> Iterator[Recorded]:
    made = Recorded(tmp_path / "odd.ctx")
    yield made
    made.recorder.close()


@pytest.mark.parametrize("sync", [False, True])
def test_images_files_and_untyped_blocks(recorded: Recorded, sync: bool) -> None:
    model = recorded.model(Turn(calls=[Call("ls", {"path": "/"})]), Turn("done"))
    recorded.run([HumanMessage(content=MEDIA)], model=model, sync=sync)
    reader = recorded.reader()
    first = reader.request(reader.request_ids("t")[0])
    assert first.exact
    assert text(reader.message(first.raw[0].part)["data"]["content"]) == text(MEDIA)


def test_reasoning_and_unknown_blocks_of_answers(recorded: Recorded) -> None:
    model = recorded.model(Turn("thought", blocks=THINKING, calls=[Call("ls", {"path": "/"})]), Turn("done"))
    recorded.run([HumanMessage("go")], model=model)
    reader = recorded.reader()
    second = reader.request(reader.request_ids("t")[1])
    kinds = [block["type"] for block in reader.message(second.messages[1].part)["data"]["content"]]
    assert kinds == ["thinking", "redacted_thinking", "block_of_next_year", "text"]


def test_cache_markers_at_their_places(recorded: Recorded) -> None:
    model = recorded.model(Turn("done"))
    recorded.run([HumanMessage("go")], model=model, middleware=[Markers()], system_prompt="Be short.")
    reader = recorded.reader()
    detail = reader.request(reader.request_ids("t")[0])
    assert {(marker["area"], marker["index"]) for marker in detail.provider["cache_markers"]} == {
        ("system", len(detail.system) - 1),
        ("provider", 0),
    }
    assert detail.provider["kwargs"]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}


def test_a_failed_and_a_retried_request(recorded: Recorded) -> None:
    model = recorded.model(ValueError("overloaded <b>now</b>"), Turn("at last"))
    retry = ModelRetryMiddleware(max_retries=2, initial_delay=0.0, jitter=False)
    recorded.run([HumanMessage("go")], model=model, middleware=[retry])
    reader = recorded.reader()
    failed, done = reader.requests("t")
    assert (failed.status, done.status) == ("failed", "done")
    assert failed.error == "ValueError: overloaded <b>now</b>"
    assert failed.usage.input_tokens is None
    assert failed.tokens == "estimated"


def test_a_failure_that_ends_the_run(recorded: Recorded) -> None:
    error = recorded.run([HumanMessage("go")], model=recorded.model(Turn(fail=ValueError("no"))))
    assert isinstance(error, ValueError)
    (row,) = recorded.reader().requests("t")
    assert row.status == "failed"


def test_tool_errors(recorded: Recorded) -> None:
    model = recorded.model(Turn(calls=[Call("read_file", {"file_path": "/nowhere"})]), Turn("done"))
    recorded.run([HumanMessage("go")], model=model, tools=[broken])
    reader = recorded.reader()
    second = reader.request(reader.request_ids("t")[1])
    assert reader.heads([second.messages[-1].part])[second.messages[-1].part].status == "error"


def test_two_parallel_subagents(recorded: Recorded) -> None:
    worker = recorded.model(Turn(calls=[Call("ls", {"path": "/"})]), Turn("worked"))
    call = {"description": "look", "subagent_type": "worker"}
    model = recorded.model(
        Turn(calls=[Call("task", call), Call("task", {**call, "description": "look too"})]), Turn("done")
    )
    subagent = {"name": "worker", "description": "works", "system_prompt": "Work.", "model": worker}
    recorded.run([HumanMessage("go")], model=model, subagents=[subagent])
    reader = recorded.reader()
    rows = reader.requests("t")
    assert [row.purpose for row in rows].count("subagent") == 4
    assert len({(row.parent, row.parent_call) for row in rows if row.purpose == "subagent"}) == 2
    assert {row.agent for row in rows if row.purpose == "subagent"} == {"worker"}


def test_messages_changed_in_place_are_recorded_as_they_were_sent(recorded: Recorded) -> None:
    model = recorded.model(*[Turn(calls=[Call("ls", {"path": "/"})]) for _ in range(3)], Turn("done"))
    content: Any = [{"type": "text", "text": "go"}]
    recorded.run([HumanMessage(content=content)], model=model, middleware=[ChangesInPlace()])
    reader = recorded.reader()
    seen = [
        reader.message(reader.request(id).messages[0].part)["data"]["content"][0]["cache_control"]["n"]
        for id in reader.request_ids("t")
    ]
    assert seen == [1, 2, 3, 4]


def test_odd_contents_keep_their_form(recorded: Recorded) -> None:
    odd = [
        HumanMessage(""),
        HumanMessage(content=[]),
        HumanMessage(content=["a", {"type": "text", "text": "b"}, {}]),
        HumanMessage("lone \ud800 surrogate, \u2028 and \x00"),
        AIMessage("", additional_kwargs={"nan": float("nan")}),
        HumanMessage("last", name="Ann", id="1"),
        HumanMessage("same id", id="1b"),
    ]
    copies = [text(message_to_dict(message)) for message in odd]
    recorded.run(odd, model=recorded.model(Turn("done")))
    reader = recorded.reader()
    detail = reader.request(reader.request_ids("t")[0])
    contents = [reader.message(row.part)["data"]["content"] for row in detail.messages]
    assert [text(content) for content in contents] == [
        text(message_to_dict(message)["data"]["content"]) for message in odd
    ]
    assert len(copies) == len(contents)
