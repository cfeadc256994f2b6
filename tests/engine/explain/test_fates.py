"""What became of every message, and the rule that decided it, with its figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from engine import Explainer, Reader
from engine.explain.model import Fates
from engine.recording.notice import SUMMARY_STATE
from engine.trace.model import RequestRow
from tests.contract.models import Given, Told, call, recorded, summarizing
from tests.engine.explain.conftest import WEEK_22
from tests.engine.explain.test_waterfall import Meddling, OnlyTheInterface

LONG = "w" * 3_000


def last(folder: Path, model: Told, says: list[str], **more: Any) -> tuple[Fates, Reader]:
    """The fates of the last agent's request of a conversation."""
    world = recorded(folder, model, **more)
    for text in says:
        world.say(text)
    reader = Reader(world.workspace.path)
    ids = [row.id for row in reader.requests("t") if row.purpose == "agent"]
    return Explainer(reader).fates(ids[-1]), reader


def test_every_message_of_every_request_of_the_demo_has_its_fate(
    explainer: Explainer, reader: Reader, rows: list[RequestRow]
) -> None:
    for row in rows:
        found, detail = explainer.fates(row.id), reader.request(row.id)
        assert bool(found.problem) == (row.purpose == "summary")
        assert [(one.raw_index, one.part, one.fate, one.sent_index) for one in found.raw] == [
            (one.index, one.part, one.fate, one.sent_index) for one in detail.raw
        ]
        places = {one.sent_index for one in found.raw} | {one.sent_index for one in found.made}
        assert places - {None} == ({one.index for one in detail.messages} if not found.problem else set())
        assert not [one for one in found.raw if one.fate in {"not sent", "replaced"}]


def test_a_summarized_message_names_its_event_the_trigger_and_the_history(
    explainer: Explainer, reader: Reader, week: dict[int, RequestRow]
) -> None:
    first, second = [event for event in reader.events(WEEK_22) if event.kind == "summary"]
    found = explainer.fates(week[43].id)
    assert found.raw[0].words == (
        "Summarized by event #1 at request 30 (trigger 54,400 tokens, 85 % of 64,000); "
        f"the history is saved at {first.data['path']}."
    )
    assert (found.raw[0].event, found.raw[0].path) == (first.id, first.data["path"])
    assert found.raw[37].event == first.id
    assert found.raw[38].event == second.id
    assert found.raw[38].words.startswith("Summarized by event #2 at request 43 (trigger 54,400 tokens")
    (made,) = found.made
    assert made.words == (
        "Summary #2 stands for the first 68 messages of the state (trigger 54,400 tokens, 85 % of 64,000); "
        "it was made from summary #1 and what came after it."
    )
    assert (made.fate, made.sent_index, made.contributor, made.event) == (
        "summary",
        0,
        "SummarizationMiddleware",
        second.id,
    )


