"""What a run tells while it goes on: the conversation's words and nothing else, and each request and tool."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langgraph.config import get_stream_writer
from langgraph.graph import END, START, MessagesState, StateGraph

from engine import AgentSettings, SubagentSettings
from engine.agent.hearing import answers_in, interrupted_in, words_in
from engine.agent.scripted import Call, ScriptedChat, Turn
from tests.engine.agent.running import World

SECRET = "SECRET OF THE SUMMARY"


def stream(nodes: dict[str, Any]) -> list[Any]:
    """Events of a real graph's stream, whose nodes are called one after another."""
    graph: Any = StateGraph(MessagesState)
    names = list(nodes)
    for name, node in nodes.items():
        graph.add_node(name, node)
    for before, after in zip([START, *names], [*names, END], strict=True):
        graph.add_edge(before, after)

    async def run() -> list[Any]:
        modes = ["messages", "updates", "custom"]
        return [event async for event in graph.compile().astream({"messages": [HumanMessage("Go")]}, stream_mode=modes)]

    return asyncio.run(run())


def saying(text: str, **config: Any) -> Any:
    model = ScriptedChat(model=text, script=[Turn(text)], summaries=[text])

    async def node(state: Any) -> Any:
        return {"messages": [await model.ainvoke([HumanMessage("Go")], config)]}

    return node


@pytest.mark.parametrize(
    "nodes",
    [
        {"model": saying("Heard.")},
        # As the engine marks it now, as it was tagged once, and as it was in a node of its own before that.
        {"before": saying(SECRET, metadata={"lc_source": "summarization"}), "model": saying("Heard.")},
        {"before": saying(SECRET, tags=["nostream"]), "model": saying("Heard.")},
        {"SummarizationMiddleware.before_model": saying(SECRET), "model": saying("Heard.")},
    ],
)
def test_a_summarizers_words_are_none_of_the_conversation(nodes: dict[str, Any]) -> None:
    events = stream(nodes)
    assert len(nodes) == 1 or SECRET in str(events)  # it did speak
    words = "".join(words_in(event) for mode, event in events if mode == "messages")
    assert words == "Heard."


def test_a_summarys_message_in_the_model_node_is_no_word_either() -> None:
    async def node(state: Any) -> Any:
        made = AIMessage(SECRET, additional_kwargs={"lc_source": "summarization"})
        return {"messages": [made, HumanMessage(SECRET), ToolMessage(SECRET, tool_call_id="c"), AIMessage("Heard.")]}

    events = stream({"model": node})
    assert "".join(words_in(event) for mode, event in events if mode == "messages") == "Heard."


def test_events_of_any_shape_are_passed_over() -> None:
    odd: list[Any] = [None, 7, "text", [], {}, (), (1,), (1, 2, 3), (None, None), ("text", {}), (AIMessage("a"), None)]
    odd += [(AIMessageChunk("a"), "text"), (object(), {}), ({"type": "ai", "text": "a"}, {"tags": None})]
    odd += [{"__interrupt__": ()}, {"model": None}, {"model": {"messages": None}}, {"model": [1]}, {1: {"messages": 3}}]

    async def node(state: Any) -> Any:
        write = get_stream_writer()
        for event in odd:
            write(event)
        return {"messages": [AIMessage("Heard.")]}

    events = stream({"model": node})
    assert [event for mode, event in events if mode == "custom"] == odd
    for mode, event in events:
        assert words_in(event) == ("Heard." if mode == "messages" else "")
        assert list(answers_in(event)) == (["Heard."] if mode == "updates" else [])
        assert not interrupted_in(event)


def test_requests_and_tools_are_told_by_name_as_they_start_and_end(world: World) -> None:
    def fails() -> str:
        """Fail."""
        raise ValueError("no")

    helper = SubagentSettings("helper", "Helps.", "You help.", model=ScriptedChat(model="h", script=[Turn("Helped.")]))
    calls = [Call("task", {"description": "d", "subagent_type": "helper"})]
    script = [Turn("One.", calls=calls), Turn(calls=[Call("fails", {})])]
    run = world.runner.start(
        "t", "Go", settings=AgentSettings(model=ScriptedChat(script=script), tools=[fails], subagents=[helper])
    )
    told = world.done(run)
    assert run.error == "ValueError: no"
    steps = [(u.kind, u.number, u.name, u.purpose, u.state) for u in told if u.kind in {"request", "tool"}]
    assert steps == [
        ("request", 1, "", "agent", "started"),
        ("request", 1, "", "agent", "done"),
        ("tool", 1, "task", "", "started"),
        ("request", 2, "helper", "subagent", "started"),
        ("request", 2, "helper", "subagent", "done"),
        ("tool", 1, "task", "", "done"),
        ("request", 3, "", "agent", "started"),
        ("request", 3, "", "agent", "done"),
        ("tool", 2, "fails", "", "started"),
        ("tool", 2, "fails", "", "failed"),
    ]
    assert "".join(u.text for u in told if u.kind == "token") == "One."  # a subagent speaks to its agent
    assert (told[-1].kind, told[-1].text) == ("failed", "ValueError: no")
