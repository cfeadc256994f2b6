"""What became of the messages of a request, as it is noted on the way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

What = Literal["missing", "unexpected", "changed", "not changed", "summary"]


@dataclass(frozen=True, slots=True)
class Made:
    """A message that no raw one became."""

    part: int
    by: str
    what: Literal["summary", "patched result", "tools disclosed", "inserted"]


@dataclass(frozen=True, slots=True)
class Found:
    """Where a list is not what the rules make of the one before."""

    by: str
    index: int | None
    raw_index: int | None
    what: What
    words: str


@dataclass(slots=True)
class Trail:
    """What became of the messages of a request."""

    where: list[int] = field(default_factory=list)
    """For each effective message the index of its raw one, or ``-1 - n`` for the ``n``-th that was made."""
    made: list[Made] = field(default_factory=list)
    rules: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    """By raw index: rules that changed the message, each with its contributor."""
    gone: dict[int, str] = field(default_factory=dict)
    """Raw messages from the cut on that were not sent, with the contributor that took them out."""
    cut: int = 0
    """Raw messages before this index are summarized."""
    found: list[Found] = field(default_factory=list)
    unknown: bool = False
    """Whether messages were changed by code of a program that was not seen: nothing can be held against that."""
