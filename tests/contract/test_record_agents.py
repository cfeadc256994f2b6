"""Agents and graphs that somebody else put together: raw state, threads, runs, and who belongs to whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, SummarizationMiddleware
from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.func import entrypoint, task
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command, interrupt

from engine import Reader, record
from tests.contract.recorded import Recorded
from tests.contract.stranger import MEDIA, Native, Plain, call


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    return Recorded(tmp_path / "any.ctx")


@tool
def look(at: str) -> str:
    """Look at something."""
    return f"a {at}"


class Adds(AgentMiddleware):
    """Adds a block to the system message."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(request.override(system_message=SystemMessage(f"{request.system_message.text}\nAdded.")))

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        request = request.override(system_message=SystemMessage(f"{request.system_message.text}\nAdded."))
        return await handler(request)


def raw_texts(reader: Reader, request: int) -> list[str]:
    return [reader.text(row.part) for row in reader.request(request).raw]


@pytest.mark.parametrize("middleware", [False, True])
@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_plain_agent(recorded: Recorded, middleware: bool, asynchronous: bool) -> None:
    model = recorded.model(Native, call("look", "c1", at="x"), "done")
    with record(recorded.path):
        agent = create_agent(model, [look], system_prompt="Be short.", middleware=[Adds()] if middleware else [])
        state: Any = {"messages": [HumanMessage(content=MEDIA), HumanMessage("go")]}
        asyncio.run(agent.ainvoke(state)) if asynchronous else agent.invoke(state)
    first, second = recorded.check(2)
    assert [row.purpose for row in (first, second)] == ["agent", "agent"]
    assert (first.raw_messages, second.raw_messages) == (2, 4)
    with recorded.reading() as reader:
        (thread,) = reader.threads()
        assert thread.title == "Look:"
        assert thread.status == "idle"
        detail = reader.request(second.id)
        assert [block.contributor for block in detail.system] == ["Adds" if middleware else "caller"]
        assert [tool.contributor for tool in detail.tools] == ["caller"]
        # LangChain itself gives the model another spelling of the pictures.
        assert [row.fate for row in detail.raw] == ["replaced", "sent", "sent", "sent"]
        # With a new random id for some of them each time; what is the same is stored once.
        assert reader.request(first.id).messages[1].part == detail.messages[1].part


def graph(model: Plain, *, asks: bool = False) -> Any:
    """Two nodes that call a model, with a question to the user between them."""

    def plan(state: MessagesState) -> Any:
        return {"messages": [model.invoke([SystemMessage("Plan."), *state["messages"]])]}

    def ask(state: MessagesState) -> Any:
        return {"messages": [HumanMessage(interrupt("Go on?"))]} if asks else {}

    def write(state: MessagesState) -> Any:
        return {"messages": [model.invoke(state["messages"][-1:])]}

    builder = StateGraph(MessagesState)
    builder.add_sequence([plan, ask, write])
    builder.add_edge(START, "plan")
    return builder.compile(checkpointer=InMemorySaver())


def test_a_graph_of_ones_own(recorded: Recorded) -> None:
    model = recorded.model(Plain, "planned", "written", "again", "written again")
    config: Any = {"configurable": {"thread_id": "t"}}
    with record(recorded.path):
        agent = graph(model)
        agent.invoke({"messages": [HumanMessage("go")]}, config)
        agent.invoke({"messages": [HumanMessage("more")]}, config)
    rows = recorded.check(4)
    assert {row.purpose for row in rows} == {"agent"}
    assert [row.raw_messages for row in rows] == [1, 2, 4, 5]
    with recorded.reading() as reader:
        assert raw_texts(reader, rows[3].id) == ["go", "planned", "written", "more", "again"]
        assert [reader.text(row.part) for row in reader.request(rows[3].id).messages] == ["again"]
        assert [thread.thread_id for thread in reader.threads()] == ["t"]


def test_an_interrupted_run_says_so(recorded: Recorded) -> None:
    agent = graph(recorded.model(Plain, "planned", "written"), asks=True)
    config: Any = {"configurable": {"thread_id": "t"}}
    with record(recorded.path):
        agent.invoke({"messages": [HumanMessage("go")]}, config)
        with recorded.reading() as reader:
            record(recorded.path)  # costs nothing
    with recorded.reading() as reader:
        assert reader.threads()[0].status == "interrupted"
    with record(recorded.path):
        agent.invoke(Command(resume="yes"), config)
    recorded.check(2)
    with recorded.reading() as reader:
        assert reader.threads()[0].status == "idle"


def test_a_failed_run_says_so(recorded: Recorded) -> None:
    agent = graph(recorded.model(Plain, ValueError("overloaded")))
    with record(recorded.path), pytest.raises(ValueError, match="overloaded"):
        agent.invoke({"messages": [HumanMessage("go")]}, {"configurable": {"thread_id": "t"}})
    (row,) = recorded.check(1)
    assert (row.status, row.error) == ("failed", "ValueError: overloaded")
    with recorded.reading() as reader:
        assert reader.threads()[0].status == "failed"


