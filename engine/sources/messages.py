"""Messages of a stranger's state: kept once each, merged into lists as LangGraph's channels merge them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.sources.shelf import Shelf
from engine.stubs import offload_path
from engine.trace.content import text_of

REMOVE_ALL = "__remove_all__"

LEGACY_TYPES = {
    "HumanMessage": "human", "AIMessage": "ai", "AIMessageChunk": "AIMessageChunk", "SystemMessage": "system",
    "ToolMessage": "tool", "FunctionMessage": "function", "ChatMessage": "chat", "RemoveMessage": "remove",
    "HumanMessageChunk": "HumanMessageChunk", "ToolMessageChunk": "ToolMessageChunk",
}  # fmt: skip
"""Class of a message → its ``type``."""

_ROLES = {"human": "user", "ai": "assistant", "AIMessageChunk": "assistant"}
_CHARS_A_TOKEN = 4  # langchain_core.messages.utils.count_tokens_approximately
_TOKENS_A_MESSAGE = 3
_TOKENS_AN_IMAGE = 85
_KINDS = {"human", "ai", "tool", "system"}
_BLANK = "\0" * 32


@dataclass(frozen=True, slots=True, eq=False)
class Message:
    """One stored message, without its body."""

    part: int
    type: str
    id: str | None = None
    evicted: str | None = None
    """Path of the file that a long user message was put into; its whole text still is in the state."""
    stub: str | None = None
    """Path of the file that a long tool result was put into; this is what was left."""
    call: str | None = None
    """Of a tool's result: the call that it answers."""
    failed: bool = False
    """A tool's result that is an error."""
    source: str | None = None
    """``lc_source``: which middleware made it."""
    blank: bool = False
    """Its text holds a run of zero bytes, as a damaged page leaves it."""

    @property
    def answer(self) -> bool:
        """Whether a model said it."""
        return self.type in {"ai", "AIMessageChunk"}


def is_message_class(module: str, name: str) -> bool:
    """Whether this is one of LangChain's own message classes."""
    return name in LEGACY_TYPES and module.startswith("langchain")


def keep_message(shelf: Shelf, fields: dict[str, Any]) -> Message:
    """Put a message on the shelf as LangChain's own dict, ``{"type", "data"}``."""
    kind = fields.get("type")
    type_ = kind if isinstance(kind, str) else "unknown"
    extra = fields.get("additional_kwargs")
    extra = extra if isinstance(extra, dict) else {}
    chars, tokens = measure(fields)
    text = text_of(fields.get("content"))
    part = shelf.part(message_kind(type_, extra), {"type": type_, "data": fields}, chars, tokens)
    return Message(
        part,
        type_,
        id=_word(fields.get("id")),
        evicted=_word(extra.get("lc_evicted_to")) if type_ == "human" else None,
        stub=offload_path(text) if type_ == "tool" else None,
        call=_word(fields.get("tool_call_id")),
        failed=fields.get("status") == "error",
        source=_word(extra.get("lc_source")),
        blank=_BLANK in text,
    )


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def message_kind(type_: str, extra: dict[str, Any]) -> str:
    """``human``, ``ai``, ``tool``, ``system``, ``summary`` or ``other``."""
    if extra.get("lc_source") == "summarization":
        return "summary"
    kind = type_.removesuffix("MessageChunk").lower()
    return kind if kind in _KINDS else "other"


def measure(fields: dict[str, Any]) -> tuple[int, int]:
    """Characters of text, and tokens as ``count_tokens_approximately`` estimates them."""
    content = fields.get("content")
    text = counted = extra = 0
    if isinstance(content, str):
        text = counted = len(content)
        calls = fields.get("tool_calls")
        counted += len(repr(calls)) if calls else 0
    for block in content if isinstance(content, list) else ():
        kind = block.get("type") if isinstance(block, dict) else None
        words = block if isinstance(block, str) else block.get("text") if isinstance(block, dict) else None
        text += len(words) if isinstance(words, str) else 0
        if isinstance(block, str):
            counted += len(block)
        elif kind in {"image", "image_url"}:
            extra += _TOKENS_AN_IMAGE
        elif kind == "text":
            counted += len(words) if isinstance(words, str) else 0
        else:
            counted += len(repr(block))
    type_ = fields.get("type")
    for word in (fields.get("tool_call_id"), _ROLES.get(str(type_), type_), fields.get("name")):
        counted += len(word) if isinstance(word, str) else 0
    return text, math.ceil(counted / _CHARS_A_TOKEN) + _TOKENS_A_MESSAGE + extra


