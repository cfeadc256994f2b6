"""A message taken apart, in order and without loss: text, reasoning, media, calls, and what is left.

Works on LangChain's own dict (``{"type": …, "data": …}``), as stored. Nothing is dropped, merged or
guessed: an unknown block is shown as its JSON. Linear in the message: not for the GUI thread.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.masking import named
from inspector.format import count, exact
from inspector.models.media import Media, is_media, media


@dataclass(frozen=True, slots=True)
class Piece:
    """One entry in the list of a message's contents."""

    what: str
    """``text``, ``reasoning``, ``media``, ``call``, ``argument``, ``server call``, ``server result``, …"""
    label: str
    note: str = ""
    """In words: ``signature only, 5 bytes``, ``no text``, ``3 citations``."""
    text: str = ""
    """What the viewer shows."""
    chars: int | None = None
    media: Media | None = None
    depth: int = 0
    is_error: bool = False
    secret: bool = False
    """Its name says that all of the text is one."""


@dataclass(frozen=True, slots=True)
class Contents:
    """A message as the viewer shows it."""

    role: str
    name: str | None
    message_id: str | None
    tool_call_id: str | None
    status: str | None
    empty: str
    """Why there is no text, in words; empty where there is text."""
    form: str
    """``text``, or ``list of 3 blocks``: str and list content are not the same."""
    pieces: tuple[Piece, ...] = field(default=())


_SHOWN_FIELDS = {"content", "type", "name", "id", "tool_call_id", "status", "tool_calls", "invalid_tool_calls"}
_SERVER_CALLS = {
    "server_tool_use", "server_tool_call", "server_tool_call_chunk", "web_search_call", "file_search_call",
    "code_interpreter_call", "computer_call", "image_generation_call", "mcp_call", "mcp_tool_use",
    "mcp_list_tools", "mcp_approval_request", "local_shell_call", "custom_tool_call",
}  # fmt: skip
_CLIENT_CALLS = {"tool_use": "id", "function_call": "call_id", "tool_call": "id", "tool_call_chunk": "id"}


def contents(message: Mapping[str, Any]) -> Contents:
    """Take a message apart."""
    inner = message.get("data")
    data: Mapping[str, Any] = inner if isinstance(inner, Mapping) else message
    role = str(message.get("type") or data.get("type") or "unknown")
    content = data.get("content")
    calls = _Calls(data)
    pieces: list[Piece] = []
    if isinstance(content, str):
        if content:
            note = "spaces only" if not content.strip() else ""
            pieces.append(Piece("text", "Text", note, content, len(content)))
    elif isinstance(content, Sequence):
        servers = _server_names(content)
        for block in content:
            pieces += _block(block, calls, servers)
    elif content is not None:
        pieces.append(Piece("unknown", type(content).__name__, "neither text nor a list", readable(content)))
    pieces += calls.rest()
    artifact = data.get("artifact")
    if artifact is not None:
        pieces.append(_artifact(artifact))
    left = {key: value for key, value in data.items() if key not in _SHOWN_FIELDS and _says_something(value)}
    left.pop("artifact", None)
    if left:
        pieces.append(Piece("fields", "Other fields", ", ".join(left), readable(left)))
    return Contents(
        role, _text(data.get("name")), _text(data.get("id")), _text(data.get("tool_call_id")),
        _text(data.get("status")), _why_empty(content, calls), _form(content), tuple(pieces),
    )  # fmt: skip


