"""The wire beside LangChain's view: what integrations add, move, rename and leave out."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage
from pytest_httpserver import HTTPServer

from engine import Reader, request_cost, token_split, wire_comparison
from engine.wire.model import Comparison
from tests.engine.wire.agents import KINDS, Kind, model, run
from tests.engine.wire.provider import Provider, Say, listening

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(300)).decode()
HISTORY = [
    SystemMessage([{"type": "text", "text": "Be short."}, {"type": "text", "text": "Be kind."}]),
    HumanMessage([{"type": "text", "text": "Look"}, {"type": "image", "base64": PICTURE, "mime_type": "image/png"}]),
    AIMessage("I look.", tool_calls=[{"name": "ls", "args": {"path": "/", "n": 1}, "id": f"call_{n}"} for n in (1, 2)]),
    ToolMessage("nothing", tool_call_id="call_1", name="ls"),
    ToolMessage("it failed", tool_call_id="call_2", name="ls", status="error", id="t-2"),
    AIMessage("Nothing there."),
    HumanMessage("And now?", id="h-2"),
]


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer) -> Provider:
    return Provider(listener)


class Direct:
    """A model that is called with a history, with no agent around it."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def invoke(self, _: Any, config: Any) -> Any:
        return {"messages": [self._model.invoke(HISTORY, {**config, "metadata": {"thread_id": "t"}})]}


def compared(file: Path, chat: Any, build: Any = Direct) -> Comparison:
    run(file, chat, "x", build=build)
    with closing(Reader(file)) as reader:
        found = wire_comparison(reader, reader.request_ids("t")[-1])
    assert found is not None
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_that_is_said_is_lost_or_added(server: Provider, tmp_path: Path, kind: Kind) -> None:
    found = compared(tmp_path / "a.ctx", model(kind, server))
    assert (found.wire_only, found.langchain_only) == ((), ())
    assert found.api == {
        "chat": "openai chat", "responses": "openai responses", "anthropic": "anthropic messages",
    }[kind]  # fmt: skip


def test_what_becomes_of_messages(server: Provider, tmp_path: Path) -> None:
    def words(kind: Kind) -> dict[str, tuple[int, int]]:
        found = compared(tmp_path / kind, model(kind, server))
        return {conversion.words: (conversion.count, conversion.first) for conversion in found.conversions}

    assert words("chat") == {"The system message is sent as messages[0].": (1, -1)}
    assert words("responses") == {
        "The system message is sent as input[0].": (1, -1),
        "A message is sent as several items.": (1, 1),
        "ai messages are sent as function_call.": (1, 1),
        "tool messages are sent as function_call_output.": (2, 2),
    }
    assert words("anthropic") == {
        "The system message is sent as system.": (1, -1),
        "Several messages are sent as one.": (2, 2),
        "tool messages are sent as user.": (2, 2),
    }


def test_fields_that_stay_behind(server: Provider, tmp_path: Path) -> None:
    def fields(kind: Kind) -> dict[str, int]:
        return {item.name: item.messages for item in compared(tmp_path / kind, model(kind, server)).unsent}

    assert fields("chat") == {"id": 2, "name": 2, "status": 1}
    assert fields("anthropic") == {"id": 2, "name": 2}  # a failed tool is told as is_error


def test_parameters_on_both_sides(server: Provider, tmp_path: Path) -> None:
    chat = model("chat", server, temperature=0.5, max_tokens=7, model_kwargs={"user": "u"}, stop=["END"])
    found = {each.name: each for each in compared(tmp_path / "a", chat).parameters}
    assert (found["temperature"].side, found["temperature"].wire) == ("same", 0.5)
    assert (found["max_completion_tokens"].side, found["max_completion_tokens"].wire) == ("same", 7)
    assert found["user"].side == "same"
    assert (found["stop"].side, found["stop"].wire) == ("same", ["END"])
    assert "messages" not in found
    claude = {each.name: each for each in compared(tmp_path / "b", model("anthropic", server, stop=["END"])).parameters}
    assert (claude["stop_sequences"].wire, claude["max_retries"].side) == (["END"], "LangChain only")
    assert "temperature" not in claude  # None is no value


