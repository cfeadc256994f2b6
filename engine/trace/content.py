"""What a message says, read from LangChain's own dict: its text, a row's head, its calls."""

from __future__ import annotations

import json
from typing import Any

from engine.stubs import history_path, offload_path
from engine.trace.model import FIRST_LINE, MessageHead, ToolCall


def text_of(content: Any) -> str:
    """Readable text of a content: a string, or the texts of its blocks, each on lines of its own."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return "" if content is None else json.dumps(content, ensure_ascii=False)
    return "\n".join(text for text in map(_block_text, content) if text)


def _block_text(block: Any) -> str:
    if isinstance(block, str):
        return block
    if not isinstance(block, dict):
        return json.dumps(block, ensure_ascii=False)
    for name in ("text", "thinking", "reasoning", "refusal"):
        if isinstance(block.get(name), str):
            return str(block[name])
    return ""


def note_of(content: Any, has_calls: bool) -> str:
    """Why a content shows no text, in words; empty when it does."""
    if text_of(content).strip():
        return ""
    if content == "" or content is None:
        words = "empty string" if content == "" else "no content"
        return "tool call only" if has_calls else words
    if isinstance(content, str):
        return "spaces only"
    if content == []:
        return "tool call only" if has_calls else "empty list"
    kinds = [str(block.get("type", "block")) for block in content if isinstance(block, dict)]
    if any(kind not in {"text", "block"} for kind in kinds):
        return ", ".join(dict.fromkeys(kind for kind in kinds if kind != "text"))
    return "tool call only" if has_calls else "spaces only" if text_of(content) else "empty text"


def head_of(part: int, message: dict[str, Any]) -> MessageHead:
    """What a row shows of a message."""
    data = message.get("data") or {}
    content = data.get("content")
    calls = calls_of(data)
    text = text_of(content)
    first = next((line.strip() for line in text[: 20 * FIRST_LINE].splitlines() if line.strip()), "")
    kwargs = data.get("additional_kwargs")
    return MessageHead(
        part=part,
        role=str(message.get("type", "")),
        name=data.get("name"),
        message_id=data.get("id"),
        first_line=first[:FIRST_LINE],
        note=note_of(content, bool(calls)),
        tool_calls=calls,
        tool_call_id=data.get("tool_call_id"),
        status=data.get("status"),
        artifact=artifact_of(text, kwargs if isinstance(kwargs, dict) else {}),
        blocks=tuple(
            str(block.get("type", "")) if isinstance(block, dict) else type(block).__name__ for block in content
        )
        if isinstance(content, list)
        else (),
    )


def calls_of(data: dict[str, Any]) -> tuple[ToolCall, ...]:
    """Valid and invalid tool calls of an AI message, in order."""
    valid = [
        ToolCall(call.get("id"), call.get("name"), json.dumps(call.get("args"), ensure_ascii=False))
        for call in data.get("tool_calls") or ()
    ]
    invalid = [
        ToolCall(call.get("id"), call.get("name"), call.get("args") or "", call.get("error") or "could not be parsed")
        for call in data.get("invalid_tool_calls") or ()
    ]
    return tuple(valid + invalid)


def artifact_of(text: str, kwargs: dict[str, Any]) -> str | None:
    """Path of the file that holds the whole of an offloaded text or a summarized history."""
    evicted = kwargs.get("lc_evicted_to")
    if isinstance(evicted, str):
        return evicted
    return history_path(text) if kwargs.get("lc_source") == "summarization" else offload_path(text)
