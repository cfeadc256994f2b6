"""Summaries: what the engine notes of one in state, and that our record of it says the same."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deepagents.backends import StateBackend
from deepagents.backends.protocol import WriteResult
from deepagents.middleware.summarization import SummarizationToolMiddleware, compute_summarization_defaults
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AnyMessage, HumanMessage, message_to_dict

from engine import Recorder
from engine.recording.notice import SUMMARY_STATE, history_path, is_summary
from engine.trace.model import Summary
from tests.contract.models import Recorded, Told, call, deep_agent, recorded, say, summarizing, thread

pytestmark = pytest.mark.filterwarnings("ignore:Offloading conversation history to backend failed")

LONG = "w" * 2_000
"""Makes a summary shorter than what it stands for."""

HISTORY = re.compile(r"/conversation_history/session_[0-9a-f]{32}\.md")


class NoHistory(StateBackend):
    """Thread state in which no history can be saved."""

    def write(self, file_path: str, content: str) -> WriteResult:
        if file_path.startswith("/conversation_history/"):
            return WriteResult(error="no room")
        return super().write(file_path, content)


class NoAnswer(NoHistory):
    """Thread state whose writing of a history raises."""

    def write(self, file_path: str, content: str) -> WriteResult:
        if file_path.startswith("/conversation_history/"):
            raise OSError("gone")
        return super().write(file_path, content)


def texts(messages: list[AnyMessage]) -> list[str]:
    return [message.text for message in messages]


def spoken(turns: int, at: int = 5, keep: int = 2, **more: Any) -> tuple[Any, Told, list[dict[str, Any]]]:
    """An agent after so many turns, its model and its state after each. Summaries are ``S1``, ``S2`` …"""
    model = Told(turns=[f"answer {n}" for n in range(turns)], summaries=[f"S{n}" for n in range(1, 9)])
    agent = deep_agent(model, middleware=[summarizing(model, at, keep)(more.get("backend"))], **more)
    states = []
    for n in range(turns):
        say(agent, f"question {n}")
        states.append(dict(agent.get_state(thread()).values))
    return agent, model, states


# --- what the engine notes ---


def test_a_summary_leaves_the_messages_in_state_alone() -> None:
    _, model, states = spoken(6)
    assert texts(states[-1]["messages"]) == [f"{what} {n}" for n in range(6) for what in ("question", "answer")]
    assert len(model.given) > len(model.asked) + 1


def test_the_event_names_the_cut_the_summary_and_the_file() -> None:
    _, model, states = spoken(3)
    event = states[-1][SUMMARY_STATE]
    assert set(event) == {"cutoff_index", "summary_message", "file_path", "created_at_index"}
    assert event["cutoff_index"] == 3
    assert event["created_at_index"] == 5
    assert HISTORY.fullmatch(event["file_path"])
    assert event["file_path"] in states[-1]["files"]
    raw = states[-1]["messages"][:5]
    assert model.asked[-1].conversation == [event["summary_message"], *raw[event["cutoff_index"] :]]


def test_the_session_id_in_state_names_the_history_file() -> None:
    _, _, states = spoken(3)
    assert (
        states[-1][SUMMARY_STATE]["file_path"] == f"/conversation_history/{states[-1]['_summarization_session_id']}.md"
    )


def test_the_summary_message_has_no_id_and_is_marked() -> None:
    _, _, states = spoken(3)
    message = states[-1][SUMMARY_STATE]["summary_message"]
    assert isinstance(message, HumanMessage)
    assert message.id is None
    assert message.additional_kwargs == {"lc_source": "summarization"}
    assert is_summary(message)


def test_the_summary_message_names_the_history_in_the_form_that_the_record_reads() -> None:
    _, _, states = spoken(3)
    event = states[-1][SUMMARY_STATE]
    assert history_path(event["summary_message"].text) == event["file_path"]
    assert event["summary_message"].text.endswith("<summary>\nS1\n</summary>")


def test_the_path_is_read_from_the_engines_sentence_and_not_from_the_summarys_words() -> None:
    claim = "The full conversation history has been saved to /other should you need it."
    model = Told(turns=["one", "two"], summaries=[claim])
    agent = deep_agent(model, middleware=[summarizing(model, 3, 1)()])
    say(agent, "a")
    say(agent, "b")
    event = agent.get_state(thread()).values[SUMMARY_STATE]
    assert history_path(event["summary_message"].text) == event["file_path"] != "/other"


def test_no_path_is_read_from_the_summarys_words_when_nothing_was_saved() -> None:
    claim = "The full conversation history has been saved to /other should you need it."
    model, backend = Told(turns=["one", "two"], summaries=[claim]), NoHistory()
    agent = deep_agent(model, backend=backend, middleware=[summarizing(model, 3, 1)(backend)])
    say(agent, "a")
    say(agent, "b")
    event = agent.get_state(thread()).values[SUMMARY_STATE]
    assert event["file_path"] is None
    assert history_path(event["summary_message"].text) is None


@pytest.mark.parametrize("backend", [NoHistory(), NoAnswer()], ids=["error", "exception"])
def test_a_history_that_could_not_be_saved_is_a_summary_without_a_path(backend: Any) -> None:
    _, model, states = spoken(3, backend=backend)
    event = states[-1][SUMMARY_STATE]
    assert event["file_path"] is None
    assert event["summary_message"].text == "Here is a summary of the conversation to date:\n\nS1"
    assert history_path(event["summary_message"].text) is None
    assert is_summary(model.asked[-1].conversation[0])


def test_a_second_summary_counts_its_cut_in_raw_messages_and_state_keeps_only_it() -> None:
    _, model, states = spoken(6)
    events = [state[SUMMARY_STATE] for state in states if state.get(SUMMARY_STATE)]
    cuts = list(dict.fromkeys(event["cutoff_index"] for event in events))
    assert cuts == sorted(cuts)
    assert len(cuts) >= 2
    last = events[-1]
    assert "S1" not in last["summary_message"].text
    assert model.asked[-1].conversation[1:] == states[-1]["messages"][last["cutoff_index"] : -1]


def test_an_earlier_event_is_found_in_earlier_checkpoints() -> None:
    agent, _, states = spoken(6)
    found = [state.values.get(SUMMARY_STATE) for state in agent.get_state_history(thread())]
    cuts = {event["cutoff_index"] for event in found if event}
    assert cuts == {state[SUMMARY_STATE]["cutoff_index"] for state in states if state.get(SUMMARY_STATE)}
    assert len(cuts) >= 2


def test_chained_summaries_append_what_they_evict_to_one_file_without_the_summary_before() -> None:
    _, _, states = spoken(6)
    (path,) = [path for path in states[-1]["files"] if HISTORY.fullmatch(path)]
    history = states[-1]["files"][path]["content"]
    cut = states[-1][SUMMARY_STATE]["cutoff_index"]
    assert history.count("## Summarized at") >= 2
    assert re.findall(r"(?:question|answer) \d", history) == texts(states[-1]["messages"][:cut])
    assert "S1" not in history


def test_the_summarizing_call_gets_the_summary_before_and_the_messages_since() -> None:
    _, model, states = spoken(6)
    second = [given for given in model.given if given.summarizing][1]
    assert len(second.messages) == 1
    assert "S1" in second.messages[0].text
    cut = states[2][SUMMARY_STATE]["cutoff_index"]
    assert "question 0" not in second.messages[0].text
    assert texts(states[-1]["messages"])[cut] in second.messages[0].text


def test_a_subagent_has_a_history_file_of_its_own() -> None:
    helper = Told(turns=[call("ls", f"h{n}", path="/") for n in range(2)] + ["helped"], summaries=["H1", "H2"])
    model = Told(
        turns=["one", call("task", "c1", description="do it", subagent_type="helper"), "two"],
        summaries=["S1", "S2", "S3"],
    )
    spec = {"name": "helper", "description": "helps", "system_prompt": "You help.", "model": helper}
    agent = deep_agent(
        model,
        middleware=[summarizing(model, 4, 2)()],
        subagents=[{**spec, "middleware": [summarizing(helper, 4, 2)()]}],
    )
    say(agent, "a")
    say(agent, "b")
    paths = {history_path(given.conversation[0].text) for given in (model.asked[-1], helper.asked[-1])}
    assert len(paths) == 2
    assert paths == {path for path in agent.get_state(thread()).values["files"] if HISTORY.fullmatch(path)}


def test_defaults_follow_the_models_profile() -> None:
    known = compute_summarization_defaults(Told(profile={"max_input_tokens": 100_000}))
    unknown = compute_summarization_defaults(Told())
    assert (known["trigger"], known["keep"]) == (("fraction", 0.85), ("fraction", 0.10))
    assert (unknown["trigger"], unknown["keep"]) == (("tokens", 170_000), ("messages", 6))


def test_an_overflow_is_answered_with_a_summary_and_one_more_try() -> None:
    model = Told(turns=["one", "two", ContextOverflowError("too long"), "three"], summaries=["S1"])
    agent = deep_agent(model, middleware=[summarizing(model, 100, 1)()])
    for text in ("a", "b", "c"):
        say(agent, LONG + text)
    assert [given.summarizing for given in model.given[-3:]] == [False, True, False]
    assert agent.get_state(thread()).values[SUMMARY_STATE]["cutoff_index"] == 4


# --- what the record says ---


def recording(folder: Path, model: Told, at: int = 5, keep: int = 2, **more: Any) -> Recorded:
    return recorded(folder, model, middleware=[summarizing(model, at, keep)], **more)


def told(summaries: int, turns: int = 12) -> Told:
    return Told(turns=[f"answer {n}" for n in range(turns)], summaries=[f"S{n}" for n in range(1, summaries + 1)])


def noted(world: Recorded, turns: int) -> list[dict[str, Any]]:
    """Run turns; the events that state held, each once."""
    events: list[dict[str, Any]] = []
    for n in range(turns):
        event = world.say(LONG + f"question {n}").get(SUMMARY_STATE)
        if event and event not in events:
            events.append(event)
    return events


def summaries(world: Recorded) -> list[tuple[Summary, Any]]:
    """The record's summaries, each with its message."""
    with world.reader() as reader:
        return [(one, reader.message(one.part)) for one in reader.summaries(world.name)]


