"""Queries: what is a word and what is a filter, the sentence for a bad one, what can stand at the cursor."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.search import FILTERS, Query, QueryError, Values, parse_query
from engine.search.complete import complete
from engine.search.query import Filter, quote

VALUES = Values(
    agents=["market-analyst", "market-researcher"],
    tools=["ls", "read_file", "with space"],
    files=["/large_tool_results/call_1"],
    threads=[("t-1", "Weekly <b>report</b>"), ("t 2", "t 2")],
    errors=["ConnectionError: no route"],
)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", ()),
        ("  \t\u3000\n", ()),
        ("one two", ("one", "two")),
        ("one one", ("one",)),
        ('"one two" three', ("one two", "three")),
        ('say "an ""open"" quote"', ("say", 'an "open" quote')),
        ('"agent:x"', ("agent:x",)),
        ('"not closed', ("not closed",)),
        ('""', ()),
        ("a<b list<str> x>=1 a=b", ("a<b", "list<str>", "x>=1", "a=b")),
        ("https://x.y/z?a=1", ("https://x.y/z?a=1",)),
        ("file://x thread::spawn std::string", ("file://x", "thread::spawn", "std::string")),
        ("摘要 上下文", ("摘要", "上下文")),
        ('it"s', ('it"s',)),
    ],
)
def test_words_and_phrases(text: str, terms: tuple[str, ...]) -> None:
    assert parse_query(text) == Query(terms)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("agent:market", Filter("agent", ":", "market")),
        ('AGENT:"market researcher"', Filter("agent", ":", "market researcher")),
        ("kind:TOOL", Filter("kind", ":", "tool")),
        ("has:summary", Filter("has", ":", "summary")),
        ("file:/a/b.md", Filter("file", ":", "/a/b.md")),
        ("tokens>10k", Filter("tokens", ">", "10k", 10_000)),
        ("tokens<=1.5M", Filter("tokens", "<=", "1.5M", 1_500_000)),
        ("tokens=12,345", Filter("tokens", "=", "12,345", 12_345)),
        ("tokens>" + "9" * 400, Filter("tokens", ">", "9" * 400, float("9" * 30))),
    ],
)
def test_filters(text: str, expected: Filter) -> None:
    assert parse_query(f"word {text} other") == Query(("word", "other"), (expected,))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("kind:tol", "kind:tol is not known. It can be system, memory,"),
        ("has:everything", "It can be summary, offload,"),
        ("purpose:x", "agent, subagent, summary, other"),
        ("tokens>many", "needs a number such as 500, 10k or 1.5M, not many"),
        ("tokens>", "not nothing"),
        ("tokens:5", "tokens>10k or tokens<500"),
        ("agent:", "agent: needs a value"),
        ("error:", "has:error finds every request"),
        ("agnet:x", "but there is agent:"),
        ("tools:ls", "put it in quotes"),
    ],
)
def test_a_bad_filter_is_told_with_its_place(text: str, said: str) -> None:
    with pytest.raises(QueryError) as error:
        parse_query(f"some {text} more")
    assert said in str(error.value)
    assert isinstance(error.value, UsageError)
    assert f"some {text} more"[error.value.start : error.value.end] == text


@given(st.text(max_size=60))
def test_any_text_is_a_query_or_a_sentence(text: str) -> None:
    try:
        parse_query(text)
    except QueryError as error:
        assert 0 <= error.start < error.end <= len(text)
        assert str(error).endswith(".")


@given(st.text(min_size=1, max_size=30))
@example(":x")
@example("//x")
@example('"')
def test_a_quoted_value_is_read_as_it_was(value: str) -> None:
    assert parse_query(f"thread:{quote(value)}").filters == (Filter("thread", ":", value),)


def offered(text: str, cursor: int | None = None) -> list[str]:
    at = len(text) if cursor is None else cursor
    return [text[: one.start] + one.text + text[one.end :] for one in complete(text, at, VALUES)]


def test_names_of_filters_complete() -> None:
    assert offered("ag") == ["agent:"]
    assert offered("word to") == ["word tool:", "word tokens>"]
    assert offered("to rest", 2) == ["tool: rest", "tokens> rest"]
    assert len(offered("")) == len(offered("word ")) == len(FILTERS)
    assert offered("zzz") == []
    assert offered('"ag') == []


def test_values_complete_with_those_that_begin_so_first() -> None:
    assert offered("agent:res") == ["agent:market-researcher "]
    assert offered("tool:") == ["tool:ls ", "tool:read_file ", 'tool:"with space" ']
    assert offered("x kind:s") == ["x kind:system ", "x kind:skills ", "x kind:summary ", "x kind:tools "]
    assert offered("thread:weekly") == ["thread:t-1 "]
    assert offered('thread:"t 2" a', 12) == ['thread:"t 2"  a']
    assert offered("tokens>") == []
    assert all(parse_query(text).filters for text in offered("file:"))


@given(st.text(max_size=20), st.integers(0, 20))
def test_every_candidate_can_be_put_in(text: str, cursor: int) -> None:
    for one in complete(text, min(cursor, len(text)), VALUES):
        assert 0 <= one.start <= one.end <= len(text)
