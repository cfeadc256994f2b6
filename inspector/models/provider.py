"""The Provider area as rows: model, parameters, cache markers, usage, timing. Values in words, never guessed.

"Not reported" is not zero; fresh input is what is left of the input after cache reads and creations, and
where that would be negative the counts are said to be inconsistent.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from engine.masking import NAMED, beginning, mask, mask_of, named
from engine.trace.model import RequestDetail
from inspector import format

NOT_REPORTED = "not reported"
_LONG = 2_000


@dataclass(frozen=True, slots=True)
class Fact:
    """One line: a name and a value, or a heading."""

    name: str
    value: str = ""
    note: str = ""
    """Where the value comes from, or why there is none."""
    style: Literal["heading", "data", "number", "missing", "wrong"] = "data"
    whole: str = ""
    """The value in full where ``value`` is shortened."""
    true: str = ""
    """The value with its secrets, where some are masked in the others."""


def facts(detail: RequestDetail) -> list[Fact]:
    """All rows of a request. Linear in its parameters: for a job."""
    return [*_model(detail), *_parameters(detail), *_markers(detail), *_usage(detail), *_timing(detail)]


def masked_facts(rows: Iterable[Fact]) -> list[Fact]:
    """The same rows without likely secrets, those that only a row's name tells of among them. For a job."""
    return [_masked(row) for row in rows]


def _masked(row: Fact) -> Fact:
    true = row.whole or row.value
    if row.style == "data" and named(row.name, true):
        return replace(row, value=mask_of(NAMED), whole="", true=true)
    whole = mask(true)
    value, note = beginning(row.value, len(row.value)), beginning(row.note, len(row.note))
    if not whole.secrets and value == row.value and note == row.note:
        return row
    return replace(row, value=value, note=note, whole=whole.text, true=true)


def provider_json(detail: RequestDetail) -> str:
    """The provider area as JSON."""
    return json.dumps(dict(detail.provider), ensure_ascii=False, indent=2, default=str)


def _model(detail: RequestDetail) -> Iterator[Fact]:
    provider = detail.provider
    if "provider" in detail.not_recorded:
        yield Fact("parameters", "not recorded", detail.not_recorded["provider"], "missing")
    yield Fact("Model", style="heading")
    yield _value("model", provider.get("model") or detail.row.model, "not known")
    yield _value("provider", provider.get("provider"), "not known")
    yield _value("class", provider.get("class"), "not known")
    window = detail.row.window
    yield (
        Fact("window", format.exact(window), "tokens the model can take in", "number")
        if window
        else Fact("window", "not known", "the model's profile does not say", "missing")
    )
    if detail.row.trigger:
        yield Fact("summary at", format.exact(detail.row.trigger), "tokens, where summarization starts", "number")


def _parameters(detail: RequestDetail) -> Iterator[Fact]:
    provider = detail.provider
    groups = (
        ("params", "Parameters"), ("kwargs", "Arguments of the call"), ("model_settings", "Set by middlewares"),
        ("profile", "Profile of the model"),
    )  # fmt: skip
    for key, title in groups:
        values = provider.get(key)
        if not isinstance(values, Mapping) or not values:
            continue
        yield Fact(title, style="heading")
        for name, value in values.items():
            yield _value(str(name), value, "null", null=True)
    stop = provider.get("stop")
    if stop:
        yield Fact("Stop words", style="heading")
        yield _value("stop", stop, "none")
    known = {"model", "provider", "class", "stop", "cache_markers", "wire", *(key for key, _title in groups)}
    rest = {name: value for name, value in provider.items() if name not in known}
    if rest:
        yield Fact("Other", style="heading")
        for name, value in rest.items():
            yield _value(str(name), value, "null", null=True)


def _markers(detail: RequestDetail) -> Iterator[Fact]:
    markers = detail.provider.get("cache_markers")
    yield Fact("Cache markers", style="heading")
    if markers is None:
        yield Fact("markers", "not known", style="missing")
    elif not markers:
        yield Fact("markers", "none", "nothing asked the provider to cache", "missing")
    for marker in markers or ():
        given = marker.get("marker")
        kind = given.get("type") if isinstance(given, Mapping) else None
        ttl = given.get("ttl") if isinstance(given, Mapping) else None
        note = " · ".join(str(part) for part in (kind, ttl) if part) or _short(given)[0]
        yield Fact(_place(marker, detail), note, whole=_json(given))


def _place(marker: Mapping[str, Any], detail: RequestDetail) -> str:
    area, index = marker.get("area"), marker.get("index")
    if area == "system":
        who = next((block.contributor for block in detail.system if block.index == index), "")
        return f"system block {index}" + (f" ({who})" if who else "")
    if area == "tools":
        name = next((tool.name for tool in detail.tools if tool.index == index), "")
        return f"tool {index}" + (f" ({name})" if name else "")
    if area == "messages":
        return f"message {index}, block {marker.get('block', 0)}"
    if area == "provider":
        return f"whole request ({marker.get('in', 'parameters')})"
    return f"{area} {index}"


