"""A summary in depth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.trace.model import Summary


@dataclass(frozen=True, slots=True)
class LostFact:
    """Something that stood in the evicted messages, stands not in the summary, and was needed later."""

    text: str
    kind: Literal["path", "url", "identifier", "number", "name"]
    raw_index: int
    """The first evicted message that has it."""
    used_in: tuple[int, ...]
    """Numbers of later requests whose answer uses it."""
    read_back_in: tuple[int, ...]
    """Numbers of requests to which reading the history file had brought it back."""
    unsourced_in: tuple[int, ...]
    """Of ``used_in``, those in which no message that the model was given has it."""


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """One summary in depth."""

    summary: Summary
    number: int
    """1, 2, 3 … within its agent's run."""
    trigger: str
    """Why it was made, in words."""
    evicted: int
    """Messages that it (and none before it) evicted."""
    evicted_tokens: int
    evicted_chars: int
    chain: tuple[int, ...]
    """Events of the summaries that it was made from, oldest first."""
    history: Literal["saved", "gone", "not saved"]
    """``gone`` only where it is known that the agent can't read it any more."""
    lost: Mapping[str, int]
    """How many facts of each kind the summary does not hold."""
    held: Mapping[str, int]
    """How many it does."""
    needed: tuple[LostFact, ...]
    """Lost facts that later answers used or that were read back."""
    read_back_in: tuple[int, ...]
    """Numbers of requests whose answer reads the history file."""