def test_a_long_user_message_names_the_limit_and_where_the_whole_lies(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    (one,) = [one for one in explainer.fates(week[30].id).raw if one.fate == "offloaded"]
    assert re.fullmatch(
        r"Offloaded: 205,110 characters are more than the limit of 200,000; [\d,]+ were sent as a preview, "
        r"the whole is saved at (/conversation_history/\S+\.md)\.",
        one.words,
    )
    assert one.path is not None and one.words.endswith(f"{one.path}.")
    assert one.event is not None
    assert (one.rules, one.contributor) == (("offloaded",), "FilesystemMiddleware")


def test_a_preview_that_stands_in_the_state_says_where_the_whole_lies(
    explainer: Explainer, week: dict[int, RequestRow]
) -> None:
    (one,) = [one for one in explainer.fates(week[5].id).raw if one.path == "/large_tool_results/call_arctis_22"]
    assert one.fate == "sent"
    assert one.words == (
        "A preview: the result's 826,346 characters are more than the limit of 80,000 (20,000 tokens); "
        "it was saved at /large_tool_results/call_arctis_22."
    )


def test_without_recorded_steps_the_fates_are_the_same_but_for_unknown_limits(
    explainer: Explainer, reader: Reader, rows: list[RequestRow]
) -> None:
    other = Explainer(OnlyTheInterface(reader))
    for row in rows:
        one, two = explainer.fates(row.id), other.fates(row.id)
        assert [(fate.fate, fate.sent_index, fate.rules, fate.path) for fate in one.raw] == [
            (fate.fate, fate.sent_index, fate.rules, fate.path) for fate in two.raw
        ]
        assert [(fate.fate, fate.sent_index) for fate in one.made] == [
            (fate.fate, fate.sent_index) for fate in two.made
        ]


def test_cut_arguments_name_the_call_and_the_thresholds(tmp_path: Path) -> None:
    cut = {"trigger": ("messages", 4), "keep": ("messages", 2), "max_length": 100}
    write = call("write_file", "w1", file_path="/a.md", content=LONG)
    model = Told(turns=[write, "one", "two"])
    found, reader = last(
        tmp_path, model, ["a", "b"], middleware=[summarizing(model, 100, 2, truncate_args_settings=cut)]
    )
    one = found.raw[1]
    assert (one.fate, one.contributor, one.path) == ("arguments cut", "SummarizationMiddleware", None)
    assert one.words == (
        "Arguments of write_file longer than 100 characters were cut: the message is older than the newest "
        "2 messages, and the context had reached 4 messages."
    )
    reader.close()


def test_reasoning_kept_across_a_summary_is_dropped(tmp_path: Path) -> None:
    thought = [{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": "one"}]
    model = Told(turns=[AIMessage(thought), AIMessage(thought), "three", "four"], summaries=["S1", "S2"])
    found, reader = last(tmp_path, model, ["a", "b", "c"], middleware=[summarizing(model, 5, 3)])
    assert [one.fate for one in found.raw] == ["summarized", "summarized", "sent", "reasoning dropped", "sent"]
    assert found.raw[3].words.startswith("Kept across a summary: its reasoning blocks")
    reader.close()


def test_a_result_that_is_clipped_after_an_overflow_says_where_the_whole_lies(tmp_path: Path) -> None:
    def export() -> str:
        """Export."""
        return LONG

    turns = [call("export", "e1"), ContextOverflowError("too long"), "done"]
    model = Told(turns=turns, summaries=["S1"])
    found, reader = last(tmp_path, model, ["a"], tools=[export], middleware=[summarizing(model, 100, 2)])
    one = found.raw[-1]
    assert (one.fate, one.path) == ("clipped", "/large_tool_results/e1")
    assert one.words.startswith("Clipped: the newest results did not fit, so ")
    assert one.words.endswith("of 3,000 characters were sent; the whole lies at /large_tool_results/e1.")
    reader.close()


def test_a_call_without_a_result_that_was_patched_says_so(tmp_path: Path) -> None:
    def stop() -> str:
        """Stop."""
        raise KeyboardInterrupt

    model = Told(turns=[call("stop", "s1"), "done"])
    world = recorded(tmp_path, model, tools=[stop])
    try:
        world.say("a")
    except KeyboardInterrupt:
        pass
    world.say("b")
    with world.reader() as reader:
        found = Explainer(reader).fates(reader.requests("t")[-1].id)
        (patched,) = [one for one in found.raw if one.contributor == "PatchToolCallsMiddleware"]
        assert patched.words == "Put into the state in place of a result, so that the call does not stand without one."


class Unchecked(Told):
    """Takes what a provider refuses: an answer to a call that could not be parsed."""

    def _generate(self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> ChatResult:
        given = Given(list(messages), list(kwargs.get("tools") or ()), {}, dict(run_manager.metadata or {}), [], {})
        return ChatResult(generations=[ChatGeneration(message=self._answer(given))])


def test_a_call_that_could_not_be_parsed_has_an_answer_that_no_raw_message_is(tmp_path: Path) -> None:
    broken = AIMessage(
        "",
        tool_calls=[{"name": "ls", "args": {"path": "/"}, "id": "ok"}],
        invalid_tool_calls=[{"type": "invalid_tool_call", "id": "bad", "name": "ls", "args": "{", "error": "cut"}],
    )
    found, reader = last(tmp_path, Unchecked(turns=[broken, "done"]), ["a"])
    (made,) = found.made
    assert (made.fate, made.contributor) == ("patched", "caller")
    assert made.words.startswith("LangChain's answer to a tool call that could not be parsed")
    assert [one.fate for one in found.raw] == ["sent"] * len(found.raw)
    reader.close()


def test_a_cut_counts_the_answers_that_langchain_put_in(tmp_path: Path) -> None:
    broken = AIMessage(
        "",
        tool_calls=[{"name": "ls", "args": {"path": "/"}, "id": "ok"}],
        invalid_tool_calls=[{"type": "invalid_tool_call", "id": "bad", "name": "ls", "args": "{", "error": "cut"}],
    )
    model = Unchecked(turns=["zero", broken, "one"], summaries=["S1", "S2"])
    world = recorded(tmp_path, model, middleware=[summarizing(model, 5, 2)])
    for text in ("a", "b"):
        event = world.say(LONG + text).get(SUMMARY_STATE)
    with world.reader() as reader:
        (summary,) = reader.summaries("t")
        found = Explainer(reader).fates(reader.requests("t")[-1].id)
        assert Explainer(reader).check().clean
    assert event is not None and summary.cutoff == event["cutoff_index"] == 3
    assert [one.fate for one in found.raw] == ["summarized"] * 3 + ["sent"] * 2
    assert [(one.fate, one.sent_index) for one in found.made] == [("summary", 0), ("patched", 2)]


def test_what_a_middleware_of_the_users_did_is_put_down_to_it(tmp_path: Path) -> None:
    found, reader = last(tmp_path, Told(turns=["one", "two"]), ["a", "b"], middleware=[lambda _: Meddling()])
    assert [(one.fate, one.words, one.contributor) for one in found.raw] == [
        ("replaced", "Meddling sent other contents in its place.", "Meddling"),
        ("not sent", "Meddling took it out.", "Meddling"),
        ("sent", "", "caller"),
    ]
    assert [(one.fate, one.words) for one in found.made] == [("inserted", "Inserted by Meddling.")]
    reader.close()


def test_a_summary_made_by_the_compaction_tool_says_so(tmp_path: Path) -> None:
    from deepagents.middleware.summarization import SummarizationToolMiddleware

    model = Told(turns=["one", "two", call("compact_conversation", "c1"), "three"], summaries=["S1"])
    middleware = [
        summarizing(model, 100, 2),
        lambda backend: SummarizationToolMiddleware(summarizing(model, 4, 2)(backend)),
    ]
    found, reader = last(tmp_path, model, ["a", "b", "c"], middleware=middleware)
    assert "(made by the compaction tool, or before this record)" in found.raw[0].words
    reader.close()


def test_a_summarizing_call_has_no_fates_and_says_why(explainer: Explainer, week: dict[int, RequestRow]) -> None:
    summary = next(row for row in week.values() if row.purpose == "summary")
    found = explainer.fates(summary.id)
    assert (list(found.raw), found.made) == ([], ())
    assert found.problem == "The state's messages were not recorded with this request."