@dataclass(frozen=True, slots=True)
class Change:
    """What one step did to a list, beside appending."""

    cleared: bool = False
    removed: int = 0
    replaced: int = 0
    unknown: tuple[str, ...] = ()
    """Ids whose removal was asked for and that were not there."""

    @property
    def notable(self) -> bool:
        """Whether it did anything but append."""
        return bool(self.cleared or self.removed or self.replaced or self.unknown)


class MessageList:
    """The messages of one line of a thread as they stand, with their chain on the shelf."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf
        self.items: list[Message] = []
        self._nodes: list[int] = []
        self._places: dict[str, int] = {}
        self.kept = 0
        """How many of the first messages have stayed as they were since this was last set."""

    @property
    def node(self) -> int:
        """Chain node of the whole list."""
        return self._nodes[-1] if self._nodes else 0

    def holds(self, id_: str | None) -> bool:
        """Whether a message of this id is in the list."""
        return id_ is not None and id_ in self._places

    def fork(self) -> MessageList:
        """A list that goes on from here by itself."""
        other = MessageList(self._shelf)
        other.items, other._nodes, other._places = self.items.copy(), self._nodes.copy(), self._places.copy()
        other.kept = self.kept
        return other

    def set(self, items: Sequence[Message]) -> None:
        """Become this list."""
        same = 0
        for mine, theirs in zip(self.items, items, strict=False):
            if mine.part != theirs.part:
                break
            same += 1
        self._cut(same)
        self._append(items[same:])

    def apply(self, flat: Iterable[Message]) -> Change:
        """Merge writes as deepagents' reducer does: by id, with removals; an unknown one is passed over."""
        new = list(flat)
        marks = [index for index, item in enumerate(new) if item.type == "remove" and item.id == REMOVE_ALL]
        cleared = bool(marks)
        if cleared:
            new = new[marks[-1] + 1 :]
        if not any(item.type == "remove" or (item.id in self._places and not cleared) for item in new if item.id):
            if cleared:
                self.set(_merged([], new))
            elif len({item.id for item in new if item.id}) == sum(1 for item in new if item.id):
                self._append(new)
            else:
                self.set(_merged(self.items, new))
            return Change(cleared=cleared)
        known = set() if cleared else set(self._places)
        removed = [item.id for item in new if item.type == "remove" and item.id is not None]
        change = Change(
            cleared,
            sum(1 for id_ in removed if id_ in known),
            # A message that was put into a file is told as that.
            sum(1 for item in new if item.type != "remove" and item.id in known and not (item.evicted or item.stub)),
            tuple(id_ for id_ in removed if id_ not in known),
        )
        self.set(_merged([] if cleared else self.items, new))
        return change

    def _append(self, items: Sequence[Message]) -> None:
        for item in items:
            self._nodes.append(self._shelf.node(self.node, item.part))
            if item.id is not None:
                self._places[item.id] = len(self.items)
            self.items.append(item)

    def _cut(self, length: int) -> None:
        if length == len(self.items):
            return
        del self.items[length:], self._nodes[length:]
        self._places = {item.id: index for index, item in enumerate(self.items) if item.id is not None}
        self.kept = min(self.kept, length)


def _merged(items: Sequence[Message], new: Sequence[Message]) -> list[Message]:
    result: list[Message | None] = list(items)
    places = {item.id: index for index, item in enumerate(items) if item.id is not None}
    for item in new:
        if item.id is None:
            result.append(item)
        elif item.type == "remove":
            if item.id in places:
                result[places.pop(item.id)] = None
        elif item.id in places:
            result[places[item.id]] = item
        else:
            places[item.id] = len(result)
            result.append(item)
    return [item for item in result if item is not None]