def test_tools_are_the_same_but_for_their_wrapping(server: Provider, tmp_path: Path) -> None:
    for kind in KINDS:
        found = compared(tmp_path / kind, model(kind, server), build=create_deep_agent)
        assert len(found.tools) >= 6
        assert {tool.side for tool in found.tools} == {"same"}
        assert [tool.wire_index for tool in found.tools] == list(range(len(found.tools)))


def test_a_tool_that_a_client_adds_or_changes(server: Provider, tmp_path: Path) -> None:
    search = {"type": "web_search_20250305", "name": "web_search"}
    changed = {"name": "look", "description": "Look harder.", "input_schema": {"type": "object", "properties": {}}}
    bound = {
        "name": "look",
        "description": "Look.",
        "input_schema": {"type": "object", "properties": {}},
        "strict": True,
    }
    chat = model("anthropic", server, model_kwargs={"extra_body": {"tools": [changed, search]}})
    found = {
        tool.name: tool
        for tool in compared(tmp_path / "a", chat, lambda model: Direct(model.bind_tools([bound]))).tools
    }
    assert (found["look"].side, found["look"].changed) == ("differs", ("description",))
    assert found["look"].langchain_only == ("strict",)
    assert (found["web_search"].side, found["web_search"].wire_index) == ("wire only", 1)


def test_what_a_client_adds_to_what_is_said(server: Provider, tmp_path: Path) -> None:
    extra = [{"role": "user", "content": "Something else"}]
    chat = model("chat", server, extra_body={"messages": extra})
    found = compared(tmp_path / "a", chat)
    assert [(piece.place, piece.kind, piece.preview) for piece in found.wire_only] == [
        ("messages[0].content", "text", "Something else")
    ]
    assert {piece.kind for piece in found.langchain_only} == {"text", "media", "tool call", "tool result"}
    media = next(piece for piece in found.langchain_only if piece.kind == "media")
    assert media.place == "messages[0].content[1]"
    assert PICTURE not in media.preview


def test_markers_asked_for_and_sent(server: Provider, tmp_path: Path) -> None:
    def build(model: Any) -> Any:
        return create_deep_agent(model=model, system_prompt="Be short.")

    found = compared(tmp_path / "a.ctx", model("anthropic", server), build)
    body = server.bodies[-1]
    asked = {(marker.area, marker.index) for marker in found.markers_asked}
    sent = {(marker.area, marker.index) for marker in found.markers_sent}
    assert asked == sent == {("system", 0), ("tools", len(body["tools"]) - 1), ("provider", 0)}
    assert next(marker for marker in found.markers_sent if marker.area == "provider").place == "cache_control"


def test_there_is_nothing_to_compare_without_a_wire(tmp_path: Path) -> None:
    from engine.agent.scripted import ScriptedChat, Turn

    run(tmp_path / "a.ctx", ScriptedChat(script=[Turn("Done.")]), "x")
    with closing(Reader(tmp_path / "a.ctx")) as reader:
        (id,) = reader.request_ids("t")
        assert wire_comparison(reader, id) is None
        assert "no model" in request_cost(reader, id).reason


def test_tokens_and_cost_of_a_request(server: Provider, tmp_path: Path) -> None:
    tokens = {"input_tokens": 10, "cache_read_input_tokens": 900, "cache_creation_input_tokens": 90, "output_tokens": 4}
    server.will(Say("Done.", usage=tokens))
    run(tmp_path / "a.ctx", model("anthropic", server), "x")
    with closing(Reader(tmp_path / "a.ctx")) as reader:
        (id,) = reader.request_ids("t")
        found = token_split(reader, id)
        assert (found.input, found.fresh, found.cache_read, found.cache_creation) == (1_000, 10, 900, 90)
        priced = request_cost(reader, id)
        assert priced.amount is not None
        assert (priced.model, priced.note.partition(",")[0]) == (
            "claude-sonnet-5", f"sent to {server.url.removeprefix('http://')}",
        )  # fmt: skip
