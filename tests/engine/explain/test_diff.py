"""Two requests compared: by piece, then inside what changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Explainer, Reader
from engine.errors import UsageError
from engine.explain.model import AreaDiff, RequestDiff
from engine.trace.model import RequestRow
from tests.contract.models import Told, recorded
from tests.engine.explain.conftest import WEEK_22


def area(diff: RequestDiff, name: str) -> AreaDiff:
    (one,) = [one for one in diff.areas if one.area == name]
    return one


def told(one: AreaDiff) -> list[tuple[str, int | None, int | None, int]]:
    return [(part.what, part.old_index, part.new_index, part.count) for part in one.parts]


def test_by_default_a_request_is_compared_with_the_same_agents_one_before(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    subagents = [row for row in week.values() if row.purpose == "subagent"]
    assert len({row.checkpoint_ns.rpartition("|")[0] for row in subagents}) == 2
    for row in [week[2], week[25], *subagents]:
        before = explainer.predecessor(row.id)
        if before is not None:
            assert (before.purpose, before.agent) == (row.purpose, row.agent)
            assert before.number < row.number
    inner = [row for row in subagents if row.raw_messages and row.raw_messages > 1]
    for row in inner:
        before = explainer.predecessor(row.id)
        assert before is not None and before.checkpoint_ns.rpartition("|")[0] == row.checkpoint_ns.rpartition("|")[0]
    assert explainer.diff(week[2].id).old.id == week[1].id


def test_a_request_that_goes_on_only_adds(explainer: Explainer, reader: Reader, week: dict[int, RequestRow]) -> None:
    diff = explainer.diff(week[2].id)
    before = reader.request(week[1].id)
    assert all(area(diff, name).same for name in ("system", "tools", "provider"))
    messages = area(diff, "messages")
    assert messages.prefix == len(before.messages)
    assert told(messages)[0] == ("same", 0, 0, len(before.messages))
    assert {part.what for part in messages.parts[1:]} == {"added"}
    assert sum(part.tokens for part in messages.parts) == week[2].estimated_tokens - week[1].estimated_tokens


def test_after_a_summary_messages_are_gone_and_none_is_taken_for_another(
    explainer: Explainer, reader: Reader, week: dict[int, RequestRow]
) -> None:
    messages = area(explainer.diff(week[43].id, week[41].id), "messages")
    changed = [part for part in messages.parts if part.what == "changed"]
    assert [(part.kind, part.old_index, part.new_index) for part in changed] == [("summary", 0, 0)]
    assert sum(1 for part in messages.parts if part.what == "removed") > 20
    assert messages.prefix == 0
    old, new = explainer.texts("messages", changed[0].old_part or 0, changed[0].new_part or 0)
    assert old.startswith("You are in the middle of a conversation that has been summarized.")
    spans = explainer.text_diff("messages", changed[0].old_part or 0, changed[0].new_part or 0).spans
    assert spans[0].what == "equal" and spans[-1].new_end == len(new)


def test_memory_that_was_edited_is_a_changed_block(explainer: Explainer, reader: Reader) -> None:
    first, last = (reader.requests(name)[at] for name, at in ((WEEK_22, 0), ("competitor-report-week-23", -1)))
    system = area(explainer.diff(last.id, first.id), "system")
    assert [(part.what, part.kind) for part in system.parts] == [("same", "system"), ("changed", "memory")]
    part = system.parts[1]
    old, new = explainer.texts("system", part.old_part or 0, part.new_part or 0)
    diff = explainer.text_diff("system", part.old_part or 0, part.new_part or 0)
    assert diff.added > 0
    added = "".join(new[span.new_start : span.new_end] for span in diff.spans if span.what != "equal")
    assert "bullet" in added and "bullet" not in old


def test_two_runs_of_one_agent_are_compared_place_by_place(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    starts = [row for row in week.values() if row.purpose == "subagent" and row.raw_messages == 1]
    messages = area(explainer.diff(starts[1].id, starts[0].id), "messages")
    assert told(messages) == [("changed", 0, 0, 1)]


def test_another_thread_and_its_parameters(explainer: Explainer, reader: Reader) -> None:
    one, two = (reader.requests(name)[0] for name in ("eight-rounds-defaults", "eight-rounds-neither"))
    diff = explainer.diff(two.id, one.id)
    assert area(diff, "tools").same
    provider = area(diff, "provider")
    assert {part.name for part in provider.parts} == {"model", "params"}
    old, new = explainer.provider_texts(one.id, two.id)
    assert "scripted-eight-rounds-defaults" in old and "scripted-eight-rounds-neither" in new


def test_a_request_is_the_same_as_itself(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    diff = explainer.diff(week[30].id, week[30].id)
    assert all(one.same for one in diff.areas)


def test_messages_that_differ_only_in_what_is_not_shown_are_compared_as_json(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["yes", "no"]))
    world.say("Hello")
    world.say("Hello")
    with world.reader() as reader:
        first, answer, second = reader.request(reader.request_ids("t")[1]).messages
        explainer = Explainer(reader)
        assert explainer.texts("messages", first.part, answer.part) == ("Hello", "yes")
        assert first.part != second.part
        old, new = explainer.texts("messages", first.part, second.part)
        assert old != new
        assert next(line for line in old.splitlines() if line not in new.splitlines()).strip().startswith('"id":')


def test_the_first_request_has_nothing_to_be_compared_with(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    with pytest.raises(UsageError, match="is the first of its agent"):
        explainer.diff(week[1].id)
    with pytest.raises(UsageError, match="There is no request 999999"):
        explainer.diff(999_999)