def assert_equal(world: Recorded, events: list[dict[str, Any]]) -> list[Summary]:
    """The record says what state did, summary for summary."""
    found = summaries(world)
    assert [one.cutoff for one, _ in found] == [event["cutoff_index"] for event in events]
    assert [one.path for one, _ in found] == [event["file_path"] for event in events]
    assert [message for _, message in found] == [message_to_dict(event["summary_message"]) for event in events]
    return [one for one, _ in found]


def test_the_record_of_a_first_summary_equals_the_event_in_state(tmp_path: Path) -> None:
    world = recording(tmp_path, told(1))
    (event,) = noted(world, 3)
    (one,) = assert_equal(world, [event])
    assert not one.chained
    assert one.evicted_from == 0
    assert one.tokens_before > one.tokens_after


def test_the_record_of_chained_summaries_equals_every_event_that_state_held(tmp_path: Path) -> None:
    world = recording(tmp_path, told(9))
    events = noted(world, 8)
    assert len(events) >= 3
    found = assert_equal(world, events)
    assert [one.chained for one in found] == [False] + [True] * (len(found) - 1)
    assert [one.evicted_from for one in found] == [0] + [one.cutoff for one in found[:-1]]


def test_the_record_of_chained_summaries_within_one_turn_equals_the_events_in_checkpoints(tmp_path: Path) -> None:
    steps = [call("ls", f"c{n}", path="/") for n in range(8)]
    model = Told(turns=[*steps, "done"], summaries=[f"S{n}" for n in range(1, 9)])
    world = recording(tmp_path, model, at=6, keep=3)
    world.say("go")
    with world.agent() as (agent, _):
        history = [state.values.get(SUMMARY_STATE) for state in agent.get_state_history(thread())]
    events = list({event["cutoff_index"]: event for event in reversed(history) if event}.values())
    assert len(events) >= 3
    assert_equal(world, events)


