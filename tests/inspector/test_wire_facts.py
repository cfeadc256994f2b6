"""The provider's side in words: attempts, what only one side has, cost, nothing guessed."""

from __future__ import annotations

from decimal import Decimal

from engine.wire.model import (
    CacheMarker,
    Comparison,
    Conversion,
    Cost,
    Parameter,
    Piece,
    ToolDifference,
    Unsent,
    WireAttempt,
)
from inspector.models.wire import cost_facts, wire_facts


def attempt(number: int, status: int | None, error: str | None = None) -> WireAttempt:
    return WireAttempt(
        number, number, "POST", "api.example", "/v1/<b>x</b>", False, status, error, 0.0, 12.0, 300, masked=("user",)
    )


def test_without_a_wire_there_are_no_rows() -> None:
    assert wire_facts((), None) == []


def test_every_attempt_is_told_and_a_failed_one_is_marked() -> None:
    rows = wire_facts([attempt(1, 429), attempt(2, None, "the connection broke"), attempt(3, 200)], None)
    assert [row.name for row in rows] == ["On the wire", "attempt 1", "attempt 2", "attempt 3"]
    assert [row.style for row in rows[1:]] == ["wrong", "wrong", "data"]
    assert rows[1].value == "POST api.example/v1/<b>x</b>"
    assert "answered 429" in rows[1].note
    assert "the connection broke" in rows[2].note
    assert "secrets removed at user" in rows[3].note


def test_both_sides_of_the_comparison_are_told_apart() -> None:
    marker = CacheMarker("system", 0, None, "system[0]", {"type": "ephemeral"})
    found = Comparison(
        attempt=1,
        api="openai chat",
        parameters=(
            Parameter("model", "same", "m", "m"),
            Parameter("stream_options", "wire only", {"include_usage": True}),
            Parameter("cache", "LangChain only", None, "yes"),
            Parameter("max_tokens", "differs", 10, 20),
            Parameter("max_completion_tokens", "renamed", 5, 5, "max_tokens"),
        ),
        conversions=(Conversion("role", "the system message became developer", 1, -1),),
        wire_only=(Piece("messages[0].content[1]", "text", "added <i>here</i>", 17),),
        langchain_only=(Piece("messages[2].content[0]", "thinking", "…", 40),),
        unsent=(Unsent("response_metadata", 3),),
        tools=(ToolDifference("ls", "same"), ToolDifference("grep", "differs", changed=("description",))),
        markers_asked=(marker,),
        markers_sent=(),
    )
    rows = wire_facts([attempt(1, 200)], found)
    by_group: dict[str, list[str]] = {}
    for row in rows:
        if row.style == "heading":
            group = by_group.setdefault(row.name, [])
        else:
            group.append(row.name)
    assert by_group == {
        "On the wire": ["attempt 1"],
        "Only on the wire": ["stream_options", "messages[0].content[1]"],
        "Only in LangChain's view": ["cache", "messages[2].content[0]", "response_metadata"],
        "On both, not the same": ["max_tokens", "max_completion_tokens"],
        "Put into the provider's form": ["role"],
        "Tools that differ": ["grep"],
        "Cache markers": ["markers"],
    }
    assert next(row for row in rows if row.name == "max_completion_tokens").note == "LangChain: max_tokens = 5"


def test_a_cost_names_its_price_list_and_an_unknown_one_its_reason() -> None:
    known = cost_facts(
        Cost(Decimal("0.0123"), Decimal("0.01"), Decimal("0.0023"), "gpt-x", "openai", "prices of a day")
    )
    assert [row.value for row in known[1:]] == ["0.0123 USD", "0.01, 0.0023 USD"]
    assert "prices of a day" in known[1].note
    (_, unknown) = cost_facts(Cost(None, reason="no price is known for this model"))
    assert (unknown.value, unknown.style) == ("not known", "missing")
    assert unknown.note == "no price is known for this model"
