"""Integrity: clean where the engine alone was at work, and not where the record was changed behind its back."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ContextOverflowError
from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph

from engine import Explainer, Reader, record
from engine.explain.model import Integrity
from tests.contract.models import Told, call, deep_agent, recorded, say, summarizing, thread
from tests.engine.explain.conftest import WEEK_22
from tests.engine.explain.test_waterfall import OnlyTheInterface, meddled

PNG = "iVBORw0KGgo="


@pytest.fixture
def copy(demo: Path, tmp_path: Path) -> Path:
    """A copy of the demo that may be spoiled."""
    return Path(shutil.copy(demo, tmp_path / "copy.ctx"))


def checked(path: Path, interface_only: bool = False) -> Integrity:
    with closing(Reader(path)) as reader:
        return Explainer(OnlyTheInterface(reader) if interface_only else reader).check()


@contextmanager
def changing(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path)) as db, db:
        yield db


def request(db: sqlite3.Connection, number: int, columns: str, thread_id: str = WEEK_22) -> tuple[Any, ...]:
    row = db.execute(
        f"SELECT {columns} FROM requests r JOIN threads t ON t.id = r.thread WHERE t.thread_id = ? AND number = ?",
        (thread_id, number),
    ).fetchone()
    return tuple(row)


def test_the_demo_explains_itself(demo: Path) -> None:
    found = checked(demo)
    assert (found.requests, found.unchecked) == (100, 3)
    assert (found.differences, found.missing_artifacts, found.notes) == ((), (), ())
    assert found.clean


def test_it_does_so_without_recorded_steps(demo: Path) -> None:
    found = checked(demo, interface_only=True)
    assert found.clean and found.requests == 100


def test_only_the_threads_that_were_asked_for_are_looked_at_and_the_work_can_be_ended(demo: Path) -> None:
    class Enough(Exception):
        pass

    told: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, name: str) -> None:
        told.append((done, total, name))
        if done == 3:
            raise Enough

    with closing(Reader(demo)) as reader:
        assert Explainer(reader).check(["eight-rounds-defaults"]).requests == 9
        with pytest.raises(Enough):
            Explainer(reader).check(progress=progress)
    assert [one[:2] for one in told] == [(0, 100), (1, 100), (2, 100), (3, 100)]


# --- records that were changed ---


@pytest.mark.parametrize("interface_only", [False, True])
def test_a_message_that_was_not_sent_is_missing(copy: Path, interface_only: bool) -> None:
    with changing(copy) as db:
        id, node = request(db, 20, "r.id, r.messages_node")
        (parent,) = db.execute("SELECT parent FROM chain WHERE id = ?", (node,)).fetchone()
        db.execute("UPDATE requests SET messages_node = ? WHERE id = ?", (parent, id))
    (one,) = checked(copy, interface_only).differences
    assert (one.request, one.number, one.what, one.index) == (id, 20, "missing", None)
    assert one.raw_index is not None


@pytest.mark.parametrize("interface_only", [False, True])
def test_a_message_from_elsewhere_is_unexpected(copy: Path, interface_only: bool) -> None:
    with changing(copy) as db:
        id, node = request(db, 20, "r.id, r.messages_node")
        (part,) = db.execute("SELECT part FROM chain WHERE id = ?", (request(db, 40, "messages_node")[0],)).fetchone()
        made = db.execute("INSERT INTO chain(parent, part, depth) VALUES (?, ?, 99)", (node, part)).lastrowid
        db.execute("UPDATE requests SET messages_node = ? WHERE id = ?", (made, id))
    (one,) = checked(copy, interface_only).differences
    assert (one.request, one.what, one.raw_index) == (id, "unexpected", None)


@pytest.mark.parametrize("interface_only", [False, True])
def test_a_preview_that_was_tampered_with_is_changed(copy: Path, interface_only: bool) -> None:
    with closing(Reader(copy)) as reader:
        row = next(row for row in reader.requests(WEEK_22) if row.number == 30)
        (offloaded,) = [one for one in reader.request(row.id).messages if one.fate == "offloaded"]
        message = reader.message(offloaded.part)
    head, *lines = message["data"]["content"].split("\n")
    message["data"]["content"] = "\n".join(
        [head, *(f"{line}!" if line.lstrip().startswith("3  ") else line for line in lines)]
    )
    with changing(copy) as db:
        db.execute("UPDATE parts SET packed = 0, body = ? WHERE id = ?", (json.dumps(message).encode(), offloaded.part))
    found = checked(copy, interface_only).differences
    assert {one.what for one in found} == {"changed"}
    assert all(one.words.startswith("No rule makes it of the message before; it differs in: content") for one in found)
    assert row.id in {one.request for one in found}


@pytest.mark.parametrize("interface_only", [False, True])
def test_a_summary_in_force_that_was_not_sent_is_a_difference(copy: Path, interface_only: bool) -> None:
    with changing(copy) as db:
        id, raw = request(db, 43, "r.id, r.raw_node")
        db.execute("UPDATE requests SET messages_node = ? WHERE id = ?", (raw, id))
    found = [one for one in checked(copy, interface_only).differences if one.request == id]
    assert found[0].what == "summary"
    assert found[0].words == "A summary is in force, and the first message is not one."


def test_a_summary_that_no_event_made_is_a_difference(copy: Path) -> None:
    with changing(copy) as db:
        db.execute(
            "DELETE FROM events WHERE kind = 'summary' AND id = (SELECT max(id) FROM events WHERE kind = 'summary')"
        )
    found = checked(copy)
    assert {one.what for one in found.differences} == {"summary"}
    assert all("No event of this thread made this summary" in one.words for one in found.differences)


@pytest.mark.parametrize("interface_only", [False, True])
def test_a_cut_at_another_place_is_a_difference(copy: Path, interface_only: bool) -> None:
    with changing(copy) as db:
        (id,) = request(db, 43, "r.id")
        db.execute("UPDATE requests SET cutoff = cutoff + 1 WHERE id = ?", (id,))
    assert {one.request for one in checked(copy, interface_only).differences} == {id}


def test_a_long_message_that_was_sent_whole_though_it_was_put_away_is_a_difference(copy: Path) -> None:
    with changing(copy) as db:
        (id, origin) = request(db, 43, "r.id, r.origin_part")
        db.execute("UPDATE requests SET origin_part = ? WHERE id = ?", (request(db, 1, "r.origin_part")[0], id))
    found = [one for one in checked(copy).differences if one.request == id]
    assert "not changed" in {one.what for one in found}
    assert origin


# --- files ---


def edit(path: Path, thread_id: str, values: dict[str, Any]) -> None:
    """Change a thread's state as any program over LangGraph can."""
    from engine import Workspace
    from engine.agent.build import build_agent
    from engine.agent.defaults import settings_for

    agent = build_agent(Workspace.open(path), settings_for(thread_id))
    agent.graph.update_state(thread(thread_id), values)
    agent.close()