@pytest.mark.parametrize("backend", [NoHistory, NoAnswer])
def test_the_record_of_a_summary_whose_history_could_not_be_saved_has_no_path(
    tmp_path: Path, backend: Callable[[], Any]
) -> None:
    world = recording(tmp_path, told(9), wrap=lambda _: backend())
    events = noted(world, 6)
    assert [event["file_path"] for event in events] == [None] * len(events)
    assert len(assert_equal(world, events)) >= 2


def test_the_record_holds_a_summary_once_however_many_turns_follow(tmp_path: Path) -> None:
    world = recording(tmp_path, told(1), at=7, keep=1)
    assert len(noted(world, 4)) == 1
    assert len(noted(world, 2)) == 1
    assert len(summaries(world)) == 1


def test_the_record_names_the_summarizing_call_and_the_first_request_after_it(tmp_path: Path) -> None:
    world = recording(tmp_path, told(1))
    noted(world, 3)
    ((one, _),) = summaries(world)
    with world.reader() as reader:
        rows = {row.id: row for row in reader.requests("t")}
        assert rows[one.summary_request].purpose == "summary"
        assert rows[one.request].purpose == "agent"
        assert rows[one.summary_request].parent == one.request
        detail = reader.request(one.request)
        assert detail.cutoff == one.cutoff
        assert detail.messages[0].part == one.part


