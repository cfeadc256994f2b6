"""A rebuilt request as the read model shows requests, and what it has that the recorded one hasn't.

Its pieces lie in memory; the same questions are answered as by a source (``text``, ``message``, ``heads`` …).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Literal

from engine.canonical import to_json
from engine.memory.sent import tokens_of
from engine.rebuild.parent import Rebuilt
from engine.sources.shelf import Shelf
from engine.trace.content import head_of, text_of
from engine.trace.model import MessageHead, MessageRow, RequestDetail, RequestRow, SystemBlock, ToolRow, Usage

What = Literal["same", "changed", "only rebuilt", "only recorded"]
NO_MODEL = "The request was made again without calling a model."
_KINDS: dict[str, Any] = {"human": "human", "ai": "ai", "tool": "tool", "system": "system"}


@dataclass(frozen=True, slots=True)
class Compared:
    """One piece of both requests."""

    area: Literal["system", "messages", "tools", "provider"]
    what: What
    title: str
    """What it is, in few words: a role, a tool's name, a parameter."""
    recorded: str | None
    """Its JSON text there; None where it isn't."""
    rebuilt: str | None
    place: int = 0
    """Among all that were compared."""


class RebuiltSource:
    """Answers for one rebuilt request."""

    def __init__(self, rebuilt: Rebuilt, row: RequestRow) -> None:
        """``row`` is that of the request that was made again."""
        self._shelf = Shelf()
        self._heads: dict[int, MessageHead] = {}
        first = rebuilt.messages[:1]
        has_system = bool(first) and first[0].get("type") == "system"
        self._system: Any = dict(first[0]) if has_system else None
        blocks = self._blocks()
        messages = rebuilt.messages[1:] if has_system else rebuilt.messages
        system = tuple(SystemBlock(n, *self._part("system", block), contributor="") for n, block in enumerate(blocks))
        sent = tuple(MessageRow(n, *self._part(_kind(message), message)) for n, message in enumerate(messages))
        tools = tuple(self._tool(n, schema) for n, schema in enumerate(rebuilt.tools))
        tokens = sum(piece.tokens for piece in (*system, *sent, *tools))
        known: dict[str, Any] = {
            "messages": len(sent),
            "chars": sum(piece.chars for piece in sent),
            "estimated_tokens": tokens,
        }
        made = replace(row, **known, purpose="summary" if rebuilt.summarizing else row.purpose, usage=Usage(),
                       status="done", error=None, duration_ms=None, events=(), problem=None)  # fmt: skip
        provider = {"model": row.model, "params": {}, "kwargs": dict(rebuilt.kwargs), "stop": rebuilt.stop}
        self.detail = RequestDetail(made, system, sent, tools, (), (), None, provider, None, None, (), True,
                                    {"response": NO_MODEL})  # fmt: skip
        """The request in its four areas."""

    def value(self, part: int) -> Any:
        """A piece as it was given."""
        return self._shelf.value(part)

    def message(self, part: int) -> dict[str, Any]:
        """A message as LangChain's own dict."""
        value = self._shelf.value(part)
        return value if isinstance(value, dict) and "data" in value else {"type": "block", "data": {"content": value}}

    def text(self, part: int) -> str:
        """Readable text of a message or a block."""
        value = self._shelf.value(part)
        return text_of(value["data"].get("content") if isinstance(value, dict) and "data" in value else [value])

    def json_text(self, part: int) -> str:
        """A piece as JSON, indented."""
        return json.dumps(self._shelf.value(part), ensure_ascii=False, indent=2)

    def heads(self, parts: Sequence[int]) -> dict[int, MessageHead]:
        """What rows show of these messages."""
        return {part: head_of(part, self.message(part)) for part in parts}

    def system_message(self, _request: int) -> Any:
        """The system message as it was given; None without one."""
        return self._system

    def _blocks(self) -> list[Any]:
        content = self._system["data"].get("content") if self._system else None
        return list(content) if isinstance(content, list) else [content] if content else []

    def _part(self, kind: Any, value: Any) -> tuple[int, Any, int, int]:
        text = text_of(value["data"].get("content")) if isinstance(value, Mapping) and "data" in value else (
            text_of([value]) if kind == "system" else json.dumps(value, ensure_ascii=False)
        )  # fmt: skip
        tokens = tokens_of(text)
        return self._shelf.part(kind, value, len(text), tokens), kind, len(text), tokens

    def _tool(self, index: int, schema: Any) -> ToolRow:
        named = _named(schema)
        return ToolRow(index, *self._part("tools", schema), _tool_name(schema), str(named.get("description") or ""))


def compare_with_recorded(reader: Any, recorded: RequestDetail, rebuilt: RebuiltSource) -> list[Compared]:
    """Pieces of both requests, area by area. What the record can't tell counts as only rebuilt."""
    made = rebuilt.detail
    rows: list[Compared] = []
    for area in ("system", "messages", "tools"):
        old = [json.loads(reader.json_text(piece.part)) for piece in getattr(recorded, area)]
        new = [rebuilt.value(piece.part) for piece in getattr(made, area)]
        rows += _pairs(area, [_compared(value) for value in old], [_compared(value) for value in new])
    params = recorded.provider.get("kwargs") or {}
    names = dict.fromkeys([*params, *made.provider["kwargs"]])
    for name in names:
        old_text = _text(params[name]) if name in params else None
        new_text = _text(made.provider["kwargs"][name]) if name in made.provider["kwargs"] else None
        rows.append(Compared("provider", _what(old_text, new_text), str(name), old_text, new_text))
    return [replace(row, place=place) for place, row in enumerate(rows)]


def _pairs(area: Literal["system", "messages", "tools"], old: list[Any], new: list[Any]) -> Iterator[Compared]:
    one, other = [to_json(value) for value in old], [to_json(value) for value in new]
    for _, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        for before, after in zip_longest(old[a:b], new[c:d]):
            texts = (None if before is None else _text(before), None if after is None else _text(after))
            title = _title(area, after if after is not None else before)
            yield Compared(area, _what(*texts), title, *texts)


def _compared(value: Any) -> Any:
    """What two pieces are told apart by.

    LangChain writes a message with its empty fields and a checkpoint may lack them; a system message in one
    string is one block of text. Neither makes a difference to a model.
    """
    if isinstance(value, str):
        return {"type": "text", "text": value}
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return value
    empty: tuple[Any, ...] = (None, [], {}, False, "")
    held = {name: each for name, each in value["data"].items() if each not in empty or name == "content"}
    held.pop("type", None)
    return {"type": value.get("type"), "data": dict(sorted(held.items()))}


def _what(old: str | None, new: str | None) -> What:
    if old is None or new is None:
        return "only rebuilt" if old is None else "only recorded"
    return "same" if old == new else "changed"


def _title(area: str, value: Any) -> str:
    if area == "tools":
        return _tool_name(value)
    if area == "system":
        return " ".join(text_of([value]).split())[:80]
    data = value.get("data") or {}
    return f"{value.get('type', '')}: {' '.join(text_of(data.get('content')).split())[:80]}"


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def _kind(message: Mapping[str, Any]) -> str:
    data = message.get("data") or {}
    if (data.get("additional_kwargs") or {}).get("lc_source") == "summarization":
        return "summary"
    return str(_KINDS.get(str(message.get("type")), "other"))


def _named(schema: Any) -> Mapping[str, Any]:
    if not isinstance(schema, Mapping):
        return {}
    function = schema.get("function")
    return function if isinstance(function, Mapping) else schema


def _tool_name(schema: Any) -> str:
    named = _named(schema)
    return str(named.get("name") or named.get("type") or "")
