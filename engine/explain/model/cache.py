"""What a provider could have had cached."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from engine.explain.model.waterfall import Area

Cause = Literal[
    "extended",
    "first request",
    "other model",
    "new conversation",
    "volatile text",
    "tool order",
    "tools changed",
    "memory edited",
    "skills changed",
    "system changed",
    "summary",
    "offloaded",
    "arguments cut",
    "history changed",
]
"""Why a request's prefix leaves its predecessor's; ``extended`` when it does not."""


@dataclass(frozen=True, slots=True)
class CacheBreak:
    """The first piece that is not the predecessor's."""

    area: Area
    index: int
    part: int | None
    """None where the predecessor went on and this request ends."""
    contributor: str


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What of one request's input a provider could have had cached from the same agent's request before."""

    request: int
    number: int
    predecessor: int | None
    order: tuple[Area, ...]
    """The order in which the provider is taken to read the areas."""
    break_at: CacheBreak | None
    """None for a first request, and for one that only adds at the end."""
    cause: Cause
    reason: str
    """The cause in a sentence."""
    shared: int
    """Estimated tokens of the prefix that both have."""
    reread: int
    """Estimated tokens of pieces that stood in the predecessor too and come after the break."""
    avoidable: bool
    """Whether the break could have been avoided without losing anything."""
    reported: int | None
    """Tokens that the provider says it read from its cache; None where it does not say."""
    input_tokens: int | None
    """As reported."""
    seconds_since: float | None
    """Since the predecessor began."""


@dataclass(frozen=True, slots=True)
class CacheTotals:
    """The prompt cache over a thread. All tokens but ``reported`` are estimates."""

    requests: int
    shared: int
    reread: int
    avoidable: int
    """Of the re-read ones, those whose break could have been avoided."""
    by_cause: Mapping[Cause, int]
    """Re-read tokens by cause."""
    reported: int
    reporting: int
    """Requests whose provider reports cache reads; ``reported`` is their sum."""
