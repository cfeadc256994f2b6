"""Provider: parameters, markers, usage in words that do not guess, and the response."""

import json

import pytest
from langchain_core.messages import AIMessage
from PySide6.QtTest import QAbstractItemModelTester

from engine.trace.model import RequestDetail
from inspector.models.provider import Fact, facts
from inspector.views.provider import NO_WIRE, ProviderView
from tests.inspector.request_samples import PartsReader, as_dict, at_once, make_detail, system_blocks, tool_rows
from tests.inspector.values import HOSTILE, request


@pytest.fixture
def parts() -> PartsReader:
    return PartsReader()


@pytest.fixture
def view(qtbot, jobs, parts) -> ProviderView:
    made = ProviderView(parts, jobs)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def under(detail: RequestDetail, heading: str) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    inside = False
    for fact in facts(detail):
        if fact.style == "heading":
            inside = fact.name == heading
        elif inside:
            found[fact.name] = fact
    return found


def usage(given: int | None, out: int, total: int | None = None, **details: int) -> dict[str, Fact]:
    values = {"input_tokens": given, "output_tokens": out, "total_tokens": total or (given or 0) + out}
    return under(make_detail(usage={**values, "input_token_details": details}, response=1), "Usage")


def test_fresh_input_is_what_the_cache_did_not_carry() -> None:
    found = usage(130_213, 9, cache_read=128_955, cache_creation=1_253)
    assert found["fresh input"].value == "5"
    assert found["cache read"].value == "128\u2009955"
    assert found["cache creation"].value == "1\u2009253"


def test_creation_reported_by_lifetime_counts_once() -> None:
    found = usage(
        2_010, 9, cache_read=0, cache_creation=0, ephemeral_5m_input_tokens=1_500, ephemeral_1h_input_tokens=500
    )
    assert found["cache creation"].value == "2\u2009000"
    assert found["fresh input"].value == "10"


def test_a_provider_that_reports_reads_only() -> None:
    found = usage(17_903, 9, cache_read=17_817)
    assert found["cache creation"].value == "not reported"
    assert found["fresh input"].value == "86"


def test_inconsistent_counts_are_said_and_never_negative() -> None:
    found = usage(5, 9, cache_read=128_955)
    assert (found["fresh input"].value, found["fresh input"].style) == ("inconsistent", "wrong")
    assert "128\u2009955" in found["fresh input"].note
    assert usage(3, 4, 99)["total"].note == "is not input + output"


def test_not_reported_is_not_zero() -> None:
    none = under(make_detail(response=1), "Usage")
    assert none["reported"].value == "not reported"
    assert "input" not in none
    zero = usage(0, 0)
    assert (zero["input"].value, zero["output"].value) == ("0", "0")
    assert usage(None, 3)["fresh input"].value == "not reported"


def test_estimates_carry_their_sign() -> None:
    assert under(make_detail(row=request(1, sizes={"human": 1_000})), "Usage")["estimated input"].value == "~1k"


def test_markers_say_where_they_stand(parts) -> None:
    markers = [
        {"area": "system", "index": 1, "marker": {"type": "ephemeral", "ttl": "1h"}},
        {"area": "tools", "index": 0, "marker": {"type": "ephemeral"}},
        {"area": "messages", "index": 7, "block": 2, "marker": {"type": "ephemeral"}},
        {"area": "provider", "index": 0, "in": "model_settings", "marker": {"type": "ephemeral"}},
    ]
    detail = make_detail(
        system=system_blocks(parts, ("caller", "a"), ("MemoryMiddleware", "b")),
        tools=tool_rows(parts, {"name": "look"}),
        provider={"cache_markers": markers},
    )
    found = under(detail, "Cache markers")
    assert list(found) == [
        "system block 1 (MemoryMiddleware)", "tool 0 (look)", "message 7, block 2", "whole request (model_settings)",
    ]  # fmt: skip
    assert found["system block 1 (MemoryMiddleware)"].value == "ephemeral · 1h"
    assert under(make_detail(provider={"cache_markers": []}), "Cache markers")["markers"].value == "none"
    assert under(make_detail(), "Cache markers")["markers"].value == "not known"


def test_every_parameter_is_a_row_with_its_value() -> None:
    provider = {
        "model": "m", "class": "C", "params": {"temperature": 0.0, "stop": None, "nested": {"a": [1]}},
        "kwargs": {"<b>k</b>": "<b>v</b>"}, "stop": ["END"], "model_settings": {}, "profile": {"max_input_tokens": 9},
        "something_new": True, "cache_markers": [], "wire": None,
    }  # fmt: skip
    detail = make_detail(provider=provider)
    found = under(detail, "Parameters")
    assert [found[name].value for name in ("temperature", "stop", "nested")] == ["0.0", "null", '{"a": [1]}']
    assert under(detail, "Arguments of the call")["<b>k</b>"].value == "<b>v</b>"
    assert under(detail, "Stop words")["stop"].value == '["END"]'
    assert under(detail, "Other")["something_new"].value == "true"


def test_the_area_is_shown_with_response_json_and_wire(qtbot, jobs, view, parts) -> None:
    response = parts.add(as_dict(AIMessage("The answer", id="r")))
    provider = {"model": "m", "params": {"a": "\u202e"}, "cache_markers": [], "wire": None}
    view.show_request(make_detail(provider=provider, response=response), None)
    at_once(qtbot, jobs, view)
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert view.response.text.text() == "The answer"
    assert json.loads(view.json.text()) == provider
    assert view.wire.message().startswith(NO_WIRE)
    view.show_request(make_detail(2, provider={"wire": {"model": "m", "stream": True}}), None)
    at_once(qtbot, jobs, view)
    assert json.loads(view.wire.text()) == {"model": "m", "stream": True}


@pytest.mark.parametrize("text", HOSTILE)
def test_errors_are_shown_letter_by_letter(qtbot, jobs, view, parts, text) -> None:
    view.show_request(make_detail(row=request(1, status="failed", error=text)), None)
    at_once(qtbot, jobs, view)
    assert view.response.state() == "empty"
    error = next(fact for fact in view.model.facts if fact.name == "error")
    assert error.whole == text


def test_why_there_is_no_response(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(row=request(1, status="running")), None)
    at_once(qtbot, jobs, view)
    assert "still running" in view.response._pane.message()
    view.show_request(make_detail(row=request(2, status="stopped")), None)
    at_once(qtbot, jobs, view)
    assert "No response was recorded." in view.response._pane.message()


def test_the_scroll_stays_while_stepping(qtbot, jobs, view, parts) -> None:
    provider = {"params": {f"p{n}": n for n in range(100)}}
    view.show_request(make_detail(1, provider=provider), None)
    at_once(qtbot, jobs, view)
    view.table.setCurrentIndex(view.model.index(50, 0))
    place = view.table.verticalScrollBar().value()
    assert place > 0
    view.show_request(make_detail(2, provider=provider), None)
    at_once(qtbot, jobs, view)
    assert (view.table.currentIndex().row(), view.table.verticalScrollBar().value()) == (50, place)
