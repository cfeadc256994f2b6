"""The JSON shapes of the terminal commands: stable, and documented in the README."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from engine.tables import visible
from engine.trace.model import Artifact, Event, RequestRow, ThreadRow

if TYPE_CHECKING:
    from engine.trace import Reader


def thread(row: ThreadRow) -> dict[str, Any]:
    """``thread_id, title, agent, requests, created_at, updated_at, source, status``."""
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


def detail(reader: Reader, request_id: int) -> dict[str, Any]:
    """A request whole: the four areas as the model received them, raw with fates, response, usage, events."""
    found = reader.request(request_id)
    return {
        "request": request(found.row),
        "exact": found.exact,
        "system": [{"content": reader.value(block.part), "contributor": block.contributor} for block in found.system],
        "system_message": reader.system_message(request_id),
        "messages": [reader.message(row.part) for row in found.messages],
        "tools": [reader.value(row.part) for row in found.tools],
        "tool_contributors": {row.name: row.contributor for row in found.tools},
        "provider": dict(found.provider),
        "raw": [{**reader.message(row.part), "fate": row.fate, "reason": row.reason} for row in found.raw],
        "cutoff": found.cutoff,
        "response": reader.message(found.response) if found.response else None,
        "usage": found.usage,
        "events": [event(row) for row in found.events],
    }


def readable(reader: Reader, request_id: int) -> str:
    """A request for the eye: each area's rows with their first lines."""
    found = reader.request(request_id)
    row = found.row
    lines = [
        f"Request {row.number} of thread {visible(row.thread_id)}: {row.purpose}"
        + (f" {visible(row.agent)}" if row.agent else ""),
        f"{row.status}, {row.input_tokens if row.input_tokens is not None else '–'} input tokens ({row.tokens}), "
        f"{row.usage.output_tokens if row.usage.output_tokens is not None else '–'} output tokens",
    ]
    if row.error:
        lines.append(visible(row.error))
    lines.append("\nSystem")
    for block in found.system:
        first = " ".join(reader.text(block.part)[:200].split())[:90]
        lines.append(f"  {block.contributor:<28} ~{block.tokens:>7} tokens  {visible(first)}")
    lines.append("\nMessages")
    heads = reader.heads([message.part for message in found.messages])
    for message in found.messages:
        head = heads[message.part]
        calls = ", ".join(f"{call.name}(…)" for call in head.tool_calls)
        what = head.first_line or (f"({head.note})" if head.note else "")
        fate = f"[{message.fate}] " if message.fate not in {None, "sent"} else ""
        lines.append(
            f"  {message.index:>4} {message.kind:<8} ~{message.tokens:>7} tokens  {fate}{visible(what)[:90]}"
            + (f"  → {visible(calls)}" if calls else "")
        )
    lines.append("\nTools")
    lines += [f"  {tool.name:<28} ~{tool.tokens:>7} tokens  {tool.contributor}" for tool in found.tools]
    lines.append("\nProvider")
    lines += [f"  {name}: {visible(str(value))[:160]}" for name, value in found.provider.items()]
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
