"""The demo's report, run on a plain SqliteSaver and recorded beside it: the database tells what the record holds."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import pytest
from langgraph.checkpoint.sqlite import SqliteSaver

from engine import Reader, Source, Workspace, open_source
from engine.agent.demo import run_scenarios
from engine.checkpoints import WorkspaceSaver
from engine.trace.model import RequestRow


class PlainSaver(WorkspaceSaver):
    """LangGraph's own saver and no more, with the async door that the runner needs."""

    put = SqliteSaver.put
    setup = SqliteSaver.setup
    get_delta_channel_history = SqliteSaver.get_delta_channel_history


@dataclass
class Both:
    record: Reader
    database: Source

    def pairs(self, thread_id: str) -> list[tuple[RequestRow, RequestRow]]:
        """Each request of an agent as it was recorded, and as it was rebuilt."""
        rebuilt = {row.checkpoint_ns: row for row in self.database.requests(thread_id)}
        recorded = [row for row in self.record.requests(thread_id) if row.purpose != "summary"]
        assert {row.checkpoint_ns for row in recorded} == set(rebuilt)
        return [(row, rebuilt[row.checkpoint_ns]) for row in recorded]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    folder = tmp_path_factory.mktemp("demo")

    def plain(*_: object) -> SqliteSaver:
        saver = PlainSaver.__new__(PlainSaver)
        SqliteSaver.__init__(saver, sqlite3.connect(folder / "plain.db", check_same_thread=False))
        return saver

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.agent.letting_go.RunSaver", plain)
        workspace = Workspace.create(folder / "record.ctx")
        run_scenarios(workspace, ["competitor-report"])
    with closing(sqlite3.connect(folder / "plain.db")) as connection:
        tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        assert tables == {"checkpoints", "writes"}
    with closing(Reader(workspace.path)) as record, closing(open_source(folder / "plain.db")) as database:
        yield Both(record, database)


@pytest.fixture(params=["competitor-report-week-22", "competitor-report-week-23"])
def thread_id(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def messages(source: Any, rows: Any) -> list[Any]:
    return [source.message(row.part) for row in rows]


def test_the_raw_and_the_effective_messages_are_the_same(both: Both, thread_id: str) -> None:
    pairs = both.pairs(thread_id)
    assert len(pairs) > 15
    for recorded, rebuilt in pairs:
        mine, theirs = both.record.request(recorded.id), both.database.request(rebuilt.id)
        assert messages(both.record, mine.messages) == messages(both.database, theirs.messages)
        assert messages(both.record, mine.raw) == messages(both.database, theirs.raw)
        assert [row.fate for row in mine.raw] == [row.fate for row in theirs.raw]
        assert [(row.kind, row.chars, row.tokens, row.is_new) for row in mine.messages] == [
            (row.kind, row.chars, row.tokens, row.is_new) for row in theirs.messages
        ]
        assert mine.cutoff == theirs.cutoff


def test_the_rows_say_the_same(both: Both, thread_id: str) -> None:
    names = (
        "purpose", "agent", "parent_call", "depth", "step", "checkpoint_id", "status", "error", "model", "messages",
        "raw_messages", "chars", "usage",
    )  # fmt: skip
    parents: dict[int, int] = {}
    for recorded, rebuilt in both.pairs(thread_id):
        parents[recorded.id] = rebuilt.id
        for name in names:
            assert getattr(recorded, name) == getattr(rebuilt, name), name
        kinds = {kind: tokens for kind, tokens in recorded.sizes.items() if kind in rebuilt.sizes}
        assert kinds == rebuilt.sizes
    for recorded, rebuilt in both.pairs(thread_id):
        assert rebuilt.parent == (parents[recorded.parent] if recorded.parent is not None else None)


def test_the_answers_are_those_that_the_step_wrote(both: Both, thread_id: str) -> None:
    for recorded, rebuilt in both.pairs(thread_id):
        mine, theirs = both.record.request(recorded.id), both.database.request(rebuilt.id)
        assert mine.response is not None and theirs.response is not None
        said = [
            source.message(part)["data"]
            for source, part in ((both.record, mine.response), (both.database, theirs.response))
        ]
        for data in said:
            data.pop("name")  # LangChain names an answer after its agent once the model has given it
        assert said[0] == said[1]
        assert mine.usage == theirs.usage


def test_the_events_are_the_same(both: Both, thread_id: str) -> None:
    numbers = {recorded.number: rebuilt.number for recorded, rebuilt in both.pairs(thread_id)}

    def known(source: Any, number: Any) -> list[Any]:
        left_out = {"part", "calls"}  # ids of parts, and the summarizing calls, which no checkpoint holds
        return sorted(
            (event.kind, number(event), sorted((k, str(v)) for k, v in event.data.items() if k not in left_out))
            for event in source.events(thread_id)
        )

    assert known(both.record, lambda event: numbers[event.request_number]) == known(
        both.database, lambda event: event.request_number
    )


def test_the_summaries_and_what_they_evicted_are_the_same(both: Both, thread_id: str) -> None:
    mine, theirs = both.record.summaries(thread_id), both.database.summaries(thread_id)
    assert len(mine) == len(theirs) == (2 if thread_id.endswith("22") else 0)
    for recorded, rebuilt in zip(mine, theirs, strict=True):
        assert both.record.message(recorded.part) == both.database.message(rebuilt.part)
        assert messages(both.record, both.record.evicted(recorded.event)) == messages(
            both.database, both.database.evicted(rebuilt.event)
        )
        assert rebuilt.path is not None and rebuilt.problem is None
        assert both.database.file(thread_id, rebuilt.path)


def test_files_memory_and_skills_are_those_of_the_state(both: Both, thread_id: str) -> None:
    events = both.record.events(thread_id)
    files = {file.path: file for file in both.database.files(thread_id)}
    assert all(file.place == "thread state" and file.problem is None for file in files.values())
    offloads = [event for event in events if event.kind == "offload"]
    assert len(offloads) > 4
    for event in offloads:
        file = files[event.data["path"]]
        assert file.kind == f"offloaded {event.data['of']}"
        assert len(both.database.file(thread_id, file.path).decode()) == event.data["chars"]
    (loaded,) = [event for event in events if event.kind == "memory loaded"]
    assert [(file.path, len(file.in_thread or "")) for file in both.database.memory(thread_id)] == [
        (source["path"], source["chars"]) for source in loaded.data["sources"]
    ]
    (listed,) = [event for event in events if event.kind == "skill listed"]
    skills = [{"name": skill.name, "path": skill.path} for skill in both.database.skills(thread_id)]
    assert skills == sorted(listed.data["skills"], key=lambda skill: skill["name"])
