"""The record of a request between its middlewares equals what stands there."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import deepagents.graph
import pytest
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.utils.function_calling import convert_to_openai_tool

from engine import Reader
from engine.canonical import from_json, to_json
from engine.recording.assembling import install
from engine.trace.model import Layer
from tests.contract.models import Recorded, Told, call, recorded, summarizing

MEMORY = "/memories/AGENTS.md"


class Witness(AgentMiddleware[Any, Any, Any]):
    """Keeps what passes behind one middleware, as JSON."""

    def __init__(self, after: str, seen: list[dict[str, dict[str, Any]]]) -> None:
        super().__init__()
        self._after, self._seen = after, seen

    @property
    def name(self) -> str:
        return f"behind {self._after}"

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        if self._after == "caller":
            self._seen.append({})
        content = request.system_message.content if request.system_message else []
        self._seen[-1][self._after] = {
            "system": content if isinstance(content, list) else [content],
            "messages": [from_json(to_json({"type": m.type, "data": m.model_dump()})) for m in request.messages],
            "tools": [convert_to_openai_tool(tool) for tool in request.tools],
            "settings": dict(request.model_settings),
        }
        return handler(request)


class Inserting(AgentMiddleware[Any, Any, Any]):
    """Puts a message before the others, and sets a temperature."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        settings = {**request.model_settings, "temperature": len(request.messages) / 10}
        return handler(
            request.override(messages=[HumanMessage("by the way"), *request.messages], model_settings=settings)
        )


class Naming(AgentMiddleware[Any, Any, Any]):
    """Puts another one there, and names every user."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        messages = [m.model_copy(update={"name": "user"}) if m.type == "human" else m for m in request.messages]
        return handler(request.override(messages=[HumanMessage("meanwhile"), *messages]))


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, dict[str, Any]]]:
    """What stood behind the caller and each middleware, request by request; put between them when they are made."""
    requests: list[dict[str, dict[str, Any]]] = []
    install()  # or what is put in its place here would be taken for the engine's
    create = deepagents.graph.create_agent

    def witnessed(model: Any, **kwargs: Any) -> Any:
        given = list(kwargs["middleware"])
        between = [each for item in given for each in (item, Witness(item.name, requests))]
        return create(model, **{**kwargs, "middleware": [Witness("caller", requests), *between]})

    monkeypatch.setattr(deepagents.graph, "create_agent", witnessed)
    return requests


def held(reader: Reader, layers: tuple[Layer, ...], order: list[str], after: str) -> Layer:
    """The request as the record has it behind a contributor: after the last layer up to it."""
    names = ["caller", *order]
    upto = names[: names.index(after) + 1]
    return [layer for layer in layers if layer.by in upto][-1]


def assert_as_seen(world: Recorded, seen: list[dict[str, dict[str, Any]]]) -> None:
    with world.reader() as reader:
        ids = [row.id for row in reader.requests("t") if row.purpose == "agent"]
        assert len(ids) == len(seen) > 0
        for id, stages in zip(ids, seen, strict=True):
            lists = reader.lists(id)
            for after, stood in stages.items():
                layer = held(reader, lists.layers, list(lists.order), after)
                assert [reader.value(piece[0]) for piece in layer.system] == stood["system"], after
                assert [reader.message(piece[0]) for piece in layer.messages] == stood["messages"], after
                assert [reader.value(piece[0]) for piece in layer.tools] == stood["tools"], after
                assert dict(layer.settings) == stood["settings"], after


def agent(folder: Path, *more: Any, **kwargs: Any) -> Recorded:
    write = call("write_file", "w1", file_path="/a.md", content="n" * 400)
    thought = AIMessage([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "two"}])
    model = Told(
        turns=[write, "one", thought, call("ls", "l1", path="/"), "three", "four"], summaries=["S1", "S2", "S3"]
    )
    cut = {"trigger": ("messages", 3), "keep": ("messages", 2), "max_length": 100}
    middleware = [
        lambda backend: FilesystemMiddleware(backend=backend, human_message_token_limit_before_evict=30),
        summarizing(model, 7, 3, truncate_args_settings=cut),
        *more,
    ]
    return recorded(folder, model, middleware=middleware, memory=[MEMORY], system_prompt="You help.", **kwargs)


def test_every_list_between_the_middlewares_is_recorded(tmp_path: Path, seen: list[dict[str, dict[str, Any]]]) -> None:
    world = agent(tmp_path)
    for text in ("word " * 60, "b", "c", "d"):
        world.say(text)
    assert_as_seen(world, seen)
    assert any(stages["FilesystemMiddleware"]["messages"] != stages["caller"]["messages"] for stages in seen)
    assert any(len(s["SummarizationMiddleware"]["messages"]) < len(s["caller"]["messages"]) for s in seen)


def test_lists_that_are_nobody_elses_are_recorded_too(tmp_path: Path, seen: list[dict[str, dict[str, Any]]]) -> None:
    world = agent(tmp_path, lambda _: Inserting(), lambda _: Naming())
    for text in ("word " * 60, "b"):
        world.say(text)
    assert_as_seen(world, seen)


def test_a_middleware_that_changes_nothing_is_no_layer_and_costs_no_bytes(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=[call("ls", f"c{n}", path="/") for n in range(9)] + ["done"]))
    world.say("a")
    with closing(sqlite3.connect(world.workspace.path)) as db:
        (origins,) = db.execute("SELECT count(*) FROM parts WHERE kind = 'origin'").fetchone()
        (requests,) = db.execute("SELECT count(*) FROM requests").fetchone()
    assert (requests, origins) == (10, 1)
    with world.reader() as reader:
        lists = reader.lists(reader.request_ids("t")[-1])
        assert [layer.by for layer in lists.layers] == ["caller", "FilesystemMiddleware"]
        assert "SummarizationMiddleware" in lists.order
        assert lists.layers[1].messages is lists.layers[0].messages
        assert list(lists.layers[0].messages) == list(lists.raw)


def test_a_message_that_is_rewritten_alike_every_time_makes_no_further_record(tmp_path: Path) -> None:
    model = Told(turns=[call("ls", f"c{n}", path="/") for n in range(6)] + ["done"])

    def offloading(backend: Any) -> Any:
        return FilesystemMiddleware(backend=backend, human_message_token_limit_before_evict=30)

    world = recorded(tmp_path, model, middleware=[offloading])
    world.say("word " * 60)
    with world.reader() as reader, closing(sqlite3.connect(world.workspace.path)) as db:
        parts = db.execute("SELECT DISTINCT origin_part FROM requests ORDER BY id").fetchall()
        bodies = [reader.value(part)["layers"] for (part,) in parts]
    assert len(bodies) == 1, json.dumps(bodies)
    with world.reader() as reader:
        changed = [reader.lists(id).layers[1].messages for id in reader.request_ids("t")[1:]]
        assert len({pieces[0] for pieces in changed}) == 1
