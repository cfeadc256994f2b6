"""The request that would be sent next, and what an edit changes in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class Edits:
    """What is different in a dry run from the workspace as it stands."""

    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """Memory and skill files by path, as they would be saved; None for one that would be deleted."""
    apply: bool = True
    """Whether the thread's own copies are changed too, as applying does; else only new threads see the files."""
    system_prompt: str | None = None
    """The agent's system prompt, where it is another one."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """Other values of the thread's state."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a request that was not sent: a block, a message or a tool schema."""

    kind: str
    contributor: str
    value: Any
    """As the model would have received it; a message is LangChain's own dict."""
    text: str
    chars: int
    tokens: int


@dataclass(frozen=True, slots=True)
class DryRequest:
    """The request that a thread would send next, or the one that a recorded one was."""

    purpose: Literal["agent", "summary"]
    """``summary``: the next call of the model is the summarizing one; what follows depends on its answer."""
    tools: tuple[Piece, ...]
    system: tuple[Piece, ...]
    messages: tuple[Piece, ...]
    system_message: Mapping[str, Any] | None
    kwargs: Mapping[str, Any]
    stop: Any
    checkpoint_id: str | None
    """The checkpoint that it starts from; None for a new thread."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """In the order of a prompt cache's prefix: tools, system, messages."""
        return self.tools + self.system + self.messages

    @property
    def tokens(self) -> int:
        """Estimate over all pieces."""
        return sum(piece.tokens for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class DryRow:
    """One row of two requests side by side."""

    before: Piece | None
    after: Piece | None

    @property
    def same(self) -> bool:
        """Whether both sides are equal."""
        return self.before is not None and self.after is not None and self.before.value == self.after.value


@dataclass(frozen=True, slots=True)
class DryComparison:
    """What an edit changes in the next request."""

    rows: tuple[DryRow, ...]
    kept_tokens: int
    """Of the prefix that both have: what a prompt cache could still reuse."""
    invalidated_tokens: int
    """Of the request before the edit, from the first difference on."""
    tokens_before: int
    tokens_after: int