def readable(value: Any) -> str:
    """JSON of any value, indented, letters as they are."""
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _block(block: Any, calls: _Calls, servers: Mapping[str, str]) -> list[Piece]:
    if isinstance(block, str):
        return [Piece("text", "Text", "a bare string" if block else "empty bare string", block, len(block))]
    if not isinstance(block, Mapping):
        return [Piece("unknown", type(block).__name__, "not a block", readable(block))]
    kind = str(block.get("type", ""))
    if kind in ("text", "output_text", "input_text") and isinstance(block.get("text"), str):
        text = block["text"]
        return [Piece("text", "Text", _extras(block, {"text"}, "" if text.strip() else _blank(text)), text, len(text))]
    if kind in ("thinking", "reasoning", "redacted_thinking", "reasoning_content"):
        return [_reasoning(block, kind)]
    if kind == "refusal":
        text = str(block.get("refusal") or "")
        return [Piece("refusal", "Refusal", _extras(block, {"refusal"}), text, len(text), is_error=True)]
    if kind in _CLIENT_CALLS:
        return calls.at_block(block, kind)
    if is_media(block):
        return [_media(block)]
    if kind in _SERVER_CALLS:
        name = block.get("name") or kind.removesuffix("_call").replace("_", " ")
        return [Piece("server call", f"Provider's tool: {name}", _text(block.get("id")) or "", readable(block))]
    if kind.endswith(("_tool_result", "_call_output", "server_tool_result")):
        answered = _text(block.get("tool_use_id") or block.get("tool_call_id") or block.get("call_id"))
        of = servers.get(answered or "")
        note = f"answers {of} {answered}" if of else f"answers {answered}, which is not in this message"
        return [Piece("server result", f"Provider's result: {kind}", note, readable(block))]
    return [Piece("unknown", kind or "block without a type", "unknown type" if kind else "", readable(block))]


def _reasoning(block: Mapping[str, Any], kind: str) -> Piece:
    inner = block.get("reasoning_content")
    source: Mapping[str, Any] = inner if isinstance(inner, Mapping) else block
    text = source.get("thinking") or source.get("reasoning") or source.get("text") or ""
    summary = source.get("summary")
    if not text and isinstance(summary, Sequence) and not isinstance(summary, str):
        texts = [item.get("text") for item in summary if isinstance(item, Mapping)]
        text = "\n\n".join(each for each in texts if isinstance(each, str))
    text = text if isinstance(text, str) else readable(text)
    extras = block.get("extras")
    signature = source.get("signature") or (extras.get("signature") if isinstance(extras, Mapping) else None)
    says = []
    if isinstance(signature, str):
        says.append(f"signature{'' if text else ' only'}, {_bytes(signature)}")
    if isinstance(source.get("encrypted_content"), str):
        says.append(f"encrypted, {_bytes(source['encrypted_content'])}")
    if kind == "redacted_thinking" or isinstance(source.get("redactedContent"), str):
        says.append(f"redacted, {_bytes(str(source.get('data') or source.get('redactedContent') or ''))}")
    if not says and not text:
        says.append("no text")
    return Piece("reasoning", "Reasoning", "; ".join(says), text or readable(block), len(text))


def _media(block: Mapping[str, Any]) -> Piece:
    found = media(block)
    size = f"{exact(found.size)} bytes" if found.size is not None else None
    note = " · ".join(part for part in (found.mime, size, found.problem) if part)
    lines = [
        ("kind", found.kind), ("MIME type", found.mime or "not said"), ("size", size or "not known"),
        ("SHA-256", found.digest or "not known"), ("name", found.name), ("stored as", found.stored),
        ("problem", found.problem),
    ]  # fmt: skip
    text = "\n".join(f"{label:<10} {value}" for label, value in lines if value)
    return Piece("media", found.kind.capitalize(), note, text, found.size, found, is_error=_bad(found))


def _bad(found: Media) -> bool:
    return found.problem is not None and "base64" in found.problem


