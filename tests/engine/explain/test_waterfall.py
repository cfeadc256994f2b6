"""A request, contributor by contributor: every figure sums to the request."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard
from langchain.agents.middleware.types import AgentMiddleware
from langchain.agents.structured_output import ToolStrategy
from langchain_core.messages import HumanMessage, SystemMessage
from pydantic import BaseModel

from engine import Explainer, Reader
from engine.explain.model import Amount, Change, Step, Waterfall
from engine.trace.model import RequestRow
from tests.contract.models import Recorded, Told, call, recorded

Sums = dict[tuple[str, str], tuple[int, int, int]]


def summed(amounts: Iterable[Amount]) -> Sums:
    """Count, characters and tokens by area and kind."""
    sums: dict[tuple[str, str], list[int]] = {}
    for one in amounts:
        sums.setdefault((one.area, one.kind), [0, 0, 0])
        sums[one.area, one.kind] = [
            a + b for a, b in zip(sums[one.area, one.kind], (one.count, one.chars, one.tokens), strict=True)
        ]
    return {key: (a, b, c) for key, (a, b, c) in sums.items() if a or b or c}


def assert_sums(found: Waterfall, reader: Reader) -> None:
    """Steps sum to the total and the total is the request, by area and kind, to the last token and character."""
    detail = reader.request(found.request)
    for step in found.steps:
        assert summed(step.amounts) == summed(amount for change in step.changes for amount in change.amounts)
    running: list[Amount] = []
    for step in found.steps:
        running += step.amounts
        assert summed(step.total) == summed(running)
    assert summed(found.total) == summed(running)
    request = [
        Amount(area, row.kind, 1, row.chars, row.tokens)
        for area, listed in (("system", detail.system), ("tools", detail.tools), ("messages", detail.messages))
        for row in listed
    ]
    assert summed(found.total) == summed(request)
    tokens: Counter[str] = Counter()
    for one in found.total:
        tokens[one.kind] += one.tokens
    assert {kind: count for kind, count in tokens.items() if count} == dict(detail.row.sizes)
    assert len(found.system_by) == len(detail.system)
    assert len(found.tools_by) == len(detail.tools)
    assert len(found.messages_by) == len(detail.messages)


def step(found: Waterfall, contributor: str) -> Step:
    (one,) = [step for step in found.steps if step.contributor == contributor]
    return one


def changes(one: Step, area: str) -> list[Change]:
    return [change for change in one.changes if change.area == area]


def test_every_figure_of_the_demo_sums_to_its_request(
    explainer: Explainer, reader: Reader, rows: list[RequestRow]
) -> None:
    assert len(rows) == 100
    for row in rows:
        found = explainer.waterfall(row.id)
        assert_sums(found, reader)
        assert bool(found.problem) == (row.purpose == "summary")


def test_every_piece_leads_to_who_put_it_there(
    explainer: Explainer, reader: Reader, week: dict[int, RequestRow]
) -> None:
    found = explainer.waterfall(week[30].id)
    detail = reader.request(week[30].id)
    assert found.system_by == tuple(block.contributor for block in detail.system)
    assert found.tools_by == tuple(tool.contributor for tool in detail.tools)
    assert found.messages_by[0] == "SummarizationMiddleware"
    for row, by in zip(detail.messages[1:], found.messages_by[1:], strict=True):
        assert by == ("caller" if row.fate == "sent" else "FilesystemMiddleware")


def test_every_middleware_has_its_turn_whether_it_changed_something_or_not(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    names = [one.contributor for one in explainer.waterfall(week[1].id).steps]
    assert names == [
        "caller",
        "FilesystemMiddleware",
        "SubAgentMiddleware",
        "_ParentNotifierMiddleware",
        "SummarizationMiddleware",
        "PatchToolCallsMiddleware",
        "SkillsMiddleware",
        "AnthropicPromptCachingMiddleware",
        "MemoryMiddleware",
        "UnsupportedContentMiddleware",
    ]
    assert not step(explainer.waterfall(week[1].id), "SummarizationMiddleware").changes


def test_a_middleware_brings_its_tools_and_takes_those_that_do_not_work(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    found = explainer.waterfall(week[1].id)
    filesystem = changes(step(found, "FilesystemMiddleware"), "tools")
    told = {(change.what, change.name) for change in filesystem}
    assert {("added", "ls"), ("added", "execute"), ("removed", "execute"), ("changed", "grep")} <= told
    assert [change.name for change in changes(step(found, "SubAgentMiddleware"), "tools")] == ["task"]
    assert {change.name for change in changes(step(found, "caller"), "tools")} == {"market_data_export", "news_search"}


def test_a_summary_takes_the_evicted_messages_and_adds_itself(
    explainer: Explainer, reader: Reader, week: dict[int, RequestRow]
) -> None:
    detail = reader.request(week[30].id)
    taken, added = changes(step(explainer.waterfall(week[30].id), "SummarizationMiddleware"), "messages")
    assert (taken.what, taken.index, len(taken.parts)) == ("removed", 0, detail.cutoff)
    assert (added.what, added.parts) == ("added", (detail.messages[0].part,))


# --- agents with middlewares of their own ---


class Meddling(AgentMiddleware[Any, Any, Any]):
    """Changes every area."""

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        first, *others = request.messages
        told = HumanMessage(f"{first.text} (reworded)", id=first.id)
        block = {"type": "text", "text": "Be brief."}
        content = request.system_message.content
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        return handler(
            request.override(
                messages=[HumanMessage("inserted", id="new"), told, *others[1:]],
                system_message=SystemMessage([block, *blocks]),
                tools=[tool for tool in request.tools if tool.name != "glob"],
                model_settings={**request.model_settings, "temperature": 0.5},
            )
        )


def meddled(folder: Path) -> Recorded:
    world = recorded(
        folder,
        Told(turns=["one", "two", "three"]),
        middleware=[lambda _: Meddling()],
        memory=["/memories/AGENTS.md"],
        system_prompt="You help.",
    )
    world.say("first")
    world.say("second")
    return world


def test_a_middleware_of_the_users_is_told_what_it_changed(tmp_path: Path) -> None:
    world = meddled(tmp_path)
    with world.reader() as reader:
        found = Explainer(reader).waterfall(reader.request_ids("t")[1])
        assert_sums(found, reader)
        mine = step(found, "Meddling")
        told = {(change.area, change.what, change.name) for change in mine.changes}
        assert told == {
            ("messages", "added", ""),
            ("messages", "changed", ""),
            ("messages", "removed", ""),
            ("system", "added", ""),
            ("system", "changed", ""),
            ("tools", "removed", "glob"),
            ("provider", "added", "temperature"),
        }
        (setting,) = changes(mine, "provider")
        assert (setting.old, setting.new) == (None, 0.5)
        assert found.messages_by == ("Meddling", "Meddling", "caller")
        assert found.system_by[:2] == ("Meddling", "caller")


def test_a_block_that_is_moved_keeps_its_contributor_and_its_kind(tmp_path: Path) -> None:
    with meddled(tmp_path).reader() as reader:
        detail = reader.request(reader.request_ids("t")[0])
        assert [block.contributor for block in detail.system] == ["Meddling", "caller", "MemoryMiddleware"]
        assert [block.kind for block in detail.system] == ["system", "system", "memory"]


class Answer(BaseModel):
    """The answer."""

    text: str


def test_what_langchain_adds_when_it_binds_the_model_is_the_models_step(tmp_path: Path) -> None:
    model = Told(turns=[call("Answer", "a1", text="forty-two")])
    world = recorded(tmp_path, model, response_format=ToolStrategy(Answer))
    world.say("Well?")
    with world.reader() as reader:
        found = Explainer(reader).waterfall(reader.request_ids("t")[0])
        assert_sums(found, reader)
        assert [(change.what, change.name) for change in step(found, "model").changes] == [("added", "Answer")]


def test_of_an_older_record_the_steps_are_said_to_be_unknown(tmp_path: Path) -> None:
    world = meddled(tmp_path)
    with closing(sqlite3.connect(world.workspace.path)) as db, db:
        for part, packed, body in db.execute("SELECT id, packed, body FROM parts WHERE kind = 'origin'").fetchall():
            value = json.loads(zstandard.decompress(body) if packed else body)
            kept = {name: value[name] for name in ("system", "tools", "messages")}
            db.execute("UPDATE parts SET packed = 0, body = ? WHERE id = ?", (json.dumps(kept).encode(), part))
    with world.reader() as reader:
        found = Explainer(reader).waterfall(reader.request_ids("t")[1])
        assert found.problem == "The contributors' steps were not recorded with this request."
        assert len(found.steps) == 1
        assert_sums(found, reader)


@pytest.mark.parametrize("number", [1, 29, 30])
def test_without_the_readers_own_lists_the_figures_still_sum(
    reader: Reader, week: dict[int, RequestRow], number: int
) -> None:
    found = Explainer(OnlyTheInterface(reader)).waterfall(week[number].id)
    assert found.problem
    assert_sums(found, reader)


class OnlyTheInterface:
    """A source without what is optional."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def __getattr__(self, name: str) -> Any:
        if name in {"lists", "branches", "run_files"}:
            raise AttributeError(name)
        return getattr(self._reader, name)
