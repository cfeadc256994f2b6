"""What of a request was remembered, and by which of the six mechanisms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mechanism = Literal["checkpoint", "memory file", "store", "runtime context", "summary", "subagent"]

MECHANISMS: dict[Mechanism, str] = {
    "checkpoint": "restored from the thread's checkpoint",
    "memory file": "memory files, loaded into the system message",
    "store": "read from the store by a tool",
    "runtime context": "identity from the runtime context",
    "summary": "the summary in force",
    "subagent": "a subagent's result",
}
"""Each mechanism in words."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One thing that was not said in this turn, and how it is here all the same."""

    by: Mechanism
    what: str
    """In words: which messages, file, namespace or subagent."""
    area: Literal["system", "messages", ""] = ""
    """Where it stands in the request; empty for what the model never sees."""
    index: int = 0
    """The first block or message of it."""
