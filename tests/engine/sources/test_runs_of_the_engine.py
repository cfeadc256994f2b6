"""What agents of the real engine left in a plain SqliteSaver, against what their models got and LangGraph reads."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import SummarizationToolMiddleware
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.tools import tool
from langgraph.types import Command

from engine import Source, open_source
from engine.sources.database import Database
from engine.sources.line import Contents
from engine.sources.rules import Rules
from engine.sources.shelf import Shelf
from engine.sources.thread import Thread
from engine.trace.model import RequestRow
from tests.contract.models import Told, call, calls, deep_agent, say, summarizing, thread
from tests.engine.sources.databases import as_dict, effective, raw, received, saver_over

pytestmark = pytest.mark.filterwarnings("ignore:Offloading conversation history")


@tool
def report(lines: int) -> str:
    """Write a report of so many lines."""
    return "\n".join(f"line {n} of the report, which is long enough" for n in range(lines))


@tool
def deploy(where: str) -> str:
    """Deploy somewhere."""
    return f"deployed to {where}"


@tool
def broken() -> str:
    """Raise."""
    raise OSError("the tool is out of order")


@dataclass
class Left:
    """A database, the agent that wrote it, and the models that answered."""

    file: Path
    agent: Any
    models: list[Told]

    @property
    def given(self) -> dict[str, list[dict[str, Any]]]:
        """What each call received, by its namespace; of a call that was repeated, the last."""
        return {
            call.metadata["langgraph_checkpoint_ns"]: received(call) for model in self.models for call in model.asked
        }


@contextmanager
def left_by(file: Path, model: Told, *others: Told, middleware: Any = (), **more: Any) -> Iterator[Left]:
    """An agent over a plain saver. The database may be read as soon as the block is left, or in it."""
    with saver_over(file) as saver:
        agent = deep_agent(model, checkpointer=saver, middleware=[make() for make in middleware], **more)
        yield Left(file, agent, [model, *others])


def rows_of(source: Source, name: str = "t") -> list[RequestRow]:
    return source.requests(name)


def agree(left: Left, source: Source, name: str = "t") -> list[RequestRow]:
    """Every call of the models is a request, with the messages that it received."""
    rows = rows_of(source, name)
    assert {row.checkpoint_ns: effective(source, row) for row in rows} == left.given
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    return rows


def agree_with_langgraph(left: Left, name: str = "t") -> None:
    """At every checkpoint of the main agent the raw messages are those that LangGraph reads."""
    shelf = Shelf()
    with closing(Database(left.file)) as database:
        found = Thread(database, Contents(shelf), Rules(shelf), name)
        assert found.load()
        mine = {id: step for (namespace, id), step in found.steps.items() if namespace == ""}
        history = list(left.agent.get_state_history(thread(name)))
        assert len(history) == len(mine) > 3
        for state in history:
            step = mine[state.config["configurable"]["checkpoint_id"]]
            exact = left.agent.get_state(state.config)
            assert [shelf.value(piece[0]) for piece in shelf.path(step.raw)] == [
                as_dict(message) for message in exact.values.get("messages", [])
            ]
        newest = found.newest()
        assert newest is not None
        assert newest[1].state.files == left.agent.get_state(thread(name)).values.get("files", {})


def conversation(left: Left, turns: int) -> None:
    for n in range(turns):
        say(left.agent, f"question {n}")


def test_a_conversation_with_tools(tmp_path: Path) -> None:
    model = Told(
        turns=[
            call("report", "c1", lines=3),
            calls(("ls", "c2", {"path": "/"}), ("report", "c3", {"lines": 2})),
            "done",
            "again",
        ]
    )
    with left_by(tmp_path / "t.db", model, tools=[report]) as left:
        conversation(left, 2)
    with saver_over(left.file) as saver, closing(open_source(left.file)) as source:
        left.agent.checkpointer = saver
        rows = agree(left, source)
        agree_with_langgraph(left)
    assert [row.raw_messages for row in rows] == [1, 3, 6, 8]
    assert [row.status for row in rows] == ["done"] * 4
    assert [row.follows for row in rows] == [None, rows[0].id, rows[1].id, rows[2].id]
    assert {row.branch for row in rows} == {0}


def test_summaries_one_after_another_and_all_of_them_are_kept(tmp_path: Path) -> None:
    model = Told(turns=[f"answer {n}" for n in range(9)], summaries=[f"S{n}" for n in range(9)])
    with left_by(tmp_path / "t.db", model, middleware=[summarizing(model, 5, 2)]) as left:
        conversation(left, 9)
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            agree_with_langgraph(left)
            summaries = source.summaries("t")
            assert len(summaries) == len(model.given) - len(model.asked) >= 3
            assert [summary.chained for summary in summaries] == [False] + [True] * (len(summaries) - 1)
            assert [summary.evicted_from for summary in summaries] == [0] + [s.cutoff for s in summaries[:-1]]
            for summary in summaries:
                assert "summary" in next(row for row in rows if row.id == summary.request).events
                assert summary.path is not None and summary.problem is None
                assert source.file("t", summary.path)
                evicted = source.evicted(summary.event)
                assert [item.index for item in evicted] == list(range(summary.evicted_from, summary.cutoff))
            assert not [row for row in rows if row.purpose == "summary"], "the summarizing call is in no checkpoint"
            last = source.request(rows[-1].id)
            assert last.cutoff == summaries[-1].cutoff
            assert [item.fate for item in last.raw[: last.cutoff]] == ["summarized"] * last.cutoff
            assert last.messages[0].origin == "summary"


def test_reasoning_that_was_bound_to_the_summarized_is_left_out(tmp_path: Path) -> None:
    def thought(text: str) -> AIMessage:
        blocks = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}]
        return AIMessage(blocks, response_metadata={"model_provider": "anthropic"})

    model = Told(turns=[thought(f"answer {n}") for n in range(5)], summaries=["S1", "S2"])
    with left_by(tmp_path / "t.db", model, middleware=[summarizing(model, 5, 4)]) as left:
        conversation(left, 4)
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            fates = {item.fate for row in rows for item in source.request(row.id).raw}
            assert fates >= {"summarized", "sent", "reasoning dropped"}


def test_a_long_user_message_is_shown_as_the_preview_that_was_sent(tmp_path: Path) -> None:
    model = Told(turns=["one", "two"])
    pasted = "\n".join(f"pasted line {n}" for n in range(400))
    backend = {"human_message_token_limit_before_evict": 500}

    def files() -> Any:
        from deepagents.backends import StateBackend

        return FilesystemMiddleware(backend=StateBackend(), **backend)

    with left_by(tmp_path / "t.db", model, middleware=[files]) as left:
        say(left.agent, pasted)
        say(left.agent, "and?")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            agree_with_langgraph(left)
            (event,) = [event for event in source.events("t") if event.kind == "offload"]
            assert (event.request, event.data["of"], event.data["chars"]) == (rows[0].id, "message", len(pasted))
            assert source.file("t", event.data["path"]).decode() == pasted
            detail = source.request(rows[1].id)
            assert detail.raw[0].fate == "offloaded"
            assert "rule of the deepagents that is installed" in detail.not_recorded["messages"]


def test_an_offloaded_result_and_its_file(tmp_path: Path) -> None:
    def files() -> Any:
        from deepagents.backends import StateBackend

        return FilesystemMiddleware(backend=StateBackend(), tool_token_limit_before_evict=200)

    model = Told(turns=[call("report", "c1", lines=100), "done"])
    with left_by(tmp_path / "t.db", model, middleware=[files], tools=[report]) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            (event,) = [event for event in source.events("t") if event.kind == "offload"]
            whole = report.invoke({"lines": 100})
            assert (event.request, event.data["tool_call_id"], event.data["chars"]) == (rows[1].id, "c1", len(whole))
            (artifact,) = source.files("t")
            assert (artifact.kind, artifact.tool_call_id, artifact.problem) == ("offloaded result", "c1", None)
            assert source.file("t", artifact.path).decode() == whole


def test_subagents_side_by_side_and_what_they_were_asked(tmp_path: Path) -> None:
    def task(id: str, what: str) -> tuple[str, str, dict[str, Any]]:
        return "task", id, {"description": what, "subagent_type": "reader"}

    main = Told(
        turns=[
            calls(task("a", "first"), task("b", "second")),
            call(*task("c", "third")[:2], **task("c", "third")[2]),
            "done",
        ]
    )
    helper = Told(turns=[call("report", "r1", lines=2), call("report", "r2", lines=2), "ok", "ok", "ok"])
    reader = {"name": "reader", "description": "reads", "system_prompt": "read", "model": helper, "tools": [report]}
    with left_by(tmp_path / "t.db", main, helper, subagents=[reader]) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            inside = [row for row in rows if row.purpose == "subagent"]
            first, second = [row for row in rows if row.purpose == "agent"][:2]
            asked = {row.parent_call: raw(source, row)[0]["data"]["content"] for row in inside if row.follows is None}
            assert asked == {"a": "first", "b": "second", "c": "third"}
            assert {row.parent for row in inside if row.parent_call in "ab"} == {first.id}
            assert {row.parent for row in inside if row.parent_call == "c"} == {second.id}
            assert {(row.agent, row.depth) for row in inside} == {("reader", 1)}


def test_a_fork_shows_its_own_past(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", "three", "two instead", "three instead"])
    with left_by(tmp_path / "t.db", model) as left:
        conversation(left, 3)
        states = list(left.agent.get_state_history(thread()))
        early = next(s for s in states if len(s.values["messages"]) == 2 and not s.next)
        question = {"messages": [HumanMessage("another question")]}
        forked = left.agent.update_state(early.config, question, as_node="__start__")
        left.agent.invoke(None, forked)
        say(left.agent, "and then?")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            agree_with_langgraph(left)
            assert [row.branch for row in rows] == [0, 0, 0, 1, 1]
            assert [row.follows for row in rows] == [None, rows[0].id, rows[1].id, rows[0].id, rows[3].id]
            fork = source.request(rows[3].id)
            assert [source.text(item.part) for item in fork.messages] == ["question 0", "one", "another question"]
            assert [item.is_new for item in fork.messages] == [False, True, True]
            old, new = source.branches("t")
            assert {row.checkpoint_id in old.checkpoints for row in rows[:3]} == {True}
            assert {row.checkpoint_id in new.checkpoints for row in rows[3:]} == {True}
            assert not {row.checkpoint_id for row in rows[3:]} & old.checkpoints


def test_an_interrupt_waits_and_is_answered(tmp_path: Path) -> None:
    model = Told(turns=[call("deploy", "d", where="production"), "done"])
    with left_by(tmp_path / "t.db", model, tools=[deploy], interrupt_on={"deploy": True}) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            (row,) = agree(left, source)
            assert [thread.status for thread in source.threads()] == ["interrupted"]
            (event,) = [event for event in source.events("t") if event.kind == "interrupt"]
            assert event.request == row.id
            assert "production" in str(event.data["values"])
            left.agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread())
            source.data_version()
            rows = agree(left, source)
            assert len(rows) == 2
            assert [thread.status for thread in source.threads()] == ["idle"]
            (event,) = [event for event in source.events("t") if event.kind == "interrupt"]
            assert event.data["answered"] is True
        agree_with_langgraph(left)


def test_a_call_that_failed_and_the_one_that_took_its_place(tmp_path: Path) -> None:
    model = Told(turns=["one", RuntimeError("the provider is down"), "two"])
    with left_by(tmp_path / "t.db", model) as left:
        say(left.agent, "a")
        with pytest.raises(RuntimeError):
            say(left.agent, "b")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            assert [(row.status, row.error) for row in rows] == [
                ("done", None),
                ("failed", "RuntimeError('the provider is down')"),
            ]
            assert source.request(rows[1].id).response is None
            assert "down" in source.request(rows[1].id).not_recorded["response"]
            assert [thread.status for thread in source.threads()] == ["failed"]
            say(left.agent, "c")
            again = agree(left, source)
            assert [row.status for row in again] == ["done", "failed", "done"]
            assert [row.id for row in again[:2]] == [row.id for row in rows]
            assert [event.kind for event in source.events("t")] == ["step failed"]
        agree_with_langgraph(left)


def test_a_tool_that_raised_is_a_step_that_failed(tmp_path: Path) -> None:
    model = Told(turns=[call("broken", "x"), "never"])
    with left_by(tmp_path / "t.db", model, tools=[broken]) as left:
        with pytest.raises(OSError):
            say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            (row,) = agree(left, source)
            (event,) = source.events("t")
            assert (event.kind, event.request, event.data["node"]) == ("step failed", row.id, "tools")
            assert "out of order" in event.data["error"]


def test_a_call_that_nobody_answered(tmp_path: Path) -> None:
    model = Killed(turns=["one", "", "two"])
    with left_by(tmp_path / "t.db", model) as left:
        say(left.agent, "a")
        with pytest.raises(Signal):
            say(left.agent, "b")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            assert [row.status for row in rows] == ["done", "running"], "it may still be going on"
            assert [thread.status for thread in source.threads()] == ["running"]
            say(left.agent, "c")
            rows = agree(left, source)
            assert [row.status for row in rows] == ["done", "stopped", "done"]
            assert rows[1].problem and rows[1].error is None
            texts = [source.text(item.part) for item in source.request(rows[2].id).messages]
            assert texts == ["a", "one", "b", "c"]


class Signal(BaseException):
    """Ends a run at once."""


class Killed(Told):
    """Ends the run, as a signal would, where it has nothing to say."""

    def _answer(self, call: Any) -> AIMessage:
        answer = super()._answer(call)
        if not answer.content:
            raise Signal
        return answer


def test_a_dangling_call_is_patched_in_the_state_and_the_rewriting_is_told(tmp_path: Path) -> None:
    model = Told(turns=[call("deploy", "d", where="x"), "done"])
    with left_by(tmp_path / "t.db", model, tools=[deploy], interrupt_on={"deploy": True}) as left:
        say(left.agent, "go")
        say(left.agent, "never mind")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            assert any(
                m["type"] == "tool" and "did not complete" in str(m["data"]["content"]) for m in raw(source, rows[1])
            )
            (event,) = [event for event in source.events("t") if event.kind == "state rewritten"]
            assert (event.request, event.data["cleared"]) == (rows[1].id, True)
            assert "PatchToolCalls" in event.data["by"]
        agree_with_langgraph(left)


def test_messages_that_a_user_took_out_of_the_state(tmp_path: Path) -> None:
    model = Told(turns=["one", "two"])
    with left_by(tmp_path / "t.db", model) as left:
        first = say(left.agent, "a")
        left.agent.update_state(
            thread(), {"messages": [RemoveMessage(first[0].id), AIMessage("better", id=first[1].id)]}
        )
        say(left.agent, "b")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            (event,) = [event for event in source.events("t") if event.kind == "state rewritten"]
            assert (event.data["by"], event.data["removed"], event.data["replaced"]) == ("update", 1, 1)
            assert event.request == rows[1].id
        agree_with_langgraph(left)


def test_memory_and_skills_as_the_state_cached_them(tmp_path: Path) -> None:
    skill = "---\nname: notes\ndescription: How to take notes.\n---\nbody\n"
    model = Told(
        turns=[
            call("read_file", "r", file_path="/skills/notes/SKILL.md"),
            call("edit_file", "e", file_path="/memories/AGENTS.md", old_string="short", new_string="brief"),
            "done",
        ]
    )
    files: dict[str, str | bytes] = {"/memories/AGENTS.md": "be short", "/skills/notes/SKILL.md": skill}
    more = {"files": files, "memory": ["/memories/AGENTS.md"], "skills": ["/skills/"]}
    with left_by(tmp_path / "t.db", model, **more) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            kinds = {event.kind: event.request for event in source.events("t")}
            assert kinds == {
                "memory loaded": rows[0].id,
                "skill listed": rows[0].id,
                "skill read": rows[0].id,
                "memory edited": rows[1].id,
            }
            (memory,) = source.memory("t")
            assert (memory.path, memory.in_thread, memory.text) == ("/memories/AGENTS.md", "be short", None)
            (listed,) = source.skills("t")
            assert (listed.name, listed.listed_in, listed.read_in) == ("notes", 3, (1,))


def test_several_threads_are_kept_apart(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", "three"])
    with left_by(tmp_path / "t.db", model) as left:
        for name in ("a", "b", "a"):
            say(left.agent, f"to {name}", thread(name))
        with closing(open_source(left.file)) as source:
            assert [(row.thread_id, row.title, row.requests) for row in source.threads()] == [
                ("a", "to a", 2),
                ("b", "to b", 1),
            ]
            assert [raw(source, row)[0]["data"]["content"] for row in source.requests("b")] == ["to b"]
            assert source.requests("nobody") == []


def test_a_subagent_that_was_killed_hangs_under_its_call_all_the_same(tmp_path: Path) -> None:
    """Its task has written nothing: its id alone tells which call it is."""

    def task(id: str) -> tuple[str, str, dict[str, Any]]:
        return "task", id, {"description": f"for {id}", "subagent_type": "reader"}

    main = Told(turns=[calls(task("a"), ("ls", "l", {"path": "/"}), task("b")), "never"])
    helper = Killed(turns=["", ""])
    reader = {"name": "reader", "description": "reads", "system_prompt": "read", "model": helper}
    with left_by(tmp_path / "t.db", main, helper, subagents=[reader]) as left:
        with pytest.raises(Signal):
            left.agent.invoke({"messages": [HumanMessage("go")]}, thread(), durability="sync")
        with closing(open_source(left.file)) as source:
            rows = rows_of(source)
            inside = [row for row in rows if row.purpose == "subagent"]
            assert inside
            for row in inside:
                (asked,) = raw(source, row)
                assert asked["data"]["content"] == f"for {row.parent_call}"
                assert (row.parent, row.agent, row.status) == (rows[0].id, "reader", "running")


def test_a_subagent_of_a_subagent(tmp_path: Path) -> None:
    from deepagents import create_deep_agent

    inner = Told(turns=["from below"])
    middle = Told(turns=[call("task", "m", description="deeper", subagent_type="digger"), "from the middle"])
    main = Told(turns=[call("task", "t", description="deep", subagent_type="miner"), "done"])
    digger = {"name": "digger", "description": "digs", "system_prompt": "dig", "model": inner}
    miner = {"name": "miner", "description": "mines", "runnable": create_deep_agent(model=middle, subagents=[digger])}
    with left_by(tmp_path / "t.db", main, middle, inner, subagents=[miner]) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            by_text = {raw(source, row)[0]["data"]["content"]: row for row in rows if row.follows is None}
            top, mid, low = by_text["go"], by_text["deep"], by_text["deeper"]
            assert [(row.depth, row.parent, row.parent_call) for row in (top, mid, low)] == [
                (0, None, None),
                (1, top.id, "t"),
                (2, mid.id, "m"),
            ]


def test_a_subagent_waits_for_an_answer_and_goes_on(tmp_path: Path) -> None:
    helper = Told(turns=[call("deploy", "d", where="here"), "ok"])
    main = Told(turns=[call("task", "t", description="deploy it", subagent_type="worker"), "done"])
    worker = {
        "name": "worker", "description": "works", "system_prompt": "work", "model": helper, "tools": [deploy],
        "interrupt_on": {"deploy": True},
    }  # fmt: skip
    with left_by(tmp_path / "t.db", main, helper, subagents=[worker]) as left:
        say(left.agent, "go")
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            assert [row.purpose for row in rows] == ["agent", "subagent"]
            assert [row.status for row in source.threads()] == ["interrupted"]
            left.agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), thread())
            source.data_version()
            rows = agree(left, source)
            assert [(row.purpose, row.parent_call) for row in rows] == [
                ("agent", None), ("subagent", "t"), ("subagent", "t"), ("agent", None),
            ]  # fmt: skip
            assert [row.status for row in source.threads()] == ["idle"]


def test_what_a_command_adds_before_a_call_is_in_it(tmp_path: Path) -> None:
    """Writes of no task belong to the state that the step began with."""
    model = Told(turns=["one"])
    with left_by(tmp_path / "t.db", model) as left:
        left.agent.invoke({"messages": [HumanMessage("a")]}, thread(), interrupt_before=["model"])
        left.agent.invoke(Command(update={"messages": [HumanMessage("and this")]}), thread())
        with closing(open_source(left.file)) as source:
            (row,) = agree(left, source)
            assert [m["data"]["content"] for m in raw(source, row)] == ["a", "and this"]
        agree_with_langgraph(left)


def test_a_compaction_that_the_agent_asked_for(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", call("compact_conversation", "k"), "three", "four"], summaries=["S"])

    def compacting() -> Any:
        return SummarizationToolMiddleware(summarizing(model, 6, 2)())

    with left_by(tmp_path / "t.db", model, middleware=[compacting]) as left:
        conversation(left, 4)
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            (summary,) = source.summaries("t")
            assert summary.request == rows[3].id, "the first that was sent with it"
            assert (summary.evicted_from, summary.chained) == (0, False)
            assert source.request(rows[3].id).cutoff == summary.cutoff > 0
            assert source.request(rows[2].id).cutoff is None


def test_a_structured_answer_and_state_of_ones_own(tmp_path: Path) -> None:
    from pydantic import BaseModel

    class Verdict(BaseModel):
        good: bool

    model = Told(turns=[call("Verdict", "v", good=True)])
    with left_by(tmp_path / "t.db", model, response_format=Verdict) as left:
        say(left.agent, "judge")
        with closing(open_source(left.file)) as source:
            (row,) = agree(left, source)
            assert row.status == "done"
            written = source.request(row.id).provider["written"]
            assert written["structured_response"]["good"] is True
            assert "Verdict" in written["structured_response"]["__type__"]


def test_a_result_that_was_clipped_after_an_overflow(tmp_path: Path) -> None:
    """The state still holds the whole when the call is made; the step itself puts what was sent in its place."""
    overflow = ContextOverflowError("too long")
    model = Told(turns=[call("report", "c1", lines=1_500), overflow, "done", "more"], summaries=["So far."])
    with left_by(tmp_path / "t.db", model, tools=[report]) as left:
        conversation(left, 2)
        with closing(open_source(left.file)) as source:
            rows = agree(left, source)
            agree_with_langgraph(left)
            detail = source.request(rows[1].id)
            whole = report.invoke({"lines": 1_500})
            assert source.text(detail.raw[-1].part) == whole
            assert detail.raw[-1].fate in {"clipped", "offloaded"}
            assert len(source.text(detail.messages[-1].part)) < 2_000
            (offload,) = [event for event in source.events("t") if event.kind == "offload"]
            assert (offload.request, offload.data["tool_call_id"], offload.data["chars"]) == (
                rows[1].id,
                "c1",
                len(whole),
            )
