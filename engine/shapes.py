"""The JSON shapes of the terminal commands: stable, and documented in the README."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine import tables
from engine.masking import Masker, beginning
from engine.trace.model import Artifact, Event, RequestDetail, RequestRow, ThreadRow

if TYPE_CHECKING:
    from engine.sources import Source


def thread(row: ThreadRow) -> dict[str, Any]:
    """``thread_id, title, agent, requests, created_at, updated_at, source, status, problem``."""
    return asdict(row)


def request(row: RequestRow) -> dict[str, Any]:
    """One request in the list; token counts are the reported ones, else the estimate (``tokens`` says which)."""
    return {
        "id": row.id,
        "number": row.number,
        "purpose": row.purpose,
        "agent": row.agent,
        "parent": row.parent,
        "parent_call": row.parent_call,
        "step": row.step,
        "checkpoint_id": row.checkpoint_id,
        "status": row.status,
        "model": row.model,
        "input_tokens": row.input_tokens,
        "output_tokens": row.usage.output_tokens,
        "tokens": row.tokens,
        "estimated_tokens": row.estimated_tokens,
        "messages": row.messages,
        "raw_messages": row.raw_messages,
        "chars": row.chars,
        "started_at": row.started_at,
        "duration_ms": row.duration_ms,
        "error": row.error,
        "events": list(row.events),
        "branch": row.branch,
        "follows": row.follows,
        "problem": row.problem,
    }


def event(row: Event) -> dict[str, Any]:
    """``id, request, number, kind, at, data``."""
    return {
        "id": row.id,
        "request": row.request,
        "number": row.request_number,
        "kind": row.kind,
        "at": row.at,
        "data": dict(row.data),
    }


def artifact(row: Artifact) -> dict[str, Any]:
    """``path, size, place, lifetime, kind, request, tool_call_id, modified_at, problem``."""
    return asdict(row)


def detail(reader: Source, request_id: int) -> dict[str, Any]:
    """A request whole: the four areas as the model received them, raw with fates, response, usage, events."""
    found = reader.request(request_id)
    return {
        "request": request(found.row),
        "exact": found.exact,
        "not_recorded": dict(found.not_recorded),
        "system": [{"content": reader.value(block.part), "contributor": block.contributor} for block in found.system],
        "system_message": reader.system_message(request_id),
        "messages": [reader.message(row.part) for row in found.messages],
        "tools": [reader.value(row.part) for row in found.tools],
        "tool_contributors": {row.name: row.contributor for row in found.tools},
        "provider": provider(found),
        "raw": [{**reader.message(row.part), "fate": row.fate, "reason": row.reason} for row in found.raw],
        "cutoff": found.cutoff,
        "response": reader.message(found.response) if found.response else None,
        "usage": found.usage,
        "events": [event(row) for row in found.events],
    }


def provider(found: RequestDetail) -> dict[str, Any]:
    """The Provider area, with the bodies that were sent."""
    wire = found.provider.get("wire")
    return {**found.provider, "wire": dict(wire) if isinstance(wire, Mapping) else wire}


def readable(reader: Source, request_id: int, masked: bool = True) -> str:
    """A request for the eye: each area's rows with their first lines, likely secrets masked unless told otherwise."""
    hide = Masker(masked)

    def visible(text: str) -> str:
        return tables.visible(hide.text(text))

    found = reader.request(request_id)
    row = found.row
    lines = [
        f"Request {row.number} of thread {visible(row.thread_id)}: {row.purpose}"
        + (f" {visible(row.agent)}" if row.agent else ""),
        f"{row.status}, {row.input_tokens if row.input_tokens is not None else '–'} input tokens ({row.tokens}), "
        f"{row.usage.output_tokens if row.usage.output_tokens is not None else '–'} output tokens",
    ]
    lines += [visible(words) for words in (row.error, row.problem) if words]
    missing = {area: f"  not recorded: {words}" for area, words in found.not_recorded.items()}
    lines.append("\nSystem")
    lines += [missing["system"]] if "system" in missing else []
    for block in found.system:
        text = reader.text(block.part)
        first = " ".join((beginning(text, 200) if masked else text[:200]).split())[:90]
        lines.append(f"  {block.contributor:<28} ~{block.tokens:>7} tokens  {tables.visible(first)}")
    lines.append("\nMessages")
    lines += [missing["messages"].replace("not recorded: ", "", 1)] if "messages" in missing else []
    heads = reader.heads([message.part for message in found.messages])
    for message in found.messages:
        head = heads[message.part]
        calls = ", ".join(f"{call.name}(…)" for call in head.tool_calls)
        line = beginning(head.first_line, len(head.first_line), True) if masked else head.first_line
        what = line or (f"({head.note})" if head.note else "")
        fate = f"[{message.fate}] " if message.fate not in {None, "sent"} else ""
        lines.append(
            f"  {message.index:>4} {message.kind:<8} ~{message.tokens:>7} tokens  {fate}{tables.visible(what)[:90]}"
            + (f"  → {visible(calls)}" if calls else "")
        )
    lines.append("\nTools")
    lines += [missing["tools"]] if "tools" in missing else []
    lines += [f"  {tool.name:<28} ~{tool.tokens:>7} tokens  {tool.contributor}" for tool in found.tools]
    lines.append("\nProvider")
    lines += [missing["provider"]] if "provider" in missing else []
    provider = hide.value(dict(found.provider))
    lines += [f"  {name}: {tables.visible(str(value))[:160]}" for name, value in provider.items()]
    return "\n".join(lines)


def finite(value: Any) -> Any:
    """The same value with NaN and infinities, which JSON has no word for, as null."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return value
