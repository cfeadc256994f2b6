"""What of a recorded part can be searched: its texts, field by field.

The field ``text`` is exactly what ``Reader.text`` gives of a message or a block, so that a match's place is a
place in what is shown. Payloads in base64 and signatures are no text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from engine.trace.content import text_of

MESSAGES = {"human", "ai", "tool", "system", "summary", "other"}
"""Kinds of parts that are messages."""
KINDS = MESSAGES | {"block", "schema", "params"}
"""Kinds of parts that hold text of a request."""

_SHOWN = {"text", "thinking", "reasoning", "refusal"}
_OPAQUE = re.compile(r"[A-Za-z0-9+/=_\-\r\n]{200,}|data:[\w.+-]+/[\w.+-]+[^,]{0,200};base64,.*", re.DOTALL)


def texts_of(kind: str, value: Any) -> Iterator[tuple[str, str]]:
    """Pairs of a field's name and its text."""
    if kind in MESSAGES and isinstance(value, dict) and isinstance(value.get("data"), dict):
        yield from _message(value["data"])
    elif kind == "block":
        text = value if isinstance(value, str) else value.get("text") if isinstance(value, dict) else None
        if isinstance(text, str):
            yield "text", text
        else:
            yield "more", _joined(value)
    else:
        yield {"schema": "schema", "params": "parameters"}.get(kind, "more"), _joined(value, keys=True)


def tools_of(kind: str, value: Any) -> list[str]:
    """Names of the tools that a part is about: the one of a schema or a result, those that an answer calls."""
    if not isinstance(value, dict):
        return []
    if kind == "schema":
        function = value.get("function")
        named = function if isinstance(function, dict) else value
        names = [named.get("name") or named.get("type")]
    else:
        data = value.get("data")
        if not isinstance(data, dict):
            return []
        calls = [call for field in ("tool_calls", "invalid_tool_calls") for call in data.get(field) or ()]
        names = [call.get("name") for call in calls if isinstance(call, dict)]
        names += [data.get("name")] if kind == "tool" else []
    return [name for name in names if isinstance(name, str)]


def _message(data: dict[str, Any]) -> Iterator[tuple[str, str]]:
    content = data.get("content")
    yield "text", text_of(content)
    calls = [call for name in ("tool_calls", "invalid_tool_calls") for call in data.get(name) or ()]
    said = [[call.get("name"), call.get("id"), call.get("args")] for call in calls if isinstance(call, dict)]
    yield "calls", _joined(said, keys=True)
    blocks = content if isinstance(content, list) else ()
    rest = [
        {key: item for key, item in block.items() if key not in _SHOWN} for block in blocks if isinstance(block, dict)
    ]
    yield "more", _joined([data.get("name"), data.get("id"), data.get("tool_call_id"), rest])


def _joined(value: Any, keys: bool = False) -> str:
    return "\n".join(text for text in _leaves(value, keys) if text)


def _leaves(value: Any, keys: bool) -> Iterator[str]:
    """Every string in a JSON value, in its order; with ``keys``, the names and numbers too."""
    if isinstance(value, str):
        if not _OPAQUE.fullmatch(value):
            yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            if keys and isinstance(item, (bool, int, float)):
                yield f"{key}: {item}"
            else:
                if keys:
                    yield str(key)
                yield from _leaves(item, keys)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, keys)
