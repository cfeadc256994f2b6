"""Filters of requests, against what the reader says of each."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine import Reader
from engine.notes import add_note, set_mark
from engine.search import QueryError, Search, filter_requests
from engine.trace.model import RequestRow

MAIN = "competitor-report-week-22"

EXPECTED: dict[str, Callable[[RequestRow], bool]] = {
    "agent:researcher": lambda row: row.agent == "market-researcher",
    "agent:MARKET-analyst": lambda row: row.agent == "market-analyst",
    "agent:main": lambda row: row.agent is None,
    "agent:researcher agent:main": lambda row: row.agent in {"market-researcher", None},
    "purpose:summary": lambda row: row.purpose == "summary",
    "has:summary": lambda row: "summary" in row.events,
    "has:offload": lambda row: "offload" in row.events,
    "has:memory": lambda row: bool({"memory loaded", "memory edited"} & set(row.events)),
    "has:skill has:memory": lambda row: any("skill" in e for e in row.events) and any("mem" in e for e in row.events),
    "kind:summary": lambda row: bool(row.sizes.get("summary")),
    "kind:memory": lambda row: bool(row.sizes.get("memory")),
    "tokens>10k": lambda row: (row.input_tokens or 0) > 10_000,
    "tokens>5k tokens<=20k": lambda row: 5_000 < (row.input_tokens or 0) <= 20_000,
    "thread:week-23": lambda row: row.thread_id == "competitor-report-week-23",
    "purpose:subagent tokens<8k": lambda row: row.purpose == "subagent" and (row.input_tokens or 0) < 8_000,
    "summary": lambda row: row.purpose == "summary" or "summary" in row.events,
    "#7": lambda row: str(row.number).startswith("7"),
}


@pytest.fixture(scope="module")
def rows(reader: Reader) -> list[RequestRow]:
    return [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]


@pytest.mark.parametrize("query", EXPECTED)
def test_each_lets_through_what_it_says(query: str, rows: list[RequestRow]) -> None:
    found = filter_requests(rows, query)
    assert found == [row for row in rows if EXPECTED[query](row)]
    assert 0 < len(found) < len(rows)


@pytest.mark.parametrize("query", [query for query in EXPECTED if ":" in query or ">" in query])
def test_a_search_by_filters_alone_gives_the_same_requests(query: str, search: Search, rows: list[RequestRow]) -> None:
    hits = search.find(query, limit=1_000).hits
    assert {hit.request for hit in hits} == {row.id for row in rows if EXPECTED[query](row)}
    assert {hit.source for hit in hits} == {"request"}
    moments = [hit.at for hit in hits]
    assert moments == sorted(moments, reverse=True)  # type: ignore[type-var]


def called(reader: Reader, row: RequestRow) -> set[str]:
    response = reader.request(row.id).response
    data: dict[str, Any] = reader.message(response)["data"] if response else {}
    return {call["name"] for call in data.get("tool_calls") or ()}


@pytest.mark.parametrize("tool", ["write_file", "task", "market_data"])
def test_tools_are_those_that_the_answer_calls(
    tool: str, reader: Reader, search: Search, rows: list[RequestRow]
) -> None:
    found = filter_requests(rows, f"tool:{tool}", search.facts())
    assert found == [row for row in rows if any(tool in name for name in called(reader, row))]
    assert found


def test_files_are_those_that_an_event_names(reader: Reader, search: Search, rows: list[RequestRow]) -> None:
    named = {
        event.request
        for thread in reader.threads()
        for event in reader.events(thread.thread_id)
        if "/large_tool_results/" in json.dumps(event.data)
    }
    assert {row.id for row in filter_requests(rows, "file:/large_tool_results/", search.facts())} == named != set()


def test_notes_and_marks(reader: Reader, search: Search, rows: list[RequestRow]) -> None:
    one, two = rows[3], rows[5]
    add_note(reader.path, one.thread_id, "look here", one.id)
    set_mark(reader.path, two.thread_id, two.id, True)
    assert filter_requests(rows, "has:note", search.facts()) == [one]
    assert filter_requests(rows, "has:mark", search.facts()) == [two]
    assert filter_requests(rows, "has:mark has:note", search.facts()) == []
    (hit,) = search.find('"look here"').hits
    assert (hit.source, hit.thread_id, hit.request_number) == ("note", one.thread_id, one.number)


def test_errors(rows: list[RequestRow]) -> None:
    failed = replace(rows[0], status="failed", error="429 <Too> Many Requests")
    assert filter_requests([*rows, failed], "has:error") == [failed]
    assert filter_requests([*rows, failed], "error:too") == [failed]
    assert filter_requests([*rows, failed], 'error:"<too> many"') == [failed]
    assert filter_requests([*rows, failed], "error:500") == []
    assert filter_requests([*rows, failed], "many") == [failed]


def test_a_bad_filter_raises(rows: list[RequestRow]) -> None:
    with pytest.raises(QueryError):
        filter_requests(rows, "kind:nothing")
