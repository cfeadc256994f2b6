"""A database that Deep Agents Code wrote, beside what its provider received: the same messages, request by request."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import Source, open_source
from engine.trace.content import text_of
from engine.trace.model import RequestRow

SAMPLE = Path(__file__).parents[2].parent / "shared" / "samples" / "deepagents-code"

pytestmark = pytest.mark.skipif(not SAMPLE.is_dir(), reason=f"the sample of Deep Agents Code is not at {SAMPLE}")

ROLES = {"human": "user", "ai": "assistant", "tool": "tool"}

Said = tuple[str, str, tuple[tuple[Any, ...], ...], str | None]
"""Role, text, tool calls (id, name, arguments), the call that is answered."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    copy = tmp_path_factory.mktemp("sample") / "sessions.db"
    shutil.copyfile(SAMPLE / "sessions.db", copy)
    return copy


@pytest.fixture(scope="module")
def source(file: Path) -> Iterator[Source]:
    with closing(open_source(file)) as source:
        yield source


@pytest.fixture(scope="module")
def rows(source: Source) -> list[RequestRow]:
    """Every request of the file, in the order of time."""
    found = [row for thread in source.threads() for row in source.requests(thread.thread_id)]
    return sorted(found, key=lambda row: row.started_at)


@pytest.fixture(scope="module")
def wire() -> list[dict[str, Any]]:
    """Bodies that the provider received from agents; the summarizing call has no tools."""
    lines = (SAMPLE / "wire.jsonl").read_text(encoding="utf-8").splitlines()
    return [body for line in lines if (body := json.loads(line)["body"]).get("tools")]


def on_the_wire(message: dict[str, Any]) -> Said:
    calls = tuple(
        (call["id"], call["function"]["name"], json.loads(call["function"]["arguments"]))
        for call in message.get("tool_calls") or ()
    )
    return message["role"], text_of(message.get("content")), calls, message.get("tool_call_id")


def rebuilt(message: dict[str, Any]) -> Said:
    data = message["data"]
    calls = tuple((call["id"], call["name"], call["args"]) for call in data.get("tool_calls") or ())
    return ROLES[message["type"]], text_of(data["content"]), calls, data.get("tool_call_id")


def test_every_request_holds_the_messages_that_the_provider_received(
    source: Source, rows: list[RequestRow], wire: list[dict[str, Any]]
) -> None:
    assert len(wire) == len(rows) == 31
    for row, body in zip(rows, wire, strict=True):
        received = [on_the_wire(message) for message in body["messages"] if message["role"] != "system"]
        detail = source.request(row.id)
        assert [rebuilt(source.message(item.part)) for item in detail.messages] == received
        assert row.messages == len(received)


def test_a_subagents_requests_hang_under_the_call_that_made_them(source: Source, rows: list[RequestRow]) -> None:
    by_id = {row.id: row for row in rows}
    inside = [row for row in rows if row.purpose == "subagent"]
    assert len(inside) == 8
    for row in inside:
        assert row.parent is not None
        parent = by_id[row.parent]
        assert (parent.purpose, parent.thread_id, row.depth) == ("agent", row.thread_id, 1)
        assert row.agent == "general-purpose"
        response = source.request(parent.id).response
        assert response is not None
        calls = {call.id: call.name for call in source.heads([response])[response].tool_calls}
        assert calls[row.parent_call] == "task"
        assert parent.started_at < row.started_at


def test_answers_usage_and_model_are_those_of_the_step(source: Source, rows: list[RequestRow]) -> None:
    for row in rows:
        detail = source.request(row.id)
        assert (row.status, row.model, row.error) == ("done", "gpt-4o", None)
        assert row.usage.input_tokens and row.usage.output_tokens
        assert detail.usage and detail.usage["input_tokens"] == row.usage.input_tokens
        assert detail.response is not None and source.message(detail.response)["type"] == "ai"
        assert detail.provider["provider"] == "openai"


def test_cost_that_the_program_left_in_its_state_is_shown(source: Source, rows: list[RequestRow]) -> None:
    main = [row for row in rows if row.thread_id == rows[0].thread_id and row.purpose == "agent"]
    first, second = (source.request(row.id).provider for row in main[:2])
    assert "_session_cost_usd" not in first["state"]
    assert first["written"]["_session_cost_usd"] == second["state"]["_session_cost_usd"] > 0


