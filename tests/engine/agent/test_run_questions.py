"""Runs that stop at a question: what is asked can be read and answered in a new process."""

from __future__ import annotations

import json
from typing import Any

import pytest
from langgraph.types import interrupt

from engine import AgentSettings, SubagentSettings, can_go_on, pending_questions
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.errors import UsageError
from engine.running import Answer, Decision, Question
from tests.engine.agent.running import World

APPROVE = Decision("approve")
ran: list[tuple[str, int]] = []


def send(to: str, copies: int = 1) -> str:
    """Send a letter."""
    ran.append((to, copies))
    return f"sent to {to}"


@pytest.fixture(autouse=True)
def nothing_ran() -> None:
    ran.clear()


def agent(model: Any = None, **more: Any) -> AgentSettings:
    """An agent that wants to send two letters."""
    calls = [Call("send", {"to": "Ann"}), Call("ls", {"path": "/"}), Call("send", {"to": "Bo", "copies": 2})]
    model = model or ScriptedChat(script=[Turn("Shall I?", calls=calls), Turn("All done.")])
    return AgentSettings(model=model, tools=[send], **{"interrupts": {"send": ()}, **more})


def stopped(world: World, settings: AgentSettings) -> tuple[Question, ...]:
    """Run until it asks; what a new process reads of it."""
    run = world.runner.start("t", "Go", settings=settings)
    updates = world.done(run)
    assert (updates[-1].kind, run.interrupted, run.error) == ("interrupted", True, None)
    assert world.status() == "interrupted"
    world.reopen()
    return pending_questions(world.file, "t")


def test_what_is_asked_is_told_call_by_call(world: World) -> None:
    (question,) = stopped(world, agent())
    assert ran == []
    first, second = question.calls
    assert (first.tool, json.loads(first.args), first.tool_call_id) == ("send", {"to": "Ann"}, "call_1")
    assert (second.tool, json.loads(second.args), second.tool_call_id) == ("send", {"to": "Bo", "copies": 2}, "call_3")
    assert first.allowed == ("approve", "edit", "reject", "respond")
    assert "send" in first.description
    assert first.schema is not None
    assert list(first.schema["properties"]) == ["to", "copies"]
    assert (question.thread_id, question.agent, question.namespace) == ("t", None, "")
    assert question.request == world.rows()[0].id
    assert question.at is not None
    (event,) = world.events("interrupt")
    assert (event.request, event.data["id"]) == (question.request, question.id)
    assert json.loads(question.value) == event.data["values"][0]


def test_decisions_are_taken_call_by_call(world: World) -> None:
    settings = agent()
    (question,) = stopped(world, settings)
    edit = Decision("edit", args='{"to": "Cy", "copies": 3}')
    run = world.runner.answer("t", {question.id: [edit, Decision("reject", "Not Bo.")]}, settings=settings)
    world.done(run)
    assert (run.error, run.answer) == (None, "All done.")
    assert ran == [("Cy", 3)]
    assert world.status() == "idle"
    assert pending_questions(world.file, "t") == ()
    texts = world.sent(world.rows()[-1].id)
    assert any("sent to Cy" in text for text in texts)
    assert any("Not Bo." in text for text in texts)
    (event,) = world.events("decision")
    assert event.request == question.request
    assert event.data["decisions"] == [
        {
            "tool": "send",
            "tool_call_id": "call_1",
            "decision": "edit",
            "before": {"to": "Ann"},
            "after": {"tool": "send", "args": {"to": "Cy", "copies": 3}},
        },
        {
            "tool": "send",
            "tool_call_id": "call_3",
            "decision": "reject",
            "before": {"to": "Bo", "copies": 2},
            "message": "Not Bo.",
        },
    ]


def test_somebody_may_answer_in_the_tools_place(world: World) -> None:
    settings = agent()
    (question,) = stopped(world, settings)
    answers = {question.id: [Decision("respond", "It was sent yesterday."), APPROVE]}
    world.done(world.runner.answer("t", answers, settings=settings))
    assert ran == [("Bo", 2)]
    assert "It was sent yesterday." in world.sent(world.rows()[-1].id)


