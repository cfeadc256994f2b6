"""A stop takes effect within a second whatever holds the run, and the thread goes on afterwards."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool

from engine import AgentSettings, can_go_on
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.errors import UsageError
from tests.engine.agent.running import World, until


class Gate:
    """Something that holds a thread until the test lets go."""

    def __init__(self) -> None:
        self.reached, self.opened, self.left = threading.Event(), threading.Event(), threading.Event()

    def hold(self) -> None:
        self.reached.set()
        self.opened.wait(60)
        self.left.set()


@pytest.fixture
def gate() -> Iterator[Gate]:
    made = Gate()
    yield made
    made.opened.set()
    if made.reached.is_set():
        assert made.left.wait(10)


class Deaf(BaseChatModel):
    """A model without async methods, which hears of no cancelling."""

    gate: Any

    @property
    def _llm_type(self) -> str:
        return "deaf"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=[convert_to_openai_tool(tool) for tool in tools], **kwargs)

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        self.gate.hold()
        return ChatResult(generations=[ChatGeneration(message=AIMessage("TOO LATE"))])


def holding(kind: str, gate: Gate) -> AgentSettings:
    """An agent that is held by a synchronous tool, a tool that blocks the loop, or a synchronous model."""

    def wait() -> str:
        """Wait."""
        gate.hold()
        return "TOO LATE"

    async def block() -> str:
        """Block."""
        gate.hold()
        return "TOO LATE"

    if kind == "model":
        return AgentSettings(model=Deaf(gate=gate))
    tool = {"tool": wait, "loop": block}[kind]
    return AgentSettings(model=ScriptedChat(script=[Turn(calls=[Call(tool.__name__, {})]), Turn("end")]), tools=[tool])


def says(text: str) -> AgentSettings:
    """An agent with one answer, whatever was said before."""
    return AgentSettings(model=ScriptedChat(model=text, script=[Turn(text)]))


@pytest.mark.parametrize("kind", ["tool", "loop", "model"])
def test_a_stop_takes_effect_whatever_holds_the_run(world: World, gate: Gate, kind: str) -> None:
    run = world.runner.start("t", "Go", settings=holding(kind, gate))
    assert gate.reached.wait(60)
    run.stop()
    assert run.wait(30)
    assert not gate.left.is_set()  # what holds the run still does
    assert run.drain()[-1].kind == "stopped"
    assert (world.status(), run.error, run.lost) == ("stopped", None, 0)

    # A new run begins while the old one's thread still runs, and is not disturbed by what comes of it.
    again = world.runner.start("t", "Go on", settings=says("Here I am."))
    world.done(again)
    assert again.answer == "Here I am."
    gate.opened.set()
    assert gate.left.wait(10)
    world.runner.close()
    world.reopen()
    last = world.runner.start("t", "And?", settings=says("Still."))
    world.done(last)
    assert last.error is None
    texts = world.sent(world.rows()[-1].id)
    assert not any("TOO LATE" in text for text in texts)
    assert [text for text in texts if text in {"Go", "Go on", "And?", "Here I am."}] == [
        "Go",
        "Go on",
        "Here I am.",
        "And?",
    ]
    assert not can_go_on(world.file, "t")


def test_tools_that_were_stopped_run_again_on_going_on(world: World, gate: Gate) -> None:
    settings = holding("tool", gate)
    run = world.runner.start("t", "Go", settings=settings)
    assert gate.reached.wait(60)
    run.stop()
    world.done(run)
    assert can_go_on(world.file, "t")
    gate.opened.set()
    world.reopen()
    again = world.runner.resume("t", settings=settings)
    world.done(again)
    assert (again.error, again.answer) == (None, "end")
    assert world.sent(world.rows()[-1].id)[-1] == "TOO LATE"  # this time it was waited for


def test_a_run_that_was_stopped_while_it_spoke_goes_on_where_it_stood(world: World) -> None:
    slow = AgentSettings(model=ScriptedChat(script=[Turn("word " * 400)], delay=0.02))
    run = world.runner.start("t", "Go", settings=slow)
    until(run, lambda update: update.kind == "token")
    run.stop()
    world.done(run)
    assert world.status() == "stopped"
    again = world.runner.resume("t", settings=says("Whole."))
    world.done(again)
    assert again.answer == "Whole."
    first, second = world.rows()
    assert (first.status, second.status) == ("stopped", "done")
    assert world.sent(first.id) == world.sent(second.id) == ["Go"]


def test_a_thread_with_nothing_left_to_do_says_so(world: World) -> None:
    world.done(world.runner.start("t", "Go", settings=says("Done.")))
    for thread in ("t", "never seen"):
        with pytest.raises(UsageError, match="nothing left to do"):
            world.runner.resume(thread)
    assert len(world.rows()) == 1
