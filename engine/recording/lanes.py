"""Lists of messages, told to the writer by what is new in them.

A lane is the context of one agent run in a thread: the main agent's, or one subagent's.
Its lists mostly extend one another, and most of their messages are the same objects as
in the request before. So a list is compared by identity, a message that is sent is
checked for having been changed in place, and only the rest is encoded: the cost of a
request does not grow with its thread.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from operator import is_
from typing import Any

from langchain_core.messages import BaseMessage

from engine.recording.canon import Encoded, encode, encode_block, encode_message, encode_tool


def freeze(value: Any) -> Any:
    """A copy of the containers in ``value``; its leaves are shared."""
    if type(value) is dict:
        return {key: freeze(item) for key, item in value.items()}
    if type(value) is list:
        return [freeze(item) for item in value]
    return value


class Entry:
    """A message that was encoded, and what it looked like then."""

    __slots__ = ("encoded", "extra", "fields", "message")

    def __init__(self, message: BaseMessage) -> None:
        self.message = message
        self.fields = freeze(message.__dict__)
        self.extra = freeze(message.__pydantic_extra__ or None)
        self.encoded = encode_message(message)

    def unchanged(self) -> bool:
        """Whether the message still is what it was when it was encoded."""
        return self.fields == self.message.__dict__ and self.extra == (self.message.__pydantic_extra__ or None)

    def adopt(self, message: BaseMessage) -> bool:
        """Stand for another object with exactly these contents (a thread's state loaded anew); False for others."""
        same = (
            type(message) is type(self.message)
            and self.fields == message.__dict__
            and self.extra == (message.__pydantic_extra__ or None)
        )
        if same:
            self.message = message
            self.fields["content"] = freeze(message.content)  # lets go of the older copy of a long text
        return same


@dataclass(slots=True)
class ListChange:
    """A list as a change of the one before in the same place: the first ``keep`` items stay."""

    place: str
    """Names the list within its lane: ``raw``, ``messages``, ``system``, ``tools``."""
    keep: int
    new: list[Encoded]
    length: int


class MessageList:
    """The list of one place in a lane, as last seen."""

    def __init__(self, place: str, lane: Lane) -> None:
        self.place, self.lane = place, lane
        self.objects: list[BaseMessage] = []
        self.entries: list[Entry] = []

    def change(self, messages: Sequence[BaseMessage], *, verify: bool) -> ListChange:
        """Compare with the list before and remember this one.

        With ``verify``, kept messages are checked for changes made in place.
        """
        keep = min(len(messages), len(self.objects))
        same = list(map(is_, messages, self.objects))
        if not all(same):
            keep = same.index(False)
        if verify:
            for index in range(keep):
                if not self.entries[index].unchanged():
                    keep = index
                    break
        kept = keep
        before = self.entries[keep:]
        del self.objects[keep:], self.entries[keep:]
        for twin, message in zip_longest(before[: len(messages) - keep], messages[keep:]):
            entry = self.lane.entry(message, twin)
            kept += entry is twin and kept == len(self.entries)
            self.entries.append(entry)
            self.objects.append(message)
        return ListChange(self.place, kept, [entry.encoded for entry in self.entries[kept:]], len(messages))

    def tokens(self, start: int = 0) -> int:
        """Estimated tokens of the messages from ``start`` on."""
        return sum(entry.encoded.tokens for entry in self.entries[start:])


@dataclass(slots=True)
class _Fixed:
    """A small list of JSON values (system blocks, tool schemas) as last seen."""

    values: list[Any] = field(default_factory=list)
    encoded: list[Encoded] = field(default_factory=list)


class Lane:
    """What is known of one agent run's lists; forgets everything when the writer lost something."""

    def __init__(self, thread_id: str, namespace: str, *, passing: bool = False) -> None:
        self.thread_id, self.namespace = thread_id, namespace
        self.passing = passing
        """Whether it serves one request only."""
        self.reset()

    def reset(self) -> None:
        """Make the next lists be told whole."""
        self.key = next(_keys)
        self._known: dict[int, Entry] = {}
        self.raw = MessageList("raw", self)
        self.sent = MessageList("messages", self)
        self._fixed = {"system": _Fixed(), "tools": _Fixed()}
        self._small: dict[str, tuple[Any, Encoded]] = {}
        self.seen: dict[str, Any] = {}
        self.last: str | None = None

    def entry(self, message: BaseMessage, twin: Entry | None) -> Entry:
        """The entry of a message: a known one, ``twin`` if it has the same contents, or a new one."""
        known = self._known.get(id(message))
        if known is not None and known.message is message and known.unchanged():
            return known
        known = twin if twin is not None and twin.adopt(message) else Entry(message)
        self._known[id(message)] = known
        if len(self._known) > 1024 + 4 * (len(self.raw.entries) + len(self.sent.entries)):
            alive = (*self.raw.entries, *self.sent.entries, known)
            self._known = {id(entry.message): entry for entry in alive}
        return known

    def blocks(self, values: Sequence[Any]) -> ListChange:
        """The system area: a shell (the message without its content), then a block each."""
        return self._fixed_change("system", values, lambda i, v: encode("shell", v) if i == 0 else encode_block(v))

    def tools(self, values: Sequence[Any]) -> ListChange:
        """The tool schemas."""
        return self._fixed_change("tools", values, lambda _, value: encode_tool(value))

    def _fixed_change(self, place: str, values: Sequence[Any], encoder: Any) -> ListChange:
        fixed = self._fixed[place]
        keep = 0
        for old, new in zip(fixed.values, values, strict=False):
            if not _same(old, new):
                break
            keep += 1
        del fixed.values[keep:], fixed.encoded[keep:]
        for index, value in enumerate(values[keep:], start=keep):
            fixed.values.append(freeze(value))
            fixed.encoded.append(encoder(index, value))
        return ListChange(place, keep, fixed.encoded[keep:], len(values))

    def encoded(self, place: str) -> list[Encoded]:
        """Parts of the system or tools area as last told."""
        return self._fixed[place].encoded

    def small(self, kind: str, value: Any) -> Encoded:
        """A value that is mostly the same from request to request, encoded once."""
        known = self._small.get(kind)
        if known is None or not _same(known[0], value):
            known = self._small[kind] = (freeze(value), encode(kind, value))
        return known[1]


_keys = itertools.count(1)


def _same(old: Any, new: Any) -> bool:
    """Equal, and a dict's keys in the same order."""
    return type(old) is type(new) and old == new and (type(old) is not dict or list(old) == list(new))