@pytest.mark.parametrize(
    ("decisions", "words"),
    [
        ([APPROVE], "2 calls wait for a decision, but 1 decision was given"),
        ([APPROVE] * 3, "2 calls wait for a decision, but 3 decisions were given"),
        ([APPROVE, Decision("respond", "x")], "'respond' is not allowed for send; it may be: approve, edit, reject"),
        ([APPROVE, Decision("edit", args="{")], "not JSON"),
        ([APPROVE, Decision("edit", args='{"to": 1}')], "to: 1 is not of type 'string'"),
        ([APPROVE, Decision("edit", args='{"copies": 1}')], "'to' is a required property"),
        ([APPROVE, Decision("edit", tool="rm", args="{}")], "can't become 'rm'"),
        (Answer("yes"), "a decision on each call"),
    ],
)
def test_a_decision_that_does_not_fit_changes_nothing(world: World, decisions: Any, words: str) -> None:
    settings = agent(interrupts={"send": ("approve", "edit", "reject")})
    before = stopped(world, settings)
    with pytest.raises(UsageError, match=words):
        world.runner.answer("t", {before[0].id: decisions}, settings=settings)
    assert pending_questions(world.file, "t") == before
    assert world.status() == "interrupted"
    assert world.events("decision") == []
    with pytest.raises(UsageError, match="answered already, or is another thread's"):
        world.runner.answer("t", {"unknown": [APPROVE, APPROVE]}, settings=settings)
    with pytest.raises(UsageError, match="waits for an answer"):
        world.runner.resume("t", settings=settings)
    with pytest.raises(UsageError, match="waits for an answer"):
        world.runner.compact("t", settings=settings)
    assert ran == []


def test_subagents_ask_one_by_one_and_each_is_answered_by_itself(world: World) -> None:
    def helper(name: str) -> SubagentSettings:
        script = [Turn(calls=[Call("send", {"to": name})]), Turn(f"{name} has it.")]
        model = ScriptedChat(model=name, script=script, call_prefix=f"{name}_")
        return SubagentSettings(name, "Sends.", "You send.", tools=[send], model=model)

    tasks = [Call("task", {"description": "Send", "subagent_type": name}) for name in ("ann", "bo")]
    settings = AgentSettings(
        model=ScriptedChat(script=[Turn(calls=tasks), Turn("Both.")]),
        subagents=[helper("ann"), helper("bo")],
        interrupts={"send": ()},
    )
    both = {question.agent: question for question in stopped(world, settings)}
    assert set(both) == {"ann", "bo"}
    agents = {row.id: row.agent for row in world.rows()}
    for name, question in both.items():
        assert question.namespace.startswith("tools:")
        assert (question.calls[0].tool_call_id, agents[question.request or 0]) == (f"{name}_1", name)

    run = world.runner.answer("t", {both["bo"].id: [APPROVE]}, settings=settings)
    assert world.done(run)[-1].kind == "interrupted"
    assert ran == [("bo", 1)]
    (left,) = pending_questions(world.file, "t")
    assert left == both["ann"]
    assert len(world.events("interrupt")) == 2  # what still waits is not asked anew
    world.reopen()
    run = world.runner.answer("t", {left.id: [Decision("reject")]}, settings=settings)
    world.done(run)
    assert (run.answer, ran) == ("Both.", [("bo", 1)])
    assert [event.data["decisions"][0]["decision"] for event in world.events("decision")] == ["approve", "reject"]


@pytest.mark.parametrize(
    ("answer", "heard"), [(Answer("blue"), "'blue'"), (Answer('{"shade": [1, 2]}', json=True), "{'shade': [1, 2]}")]
)
def test_a_tool_may_ask_something_of_its_own(world: World, answer: Answer, heard: str) -> None:
    def ask() -> str:
        """Ask for a colour."""
        return f"heard {interrupt({'question': 'Which colour?', 'of': ['red', 'blue']})!r}"

    settings = AgentSettings(model=ScriptedChat(script=[Turn(calls=[Call("ask", {})]), Turn("Good.")]), tools=[ask])
    (question,) = stopped(world, settings)
    assert question.calls == ()
    assert json.loads(question.value) == {"question": "Which colour?", "of": ["red", "blue"]}
    for wrong, words in (([APPROVE], "an answer of its own"), (Answer("{", json=True), "not JSON")):
        with pytest.raises(UsageError, match=words):
            world.runner.answer("t", {question.id: wrong}, settings=settings)
    run = world.runner.answer("t", {question.id: answer}, settings=settings)
    world.done(run)
    assert run.answer == "Good."
    assert f"heard {heard}" in world.sent(world.rows()[-1].id)
    (event,) = world.events("decision")
    assert event.data["asked"] == json.loads(question.value)
    assert event.data["answer"] == (json.loads(answer.text) if answer.json else answer.text)


def test_a_message_in_place_of_a_decision_runs_nothing(world: World) -> None:
    stopped(world, agent())
    run = world.runner.start("t", "Never mind.", settings=agent(model=ScriptedChat(model="b", script=[Turn("Well.")])))
    world.done(run)
    assert (run.error, run.answer, ran) == (None, "Well.", [])
    assert pending_questions(world.file, "t") == ()
    assert not can_go_on(world.file, "t")
    with pytest.raises(UsageError, match="waits for no answer"):
        world.runner.answer("t", {"any": [APPROVE]})
