"""Rows of the lists of threads and requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.trace.model.kinds import Kind, Purpose, TokenSource


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """One conversation in the list of threads."""

    thread_id: str
    title: str
    agent: str | None
    requests: int | None
    """None where they are only counted once it is opened."""
    created_at: float | None
    updated_at: float | None
    source: str
    """``workspace``, or the kind of database it was read from."""
    status: Literal["idle", "running", "failed", "stopped", "interrupted"]
    problem: str | None = None
    """What of it can't be read, in words."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request as the provider reported them; None where it did not."""

    input_tokens: int | None = None
    """All input, cache reads and creations included (LangChain's meaning)."""
    output_tokens: int | None = None
    cache_read: int | None = None
    cache_creation: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RequestRow:
    """One model request in the list: everything but its contents."""

    id: int
    thread_id: str
    number: int
    """1, 2, 3 … within the thread, in the order of starting."""
    purpose: Purpose
    agent: str | None
    """Name of the agent that made it; None for an unnamed main agent."""
    parent: int | None
    """The request whose tool call started this subagent, or that this summary was made for."""
    parent_call: str | None
    """Tool call id of that ``task`` call."""
    depth: int
    """0 for the main agent, 1 for its subagents and summaries, …"""
    step: int | None
    checkpoint_ns: str
    checkpoint_id: str | None
    status: Literal["running", "done", "failed", "stopped"]
    error: str | None
    started_at: float
    duration_ms: float | None
    model: str | None
    messages: int
    """Effective messages, the system message not counted."""
    raw_messages: int | None
    """Raw messages in state; None where raw state was not recorded (a summarizing call has none)."""
    chars: int
    """Characters of text in the effective messages."""
    estimated_tokens: int
    """Estimate over all four areas."""
    usage: Usage
    sizes: Mapping[Kind, int]
    """Estimated tokens by kind (a stacked bar); sums to ``estimated_tokens``."""
    window: int | None
    """The model's ``max_input_tokens``."""
    trigger: int | None
    """Tokens at which summarization starts."""
    events: tuple[str, ...]
    """Kinds of this request's events, in order, each once."""
    branch: int = 0
    """Line of the thread's history that it was made on: 0 for the first, 1, 2 … for forks in the order of making."""
    follows: int | None = None
    """The same agent's request before it on its own line, where that is known from checkpoints."""
    problem: str | None = None
    """What of it can't be read, or is in doubt, in words."""
    system_base: int | None = None
    """Of ``sizes["system"]``: the blocks that the caller passed; middlewares appended the rest. None where it
    wasn't recorded who did."""

    @property
    def tokens(self) -> TokenSource:
        """Where the number shown for input tokens comes from."""
        if self.usage.input_tokens is not None:
            return "reported"
        return "estimated" if self.estimated_tokens else "unknown"

    @property
    def input_tokens(self) -> int | None:
        """Reported input tokens, else the estimate."""
        if self.usage.input_tokens is not None:
            return self.usage.input_tokens
        return self.estimated_tokens or None
