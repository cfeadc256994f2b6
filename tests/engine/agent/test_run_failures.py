"""A provider's failure is one sentence, on the request and on the run, and the thread goes on afterwards."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request, Response

from engine import AgentSettings, can_go_on
from engine.agent.scripted import ScriptedChat
from tests.engine.agent.running import World
from tests.engine.wire.agents import KINDS, Kind, holds, model
from tests.engine.wire.provider import KEY, Answer, Provider, Say, breaks_off, drops, fails, listening

WHO = {"chat": "OpenAI", "responses": "OpenAI", "anthropic": "Anthropic"}


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer) -> Provider:
    return Provider(listener)


def never(request: Request) -> Response:
    """No answer before the client has had enough of waiting."""
    connection = request.environ["werkzeug.socket"]
    connection.settimeout(30)
    try:
        connection.recv(1)  # the client hangs up
    except OSError:
        pass
    return Response()


FAILURES: dict[str, tuple[Answer, str, str]] = {
    "key": (fails(401, f"wrong key {KEY}"), "did not accept the key", "(401). Set a key that is valid, then go on."),
    "refused": (fails(403, "not yours"), "does not allow this key", "Check the account's rights. It says: not yours"),
    "unknown model": (fails(404, "none such"), "knows no model", "Check its name. It says: none such"),
    "rate limit": (fails(429, "slow down", **{"retry-after": "20"}), "(429); wait 20 seconds", "It says: slow down"),
    "server": (fails(500, "oops"), "failed on its side", "(500). Go on to try again, now or later. It says: oops"),
    "overflow": (fails(400, "prompt is too long: 9 tokens"), "longer than the window", "Compact the thread"),
    "bad request": (fails(400, "too hot"), "refused the request", "It says: too hot"),
    "broken off": (breaks_off, "broke off before the answer was whole", "Go on to try again."),
    "timeout": (never, "did not answer in time", "Go on to try again."),
}


def turn(world: World, chat: Any, server: Provider) -> tuple[str, dict[str, Any]]:
    """Run into a failure: its sentence, the same everywhere, and what the record keeps beside it."""
    settings = AgentSettings(model=chat)
    run = world.runner.start("t", "Go", settings=settings)
    updates = world.done(run)
    assert run.error is not None
    assert (updates[-1].kind, updates[-1].text) == ("failed", run.error)
    assert world.status() == "failed"
    (row,) = world.rows()
    assert (row.status, row.error) == ("failed", run.error)
    assert "\n" not in run.error
    (event,) = world.events("failure")
    assert event.request == row.id
    return run.error, dict(event.data)


def goes_on(world: World, chat: Any) -> None:
    """The thread can go on from where it failed, in a new process, without a new message."""
    assert can_go_on(world.file, "t")
    world.reopen()
    again = world.runner.resume("t", settings=AgentSettings(model=chat))
    world.done(again)
    assert (again.error, again.answer) == (None, "At last.")
    rows = world.rows()
    assert (rows[-1].status, world.sent(rows[-1].id)) == ("done", ["Go"])
    assert world.status() == "idle"


SEEN_ALIKE = {
    "responses": ("key", "overflow", "broken off"),
    "anthropic": ("key", "rate limit", "overflow", "broken off"),
}


@pytest.mark.parametrize(
    ("kind", "what"), [(kind, what) for kind in KINDS for what in SEEN_ALIKE.get(kind, tuple(FAILURES))]
)
def test_a_failure_is_a_sentence_and_the_thread_goes_on(world: World, server: Provider, kind: Kind, what: str) -> None:
    answer, says, does = FAILURES[what]
    server.will(answer, Say("At last."))
    chat = model(kind, server, max_retries=0, **({"timeout": 0.2} if what == "timeout" else {}))
    sentence, data = turn(world, chat, server)
    for part in (says, does, WHO[kind], "127.0.0.1"):
        assert part in sentence
    assert chat._get_ls_params()["ls_model_name"] in sentence
    assert data["kind"] == what
    assert data["class"]
    assert data.get("retry_after") == (20.0 if what == "rate limit" else None)
    assert KEY not in str(data)
    goes_on(world, model(kind, server, max_retries=0))
    world.runner.close()
    assert holds(world.file, KEY) == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_dropped_connection_and_a_closed_port(world: World, server: Provider, kind: Kind) -> None:
    server.will(drops, Say("At last."))
    sentence, data = turn(world, model(kind, server, max_retries=0), server)
    assert data["kind"] == "broken off"
    assert f"The connection to {WHO[kind]} (127.0.0.1" in sentence
    with closing(socket.socket()) as port:  # bound, and nobody listens
        port.bind(("127.0.0.1", 0))
        server.url, heard = f"http://127.0.0.1:{port.getsockname()[1]}", server.url
        chat = model(kind, server, max_retries=0)
        failed = world.runner.resume("t", settings=AgentSettings(model=chat))
        world.done(failed)
    assert failed.error is not None
    assert f"{WHO[kind]} (127.0.0.1" in failed.error
    assert " could not be reached" in failed.error
    assert world.events("failure")[-1].data["kind"] == "connection"
    server.url = heard
    goes_on(world, model(kind, server, max_retries=0))


def test_what_is_no_providers_failure_keeps_its_class_and_words(world: World) -> None:
    run = world.runner.start("t", "Go", settings=AgentSettings(model=ScriptedChat(script=[ValueError("so there")])))
    world.done(run)
    assert run.error == "ValueError: so there"
    assert world.rows()[0].error == run.error
    assert world.events("failure") == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("openai:gpt-4o", "The model 'openai:gpt-4o' can't be used: "),
        ("mistralai:any", "The package for the model 'mistralai:any' is not installed: "),
        ("nobody:nothing", "The model 'nobody:nothing' can't be used: "),
    ],
)
def test_a_model_that_cannot_be_had_is_a_sentence(world: World, name: str, words: str) -> None:
    run = world.runner.start("t", "Go", model=name)
    world.done(run)
    assert run.error is not None
    assert run.error.startswith(words)
    assert "\n" not in run.error
    assert world.rows() == []