def _usage(detail: RequestDetail) -> Iterator[Fact]:
    usage = detail.usage
    yield Fact("Usage", style="heading")
    estimate = detail.row.estimated_tokens
    yield Fact("estimated input", format.tokens(estimate), "4 characters a token, all four areas", "number",
               format.exact_tokens(estimate))  # fmt: skip
    if usage is None:
        why = "the response carries no usage" if detail.response else "there is no response"
        yield Fact("reported", NOT_REPORTED, f"{why}; this is not zero", "missing")
        return
    given = usage.get("input_tokens")
    details = usage.get("input_token_details")
    inner: Mapping[str, Any] = details if isinstance(details, Mapping) else {}
    yield _number("input", given, "all input, cache included")
    yield _number("output", usage.get("output_tokens"))
    yield _number("total", usage.get("total_tokens"), _total_note(usage))
    yield _number("cache read", inner.get("cache_read"))
    creation, parts = creation_tokens(inner)
    yield _number("cache creation", creation, " + ".join(parts))
    yield fresh_input(given, inner.get("cache_read"), creation)
    shown = {"cache_read", "cache_creation"}
    for name, value in inner.items():
        if name not in shown:
            yield _number(f"input: {name}", value)
    out = usage.get("output_token_details")
    for name, value in (out if isinstance(out, Mapping) else {}).items():
        yield _number(f"output: {name}", value)


def creation_tokens(details: Mapping[str, Any]) -> tuple[int | None, list[str]]:
    """Tokens written to the cache, and the parts they were reported in where the total is zero or missing."""
    total = details.get("cache_creation")
    parts = {
        name: value for name, value in details.items()
        if name.startswith("ephemeral_") and isinstance(value, int) and not isinstance(value, bool)
    }  # fmt: skip
    if parts and not total:
        return sum(parts.values()), list(parts)
    return (total if isinstance(total, int) else None), []


def fresh_input(given: Any, read: int | None, creation: int | None) -> Fact:
    """Input that neither came from the cache nor was written to it."""
    name = "fresh input"
    if not isinstance(given, int):
        return Fact(name, NOT_REPORTED, style="missing")
    cached = (read or 0) + (creation or 0)
    if cached > given:
        says = f"{format.exact(cached)} from and to the cache is more than the {format.exact(given)} reported as input"
        return Fact(name, "inconsistent", says, "wrong")
    note = "input − cache read − cache creation"
    if read is None and creation is None:
        note = "no cache counts were reported"
    return Fact(name, format.exact(given - cached), note, "number")


def _total_note(usage: Mapping[str, Any]) -> str:
    total, given, out = (usage.get(key) for key in ("total_tokens", "input_tokens", "output_tokens"))
    numbers = [each for each in (total, given, out) if isinstance(each, int)]
    if len(numbers) == 3 and total != given + out:  # type: ignore[operator]
        return "is not input + output"
    return ""


def _timing(detail: RequestDetail) -> Iterator[Fact]:
    row = detail.row
    yield Fact("Timing", style="heading")
    yield Fact("started", format.absolute(row.started_at), "local time")
    yield Fact("duration", format.duration(row.duration_ms), "" if row.duration_ms is not None else "not known",
               "number" if row.duration_ms is not None else "missing")  # fmt: skip
    yield Fact("status", row.status, style="wrong" if row.status == "failed" else "data")
    if row.error:
        yield Fact("error", *_short(row.error)[:1], "", "wrong", row.error)


def _number(name: str, value: Any, note: str = "") -> Fact:
    if value is None:
        return Fact(name, NOT_REPORTED, style="missing")
    if isinstance(value, int) and not isinstance(value, bool):
        wrong = note.startswith("is not")
        return Fact(name, format.exact(value), note, "wrong" if wrong else "number")
    return _value(name, value, NOT_REPORTED)


def _value(name: str, value: Any, missing: str, *, null: bool = False) -> Fact:
    if value is None and not null:
        return Fact(name, missing, style="missing")
    short, whole = _short(value)
    return Fact(name, short, style="data", whole=whole)


def _short(value: Any) -> tuple[str, str]:
    whole = value if isinstance(value, str) else _json(value)
    line = " ".join(whole.split())
    if isinstance(value, (Mapping, Sequence)) and not isinstance(value, str):
        line = json.dumps(value, ensure_ascii=False, default=str)
    return (line if len(line) <= _LONG else beginning(line, _LONG) + "…"), whole


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)
