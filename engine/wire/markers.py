"""Cache markers at all their places: in LangChain's view, and on the wire."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from engine.wire.body import MARKS
from engine.wire.model import CacheMarker

_LISTS = ("system", "tools", "messages", "input")


def wire_markers(
    shell: Mapping[str, Any], items: Sequence[tuple[str, int, Any]], locate: Callable[[Any], int | None]
) -> tuple[CacheMarker, ...]:
    """Markers of a body: ``shell`` is it, perhaps with lists left out, ``items`` those of theirs that may be marked.

    ``locate`` gives the LangChain message that a block of the wire came from.
    """
    found = [*items]
    for name in _LISTS:
        value = shell.get(name)
        found += [(name, at, item) for at, item in enumerate(value if isinstance(value, list) else ())]
    order = {name: at for at, name in enumerate(_LISTS)}
    result: list[CacheMarker] = []
    for name, at, item in sorted(found, key=lambda each: (order.get(each[0], 9), each[1])):
        result += _item(name, at, item, locate)
    result += [CacheMarker("provider", 0, None, mark, shell[mark]) for mark in MARKS if shell.get(mark) is not None]
    return tuple(result)


def langchain_markers(
    system: Sequence[Any], tools: Sequence[Any], messages: Sequence[tuple[int, Any]], params: Mapping[str, Any]
) -> tuple[CacheMarker, ...]:
    """Markers in LangChain's view. ``messages`` are (index, message) of those to be looked at."""
    result = [
        CacheMarker(area, index, None, f"{area}[{index}]", marker)  # type: ignore[arg-type]
        for area, values in (("system", system), ("tools", tools))
        for index, value in enumerate(values)
        for marker in _marks(value)
    ]
    for index, message in messages:
        content = (message.get("data") or {}).get("content")
        for at, block in enumerate(content if isinstance(content, list) else ()):
            for marker in _marks(block):
                result.append(CacheMarker("messages", index, at, f"messages[{index}].content[{at}]", marker))
    for name in ("model_settings", "kwargs"):
        for mark in MARKS:
            marker = (params.get(name) or {}).get(mark)
            if marker is not None:
                result.append(CacheMarker("provider", 0, None, f"{name}.{mark}", marker))
    return tuple(result)


def message_of(block: Any, messages: Iterable[tuple[int, Any]]) -> int | None:
    """Index of the message that a wire block came from, by the call that it answers or makes, or by its text."""
    if not isinstance(block, dict):
        return None
    answers = block.get("tool_use_id") or block.get("tool_call_id") or block.get("call_id")
    text = block.get("text") or block.get("content")
    for index, message in messages:
        data = message.get("data") or {}
        content = data.get("content")
        blocks = content if isinstance(content, list) else [content]
        ids = {call.get("id") for call in data.get("tool_calls") or ()}
        if answers and data.get("tool_call_id") == answers:
            return index
        if block.get("id") and block["id"] in ids:
            return index
        if text and any((item.get("text") if isinstance(item, dict) else item) == text for item in blocks):
            return index
    return None


def _item(name: str, at: int, item: Any, locate: Callable[[Any], int | None]) -> Iterator[CacheMarker]:
    """Markers on an item of a list, on its blocks, and on those of a tool result in it."""
    if not isinstance(item, dict):
        return
    if name in {"system", "tools"}:
        for marker in _marks(item):
            yield CacheMarker(name, at, None, f"{name}[{at}]", marker)  # type: ignore[arg-type]
        return
    system = item.get("role") in {"system", "developer"}
    for marker in _marks(item):
        yield CacheMarker("messages", locate(item), None, f"{name}[{at}]", marker)
    content = item.get("content")
    for index, block in enumerate(content if isinstance(content, list) else ()):
        place = f"{name}[{at}].content[{index}]"
        for marker in _marks(block):
            if system:
                yield CacheMarker("system", index, None, place, marker)
            else:
                yield CacheMarker("messages", locate(block), index, place, marker)
        inner = block.get("content") if isinstance(block, dict) else None
        for deep, part in enumerate(inner if isinstance(inner, list) else ()):
            for marker in _marks(part):
                yield CacheMarker("messages", locate(block), index, f"{place}.content[{deep}]", marker)


def _marks(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        extras = value.get("extras")
        for mark in MARKS:
            marker = value.get(mark) or (extras.get(mark) if isinstance(extras, dict) else None)
            if marker is not None:
                yield marker
