"""What is shown as sent is what the provider's server received: real clients, byte by byte."""

from __future__ import annotations

import asyncio
import base64
import json
import sqlite3
import threading
import traceback
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from deepagents import create_deep_agent
from pytest_httpserver import HTTPServer

from engine import AgentSettings, Reader, Recorder, Runner, Workspace, shapes
from engine.agent.scripted import Call, ScriptedChat, Turn
from tests.engine.wire.agents import KINDS, WAYS, Kind, Way, holds, model, run, sent
from tests.engine.wire.older import first_version
from tests.engine.wire.provider import KEY, Provider, Say, breaks_off, drops, fails, listening

PICTURE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_000)).decode()
LOOK = ("call_1", "ls", {"path": "/"})
AT_ONCE = {"retry-after-ms": "1"}


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer) -> Provider:
    return Provider(listener)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "a.ctx"


def shown(file: Path, number: int = 1) -> dict[str, Any]:
    """What ``show --json`` prints of a request."""
    with closing(Reader(file)) as reader:
        return shapes.detail(reader, reader.requests("t")[number - 1].id)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_shown_is_what_the_server_received(server: Provider, file: Path, kind: Kind, way: Way) -> None:
    picture = {"type": "image", "base64": PICTURE, "mime_type": "image/png"}
    thinking = {
        "chat": {"temperature": 0.25},
        "responses": {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]},
        "anthropic": {"thinking": {"type": "adaptive"}},
    }[kind]
    server.will(Say("I look.", calls=[LOOK, ("call_2", "ls", {"path": "/ä"})], thinking="Hm."), Say("A grey square."))
    run(
        file,
        model(kind, server, **thinking),
        [{"type": "text", "text": "What is it? 🙂"}, picture],
        "And now?",
        way=way,
    )

    assert len(server.received) == 3
    assert sent(file) == [item.body for item in server.received]
    assert PICTURE in server.received[0].body.decode()
    if kind != "chat":
        assert b"Hm." in server.received[1].body
    for number, body in enumerate(server.bodies, start=1):
        wire = shown(file, number)["provider"]["wire"]
        (attempt,) = wire["attempts"]
        assert json.dumps(attempt["body"]) == json.dumps(body)
        assert (attempt["url_path"], attempt["status"], attempt["error"]) == (server.received[0].path, 200, None)
        assert attempt["streamed"] is bool(body.get("stream")) is (way in {"stream", "astream"})
        assert attempt["method"] == "POST"
        assert attempt["masked"] == []
        assert attempt["duration_ms"] is not None
    assert holds(file, KEY) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_of_the_program_is_recorded_likewise(server: Provider, file: Path, kind: Kind) -> None:
    Workspace.create(file)
    runner = Runner(file)
    try:
        turn = runner.start("t", "Hello", settings=AgentSettings(model=model(kind, server)))
        assert turn.wait(60)
        assert (turn.error, turn.answer, turn.lost) == (None, "Done.", 0)
    finally:
        runner.close()
    assert sent(file) == [item.body for item in server.received]
    assert shown(file)["provider"]["wire"]["attempts"][0]["streamed"] is True
    assert holds(file, KEY) == []


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_each_attempt_of_the_client_is_one(server: Provider, file: Path, kind: Kind, way: Way) -> None:
    server.will(fails(429, **AT_ONCE), fails(500, **AT_ONCE), Say("At last."))
    run(file, model(kind, server, max_retries=2), "Hello", way=way)
    attempts = shown(file)["provider"]["wire"]["attempts"]
    assert [(each["number"], each["status"]) for each in attempts] == [(1, 429), (2, 500), (3, 200)]
    assert [each["body"] for each in attempts] == server.bodies
    assert sent(file) == [item.body for item in server.received]
    assert [each["headers"]["x-stainless-retry-count"] for each in attempts] == ["0", "1", "2"]
    assert attempts[0]["answer_headers"] == {"request-id": "r-1"}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_refusal_is_kept_without_the_key_that_it_quotes(server: Provider, file: Path, kind: Kind, way: Way) -> None:
    server.will(fails(401, f"wrong key {KEY}"))
    with pytest.raises(Exception, match="401"):
        run(file, model(kind, server, max_retries=0), "Hello", way=way)
    detail = shown(file)
    (attempt,) = detail["provider"]["wire"]["attempts"]
    assert (attempt["status"], attempt["body"]) == (401, server.bodies[0])
    assert detail["request"]["status"] == "failed"
    assert " did not accept the key for " in detail["request"]["error"]
    (failure,) = [event["data"] for event in detail["events"] if event["kind"] == "failure"]
    assert (failure["kind"], failure["status"]) == ("key", 401)
    assert "wrong key (secret removed)" in failure["message"]
    assert holds(file, KEY) == []


def test_the_program_says_no_key_either(server: Provider, file: Path) -> None:
    Workspace.create(file)
    server.will(fails(401, f"wrong key {KEY}"))
    runner = Runner(file)
    try:
        turn = runner.start("t", "Hello", settings=AgentSettings(model=model("chat", server, max_retries=0)))
        assert turn.wait(60)
        assert turn.error is not None
        assert turn.error == shown(file)["request"]["error"]
        assert " did not accept the key for gpt-4o (401)" in turn.error
    finally:
        runner.close()
    assert holds(file, KEY) == []


