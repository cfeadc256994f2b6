"""Parts of a request as bytes: canonical JSON, a digest, and their sizes.

Nothing is normalized: ``content_blocks`` is never read, since it invents ids.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage

from engine.canonical import digest, stand_in, to_json

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_CHARS_A_TOKEN = 4  # langchain_core.messages.utils.count_tokens_approximately
_TOKENS_A_MESSAGE = 3
_TOKENS_AN_IMAGE = 85


@dataclass(frozen=True, slots=True)
class Encoded:
    """One part, ready to be stored."""

    kind: str
    digest: bytes
    body: bytes
    chars: int
    """Characters of text."""
    tokens: int
    """Estimate."""


def encode(kind: str, value: Any, chars: int = 0, tokens: int = 0) -> Encoded:
    """Any JSON value as a part of this kind."""
    body = to_json(value)
    return Encoded(kind, digest(kind, body), body, chars, tokens)


def encode_message(message: BaseMessage) -> Encoded:
    """A message as LangChain's own dict, ``{"type": …, "data": …}``."""
    return encode(
        message_kind(message),
        {"type": message.type, "data": message.model_dump()},
        text_chars(message.content),
        message_tokens(message),
    )


def encode_block(block: Any) -> Encoded:
    """One block of a system message, a dict or a bare string."""
    chars = text_chars([block])
    return encode("block", block, chars, math.ceil(chars / _CHARS_A_TOKEN))


def encode_tool(schema: Any) -> Encoded:
    """A tool schema as it was bound."""
    chars = len(json.dumps(schema, default=stand_in))
    return encode("schema", schema, chars, math.ceil(chars / _CHARS_A_TOKEN))


def message_kind(message: BaseMessage) -> str:
    """``human``, ``ai``, ``tool``, ``system``, ``summary`` or ``other``."""
    if message.additional_kwargs.get("lc_source") == "summarization":
        return "summary"
    kind = message.type.removesuffix("MessageChunk").lower()
    return kind if kind in {"human", "ai", "tool", "system"} else "other"


def text_of(message: BaseMessage) -> str:
    """A message's text."""
    text = message.text
    return str(text if isinstance(text, str) else text())  # a method, before langchain-core 1.0


def text_chars(content: Any) -> int:
    """Characters of text in a message's content, a string or a list of blocks."""
    if isinstance(content, str):
        return len(content)
    total = 0
    for block in content if isinstance(content, list) else ():
        text = block if isinstance(block, str) else block.get("text") if isinstance(block, dict) else None
        total += len(text) if isinstance(text, str) else 0
    return total


def message_tokens(message: BaseMessage) -> int:
    """What ``count_tokens_approximately`` counts for one message, without converting it."""
    content, extra = message.content, 0
    if isinstance(content, str):
        chars = len(content)
    else:
        chars = 0
        for block in content:
            if isinstance(block, str):
                chars += len(block)
            elif isinstance(block, dict) and block.get("type") in {"image", "image_url"}:
                extra += _TOKENS_AN_IMAGE
            elif isinstance(block, dict) and block.get("type") == "text":
                chars += len(block.get("text") or "")
            else:
                chars += len(repr(block))
    calls = getattr(message, "tool_calls", None)
    if calls and isinstance(content, str):
        chars += len(repr(calls))
    chars += len(getattr(message, "tool_call_id", None) or "")
    chars += len(_ROLES.get(message.type, message.type)) + len(message.name or "")
    return math.ceil(chars / _CHARS_A_TOKEN) + _TOKENS_A_MESSAGE + extra
