"""Runs as plain values: what a run tells, what it asks, and what it is answered.

No LangChain and no SQL here. Times are seconds since the epoch, UTC. Arguments of tools are JSON texts, so that
what is shown and edited is what is sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DecisionKind = Literal["approve", "edit", "reject", "respond"]
UpdateKind = Literal["token", "request", "tool", "hand", "done", "failed", "stopped", "interrupted"]
"""The last four end a run."""


@dataclass(frozen=True, slots=True)
class HandTool:
    """A tool that an answer by hand may call."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """JSON schema of its arguments, an object's."""


@dataclass(frozen=True, slots=True)
class HandRequest:
    """A request that waits for somebody to play the model."""

    token: str
    """Names it in :meth:`Run.reply`."""
    thread_id: str
    request: int | None
    """Its id in the record, where its four areas are; None when it could not be recorded."""
    number: int | None
    """Its number in the thread."""
    agent: str | None
    purpose: Literal["agent", "subagent", "summary"]
    messages: tuple[Mapping[str, Any], ...]
    """As the model received them, the system message first, each in LangChain's form ``{type, data}``."""
    tools: tuple[HandTool, ...]


@dataclass(frozen=True, slots=True)
class HandCall:
    """A tool call of an answer by hand."""

    name: str
    args: str = "{}"
    """JSON text of an object."""


@dataclass(frozen=True, slots=True)
class HandReply:
    """An answer by hand: text, calls of tools, or both."""

    text: str = ""
    calls: Sequence[HandCall] = ()


@dataclass(frozen=True, slots=True)
class Update:
    """Something that happened in a run."""

    kind: UpdateKind
    text: str = ""
    """Of ``token``: words of the conversation; of the last update: the answer, or the error in a sentence."""
    name: str = ""
    """Of ``request``: the agent's name (empty for an unnamed main agent); of ``tool``: the tool's."""
    state: Literal["", "started", "done", "failed", "stopped"] = ""
    """Of ``request`` and ``tool``."""
    number: int = 0
    """Of ``request`` and ``tool``: 1, 2, 3 … within the run, in the order of starting."""
    purpose: str = ""
    """Of ``request``: ``agent``, ``subagent``, ``summary`` or ``other``."""
    hand: HandRequest | None = None


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A tool call that somebody has to decide on, as it would run."""

    tool: str
    args: str
    """JSON text, indented."""
    description: str
    tool_call_id: str | None
    """None where the record does not have the request that asked for it."""
    allowed: tuple[DecisionKind, ...]
    schema: Mapping[str, Any] | None = None
    """JSON schema of the tool's arguments, as the model was given it; None where that isn't known."""


@dataclass(frozen=True, slots=True)
class Question:
    """What a run stopped at. It stands in the thread's checkpoint, so it can be answered at any time."""

    id: str
    thread_id: str
    calls: tuple[PendingCall, ...]
    """Calls to decide on, in order; empty when a tool asks something of its own (then see ``value``)."""
    value: str
    """What is asked, as JSON text."""
    agent: str | None
    """The agent that stopped; None for an unnamed main agent."""
    namespace: str
    """Its namespace in the checkpoints; empty for the main agent."""
    at: float | None
    """When the run stopped there."""
    request: int | None
    """The request whose answer asked for the calls."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided on one call."""

    kind: DecisionKind
    message: str = ""
    """Of ``reject``: the reason, for the model (may be empty); of ``respond``: what stands for the tool's result."""
    tool: str = ""
    """Of ``edit``: the tool to run; empty for the one asked for."""
    args: str = ""
    """Of ``edit``: the arguments to run with, as JSON text."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question that a tool asks of its own: a text, or with ``json`` the value of a JSON text."""

    text: str
    json: bool = False


Answers = Mapping[str, Sequence[Decision] | Answer]
"""By the question's id: a decision for each of its calls, in order, or the answer."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """What summarizing a thread on demand did."""

    thread_id: str
    summarized: int
    """Messages that the summary stands for now and did not before."""
    kept: int
    tokens_before: int
    """Estimated, of the messages as they are sent."""
    tokens_after: int
    path: str | None
    """History file; None when it could not be saved."""
