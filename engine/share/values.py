"""Values of a record as what a page says of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.trace.content import calls_of
from engine.trace.model import RequestDetail

_LONG = 400
"""Characters of a string without a space that are shown: a payload, not text."""


def text_of_part(value: Any) -> str:
    """The text of a system block, else the JSON of a part: what ``Reader.text`` gives of them."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"])
    return json_of(value)


def more_of(data: Mapping[str, Any]) -> str:
    """Tool calls and content that is no text, as JSON; payloads by their length."""
    said: dict[str, Any] = {}
    calls = calls_of(dict(data))
    if calls:
        said["tool_calls"] = [
            {"name": call.name, "id": call.id, "args": _loads(call.args)}
            | ({"error": call.error} if call.error else {})
            for call in calls
        ]
    content = data.get("content")
    others = [
        block
        for block in (content if isinstance(content, list) else ())
        if isinstance(block, dict) and not (block.get("type") == "text" and set(block) <= {"type", "text"})
    ]
    if others:
        said["blocks"] = others
    return json_of(_short(said)) if said else ""


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONG and not any(char.isspace() for char in value[:_LONG]):
        return f"{value[:60]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _short(item) for key, item in value.items()}
    return [_short(item) for item in value] if isinstance(value, list) else value


def plain(value: Any) -> Any:
    """The value with plain dicts and lists for whatever mappings and sequences it has."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def json_of(value: Any) -> str:
    """The value as JSON to be read; what JSON has no form for as its text."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def part_facts(part: Any) -> tuple[str, ...]:
    """What a row of a list says beside its title: size, and where it comes from or what became of it."""
    facts = [f"{part.chars:,} characters", f"~{part.tokens:,} tokens"]
    origin, fate = getattr(part, "origin", "raw"), getattr(part, "fate", None)
    if origin == "summary":
        facts.append("summary: no such message is in the state")
    elif origin == "inserted":
        facts.append("inserted: no such message is in the state")
    elif fate not in {None, "sent"}:
        facts.append(str(fate))
    contributor = getattr(part, "contributor", "")
    if contributor and hasattr(part, "name"):
        facts.append(f"from {contributor}")
    return tuple(facts)


def request_facts(detail: RequestDetail) -> tuple[tuple[str, str], ...]:
    """What the head of a request says: names and values."""
    row = detail.row
    tokens = f"{row.input_tokens:,} ({row.tokens})" if row.input_tokens is not None else "not known"
    output = f"{row.usage.output_tokens:,}" if row.usage.output_tokens is not None else "not reported"
    facts = [
        ("purpose", row.purpose), ("agent", row.agent or "main"), ("model", row.model or "not known"),
        ("status", row.status), ("input tokens", tokens), ("output tokens", output),
        ("duration", f"{row.duration_ms:,.0f} ms" if row.duration_ms is not None else "not known"),
        ("messages", f"{row.messages:,}"),
    ]  # fmt: skip
    if not detail.exact:
        facts.append(("exactness", "the messages are a callback's, which LangChain may have rewritten"))
    return tuple(facts)