class _Calls:
    """The tool calls of one message, each told once, wherever it stands."""

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._valid = _mappings(data.get("tool_calls"))
        self._invalid = _mappings(data.get("invalid_tool_calls"))
        self._told: set[int] = set()

    def __len__(self) -> int:
        return len(self._valid) + len(self._invalid)

    def at_block(self, block: Mapping[str, Any], kind: str) -> list[Piece]:
        """The call that a content block stands for; one that is in ``tool_calls`` too is one call."""
        given = block.get("input", block.get("arguments", block.get("args")))
        for call in (*self._valid, *self._invalid):
            same_id = call.get("id") == block.get(_CLIENT_CALLS[kind]) or call.get("id") == block.get("id")
            if id(call) not in self._told and same_id and call.get("name") == block.get("name"):
                self._told.add(id(call))
                pieces = self._pieces(call)
                if not _same_arguments(given, call.get("args")):
                    text = given if isinstance(given, str) else readable(given)
                    says = "the content block holds other arguments than the call"
                    pieces.append(Piece("argument", f"in the {kind} block", says, text, len(text), depth=1))
                return pieces
        text = given if isinstance(given, str) else readable(given)
        name = _text(block.get("name")) or "no name"
        return [Piece("call", f"Call {name}", f"only in a {kind} block", readable(block), len(text))]

    def rest(self) -> list[Piece]:
        """Calls that no content block stands for."""
        return [
            piece
            for call in (*self._valid, *self._invalid)
            if id(call) not in self._told
            for piece in self._pieces(call)
        ]

    def _pieces(self, call: Mapping[str, Any]) -> list[Piece]:
        name, args = _text(call.get("name")) or "no name", call.get("args")
        where = _text(call.get("id")) or "no id"
        if any(call is invalid for invalid in self._invalid):
            error = _text(call.get("error")) or "no reason given"
            text = args if isinstance(args, str) else "no arguments" if args is None else readable(args)
            note = f"invalid: {error} · {where}"
            return [Piece("call", f"Call {name}", note, text, len(args or ""), is_error=True)]
        whole = readable(args)
        pieces = [Piece("call", f"Call {name}", where, whole, len(whole))]
        if isinstance(args, Mapping):
            for key, value in args.items():
                text = value if isinstance(value, str) else readable(value)
                note = "" if isinstance(value, str) else _json_type(value)
                secret = named(str(key), value)
                pieces.append(Piece("argument", str(key), note, text, len(text), depth=1, secret=secret))
        return pieces


def _artifact(artifact: Any) -> Piece:
    stand_in = artifact.get("__unserializable__") if isinstance(artifact, Mapping) else None
    if isinstance(stand_in, str):
        return Piece("artifact", "Artifact", f"a {stand_in}, which can't be shown", readable(artifact))
    return Piece("artifact", "Artifact", "kept for the program, not sent to the model", readable(artifact))


def _why_empty(content: Any, calls: _Calls) -> str:
    text = content if isinstance(content, str) else None
    if text is not None and text.strip():
        return ""
    if text:
        return "spaces only"
    if isinstance(content, Sequence) and not isinstance(content, str) and content:
        if any(_has_text(block) for block in content):
            return ""
        if all(isinstance(block, Mapping) and block.get("type") in _CLIENT_CALLS for block in content):
            return "tool call only"
        kinds = [str(b.get("type") or "block without a type") if isinstance(b, Mapping) else "text" for b in content]
        return "no text: " + ", ".join(dict.fromkeys(kinds))
    if len(calls):
        return "tool call only"
    if content is None:
        return "no content"
    return "empty string" if isinstance(content, str) else "empty list"


def _form(content: Any) -> str:
    if isinstance(content, str):
        return "text"
    if isinstance(content, Sequence):
        return f"list of {count(len(content), 'block')}"
    return "no content" if content is None else type(content).__name__


def _has_text(block: Any) -> bool:
    text = block if isinstance(block, str) else block.get("text") if isinstance(block, Mapping) else None
    return isinstance(text, str) and bool(text.strip())


def _server_names(blocks: Sequence[Any]) -> dict[str, str]:
    return {
        str(block["id"]): str(block.get("name") or block.get("type"))
        for block in blocks
        if isinstance(block, Mapping) and block.get("type") in _SERVER_CALLS and block.get("id")
    }


def _extras(block: Mapping[str, Any], known: set[str], first: str = "") -> str:
    says = [first] if first else []
    for key, value in block.items():
        if key in known | {"type"} or not _says_something(value):
            continue
        if key in ("citations", "annotations") and isinstance(value, Sequence):
            says.append(count(len(value), key[:-1]))
        elif key == "cache_control":
            says.append("cache marker")
        else:
            says.append(f"with {key}")
    return " · ".join(says)


def _same_arguments(given: Any, args: Any) -> bool:
    if isinstance(given, str) and not isinstance(args, str):
        try:
            given = json.loads(given) if given else {}
        except ValueError:
            return False
    if given is None:
        return True
    return bool(given == args) or readable(given) == readable(args)  # NaN is not equal to itself


def _says_something(value: Any) -> bool:
    return value is not None and value is not False and value not in ("", [], {})


def _json_type(value: Any) -> str:
    names = {bool: "true or false", int: "number", float: "number", list: "list", dict: "object"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _blank(text: str) -> str:
    return "spaces only" if text else "empty string"


def _bytes(text: str) -> str:
    return count(len(text.encode("utf-8", "surrogatepass")), "byte")


def _mappings(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