def test_the_summary_and_what_it_evicted(source: Source, rows: list[RequestRow]) -> None:
    (row,) = [row for row in rows if "summary" in row.events]
    (summary,) = source.summaries(row.thread_id)
    detail = source.request(row.id)
    assert (summary.request, summary.request_number) == (row.id, row.number)
    assert detail.cutoff == summary.cutoff == len(source.evicted(summary.event))
    assert next(item.kind for item in detail.messages) == "summary"
    assert [item.fate for item in detail.raw] == ["summarized"] * summary.cutoff + ["sent"] * 2
    assert detail.messages[0].part == summary.part
    assert summary.problem and summary.path
    history = SAMPLE / Path(summary.path).name
    assert history.is_file(), "the history that the summary names is the sample's file"
    assert [event.kind for event in source.events(row.thread_id)].count("summary") == 1
    after = source.request(next(later.id for later in rows if later.follows == row.id))
    assert after.cutoff == detail.cutoff and after.messages[0].part == summary.part


def test_what_the_database_does_not_hold_is_said_and_not_made_up(source: Source, rows: list[RequestRow]) -> None:
    for row in rows:
        detail = source.request(row.id)
        assert detail.system == detail.tools == ()
        assert source.system_message(row.id) is None
        assert set(detail.not_recorded) == {"system", "tools", "provider", "messages"}
        assert not detail.exact
        assert detail.provider["params"] == {} and detail.provider["wire"] is None
        assert not {"tools", "system"} & set(row.sizes)


def test_threads_are_listed_with_what_the_file_says_of_them(source: Source) -> None:
    threads = source.threads()
    assert [(row.requests, row.agent, row.status, row.source) for row in threads] == [
        (15, "agent", "idle", "langgraph"),
        (1, "agent", "idle", "langgraph"),
        (15, "agent", "idle", "langgraph"),
    ]
    assert threads[0].title == "Find the errors in data.log and write a long report"
    for row in threads:
        assert row.created_at and row.updated_at and row.created_at < row.updated_at
        assert row.problem is None


def test_the_list_of_threads_is_the_same_before_and_after_they_are_read(file: Path) -> None:
    with closing(open_source(file)) as fresh:
        before = fresh.threads()
        for row in before:
            fresh.requests(row.thread_id)
        assert fresh.threads() == before


def test_memory_skills_and_files_are_those_of_the_state(source: Source, rows: list[RequestRow]) -> None:
    thread = rows[0].thread_id
    (memory,) = source.memory(thread)
    assert memory.path.endswith("/AGENTS.md")
    assert (memory.text, memory.in_thread) == (None, "")
    assert memory.problem
    assert [skill.name for skill in source.skills(thread)] == sorted(skill.name for skill in source.skills(thread))
    assert {"remember", "deepagents-thread-inspector"} <= {skill.name for skill in source.skills(thread)}
    (offloaded,) = [each for each in source.files(thread) if each.kind == "offloaded result"]
    assert offloaded.problem and offloaded.place == "elsewhere"
    assert offloaded.tool_call_id == "call_main_3"


def test_ids_are_the_same_in_another_opening(source: Source, rows: list[RequestRow], file: Path) -> None:
    with closing(open_source(file)) as other:
        for row in reversed(rows):
            assert other.request(row.id).row == row


@pytest.mark.parametrize("wal", [False, True])
def test_the_file_and_its_folder_are_as_they_were(tmp_path: Path, wal: bool) -> None:
    file = tmp_path / "sessions.db"
    shutil.copyfile(SAMPLE / "sessions.db", file)
    writer = sqlite3.connect(file)
    if wal:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("UPDATE checkpoints SET metadata = metadata WHERE rowid < 20")
        writer.commit()
    before = everything(tmp_path)
    assert ("sessions.db-wal" in before) == wal
    with closing(open_source(file)) as source:
        for thread in source.threads():
            for row in source.requests(thread.thread_id):
                source.request(row.id)
            source.files(thread.thread_id)
        assert everything(tmp_path) == before
        assert ("private copy" in source.read_only) == wal
    assert everything(tmp_path) == before
    writer.close()


def everything(folder: Path) -> dict[str, tuple[str, int, int]]:
    """Digest, size and time of change of every file in a folder."""
    return {
        path.name: (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.iterdir()
    }
