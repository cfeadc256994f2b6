"""Summaries in depth: what was lost, what of it was needed, and whether it was read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Explainer, Reader
from engine.explain.mentions import comparable, mentions
from engine.explain.model import SummaryReport
from tests.contract.models import Recorded, Told, call, recorded, summarizing
from tests.engine.explain.conftest import WEEK_22

FIRST = (
    "The plan is in /notes/plan.md and at https://plans.example/q3. Ask Anna Kowalska, who owns order_router, "
    "about the 41,250 units and the 12.5% margin. Key PX-900 stays."
)


def reports(world: Recorded) -> list[SummaryReport]:
    with world.reader() as reader:
        return Explainer(reader).summaries("t")


def told(folder: Path, *answers: object, summary: str = "A plan was made.") -> Recorded:
    """A conversation whose first turns are summarized before the third."""
    model = Told(turns=["Noted.", "Go on.", *answers], summaries=[summary] * 9)
    world = recorded(folder, model, middleware=[summarizing(model, 5, 1)])
    for text in (FIRST, "Anything else?", "Well?"):
        world.say(text)
    return world


def needed(report: SummaryReport) -> dict[str, tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...]]]:
    return {one.text: (one.kind, one.used_in, one.read_back_in, one.unsourced_in) for one in report.needed}


def test_what_later_answers_used_and_the_summary_had_lost_is_named(tmp_path: Path) -> None:
    world = told(tmp_path, "Anna Kowalska has 41250 units; see /notes/plan.md.")
    (one,) = reports(world)
    assert needed(one) == {
        "Anna Kowalska": ("name", (4,), (), (4,)),
        "41250": ("number", (4,), (), (4,)),
        "/notes/plan.md": ("path", (4,), (), (4,)),
    }
    assert {fact.raw_index for fact in one.needed} == {0}
    assert one.lost == {"path": 1, "url": 1, "identifier": 2, "number": 2, "name": 1}
    assert one.held == {}


def test_what_the_summary_holds_is_not_lost(tmp_path: Path) -> None:
    world = told(tmp_path, "Anna Kowalska has 41,250 units.", summary="Anna Kowalska of order_router has 41,250 units.")
    (one,) = reports(world)
    assert one.needed == ()
    assert one.held == {"identifier": 1, "number": 1, "name": 1}
    assert one.lost == {"path": 1, "url": 1, "identifier": 1, "number": 1}


def test_what_was_read_back_from_the_history_is_told_with_the_request_that_got_it(tmp_path: Path) -> None:
    class Reading(Told):
        """Reads the history file that its summary names."""

        def _answer(self, given):
            answer = super()._answer(given)
            for one in answer.tool_calls:
                one["args"] = {"file_path": path_in(given.conversation[0].text)}
            return answer

    read = call("read_file", "r1", file_path="?")
    model = Reading(turns=["Noted.", "Go on.", read, "Ask Anna Kowalska."], summaries=["A plan was made."] * 3)
    world = recorded(tmp_path, model, middleware=[summarizing(model, 5, 1)])
    for text in (FIRST, "Anything else?", "Well?"):
        world.say(text)
    (one, *_) = reports(world)
    assert one.read_back_in == (4,)
    found = needed(one)
    assert found["Anna Kowalska"] == ("name", (5,), (5,), ())
    assert found["/notes/plan.md"][1:3] == ((), (5,))


def path_in(text: str) -> str:
    return text.partition("has been saved to ")[2].partition(" should you need")[0]


def test_a_chain_of_summaries_is_told_oldest_first(explainer: Explainer, reader: Reader) -> None:
    one, two = explainer.summaries(WEEK_22)
    assert (one.number, two.number) == (1, 2)
    assert (one.chain, two.chain) == ((), (one.summary.event,))
    assert one.trigger == two.trigger == "trigger 54,400 tokens, 85 % of 64,000"
    assert (one.evicted, two.evicted) == (38, 30)
    for report in (one, two):
        evicted = reader.evicted(report.summary.event)
        assert report.evicted_tokens == sum(row.tokens for row in evicted)
        assert report.evicted_chars == sum(row.chars for row in evicted)
        assert report.history == "saved"
        assert report.read_back_in == (46,)


def test_of_the_demo_what_the_report_needed_is_found(explainer: Explainer) -> None:
    one, two = explainer.summaries(WEEK_22)
    lost = {fact.text: fact for fact in one.needed}
    assert lost["Kallmeyer"].kind == "name"
    assert lost["Kallmeyer"].read_back_in == (47,)
    assert set(lost["177354"].used_in) == {48, 52}
    assert lost["/large_tool_results/call_everfrost_22"].kind == "path"
    assert not {"file_path", "old_string"} & set(lost), "names of arguments are the tools'"
    assert {fact.text for fact in two.needed} & {"Laborbedarf", "Bremen"}


def test_a_history_that_is_gone_is_told(tmp_path: Path) -> None:
    world = told(tmp_path, "Fine.")
    (before,) = reports(world)
    assert before.history == "saved"
    with world.agent() as (agent, _):
        agent.update_state({"configurable": {"thread_id": "t"}}, {"files": {before.summary.path: None}})
    assert [one.history for one in reports(world)] == ["gone"]


def test_a_thread_without_summaries_has_no_reports(explainer: Explainer) -> None:
    assert explainer.summaries("eight-rounds-defaults") == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See /a/b.md and report.md.", [("path", "/a/b.md"), ("path", "report.md")]),
        ("https://x.example/z?q=1, and", [("url", "https://x.example/z?q=1")]),
        ("foo_bar, fooBar and AR-500", [("identifier", "foo_bar"), ("identifier", "fooBar"), ("identifier", "AR-500")]),
        ("1,234,567 of 12% or 3.5 in 7 days", [("number", "1234567"), ("number", "12%"), ("number", "3.5")]),
        ("Then we saw Anna Kowalska in Berlin.", [("name", "Anna Kowalska"), ("name", "Berlin")]),
        ("and/or, e.g. this", []),
        ("Warsaw,Poland,12", [("name", "Poland")]),
    ],
)
def test_mentions_are_found_by_their_spelling(text: str, found: list[tuple[str, str]]) -> None:
    assert list(mentions(text)) == found


def test_numbers_are_compared_without_separators() -> None:
    assert comparable("1,234 and 12,34 and 1,234,567") == "1234 and 12,34 and 1234567"
