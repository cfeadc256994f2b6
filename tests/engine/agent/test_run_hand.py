"""Driving by hand: each request waits for somebody, is in the record by then, and takes only what fits."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from pytest_httpserver import HTTPServer

from engine import AgentSettings, Reader, SubagentSettings, pending_questions
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.errors import UsageError
from engine.running import HandCall, HandReply, HandRequest
from tests.engine.agent.running import World, until
from tests.engine.wire.provider import KEY, Provider, Say, fails, listening


def weigh(thing: str, grams: int = 1) -> str:
    """Weigh a thing."""
    return f"{thing}: {grams} g"


HAND = AgentSettings(model="hand", tools=[weigh])


def asked(run: Any) -> HandRequest:
    """The next request that waits."""
    found = until(run, lambda update: update.kind == "hand").hand
    assert found is not None
    return found


def test_a_turn_by_hand(world: World) -> None:
    run = world.runner.start("t", "How heavy?", settings=HAND)
    first = asked(run)
    assert (first.thread_id, first.number, first.agent, first.purpose) == ("t", 1, None, "agent")
    (row,) = world.rows()
    assert (row.id, row.status, row.model) == (first.request, "running", "hand")
    assert world.sent(row.id) == ["How heavy?"]
    assert [message["type"] for message in first.messages] == ["system", "human"]
    with closing(Reader(world.file)) as reader:
        assert [tool.name for tool in first.tools] == [tool.name for tool in reader.request(row.id).tools]
    tool = next(tool for tool in first.tools if tool.name == "weigh")
    assert tool.description == "Weigh a thing."
    assert list(tool.schema["properties"]) == ["thing", "grams"]
    assert run.waiting() == [first]

    run.reply(first.token, HandReply("Let me see.", [HandCall("weigh", '{"thing": "stone", "grams": 7}')]))
    second = asked(run)
    assert second.number == 2
    assert second.messages[-1]["data"]["content"] == "stone: 7 g"
    run.reply(second.token, HandReply("Seven grams."))
    world.done(run)
    assert (run.error, run.answer) == (None, "Seven grams.")
    assert [row.status for row in world.rows()] == ["done", "done"]
    assert [row.usage.input_tokens for row in world.rows()] == [None, None]


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (HandReply(), "empty"),
        (HandReply(" \n"), "empty"),
        (HandReply("", [HandCall("fly")]), "no tool 'fly'"),
        (HandReply("", [HandCall("weigh", "{")]), "not JSON"),
        (HandReply("", [HandCall("weigh", "[1]")]), "JSON object"),
        (HandReply("", [HandCall("weigh", "{}")]), "'thing' is a required property"),
        (HandReply("", [HandCall("weigh", '{"thing": 1}')]), "thing: 1 is not of type 'string'"),
        (HandReply("", [HandCall("weigh", '{"thing": "a", "colour": "b"}')]), "no argument 'colour'"),
    ],
)
def test_a_reply_that_does_not_fit_is_refused_and_waited_for_again(world: World, reply: HandReply, words: str) -> None:
    run = world.runner.start("t", "Go", settings=HAND)
    request = asked(run)
    with pytest.raises(UsageError, match=words):
        run.reply(request.token, reply)
    assert run.waiting() == [request]
    run.reply(request.token, HandReply("Fine."))
    world.done(run)
    assert run.answer == "Fine."
    with pytest.raises(UsageError, match="waits no more"):
        run.reply(request.token, HandReply("Again."))


def test_what_was_left_open_is_asked_again_tomorrow(world: World) -> None:
    run = world.runner.start("t", "Go", settings=HAND)
    first = asked(run)
    world.reopen()
    assert run.finished
    assert world.status() == "stopped"
    with pytest.raises(UsageError, match="waits no more"):
        run.reply(first.token, HandReply("Too late."))
    again = world.runner.resume("t", settings=HAND)
    second = asked(again)
    assert second.messages == first.messages
    again.reply(second.token, HandReply("Now."))
    world.done(again)
    assert again.answer == "Now."
    assert [(row.number, row.status) for row in world.rows()] == [(1, "stopped"), (2, "done")]


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Provider:
    made = Provider(listener)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{made.url}/v1")
    return made


def test_a_provider_may_answer_one(world: World, server: Provider) -> None:
    usage = {"input_tokens": 70, "output_tokens": 7, "total_tokens": 77}
    server.will(Say("I weigh.", calls=[("call_1", "weigh", {"thing": "egg"})], usage=usage))
    run = world.runner.start("t", "Go", settings=HAND)
    first = asked(run)
    for name, words in (("hand", "Name a provider's model"), ("nobody:nothing", "can't be used")):
        with pytest.raises(UsageError, match=words):
            run.let_provider(first.token, name)
    run.let_provider(first.token, "openai:gpt-4o")
    second = asked(run)
    run.reply(second.token, HandReply("One gram."))
    world.done(run)
    assert run.answer == "One gram."

    by_hand, provided, last = world.rows()
    assert [row.model for row in (by_hand, provided, last)] == ["hand", "gpt-4o", "hand"]
    assert (provided.purpose, provided.parent) == ("other", by_hand.id)
    # Its tokens are the provider's, and counted once.
    assert [row.usage.input_tokens for row in (by_hand, provided, last)] == [None, 70, None]
    assert world.sent(provided.id) == world.sent(by_hand.id) == ["Go"]
    (body,) = server.bodies
    assert [tool["name"] for tool in body["tools"]] == [tool.name for tool in first.tools]
    (event,) = world.events("by hand")
    assert (event.request, event.data) == (by_hand.id, {"answered_by": "openai:gpt-4o"})
    assert second.messages[-1]["data"]["content"] == "egg: 1 g"


def test_a_provider_that_fails_fails_the_run_and_the_thread_asks_again(world: World, server: Provider) -> None:
    server.will(fails(401, f"wrong key {KEY}"))
    run = world.runner.start("t", "Go", settings=HAND)
    run.let_provider(asked(run).token, "openai:gpt-4o")
    world.done(run)
    assert run.error is not None
    assert run.error.startswith("OpenAI (127.0.0.1")
    assert KEY not in run.error
    again = world.runner.resume("t", settings=HAND)
    again.reply(asked(again).token, HandReply("By hand, then."))
    world.done(again)
    assert again.answer == "By hand, then."


def test_subagents_side_by_side_wait_side_by_side(world: World) -> None:
    settings = AgentSettings(model="hand", subagents=[SubagentSettings("helper", "Helps.", "You help.")])
    run = world.runner.start("t", "Go", settings=settings)
    tasks = [HandCall("task", f'{{"description": "part {n}", "subagent_type": "helper"}}') for n in (1, 2)]
    run.reply(asked(run).token, HandReply("", tasks))
    asked(run)
    while len(run.waiting()) < 2:
        assert not run.wait(0.01)
    two = sorted(run.waiting(), key=lambda request: request.messages[-1]["data"]["content"])
    assert [(item.agent, item.purpose) for item in two] == [("helper", "subagent")] * 2
    for number, item in reversed(list(enumerate(two, start=1))):
        run.reply(item.token, HandReply(f"answer {number}"))
    last = asked(run)
    assert [message["data"]["content"] for message in last.messages[-2:]] == ["answer 1", "answer 2"]
    run.reply(last.token, HandReply("Both."))
    world.done(run)
    assert run.answer == "Both."
    assert sorted(row.purpose for row in world.rows()) == ["agent", "agent", "subagent", "subagent"]


def test_summaries_of_such_an_agent_are_by_hand_too(world: World) -> None:
    settings = AgentSettings(model="hand", summarize=("messages", 4), keep=("messages", 2))
    for turn in ("one", "two"):
        run = world.runner.start("t", turn, settings=settings)
        run.reply(asked(run).token, HandReply(f"heard {turn}"))
        world.done(run)
    run = world.runner.start("t", "three", settings=settings)
    summary = asked(run)
    assert (summary.purpose, summary.tools) == ("summary", ())
    assert [row.purpose for row in world.rows()][-1] == "summary"
    run.reply(summary.token, HandReply("MY SUMMARY"))
    last = asked(run)
    assert "MY SUMMARY" in str(last.messages[1]["data"]["content"])
    run.reply(last.token, HandReply("Good."))
    updates = world.done(run)
    assert "MY SUMMARY" not in "".join(update.text for update in updates if update.kind == "token")


def test_four_threads_side_by_side_each_with_its_own_fate(world: World) -> None:
    held = AgentSettings(
        model=ScriptedChat(script=[Turn(calls=[Call("weigh", {"thing": "a"})]), Turn("end")]),
        tools=[weigh],
        interrupts={"weigh": ()},
    )
    plain = [*[Turn(calls=[Call("ls", {"path": "/"})]) for _ in range(5)], Turn("plain")]
    by_hand = world.runner.start("hand", "Go", settings=HAND)
    interrupted = world.runner.start("held", "Go", settings=held)
    failing = world.runner.start("fails", "Go", settings=AgentSettings(model=ScriptedChat(script=[ValueError("no")])))
    going = world.runner.start("plain", "Go", settings=AgentSettings(model=ScriptedChat(script=plain)))
    request = asked(by_hand)
    for run in (interrupted, failing, going):
        world.done(run)
    assert world.runner.running("hand") is by_hand
    assert world.status("hand") == "running"
    by_hand.reply(request.token, HandReply("hand"))
    world.done(by_hand)
    fates = {name: world.status(name) for name in ("hand", "held", "fails", "plain")}
    assert fates == {"hand": "idle", "held": "interrupted", "fails": "failed", "plain": "idle"}
    assert [len(world.rows(name)) for name in fates] == [1, 1, 1, 6]
    assert failing.error == "ValueError: no"
    assert [question.thread_id for question in pending_questions(world.file, "held")] == ["held"]