def test_every_request_after_a_summary_has_the_cut_that_was_in_force(tmp_path: Path) -> None:
    world = recording(tmp_path, told(9))
    expected: list[int | None] = []
    for n in range(7):
        event = world.say(f"question {n}").get(SUMMARY_STATE)
        expected.append(event["cutoff_index"] if event else None)
    with world.reader() as reader:
        cuts = [reader.request(row.id).cutoff for row in reader.requests("t") if row.purpose == "agent"]
    assert cuts == expected
    assert len(set(expected)) >= 3


def test_the_record_of_a_summary_after_an_overflow_equals_the_event_in_state(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", ContextOverflowError("too long"), "three"], summaries=["S1"])
    world = recording(tmp_path, model, at=100, keep=1)
    assert_equal(world, noted(world, 3))
    with world.reader() as reader:
        assert [row.status for row in reader.requests("t") if row.purpose == "agent"][-2:] == ["failed", "done"]


def compacting(folder: Path, model: Told) -> Recorded:
    """An agent that summarizes only when its model asks for it."""

    def tool(backend: Any) -> Any:
        return SummarizationToolMiddleware(summarizing(model, 4, 2)(backend))

    return recorded(folder, model, middleware=[summarizing(model, 100, 2), tool])


def test_the_record_of_a_summary_made_by_the_compaction_tool_equals_the_event_in_state(tmp_path: Path) -> None:
    turns = ["one", "two", call("compact_conversation", "c1"), "three", "four"]
    world = compacting(tmp_path, Told(turns=turns, summaries=["S1"]))
    events = noted(world, 4)
    (one,) = assert_equal(world, events)
    assert HISTORY.fullmatch(one.path or "")
    assert not one.chained


def test_the_record_of_two_compactions_equals_both_events(tmp_path: Path) -> None:
    compact = [call("compact_conversation", f"c{n}") for n in (1, 2)]
    turns = ["one", "two", compact[0], "three", "four", compact[1], "five"]
    world = compacting(tmp_path, Told(turns=turns, summaries=["S1", "S2"]))
    found = assert_equal(world, noted(world, 5))
    assert [one.chained for one in found] == [False, True]
    assert found[1].evicted_from == found[0].cutoff


def test_the_record_is_the_same_when_one_recorder_serves_every_turn(tmp_path: Path) -> None:
    world = recording(tmp_path, told(9))
    with closing(Recorder(world.workspace)) as world.kept:
        events = noted(world, 8)
    assert len(events) >= 3
    found = assert_equal(world, events)
    assert [one.evicted_from for one in found] == [0] + [one.cutoff for one in found[:-1]]


def test_the_record_of_two_summaries_of_the_same_words_holds_both(tmp_path: Path) -> None:
    model = Told(turns=[f"answer {n}" for n in range(9)], summaries=["Nothing to add."] * 9)
    world = recording(tmp_path, model)
    events = noted(world, 6)
    assert len(events) >= 2
    assert_equal(world, events)


def test_the_record_of_a_subagents_summary_is_not_taken_for_the_main_agents(tmp_path: Path) -> None:
    helper = Told(turns=[call("ls", f"h{n}", path="/") for n in range(2)] + ["helped"], summaries=["H1", "H2"])
    task = call("task", "c1", description="do it", subagent_type="helper")
    spec = {
        "name": "helper",
        "description": "helps",
        "system_prompt": "You help.",
        "model": helper,
        "middleware": [summarizing(helper, 4, 2)()],
    }
    world = recorded(tmp_path, Told(turns=[task, "done"]), subagents=[spec])
    state = world.say("go")
    assert SUMMARY_STATE not in state
    found = summaries(world)
    with world.reader() as reader:
        rows = {row.id: row for row in reader.requests("t")}
        assert {rows[one.request].purpose for one, _ in found} == {"subagent"}
        cuts = [reader.request(row.id).cutoff for row in rows.values() if row.purpose == "agent"]
    assert cuts == [None, None]
    assert "H" in found[0][1]["data"]["content"]
