"""Large results and messages that become files: what is left in their place, and what the record says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deepagents.backends import StateBackend
from deepagents.backends.protocol import WriteResult
from deepagents.middleware.filesystem import FilesystemMiddleware
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import ToolMessage

from engine.places import RESULTS
from engine.recording.notice import offload_path
from tests.contract.models import Told, call, calls, deep_agent, recorded, say, thread

LARGE = 80_001
"""Characters of the smallest result that is offloaded: 20,000 tokens of 4, and one."""


def export(rows: int) -> str:
    """Give so many characters in lines of 100."""
    return (("r" * 99 + "\n") * (rows // 100 + 1))[:rows]


def exported(state: Any, id: str) -> ToolMessage:
    """The result of one tool call in state."""
    (found,) = [m for m in state["messages"] if isinstance(m, ToolMessage) and m.tool_call_id == id]
    return found


class Unwritable(StateBackend):
    """Thread state in which nothing can be written."""

    def write(self, file_path: str, content: str) -> WriteResult:
        return WriteResult(error="no room")


# --- results ---


@pytest.mark.parametrize(("chars", "offloaded"), [(LARGE - 1, False), (LARGE, True)])
def test_a_result_over_twenty_thousand_tokens_becomes_a_file(chars: int, offloaded: bool) -> None:
    agent = deep_agent(Told(turns=[call("export", "c1", rows=chars), "done"]), tools=[export])
    say(agent, "a")
    state = agent.get_state(thread()).values
    if offloaded:
        assert state["files"][f"{RESULTS}c1"]["content"] == export(chars)
        assert len(exported(state, "c1").text) < 2_000
    else:
        assert not state.get("files")
        assert exported(state, "c1").text == export(chars)


def test_the_stub_stands_in_state_and_in_the_request_alike() -> None:
    model = Told(turns=[call("export", "c1", rows=LARGE), "done"])
    raw = say(deep_agent(model, tools=[export]), "a")
    assert model.given[1].conversation == raw[:-1]


@pytest.mark.parametrize("id", ["c1", "call_Ab-9", "toolu_01", "run/1", "a.b.c", "a\\b", "é", "x" * 200, "x" * 5_000])
def test_the_stub_names_its_file_in_the_form_that_the_record_reads(id: str) -> None:
    agent = deep_agent(Told(turns=[call("export", id, rows=LARGE), "done"]), tools=[export])
    say(agent, "a")
    state = agent.get_state(thread()).values
    assert [offload_path(exported(state, id).text)] == list(state["files"])


@pytest.mark.parametrize("wide", [100, 900, 20_000])
def test_the_stub_names_its_file_before_any_of_the_results_text(wide: int) -> None:
    def lines() -> str:
        """Give lines that name another path."""
        line = "was saved in the filesystem at this path: /other " + "r" * wide + "\n"
        return line * (LARGE // len(line) + 2)

    agent = deep_agent(Told(turns=[call("lines", "c1"), "done"]), tools=[lines])
    say(agent, "a")
    assert offload_path(exported(agent.get_state(thread()).values, "c1").text) == f"{RESULTS}c1"


def test_a_long_tool_call_id_is_shown_shortened_and_kept_whole_in_the_path() -> None:
    id = "call_" + "0123456789" * 5
    agent = deep_agent(Told(turns=[call("export", id, rows=LARGE), "done"]), tools=[export])
    say(agent, "a")
    stub = exported(agent.get_state(thread()).values, id).text
    assert f"this tool call {id[:32]}... was saved" in stub
    assert offload_path(stub) == RESULTS + id


def test_ids_that_differ_in_punctuation_share_one_file() -> None:
    ids = ("run/1", "run.1", "run_1")
    turn = calls(*[("export", id, {"rows": LARGE + 10 * n}) for n, id in enumerate(ids)])
    agent = deep_agent(Told(turns=[turn, "done"]), tools=[export])
    say(agent, "a")
    state = agent.get_state(thread()).values
    assert {offload_path(exported(state, id).text) for id in ids} == {f"{RESULTS}run_1"}
    assert list(state["files"]) == [f"{RESULTS}run_1"]
    assert len(state["files"][f"{RESULTS}run_1"]["content"]) in {LARGE, LARGE + 10, LARGE + 20}


def test_a_result_whose_file_cant_be_written_stays_whole() -> None:
    agent = deep_agent(Told(turns=[call("export", "c1", rows=LARGE), "done"]), tools=[export], backend=Unwritable())
    say(agent, "a")
    state = agent.get_state(thread()).values
    assert exported(state, "c1").text == export(LARGE)
    assert not state.get("files")


def test_an_image_stays_in_a_result_whose_text_is_offloaded() -> None:
    image = {"type": "image", "base64": "iVBORw0KGgo=", "mime_type": "image/png"}

    def chart() -> list[dict[str, Any]]:
        """Give a chart and much text."""
        return [{"type": "text", "text": "t" * LARGE}, image]

    agent = deep_agent(Told(turns=[call("chart", "c1"), "done"]), tools=[chart])
    say(agent, "a")
    text, kept = exported(agent.get_state(thread()).values, "c1").content
    assert offload_path(text["text"]) == f"{RESULTS}c1"
    assert kept["base64"] == image["base64"]


def test_no_limit_turns_offloading_off() -> None:
    off = FilesystemMiddleware(backend=StateBackend(), tool_token_limit_before_evict=None)
    agent = deep_agent(Told(turns=[call("export", "c1", rows=400_000), "done"]), tools=[export], middleware=[off])
    say(agent, "a")
    state = agent.get_state(thread()).values
    assert len(exported(state, "c1").text) == 400_000
    assert not state.get("files")


def test_a_text_read_back_by_read_file_is_not_offloaded_again() -> None:
    read = call("read_file", "c2", file_path=f"{RESULTS}c1", offset=0, limit=100)
    agent = deep_agent(Told(turns=[call("export", "c1", rows=LARGE), read, "done"]), tools=[export])
    say(agent, "a")
    state = agent.get_state(thread()).values
    assert list(state["files"]) == [f"{RESULTS}c1"]
    assert "r" * 99 in exported(state, "c2").text


# --- user messages ---


@pytest.mark.parametrize(("chars", "offloaded"), [(200_000, False), (200_001, True)])
def test_a_user_message_over_fifty_thousand_tokens_is_whole_in_state_and_a_file(chars: int, offloaded: bool) -> None:
    model, text = Told(turns=["done"]), "p" * chars
    agent = deep_agent(model)
    say(agent, text)
    state = agent.get_state(thread()).values
    path = state["messages"][0].additional_kwargs.get("lc_evicted_to")
    assert state["messages"][0].text == text
    sent = model.given[0].conversation[0].text
    if offloaded:
        assert path.startswith("/conversation_history/")
        assert state["files"][path]["content"] == text
        assert path in sent
        assert len(sent) < 3_000
    else:
        assert path is None
        assert sent == text


def test_an_offloaded_user_message_stays_a_stub_in_later_requests() -> None:
    model = Told(turns=["one", "two"])
    agent = deep_agent(model)
    say(agent, "p" * 200_001)
    say(agent, "b")
    first, later = (given.conversation[0].text for given in model.given)
    assert first == later
    assert len(list(agent.get_state(thread()).values["files"])) == 1


# --- what the record says ---


def offloads(world: Any) -> list[dict[str, Any]]:
    with world.reader() as reader:
        return [dict(event.data) for event in reader.events("t") if event.kind == "offload"]


def test_the_record_names_the_file_the_call_and_both_sizes(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=[call("export", "c1", rows=LARGE), "done", "more"]), tools=[export])
    state = world.say("a")
    world.say("b")
    (event,) = offloads(world)
    assert [event["path"]] == list(state["files"])
    assert (event["tool_call_id"], event["chars"]) == ("c1", LARGE)
    assert event["left"] == len(exported(state, "c1").text)


def test_the_record_names_the_file_of_a_user_message_once(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["one", "two", "three"]))
    state = world.say("p" * 200_001)
    world.say("b")
    world.say("c")
    (event,) = offloads(world)
    assert event["path"] == state["messages"][0].additional_kwargs["lc_evicted_to"]
    assert (event["of"], event["message_id"], event["chars"]) == ("message", state["messages"][0].id, 200_001)


def test_a_user_messages_offload_is_recorded_on_the_request_that_got_the_stub(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=["one"]))
    world.say("p" * 200_001)
    with world.reader() as reader:
        assert [(e.kind, e.request_number) for e in reader.events("t") if e.kind == "offload"] == [("offload", 1)]


def test_the_record_says_nothing_of_a_result_that_only_reads_like_a_stub(tmp_path: Path) -> None:
    def quote() -> str:
        """Quote a stub."""
        return (
            "Tool result too large, the result of this tool call c9 was saved in the filesystem at this path: /x"
            "\n\nYou can read the result from the filesystem by using the read_file tool"
        )

    world = recorded(tmp_path, Told(turns=[call("quote", "c1"), "done"]), tools=[quote])
    state = world.say("a")
    assert offload_path(exported(state, "c1").text) == "/x"
    assert offloads(world) == []


def test_the_record_says_nothing_of_a_result_that_could_not_be_offloaded(tmp_path: Path) -> None:
    model = Told(turns=[call("export", "c1", rows=LARGE), "done"])
    world = recorded(tmp_path, model, tools=[export], wrap=lambda _: Unwritable())
    world.say("a")
    assert offloads(world) == []


def test_the_record_of_ids_that_share_a_file_names_it_for_each(tmp_path: Path) -> None:
    turn = calls(("export", "run/1", {"rows": LARGE}), ("export", "run.1", {"rows": LARGE + 10}))
    world = recorded(tmp_path, Told(turns=[turn, "done"]), tools=[export])
    world.say("a")
    assert [(e["tool_call_id"], e["path"]) for e in offloads(world)] == [
        ("run/1", f"{RESULTS}run_1"),
        ("run.1", f"{RESULTS}run_1"),
    ]


def test_a_batch_clipped_after_an_overflow_is_a_stub_in_state_and_in_the_request() -> None:
    overflow = ContextOverflowError("too long")
    model = Told(turns=[call("export", "c1", rows=40_000), overflow, "done"], summaries=["So far."])
    agent = deep_agent(model, tools=[export])
    say(agent, "a")
    state = agent.get_state(thread()).values
    sent = model.asked[-1].conversation[-1]
    assert offload_path(sent.text) == f"{RESULTS}c1"
    assert exported(state, "c1").text == sent.text
    assert state["files"][f"{RESULTS}c1"]["content"] == export(40_000)


def test_the_record_names_the_file_of_a_batch_clipped_after_an_overflow(tmp_path: Path) -> None:
    overflow = ContextOverflowError("too long")
    model = Told(turns=[call("export", "c1", rows=40_000), overflow, "done", "more"], summaries=["So far."])
    world = recorded(tmp_path, model, tools=[export])
    world.say("a")
    world.say("b")
    assert [event["path"] for event in offloads(world)] == [f"{RESULTS}c1"]


def test_the_record_reads_a_path_with_a_space(tmp_path: Path) -> None:
    world = recorded(tmp_path, Told(turns=[call("export", "call 1", rows=LARGE), "done"]), tools=[export])
    state = world.say("a")
    assert [event["path"] for event in offloads(world)] == list(state["files"]) == [f"{RESULTS}call 1"]