def test_a_run_that_is_left_or_stopped_says_so(recorded: Recorded) -> None:
    with record(recorded.path):
        stream = graph(recorded.model(Plain)).stream(
            {"messages": [HumanMessage("go")]}, {"configurable": {"thread_id": "left"}}
        )
        next(stream)
        stream.close()
        with pytest.raises(KeyboardInterrupt):
            recorded.model(Plain, KeyboardInterrupt()).invoke("go")
    left, stopped = sorted(recorded.check(2), key=lambda row: row.started_at)
    assert (left.status, stopped.status) == ("done", "stopped")
    with recorded.reading() as reader:
        assert {thread.status for thread in reader.threads()} == {"stopped"}


def test_functions_as_tasks_of_a_graph(recorded: Recorded) -> None:
    model = recorded.model(Native)

    @task
    def write(topic: str) -> str:
        return str(model.invoke(f"About {topic}").content)

    @entrypoint()
    def both(topics: list[str]) -> list[str]:
        return [future.result() for future in [write(topic) for topic in topics]]

    with record(recorded.path):
        assert both.invoke(["a", "b"]) == ["yes it is"] * 2
    rows = recorded.check(2)
    assert {row.purpose for row in rows} == {"agent"}
    assert {row.raw_messages for row in rows} == {None}


def test_an_agent_and_a_model_inside_a_tool_hang_under_its_call(recorded: Recorded) -> None:
    helper = create_agent(recorded.model(Native, "helped"), name="helper")
    beside = recorded.model(Native, "aside")

    @tool
    def delegate(what: str) -> str:
        """Let somebody else do it."""
        beside.invoke("a thought")
        return str(helper.invoke({"messages": [HumanMessage(what)]})["messages"][-1].content)

    model = recorded.model(Native, call("delegate", "c7", what="it"), "done")
    with record(recorded.path):
        create_agent(model, [delegate]).invoke({"messages": [HumanMessage("go")]})
    rows = {row.purpose: row for row in recorded.check(4)}
    with recorded.reading() as reader:
        (thread,) = reader.threads()
        first = reader.request_ids(thread.thread_id)[0]
    for purpose in ("subagent", "other"):
        assert (rows[purpose].parent, rows[purpose].parent_call) == (first, "c7")
    assert rows["subagent"].agent == "helper"


def test_summaries_of_langchains_own(recorded: Recorded) -> None:
    model = recorded.model(Native, "one", "two", "three")
    summaries = recorded.model(Native, "so far")
    middleware = SummarizationMiddleware(model=summaries, trigger=("messages", 4), keep=("messages", 1))
    with record(recorded.path):
        agent = create_agent(model, middleware=[middleware], checkpointer=InMemorySaver())
        for text in ("a", "b", "c"):
            agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": "t"}})
    rows = recorded.check(4)
    assert [row.purpose for row in rows] == ["agent", "agent", "summary", "agent"]


def test_several_agents_at_once_in_one_file(recorded: Recorded) -> None:
    agents = [create_agent(recorded.model(Native, call("look", "c", at="x"), f"done {n}"), [look]) for n in range(6)]

    async def run_all() -> None:
        runs = (
            agent.ainvoke({"messages": [HumanMessage(f"go {n}")]}, {"configurable": {"thread_id": str(n)}})
            for n, agent in enumerate(agents)
        )
        await asyncio.gather(*runs)

    with record(recorded.path):
        asyncio.run(run_all())
    recorded.check(12)
    with recorded.reading() as reader:
        for n in range(6):
            rows = reader.requests(str(n))
            assert [row.number for row in rows] == [1, 2]
            assert raw_texts(reader, rows[1].id) == [f"go {n}", "", "a x"]


def test_blocks_that_come_and_go_lose_nothing(recorded: Recorded) -> None:
    """Whoever leaves last closes the file, while somebody else may just have entered."""

    def talk(name: str) -> None:
        agent = create_agent(recorded.model(Native), checkpointer=InMemorySaver())
        for text in "abcdef":
            with record(recorded.path):
                agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": name}})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(talk, ["t0", "t1", "t2", "t3"]))
    assert record(recorded.path).lost == 0
    rows = recorded.check(24)
    assert sorted(row.raw_messages for row in rows) == sorted([1, 3, 5, 7, 9, 11] * 4)


def test_a_thread_that_another_agent_goes_on_with(recorded: Recorded) -> None:
    """Its lists are told anew, its parts are stored once."""
    saver = InMemorySaver()
    for text in ("a", "b"):
        agent = create_agent(recorded.model(Native), checkpointer=saver)
        with record(recorded.path):
            agent.invoke({"messages": [HumanMessage(text)]}, {"configurable": {"thread_id": "t"}})
    first, second = recorded.check(2)
    with recorded.reading() as reader:
        assert reader.request(first.id).messages[0].part == reader.request(second.id).messages[0].part
