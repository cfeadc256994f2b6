"""Prompt cache: where a prefix breaks, why, who did it, and what it cost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.messages import SystemMessage

from engine import Explainer, Reader
from engine.explain.model import CacheUse
from engine.explain.volatile import volatile_change
from engine.trace.model import RequestRow
from tests.contract.models import Recorded, Told, call, recorded, summarizing
from tests.engine.explain.conftest import WEEK_22


def last(world: Recorded, *says: str) -> CacheUse:
    """Cache use of the last request after these turns."""
    for text in says:
        world.say(text)
    with world.reader() as reader:
        return Explainer(reader).cache(reader.request_ids("t")[-1])


class Changing(AgentMiddleware[Any, Any, Any]):
    """Changes a request by the next of its functions."""

    def __init__(self, *changes: Callable[[Any], Any]) -> None:
        super().__init__()
        self._changes: Iterator[Callable[[Any], Any]] = itertools.cycle(changes)

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return handler(next(self._changes)(request))


def saying(text: str) -> Callable[[Any], Any]:
    return lambda request: request.override(system_message=SystemMessage(text))


def changed(folder: Path, *changes: Callable[[Any], Any]) -> CacheUse:
    """Cache use of the second request of an agent whose requests are changed so."""
    middleware = Changing(*changes)
    world = recorded(folder, Told(turns=["one", "two"]), middleware=[lambda _: middleware], memory=["/memories/A.md"])
    return last(world, "a", "b")


def test_a_request_that_goes_on_breaks_nothing(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    found = explainer.cache(week[2].id)
    assert (found.cause, found.break_at, found.predecessor) == ("extended", None, week[1].id)
    assert found.shared == week[1].estimated_tokens
    assert (found.reread, found.avoidable) == (0, False)
    assert found.reported == week[2].usage.cache_read


def test_a_first_request_could_reuse_nothing(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    found = explainer.cache(week[1].id)
    assert (found.cause, found.predecessor, found.shared, found.break_at) == ("first request", None, 0, None)


def test_what_could_be_reused_is_what_the_scripted_provider_says_it_reused(
    explainer: Explainer, reader: Reader, rows: list[RequestRow]
) -> None:
    """It reads by the whole message, so nearly: a message that is not there counts for some tokens of its own."""
    agents = [row for row in rows if row.purpose == "agent"]
    assert len(agents) > 70
    for row in agents:
        found = explainer.cache(row.id)
        assert found.reported is not None
        assert abs(found.shared - found.reported) <= 3, row


def test_a_summary_breaks_it_at_the_first_message(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    found = explainer.cache(week[30].id)
    assert found.cause == "summary"
    assert found.break_at is not None
    assert (found.break_at.area, found.break_at.index, found.break_at.contributor) == (
        "messages",
        0,
        "SummarizationMiddleware",
    )
    assert found.reread > 0 and not found.avoidable


def test_another_run_of_a_subagent_shares_what_stands_before_its_conversation(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    starts = [row for row in week.values() if row.purpose == "subagent" and row.raw_messages == 1]
    found = explainer.cache(starts[1].id)
    assert found.cause == "new conversation"
    assert found.break_at is not None and found.break_at.area == "messages"
    assert found.shared > 2_000


def test_the_totals_of_a_thread_are_the_sums_of_its_requests(explainer: Explainer, reader: Reader) -> None:
    uses, totals = explainer.thread_cache(WEEK_22)
    assert [use.request for use in uses] == reader.request_ids(WEEK_22)
    assert totals.requests == len(uses)
    assert totals.shared == sum(use.shared for use in uses)
    assert totals.reread == sum(totals.by_cause.values()) == sum(use.reread for use in uses)
    assert (totals.reporting, totals.reported) == (55, sum(use.reported or 0 for use in uses))
    assert totals.avoidable == 0


@pytest.mark.parametrize(
    ("texts", "what"),
    [
        (("It is 2026-05-01 12:00:01.", "It is 2026-05-01 12:00:09."), "a time"),
        (
            ("Session 3fa85f64-5717-4562-b3fc-2c963f66afa6", "Session 1ba85f64-5717-4562-b3fc-2c963f66afa7"),
            "a random id",
        ),
        (("There are 12 files.", "There are 13 files."), "a number"),
    ],
)
def test_what_changes_by_itself_in_the_system_prompt_is_avoidable(
    tmp_path: Path, texts: tuple[str, str], what: str
) -> None:
    found = changed(tmp_path, *map(saying, texts))
    assert (found.cause, found.avoidable) == ("volatile text", True)
    assert found.reason == f"Block 1 of the system prompt holds {what}, which changes by itself."
    assert found.break_at is not None
    assert (found.break_at.area, found.break_at.index, found.break_at.contributor) == ("system", 0, "Changing")
    assert found.reread > 0


def test_another_prompt_is_no_accident(tmp_path: Path) -> None:
    found = changed(tmp_path, saying("You help."), saying("You refuse."))
    assert (found.cause, found.avoidable) == ("system changed", False)


def test_tools_in_another_order_are_avoidable(tmp_path: Path) -> None:
    found = changed(tmp_path, lambda r: r, lambda r: r.override(tools=list(reversed(r.tools))))
    assert (found.cause, found.avoidable) == ("tool order", True)
    assert found.reason == "The same tools stand in another order."
    assert found.break_at is not None and (found.break_at.area, found.break_at.index) == ("tools", 0)
    assert found.shared == 0


def test_tools_that_come_and_go_are_named(tmp_path: Path) -> None:
    def without(request: Any) -> Any:
        return request.override(tools=[tool for tool in request.tools if tool.name != "read_file"])

    found = changed(tmp_path, without, lambda r: r)
    assert (found.cause, found.reason) == ("tools changed", "Tools were added read_file.")
    assert found.break_at is not None and found.break_at.contributor == "FilesystemMiddleware"


def test_memory_that_was_edited_is_named(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["one", "two"]), memory=["/memories/A.md"])
    world.say("a")
    with world.agent() as (agent, _):
        agent.update_state({"configurable": {"thread_id": "t"}}, {"memory_contents": {"/memories/A.md": "new"}})
    found = last(world, "b")
    assert found.cause == "memory edited"
    assert found.break_at is not None and found.break_at.contributor == "MemoryMiddleware"


def test_arguments_that_were_cut_are_named(tmp_path: Path) -> None:
    cut = {"trigger": ("messages", 5), "keep": ("messages", 1), "max_length": 50}
    write = call("write_file", "w1", file_path="/a.md", content="n" * 500)
    model = Told(turns=[write, "one", "two"])
    world = recorded(tmp_path, model, middleware=[summarizing(model, 100, 2, truncate_args_settings=cut)])
    found = last(world, "a", "b")
    assert (found.cause, found.reason) == ("arguments cut", "Message 2 had its long arguments cut.")
    assert found.break_at is not None and found.break_at.contributor == "SummarizationMiddleware"


def test_a_message_that_is_put_away_anew_lies_elsewhere_and_is_named(tmp_path: Path) -> None:
    def offloading(backend: Any) -> Any:
        return FilesystemMiddleware(backend=backend, human_message_token_limit_before_evict=20)

    world = recorded(tmp_path, Told(turns=["one", "one again"]), middleware=[offloading])
    world.say("word " * 100)
    with world.agent() as (agent, recorder):
        config = {"configurable": {"thread_id": "t"}}
        first = next(state for state in agent.get_state_history(config) if state.next == ("model",))
        with recorder.observing():
            agent.invoke(None, {**first.config, "callbacks": [recorder.handler]})
        recorder.flush()
    found = last(world)
    assert found.cause == "offloaded"
    assert found.reason.startswith("Message 1 is now a preview of what lies at /conversation_history/")
    assert found.break_at is not None and found.break_at.contributor == "FilesystemMiddleware"


def test_a_thread_that_was_taken_up_earlier_is_said(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["one", "two", "three"]))
    world.say("a")
    world.say("b")
    with world.agent() as (agent, recorder):
        config = {"configurable": {"thread_id": "t"}}
        first = next(state for state in agent.get_state_history(config) if len(state.values.get("messages", ())) == 2)
        with recorder.observing():
            forked = {**first.config, "callbacks": [recorder.handler]}
            agent.invoke({"messages": [{"role": "user", "content": "else"}]}, forked)
        recorder.flush()
    found = last(world)
    assert found.cause == "history changed"
    assert found.break_at is not None and found.break_at.index == 2


def test_another_model_has_another_cache(tmp_path: Path) -> None:
    class Named(Told):
        model_name: str = "one"

        def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> Any:
            return {"ls_provider": "told", "ls_model_name": self.model_name, "ls_model_type": "chat"}

    other = Named(turns=["two"], model_name="two")
    middleware = Changing(lambda r: r, lambda r: r.override(model=other))
    world = recorded(tmp_path, Named(turns=["one"]), middleware=[lambda _: middleware])
    found = last(world, "a", "b")
    assert (found.cause, found.shared) == ("other model", 0)
    assert found.reason == "The request before it went to one, and caches are kept by model."


def test_a_request_that_failed_is_nobodys_predecessor(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["one", ValueError("no"), "two"]))
    world.say("a")
    with pytest.raises(ValueError, match="no"):
        world.say("b")
    found = last(world, "c")
    with world.reader() as reader:
        assert found.predecessor == reader.request_ids("t")[0]


def test_the_order_that_is_assumed_follows_the_provider(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    assert explainer.cache(week[2].id).order == ("tools", "system", "messages")


def test_openai_is_taken_to_read_the_prompt_first(tmp_path: Path) -> None:
    class OpenAI(Told):
        def _get_ls_params(self, stop: Any = None, **kwargs: Any) -> Any:
            return {"ls_provider": "openai", "ls_model_name": "gpt", "ls_model_type": "chat"}

    world = recorded(tmp_path, OpenAI(turns=["one", "two"]))
    assert last(world, "a", "b").order == ("system", "tools", "messages")


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("at 12:00:01", "at 12:00:07", "a time"),
        ("Monday, 3 May 2026", "Tuesday, 4 May 2026", "a time"),
        ("2026-05-01T10:00:00Z", "2026-05-02T11:30:59.123Z", "a time"),
        ("now 1767225600", "now 1767225607", "a time"),
        ("run abc12345def", "run zzz99999yyy", "a random id"),
        ("5 of 7 done", "6 of 7 done", "a number"),
        ("the cat", "the dog", None),
        ("5 cats", "6 dogs", None),
        ("a b", "a b c", None),
        ("same", "same", None),
    ],
)
def test_what_changes_by_itself_is_told_from_an_edit(old: str, new: str, what: str | None) -> None:
    assert volatile_change(old, new) == what
