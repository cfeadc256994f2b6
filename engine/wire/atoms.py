"""What is said in a request, as a flat row of pieces that two spellings of it have in common.

A text is its text, a call its id, name and arguments, a picture its bytes, whoever wrote it
down: so LangChain's messages and a provider's body can be held against one another without
knowing how an integration converts them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.wire.body import MARKS

Api = Literal["openai chat", "openai responses", "anthropic messages", "other"]

_PREVIEW = 200
_CALLS = {"tool_use", "tool_call", "function_call", "custom_tool_call", "invalid_tool_call", "input_json_delta"}
_TEXTS = {"text", "input_text", "output_text"}
_THINKING = {"thinking", "redacted_thinking", "reasoning"}
_PAYLOADS = ("base64", "data", "file_data", "url", "image_url", "file_url", "source", "file", "input_audio", "file_id")
_UNTOLD = {"index", *MARKS}
"""Keys of a block that are not what it says."""


@dataclass(frozen=True, slots=True)
class Atom:
    """One piece of what is said."""

    key: tuple[str, ...]
    """Equal for the same piece on both sides."""
    place: str
    index: int
    """Of the message or item that it stands in; −1 for a system message or what takes its place."""
    role: str
    """The message's type in LangChain, the role or the item's type on the wire."""
    text: str
    """What a reader would recognize it by."""

    @property
    def kind(self) -> str:
        return self.key[0]

    @property
    def preview(self) -> str:
        """Its beginning."""
        return self.text[:_PREVIEW]


def api_of(path: str, body: Any) -> Api:
    """Which API a body is for."""
    if not isinstance(body, dict):
        return "other"
    if path.endswith("/messages"):
        return "anthropic messages"
    if path.endswith("/responses") or isinstance(body.get("input"), list):
        return "openai responses"
    return "openai chat" if isinstance(body.get("messages"), list) else "other"


def langchain_atoms(system: dict[str, Any] | None, messages: Sequence[dict[str, Any]]) -> Iterator[Atom]:
    """Pieces of LangChain's messages (its own dicts), the system message first."""
    if system is not None:
        yield from _content(system["data"].get("content"), "system", -1, "system")
    for index, message in enumerate(messages):
        data, place, role = message.get("data") or {}, f"messages[{index}]", str(message.get("type"))
        role = "ai" if role == "AIMessageChunk" else role
        call_id = data.get("tool_call_id")
        if call_id:
            yield Atom(("tool result", str(call_id)), f"{place}.tool_call_id", index, role, str(call_id))
        calls = list(data.get("tool_calls") or ())
        broken = list(data.get("invalid_tool_calls") or ())
        known = {call.get("id") for call in (*calls, *broken)}
        yield from _content(data.get("content"), f"{place}.content", index, role, known)
        for at, call in enumerate(calls):
            yield _call(call.get("id"), call.get("name"), call.get("args"), f"{place}.tool_calls[{at}]", index, role)
        for at, call in enumerate(broken):
            where = f"{place}.invalid_tool_calls[{at}]"
            yield _call(call.get("id"), call.get("name"), call.get("args"), where, index, role)


def wire_atoms(api: Api, body: dict[str, Any]) -> Iterator[Atom]:
    """Pieces of a provider's body, what stands for the system message first."""
    for name in ("system", "instructions"):
        yield from _content(body.get(name), name, -1, name)
    name = "input" if api == "openai responses" else "messages"
    items = body.get(name)
    if isinstance(items, str):
        yield from _content(items, name, 0, "user")
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, dict):
            continue
        place, role = f"{name}[{index}]", str(item.get("role") or item.get("type"))
        kind, call_id = item.get("type"), item.get("tool_call_id") or item.get("call_id")
        if kind in _CALLS:
            arguments = item.get("arguments", item.get("input"))
            yield _call(call_id, item.get("name"), arguments, place, index, role)
        elif call_id:
            yield Atom(("tool result", str(call_id)), place, index, role, str(call_id))
            yield from _content(item.get("output", item.get("content")), f"{place}.content", index, role)
        elif kind not in {None, "message"}:
            yield from _block(item, place, index, role)
        else:
            yield from _content(item.get("content"), f"{place}.content", index, role)
            yield from _content(item.get("refusal"), f"{place}.refusal", index, role)
            for at, call in enumerate(item.get("tool_calls") or ()):
                said = call.get("function") or call.get("custom") or {}
                arguments = said.get("arguments", said.get("input"))
                yield _call(call.get("id"), said.get("name"), arguments, f"{place}.tool_calls[{at}]", index, role)


def _content(
    content: Any, place: str, index: int, role: str, calls: set[Any] | frozenset[Any] = frozenset()
) -> Iterator[Atom]:
    """Pieces of a content, a string or a list; blocks of calls that were told already are left out."""
    if isinstance(content, str):
        yield from _text(content, place, index, role)
    for at, block in enumerate(content if isinstance(content, list) else ()):
        where = f"{place}[{at}]"
        if isinstance(block, str):
            yield from _text(block, where, index, role)
        elif isinstance(block, dict) and not (
            block.get("type") in _CALLS and (block.get("call_id") or block.get("id")) in calls
        ):
            yield from _block(block, where, index, role)


def _block(block: dict[str, Any], place: str, index: int, role: str) -> Iterator[Atom]:
    kind = str(block.get("type") or "block")
    if kind in _TEXTS or kind == "refusal":
        yield from _text(block.get("text") or block.get("refusal") or "", place, index, role)
    elif kind in _CALLS:
        arguments = block.get("input", block.get("arguments", block.get("args")))
        yield _call(block.get("call_id") or block.get("id"), block.get("name"), arguments, place, index, role)
    elif kind == "tool_result":
        call_id = str(block.get("tool_use_id"))
        yield Atom(("tool result", call_id), place, index, role, call_id)
        yield from _content(block.get("content"), f"{place}.content", index, role)
    elif kind in _THINKING:
        sealed = block.get("signature") or block.get("data") or block.get("encrypted_content")
        said = block.get("thinking") or block.get("reasoning") or _canonical(block.get("summary") or "")
        yield Atom(
            ("thinking", str(sealed or block.get("id") or said)), place, index, role, said if said != '""' else ""
        )
    elif payload := _payload(block):
        shown = payload if payload.startswith(("http", "file-")) else f"{kind}, {len(payload):,} characters of base64"
        yield Atom(("media", hashlib.sha256(payload.encode()).hexdigest()), place, index, role, shown)
    else:
        said = _canonical({name: value for name, value in block.items() if name not in _UNTOLD})
        yield Atom((kind, said), place, index, role, said)


def _text(text: Any, place: str, index: int, role: str) -> Iterator[Atom]:
    if isinstance(text, str) and text:
        yield Atom(("text", text), place, index, role, text)


def _call(id: Any, name: Any, arguments: Any, place: str, index: int, role: str) -> Atom:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except ValueError:
            pass
    said = _canonical(arguments)
    return Atom(("tool call", str(id), str(name), said), place, index, role, f"{name}({said})")


def _payload(value: Any) -> str:
    """The bytes or the address that a media block carries, without the spelling around it."""
    if isinstance(value, str):
        return value.partition("base64,")[2] if value.startswith("data:") else value
    if isinstance(value, dict):
        for name in _PAYLOADS:
            found = _payload(value.get(name))
            if found:
                return found
    return ""


def _canonical(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
