"""What a scripted model plays, as values, and where in it a request stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from string import Template
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

_IDS_FOR_A_FUNCTION = 10
"""Tool call numbers kept free for a turn that is made from the messages."""


class ScriptError(RuntimeError):
    """The script and the request don't fit: a tool that isn't bound, a malformed list, no turn left."""


@dataclass(frozen=True)
class Call:
    """One tool call of a turn."""

    name: str
    args: Mapping[str, Any] = field(default_factory=dict)
    id: str | None = None
    """The tool call's id; by default the model's prefix and a number given by the place in the script."""


@dataclass(frozen=True)
class Turn:
    """One assistant message: content blocks first (thinking, for example), then text, then tool calls."""

    text: str = ""
    calls: Sequence[Call] = ()
    blocks: Sequence[Mapping[str, Any]] = ()
    fail: Exception | None = None
    """Raised after the text has been streamed; a call that breaks off in the middle."""


Item = Turn | Exception | Callable[[list[BaseMessage]], Turn]
"""What stands in a script: a turn, an exception to raise once, or a function of the messages received."""


@dataclass(frozen=True)
class Exchange:
    """The turns that answer one user message."""

    user: str | None
    """The user's text, exactly; None answers any message."""
    turns: Sequence[Item]


@dataclass(frozen=True)
class SummaryText:
    """A summary with ``$name`` for what only the prompt knows, such as a path with a random part."""

    text: str
    find: Mapping[str, str] = field(default_factory=dict)
    """Name → regular expression; the last match in the prompt takes the name's place."""

    def given(self, prompt: str) -> str:
        """The text with what was found, or ``(not known)``."""
        found = {name: (re.findall(pattern, prompt) or ["(not known)"])[-1] for name, pattern in self.find.items()}
        return Template(self.text).safe_substitute(found).strip()

    def held_by(self, prompt: str) -> bool:
        """Whether the prompt holds this summary, judged by its longest line without a ``$``."""
        fixed = max((x for x in self.text.splitlines() if "$" not in x), key=len, default="")
        return bool(fixed) and fixed.strip() in prompt


Summary = str | SummaryText | Exception
"""What answers a summarizing call: a text, or an exception to raise once."""


@dataclass(frozen=True)
class _Span:
    """The items of one exchange, or of a run of plain items: ``start`` up to ``end``."""

    user: str | None
    start: int
    end: int


class Script:
    """A script with its items in one row, so that one number names a place in it."""

    def __init__(self, entries: Iterable[Exchange | Item]) -> None:
        self.items: list[Item] = []
        self._spans: list[_Span] = []
        for entry in entries:
            if isinstance(entry, Exchange):
                self._add(entry.user, entry.turns)
            else:
                self._add(None, (entry,))
        numbers = [1]
        for item in self.items:
            numbers.append(numbers[-1] + (len(item.calls) if isinstance(item, Turn) else _IDS_FOR_A_FUNCTION))
        self._numbers = numbers

    def _add(self, user: str | None, items: Sequence[Item]) -> None:
        start = len(self.items)
        self.items.extend(items)
        last = self._spans[-1] if self._spans else None
        if user is None and last is not None and last.user is None:
            self._spans[-1] = _Span(None, last.start, len(self.items))
        else:
            self._spans.append(_Span(user, start, len(self.items)))

    def call_ids(self, place: int, turn: Turn, prefix: str) -> tuple[str, ...]:
        """Ids of a turn's calls: their own, else the prefix and a number that only this place has."""
        first = self._numbers[place]
        return tuple(call.id or f"{prefix}{first + n}" for n, call in enumerate(turn.calls))

    def answer_to(self, user: HumanMessage, after: int | None, earliest: int, skip: Collection[int]) -> int | None:
        """Place of the answer to a user message, or None.

        Args:
            user: The message, whole or as the stub that the engine leaves for a large one.
            after: Place of the last answer in the messages, where they hold one.
            earliest: Where a plain script begins when they don't.
            skip: Places of exceptions that were raised already.
        """
        for span in self._fitting(user, after):
            start = span.start
            if span.user is None:
                start = max(start, earliest) if after is None or after < start else after + 1
            return _first_of(range(start, span.end), skip)
        return None

    def next_after(self, place: int, skip: Collection[int]) -> int | None:
        """The place that follows within the same exchange, or None at its end."""
        for span in self._spans:
            if span.start <= place < span.end:
                return _first_of(range(place + 1, span.end), skip)
        return None

    def _fitting(self, user: HumanMessage, after: int | None) -> Iterator[_Span]:
        """Spans that answer the message, those that are still to come first."""
        fitting = [span for span in self._spans if _fits(user, span.user)]
        if after is not None:
            yield from (s for s in fitting if s.start > after or (s.user is None and after + 1 < s.end))
        yield from fitting


def _first_of(places: Iterable[int], skip: Collection[int]) -> int | None:
    return next((place for place in places if place not in skip), None)


def _fits(message: HumanMessage, text: str | None) -> bool:
    if text is None or message.text == text:
        return True
    if message.additional_kwargs.get("lc_evicted_to"):
        head = next((line for line in text.splitlines() if line.strip()), "")
        return head[:200] in message.text
    return False
