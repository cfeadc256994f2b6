"""The provider's side as rows: what it cost, each attempt, and what only one of wire and LangChain has."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from engine.masking import beginning
from engine.wire.model import Comparison, Cost, Parameter, Piece, WireAttempt
from inspector import format
from inspector.models.provider import Fact

_LONG = 400


def cost_facts(cost: Cost) -> list[Fact]:
    """What a request cost by the price list, or why that is not known."""
    rows = [Fact("Cost", style="heading")]
    if cost.amount is None:
        rows.append(Fact("cost", "not known", cost.reason, "missing"))
        return rows
    note = "; ".join(part for part in (cost.prices, cost.note) if part)
    rows.append(Fact("cost", f"{cost.amount:f} USD", note, "number"))
    if cost.input is not None and cost.output is not None:
        rows.append(Fact("input, output", f"{cost.input:f}, {cost.output:f} USD", cost.model or "", "number"))
    return rows


def wire_facts(attempts: Sequence[WireAttempt], comparison: Comparison | None) -> list[Fact]:
    """Each attempt, then the comparison of the last with LangChain's view. Empty where nothing was recorded."""
    if not attempts:
        return []
    rows = [Fact("On the wire", style="heading"), *map(_attempt, attempts)]
    if comparison is not None:
        rows += _differences(comparison)
    return rows


def _attempt(one: WireAttempt) -> Fact:
    answered = f"answered {one.status}" if one.status is not None else one.error or "not answered"
    took = f", {format.duration(one.duration_ms)}" if one.duration_ms is not None else ""
    size = f", {format.exact(one.size)} bytes" if one.size is not None else ""
    masked = f"; secrets removed at {', '.join(one.masked)}" if one.masked else ""
    value = f"{one.method} {one.host}{one.url_path}"
    failed = one.status is None or one.status >= 400
    return Fact(f"attempt {one.number}", value, f"{answered}{took}{size}{masked}", "wrong" if failed else "data")


def _differences(found: Comparison) -> Iterator[Fact]:
    def group(title: str, rows: Sequence[Fact]) -> Iterator[Fact]:
        if rows:
            yield Fact(title, style="heading")
            yield from rows

    sides = {side: [each for each in found.parameters if each.side == side] for side in _SIDES}
    yield from group("Only on the wire", [*map(_parameter, sides["wire only"]), *map(_piece, found.wire_only)])
    kept = list(map(_piece, found.langchain_only))
    unsent = [Fact(each.name, "not sent", f"on {format.count(each.messages, 'message')}") for each in found.unsent]
    yield from group("Only in LangChain's view", [*map(_parameter, sides["LangChain only"]), *kept, *unsent])
    yield from group("On both, not the same", [*map(_parameter, sides["differs"]), *map(_parameter, sides["renamed"])])
    changed = [Fact(each.kind, format.count(each.count, "message"), each.words) for each in found.conversions]
    yield from group("Put into the provider's form", changed)
    tools = [
        Fact(each.name, each.side, ", ".join((*each.wire_only, *each.langchain_only, *each.changed)))
        for each in found.tools
        if each.side != "same"
    ]
    yield from group("Tools that differ", tools)
    if len(found.markers_asked) != len(found.markers_sent):
        words = f"{len(found.markers_asked)} asked for, {len(found.markers_sent)} sent"
        yield from group("Cache markers", [Fact("markers", words, "not every marker reached the provider", "wrong")])


_SIDES = ("wire only", "LangChain only", "differs", "renamed")


def _parameter(each: Parameter) -> Fact:
    if each.side == "wire only":
        return Fact(each.name, _short(each.wire))
    if each.side == "LangChain only":
        return Fact(each.name, _short(each.langchain))
    note = f"LangChain: {each.langchain_name or each.name} = {_short(each.langchain)}"
    return Fact(each.name, _short(each.wire), note)


def _piece(piece: Piece) -> Fact:
    preview = beginning(piece.preview, len(piece.preview), goes_on=piece.chars > len(piece.preview))
    return Fact(piece.place, preview, f"{piece.kind}, {format.exact(piece.chars)} characters")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _LONG else f"{beginning(text, _LONG)}… ({format.exact(len(text))} characters)"