def test_an_offloaded_result_that_was_deleted_is_missing(copy: Path) -> None:
    edit(copy, "eight-rounds-defaults", {"files": {"/large_tool_results/call_2": None}})
    (one,) = checked(copy).missing_artifacts
    assert (one.thread_id, one.path, one.kind) == (
        "eight-rounds-defaults",
        "/large_tool_results/call_2",
        "offloaded result",
    )
    assert one.number == 3
    assert one.words == "Request 3 speaks of it, and the thread's agent can't read it any more."


def test_a_history_and_a_message_that_lead_nowhere_are_missing(copy: Path) -> None:
    with closing(Reader(copy)) as reader:
        paths = {
            file.kind: file.path for file in reader.files(WEEK_22) if file.path.startswith("/conversation_history/")
        }
    assert set(paths) == {"history", "offloaded message"}
    edit(copy, WEEK_22, {"files": dict.fromkeys(paths.values())})
    assert {(one.kind, one.path) for one in checked(copy).missing_artifacts} == set(paths.items())


def test_a_file_of_another_branch_is_not_missing(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", "three", "four"], summaries=["S1"] * 4)
    world = recorded(tmp_path, model, middleware=[summarizing(model, 4, 1)])
    for text in ("a", "b", "c"):
        world.say(text)
    with world.agent() as (agent, _):
        first = next(state for state in agent.get_state_history(thread()) if len(state.values.get("messages", ())) == 2)
        agent.update_state(first.config, {"messages": [HumanMessage("elsewhere")]})
    found = checked(world.workspace.path)
    assert found.clean
    with closing(Reader(world.workspace.path)) as reader:
        assert not [file for file in reader.files("t") if file.kind == "history"]


def test_a_history_that_could_not_be_saved_is_said(tmp_path: Path) -> None:
    from tests.contract.test_summaries import NoHistory

    model = Told(turns=["one", "two", "three"], summaries=["S1", "S2"])
    world = recorded(tmp_path, model, middleware=[summarizing(model, 5, 2)], wrap=lambda _: NoHistory())
    with pytest.warns(UserWarning, match="Offloading conversation history"):
        for text in ("a", "b", "c"):
            world.say(text)
    found = checked(world.workspace.path)
    assert found.clean
    (note,) = found.notes
    assert "evicted were not saved" in note


# --- what can't be worked out, and odd requests ---


def test_changes_of_a_middleware_of_the_users_are_its_own(tmp_path: Path) -> None:
    assert checked(meddled(tmp_path).workspace.path).clean


def thinking(text: str) -> AIMessage:
    return AIMessage([{"type": "thinking", "thinking": "hm", "signature": "s"}, {"type": "text", "text": text}])


def test_reasoning_that_should_have_been_dropped_is_a_difference(tmp_path: Path) -> None:
    model = Told(turns=[thinking("one"), thinking("two"), "three"], summaries=["S1", "S2"])
    world = recorded(tmp_path, model, middleware=[summarizing(model, 5, 3)])
    for text in ("a", "b", "c"):
        world.say(text)
    assert checked(world.workspace.path).clean
    with closing(Reader(world.workspace.path)) as reader:
        detail = reader.request(reader.requests("t")[-1].id)
        (dropped,) = [one for one in detail.raw if one.fate == "reasoning dropped"]
        (sent,) = [one for one in detail.messages if one.raw_index == dropped.index]
    with changing(world.workspace.path) as db:
        packed, body = db.execute("SELECT packed, body FROM parts WHERE id = ?", (dropped.part,)).fetchone()
        db.execute("UPDATE parts SET packed = ?, body = ? WHERE id = ?", (packed, body, sent.part))
    (one,) = checked(world.workspace.path).differences
    assert (one.what, one.contributor, one.raw_index) == ("changed", "SummarizationMiddleware", dropped.index)


def test_media_that_a_model_can_not_take_are_replaced_by_a_rule(tmp_path: Path) -> None:
    model = Told(turns=["one", "two"], profile={"max_input_tokens": 50_000, "image_inputs": False})
    world = recorded(tmp_path, model)
    world.say([{"type": "text", "text": "Look:"}, {"type": "image", "base64": PNG, "mime_type": "image/png"}])
    world.say("And now?")
    with closing(Reader(world.workspace.path)) as reader:
        found = Explainer(reader).fates(reader.request_ids("t")[1])
        assert [one.rules for one in found.raw] == [("unsupported content replaced",), (), ()]
    assert checked(world.workspace.path).clean
    assert checked(world.workspace.path, interface_only=True).clean


def test_files_that_were_put_away_for_a_request_that_failed_are_not_missed(tmp_path: Path) -> None:
    model = Told(
        turns=["one", ContextOverflowError("too long"), ContextOverflowError("still"), "two"], summaries=["S"] * 4
    )
    world = recorded(tmp_path, model, middleware=[summarizing(model, 100, 1)])
    world.say("a" * 3_000)
    with pytest.raises(ContextOverflowError):
        world.say("b")
    with closing(Reader(world.workspace.path)) as reader:
        kinds = [event.kind for event in reader.events("t")]
        assert kinds.count("summary") == 1, "of the turn that went through"
        assert "failure" in kinds
    assert checked(world.workspace.path).clean


def test_a_stub_of_another_releases_wording_is_taken_for_what_it_is(copy: Path) -> None:
    with closing(Reader(copy)) as reader:
        row = next(row for row in reader.requests(WEEK_22) if row.number == 30)
        (offloaded,) = [one for one in reader.request(row.id).messages if one.fate == "offloaded"]
        message = reader.message(offloaded.part)
    message["data"]["content"] = message["data"]["content"].replace(
        "Message content too large", "The message was large"
    )
    with changing(copy) as db:
        db.execute("UPDATE parts SET packed = 0, body = ? WHERE id = ?", (json.dumps(message).encode(), offloaded.part))
    assert not checked(copy).clean
    assert checked(copy, interface_only=True).clean, (
        "of a record that names no release, the wording is not held against it"
    )


def test_checking_changes_nothing(copy: Path) -> None:
    before = copy.read_bytes()
    checked(copy)
    assert copy.read_bytes() == before


def test_what_a_program_did_unseen_is_not_held_against_the_engine(tmp_path: Path) -> None:
    model = Told(turns=["one", "two", "three"])

    def answer(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke([HumanMessage("in short"), *state["messages"][-1:]])]}

    built = StateGraph(MessagesState).add_node("answer", answer).add_edge(START, "answer")
    graph = built.compile(checkpointer=InMemorySaver())
    file = tmp_path / "a.ctx"
    with record(file):
        for text in ("a", "b", "c"):
            graph.invoke({"messages": [HumanMessage(text)]}, thread())
    with closing(Reader(file)) as reader:
        rows = reader.requests("t")
        assert [row.raw_messages for row in rows] == [1, 3, 5]
        explainer = Explainer(reader)
        found = explainer.fates(rows[-1].id)
        assert [one.fate for one in found.raw] == ["not sent"] * 4 + ["sent"]
        assert found.raw[0].words == "It is in the state, and the program's own code did not send it."
        assert [one.fate for one in found.made] == ["inserted"]
        checked = explainer.check()
        assert (checked.clean, checked.unchecked) == (True, 3)
        assert (
            explainer.waterfall(rows[-1].id).problem == "The contributors' steps were not recorded with this request."
        )


def test_files_of_an_agent_that_keeps_its_state_elsewhere_are_not_looked_for(tmp_path: Path) -> None:
    def export() -> str:
        """Export."""
        return "row\n" * 30_000

    file = tmp_path / "a.ctx"
    with record(file):
        model = Told(turns=[call("export", "e1"), "one", "two", "three"], summaries=["S1", "S2"])
        agent = deep_agent(model, tools=[export], middleware=[summarizing(model, 6, 2)()])
        for text in ("a", "b", "c"):
            say(agent, text)
    with closing(Reader(file)) as reader:
        found = Explainer(reader).check()
        assert found.clean and len(found.notes) == 2
        assert found.notes[0].endswith("so /large_tool_results/e1 was not looked for.")
        assert {report.history for report in Explainer(reader).summaries("t")} == {"saved"}
