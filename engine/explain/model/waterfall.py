"""A request, contributor by contributor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from engine.trace.model import Kind

Area = Literal["system", "tools", "messages", "provider"]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of one kind stands in one area, or came to it; negative where it went."""

    area: Area
    kind: Kind
    count: int
    """Pieces."""
    chars: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Change:
    """Something that a contributor added, changed or removed: one piece, or a run of messages."""

    area: Area
    what: Literal["added", "changed", "removed", "moved"]
    index: int
    """Place of the first piece in the list after the step; of a removed one, in the list before."""
    parts: tuple[int, ...]
    """The pieces after the step; of removed ones, as they were."""
    was: tuple[int, ...]
    """Of changed ones, the pieces before."""
    amounts: tuple[Amount, ...]
    """What it adds to the request, by kind."""
    name: str
    """Of a tool, or of a provider setting; else empty."""
    old: Any = None
    """Of a provider setting, its value before."""
    new: Any = None


@dataclass(frozen=True, slots=True)
class Step:
    """One contributor's turn at the request."""

    contributor: str
    """Class of the middleware; ``caller``; ``model`` for what LangChain did when it bound the model."""
    changes: tuple[Change, ...]
    """Empty for one that passed the request on as it was."""
    amounts: tuple[Amount, ...]
    """What it added in all: the sum of its changes."""
    total: tuple[Amount, ...]
    """The request after it."""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """A request, contributor by contributor. The steps' amounts sum to ``total``, which is the request."""

    request: int
    steps: tuple[Step, ...]
    total: tuple[Amount, ...]
    system_by: tuple[str, ...]
    """Contributor of each system block of the request."""
    tools_by: tuple[str, ...]
    messages_by: tuple[str, ...]
    """Who put each effective message there as it is; ``caller`` for one that is as in the state."""
    problem: str
    """Why the steps could not be told apart; empty where they are."""