@pytest.mark.parametrize("way", ["invoke", "astream"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_dropped_connection_has_its_error_and_no_status(server: Provider, file: Path, kind: Kind, way: Way) -> None:
    server.will(drops)
    with pytest.raises(Exception, match="Connection error") as raised:
        run(file, model(kind, server, max_retries=0), "Hello", way=way)
    error: BaseException | None = raised.value
    while error is not None:
        assert not [
            frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename.endswith("wire/tap.py")
        ]
        error = error.__cause__
    (attempt,) = shown(file)["provider"]["wire"]["attempts"]
    assert attempt["status"] is None
    assert attempt["error"].startswith("RemoteProtocolError")
    assert attempt["body"] == server.bodies[0]


@pytest.mark.parametrize("way", ["stream", "astream"])
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_that_breaks_off_is_the_attempts_error(server: Provider, file: Path, kind: Kind, way: Way) -> None:
    server.will(breaks_off)
    with pytest.raises(Exception, match=r"peer closed|Connection error"):
        run(file, model(kind, server, max_retries=0), "Hello", way=way)
    detail = shown(file)
    (attempt,) = detail["provider"]["wire"]["attempts"]
    assert attempt["status"] == 200
    (failure,) = [event["data"] for event in detail["events"] if event["kind"] == "failure"]
    assert attempt["error"] == f"{failure['class']}: {failure['message']}"
    assert " broke off " in detail["request"]["error"]


def test_a_key_with_a_line_end_is_in_no_error(server: Provider, file: Path) -> None:
    chat = model("chat", server, max_retries=0)
    broken = type(chat)(model="gpt-4o", api_key=f"{KEY}\n", base_url=f"{server.url}/v1", max_retries=0)
    with pytest.raises(Exception, match="Connection error"):
        run(file, broken, "Hello")
    (attempt,) = shown(file)["provider"]["wire"]["attempts"]
    assert "secret removed" in attempt["error"]
    assert holds(file, KEY) == []


class Direct:
    """A model that is called by itself, with no agent around it."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def invoke(self, given: Any, config: Any) -> Any:
        return {"messages": [self._model.invoke(given["messages"], {**config, "metadata": {"thread_id": "t"}})]}


def test_secrets_in_a_body_are_masked_and_said(server: Provider, file: Path) -> None:
    connector = {
        "type": "mcp",
        "server_label": "x",
        "server_url": "https://e.invalid",
        "headers": {"X-Pass": "hunter2"},
    }
    chat = model("responses", server, extra_body={"access_token": "hunter2", "note": f"uses {KEY}"})
    run(file, chat, "my api_key is hunter3", build=lambda model: Direct(model.bind_tools([connector])))
    (attempt,) = shown(file)["provider"]["wire"]["attempts"]
    assert "hunter2" in server.received[0].body.decode()
    assert "hunter2" not in json.dumps(attempt)
    assert attempt["body"]["access_token"] == "(secret removed)"
    assert attempt["body"]["note"] == "uses (secret removed)"
    assert "hunter3" in json.dumps(attempt["body"]["input"])
    assert attempt["masked"][0] == "a key that was sent in a header"
    assert set(attempt["masked"][1:]) == {"access_token", "tools[0].headers.X-Pass"}


def fetching(server: Provider) -> Any:
    """A tool that sends by itself, through both HTTP libraries."""

    def fetch() -> str:
        """Fetch."""
        for library in (httpx, httpx2):
            library.post(f"{server.url}/v1/messages", json={"model": "m", "mine": True}, headers={"x-api-key": KEY})
        return "fetched"

    return lambda model: create_deep_agent(model=model, tools=[fetch])


def test_a_model_that_sends_nothing_has_no_wire(server: Provider, file: Path) -> None:
    script = [Turn(calls=(Call("fetch", {}),)), Turn("Done.")]
    run(file, ScriptedChat(script=script), "Go", build=fetching(server))
    assert ["mine" in body for body in server.bodies] == [True, True]
    assert shown(file)["provider"]["wire"] is None
    assert shown(file, 2)["provider"]["wire"] is None


def test_what_tools_send_is_not_the_models(server: Provider, file: Path) -> None:
    server.will(Say(calls=[("call_1", "fetch", {})]))
    run(file, model("anthropic", server), "Go", build=fetching(server))
    assert ["mine" in body for body in server.bodies] == [False, True, True, False]
    assert sent(file) == [server.received[0].body, server.received[3].body]


@pytest.mark.parametrize("way", WAYS)
def test_subagents_side_by_side_have_their_own(server: Provider, file: Path, way: Way) -> None:
    tasks = [(f"call_{n}", "task", {"description": f"part {n}", "subagent_type": "general-purpose"}) for n in range(4)]
    server.will(Say("I share it out.", calls=tasks))
    run(file, model("anthropic", server), "Do four things", way=way)
    assert sorted(sent(file)) == sorted(item.body for item in server.received)
    with closing(Reader(file)) as reader:
        subagents = [row for row in reader.requests("t") if row.purpose == "subagent"]
        assert len(subagents) == 4
        for row in subagents:
            (attempt,) = reader.wire(row.id)
            (first, *_) = reader.request(row.id).messages
            said = json.loads(reader.wire_bytes(attempt.id))["messages"][0]["content"]
            assert said == reader.text(first.part)


def test_a_request_that_is_cancelled_while_it_is_sent(server: Provider, file: Path) -> None:
    held = threading.Event()

    def hold(request: Any) -> Any:
        held.wait(30)
        return fails(400)(request)

    async def cancelled() -> None:
        recorder = Recorder(Workspace.create(file))
        config: Any = {"callbacks": [recorder.handler], "metadata": {"thread_id": "t"}}
        task = asyncio.create_task(model("anthropic", server, max_retries=0).ainvoke("Hello", config))
        while not server.received:
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        recorder.close()
        assert recorder.losses.count == 0

    server.will(hold)
    try:
        asyncio.run(cancelled())
    finally:
        held.set()
    (attempt,) = shown(file)["provider"]["wire"]["attempts"]
    assert (attempt["status"], attempt["error"]) == (None, "CancelledError")
    assert shown(file)["request"]["status"] == "stopped"


def test_what_was_sent_is_there_while_it_is_not_answered(server: Provider, file: Path) -> None:
    seen: list[Any] = []

    def look(request: Any) -> Any:
        with closing(Reader(file)) as reader:
            # The writer has a thread of its own; a reader asks until it is there.
            while not (rows := reader.requests("t")) or not reader.wire(rows[0].id):
                pass
            (attempt,) = reader.wire(rows[0].id)
            seen.append((rows[0].status, attempt.status, attempt.duration_ms, reader.wire_bytes(attempt.id)))
        return fails(400)(request)

    server.will(look)
    with pytest.raises(Exception, match="400"):
        run(file, model("chat", server), "Hello")
    assert seen == [("running", None, None, server.received[0].body)]


def test_a_long_thread_takes_the_room_of_what_is_new(server: Provider, file: Path) -> None:
    run(file, model("anthropic", server), *(f"turn {n} " + "word " * 400 for n in range(30)))
    total = sum(len(item.body) for item in server.received)
    longest = max(len(item.body) for item in server.received)
    assert total > 12 * longest
    assert sent(file) == [item.body for item in server.received]
    with closing(sqlite3.connect(file)) as connection:
        ((kept,),) = connection.execute("SELECT sum(length(body)) FROM parts WHERE kind LIKE 'wire%'")
    assert kept < longest


def test_a_summarizing_call_has_its_wire(server: Provider, file: Path) -> None:
    Workspace.create(file)
    runner = Runner(file)
    settings = AgentSettings(model=model("chat", server), summarize=("messages", 4), keep=("messages", 2))
    try:
        for turn in ("one", "two", "three"):
            started = runner.start("t", turn, settings=settings)
            assert started.wait(60)
            assert started.error is None
    finally:
        runner.close()
    with closing(Reader(file)) as reader:
        rows = reader.requests("t")
        assert "summary" in [row.purpose for row in rows]
        assert all(len(reader.wire(row.id)) == 1 for row in rows)
    assert sent(file) == [item.body for item in server.received]


def test_cache_markers_are_those_that_were_sent(server: Provider, file: Path) -> None:
    server.will(Say(calls=[LOOK]))
    marked = [{"type": "text", "text": "A long one", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]
    run(
        file,
        model("anthropic", server),
        marked,
        build=lambda model: create_deep_agent(model=model, system_prompt="Be short."),
    )
    markers = shown(file, 2)["provider"]["cache_markers"]
    body = server.bodies[1]
    assert {marker["source"] for marker in markers} == {"wire"}
    assert {(marker["area"], marker["index"], marker.get("block")) for marker in markers} == {
        ("system", len(body["system"]) - 1, None),
        ("tools", len(body["tools"]) - 1, None),
        ("messages", 0, 0),
        ("provider", 0, None),
    }
    for marker in markers:
        assert marker["marker"] == _at(body, marker["place"])


def _at(body: Any, place: str) -> Any:
    """The marker at a place such as ``messages[0].content[0]``."""
    for step in place.replace("]", "").replace("[", ".").split("."):
        body = body[int(step)] if step.isdigit() else body[step]
    return body.get("cache_control", body)


def test_an_older_file_opens_and_is_brought_up_to_date(server: Provider, file: Path) -> None:
    first_version(file)
    with closing(Reader(file)) as reader:
        (row,) = reader.requests("t")
        assert reader.wire(row.id) == ()
        assert reader.request(row.id).provider["wire"] is None
    run(file, model("chat", server), "Hello", thread="u")
    assert sent(file) == [item.body for item in server.received]


def test_a_large_picture_is_kept_once(server: Provider, file: Path) -> None:
    picture = base64.b64encode(bytes(2_000_000)).decode()
    blocks = [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{picture}"}}]
    run(file, model("chat", server), blocks, "And?")
    assert sent(file) == [item.body for item in server.received]
    assert file.stat().st_size < 3_000_000
