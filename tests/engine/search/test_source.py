"""Searching another program's database: the same hits as texts read one by one, and nothing written beside it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain_core.tools import tool

from engine import Source, open_source
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.folding import fold
from engine.search import Search
from tests.engine.sources.databases import saver_over

ANSWERS = ("The marmalade is 摘要 enough.", "get_delta_channel_history is marmalade")


@tool
def shelf(what: str) -> str:
    """Look on the shelf."""
    return f"On the shelf: {what}, and a jar of honey. " + "x" * 9_000


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("foreign") / "agent.db"
    with saver_over(file) as saver:
        for number, answer in enumerate(ANSWERS):
            script = [
                Turn(calls=[Call("shelf", {"what": "marmalade"})]),
                Turn(
                    "Noted.", calls=[Call("write_file", {"file_path": "/jars.md", "content": "quince and marmalade"})]
                ),
                Turn(answer),
            ]
            model = ScriptedChat(model=f"scripted {number}", script=script, call_prefix=f"c{number}-")
            agent = create_deep_agent(model=model, tools=[shelf], checkpointer=saver)
            config: Any = {"configurable": {"thread_id": f"t{number}"}}
            agent.invoke({"messages": [{"role": "user", "content": f"Question {number}"}]}, config)
    return file


@pytest.fixture(scope="module")
def source(database: Path) -> Iterator[Source]:
    with closing(open_source(database)) as source:
        assert source.kind == "langgraph"
        yield source


def test_hits_are_the_parts_that_hold_the_words(source: Source) -> None:
    standing: dict[int, dict[str, list[tuple[int, str, int]]]] = defaultdict(lambda: defaultdict(list))
    for thread in source.threads():
        for request in source.request_ids(thread.thread_id):
            detail = source.request(request)
            for area in ("messages", "raw"):
                for row in getattr(detail, area):
                    standing[row.part][thread.thread_id].append((request, area, row.index))
            if detail.response:
                standing[detail.response][thread.thread_id].append((request, "response", -1))
    with closing(Search(source)) as search:
        assert search.find("marmalade").pending == 0  # nothing is known of it yet
        assert search.update()
        for words in ("marmalade", "摘要", "delta_channel", "jar of honey", "question"):
            hits = {(hit.part, hit.thread_id): hit for hit in search.find(words).hits if hit.source == "part"}
            expected = {
                (part, thread)
                for part, threads in standing.items()
                if all(word in fold(source.text(part) + str(source.value(part))) for word in words.split())
                for thread in threads
            }
            assert set(hits) == expected
            assert hits
            for (part, thread), hit in hits.items():
                places = standing[part][thread]
                order = source.request_ids(thread)
                first = min((request for request, _, _ in places), key=order.index)
                assert (hit.request, hit.requests) == (first, len({request for request, _, _ in places}))
                assert (first, hit.area, -1 if hit.index is None else hit.index) in places


def test_files_filters_and_completion(source: Source) -> None:
    with closing(Search(source)) as search:
        search.update()
        files = search.find("quince file:jars").hits
        assert {(hit.source, hit.thread_id, hit.path) for hit in files} == {
            ("file", "t0", "/jars.md"),
            ("file", "t1", "/jars.md"),
        }
        assert {hit.thread_id for hit in search.find("marmalade thread:t1").hits} == {"t1"}
        called = search.find("tool:shelf").hits
        assert {hit.request_number for hit in called} == {1}
        assert "shelf" in search.values().tools
        assert [one.text for one in search.complete("thread:t", 8)] == ["thread:t1 ", "thread:t0 "]


def test_nothing_is_written_to_it_or_beside_it(database: Path, source: Source) -> None:
    before = {path.name: path.read_bytes() for path in database.parent.iterdir()}
    with closing(Search(database)) as search:
        search.update()
        assert search.find("marmalade").hits
        assert search.index_file.parent != database.parent
    assert {path.name: path.read_bytes() for path in database.parent.iterdir()} == before
    # A source that was handed over stays open for its owner.
    with closing(Search(source)) as search:
        search.update()
    assert source.threads()


def test_a_second_opening_finds_the_index_there(database: Path) -> None:
    told: list[Any] = []
    for _ in range(2):
        told.clear()
        with closing(Search(database)) as search:
            search.update(lambda *what: told.append(what))
            assert search.find("honey").hits
    assert told == []
