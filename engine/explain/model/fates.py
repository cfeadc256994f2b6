"""What became of each message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.trace.model import Fate


@dataclass(frozen=True, slots=True)
class MessageFate:
    """What became of one message, and by which rule."""

    raw_index: int | None
    """None for an effective message that stands for no raw one."""
    sent_index: int | None
    """None for a raw message that was not sent."""
    part: int
    """The raw message; of one without a raw twin, the effective one."""
    fate: Fate | Literal["summary", "inserted"]
    rules: tuple[str, ...]
    """Names of the rules that changed it, in the order of their working; empty for one sent as it is."""
    words: str
    """The rule with its figures, in a sentence or two; empty where there is nothing to say."""
    contributor: str
    event: int | None = None
    """The event that decided it."""
    path: str | None = None
    """Where the whole of it lies."""


@dataclass(frozen=True, slots=True)
class Fates:
    """The fates of all messages of a request."""

    request: int
    raw: Sequence[MessageFate]
    """One a raw message, in order; made when looked at. Empty where raw state was not recorded."""
    made: tuple[MessageFate, ...]
    """Effective messages without a raw twin."""
    problem: str
    """Why there are none."""
