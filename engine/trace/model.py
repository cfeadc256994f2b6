"""The read model: plain frozen values that every view, script and test gets.

No LangChain, no SQL and no Qt here. Sizes are characters of text and tokens; a token
count is an estimate (4 characters a token, LangChain's ``count_tokens_approximately``)
unless a field says that the provider reported it. ``None`` always means "not known".
Times are seconds since the epoch, UTC.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.workbench import Finding, TextFacts

Purpose = Literal["agent", "subagent", "summary", "other"]
TokenSource = Literal["reported", "estimated", "unknown"]
Kind = Literal["system", "memory", "skills", "tools", "human", "ai", "tool", "summary", "other"]
"""One colour and one letter each in the window: S M K T H A R Σ ·"""

Fate = Literal[
    "sent",
    "summarized",
    "arguments cut",
    "clipped",
    "offloaded",
    "reasoning dropped",
    "patched",
    "replaced",
    "not sent",
]
"""What became of a raw message in a request; ``not sent`` is one that no known rule explains."""

Piece = tuple[int, str, int, int]
"""A part without its body: its id, kind, characters and estimated tokens."""

Origin = Literal["raw", "summary", "inserted"]
"""Where an effective message comes from: a raw one, the summary in force, or added by a middleware."""


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


@dataclass(frozen=True, slots=True)
class PartRow:
    """One piece of a request, without its body. ``part`` asks for the body."""

    index: int
    part: int
    kind: Kind
    chars: int
    tokens: int
    """Estimated."""


@dataclass(frozen=True, slots=True)
class SystemBlock(PartRow):
    """One block of the system message."""

    contributor: str = ""
    """Class of the middleware that appended it; ``caller`` for the prompt passed in."""


@dataclass(frozen=True, slots=True)
class ToolRow(PartRow):
    """One tool schema as it was bound."""

    name: str = ""
    description: str = ""
    contributor: str = ""
    calls: int = 0
    """How often this thread's responses called it."""


@dataclass(frozen=True, slots=True)
class MessageRow(PartRow):
    """One effective message: its place, and how it came there."""

    is_new: bool = False
    """Not in the same agent's request before."""
    origin: Origin = "raw"
    raw_index: int | None = None
    fate: Fate | None = None
    """Fate of its raw twin; ``sent`` when it is the same, None without a twin."""


@dataclass(frozen=True, slots=True)
class RawRow(PartRow):
    """One raw message and what became of it in this request."""

    fate: Fate = "sent"
    reason: str = ""
    """The rule in words."""
    sent_index: int | None = None


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as it stands in an AI message."""

    id: str | None
    name: str | None
    args: str
    """Arguments as JSON text; the raw text of an invalid call."""
    error: str | None = None
    """Why LangChain could not parse it; None for a valid call."""


FIRST_LINE = 200
"""Characters of a message's first line that its head holds."""


@dataclass(frozen=True, slots=True)
class MessageHead:
    """What a row shows of a message: made when it is shown, never for a whole list."""

    part: int
    role: str
    """``system``, ``human``, ``ai``, ``tool``, …: LangChain's own type."""
    name: str | None
    message_id: str | None
    first_line: str
    """At most ``FIRST_LINE`` characters of text; empty when there is none."""
    note: str
    """Why there is no text: ``tool call only``, ``empty string``, ``empty list``, ``spaces only``; else empty."""
    tool_calls: tuple[ToolCall, ...]
    tool_call_id: str | None
    """Of a tool result: the call that it answers."""
    status: str | None
    """``error`` for a failed tool."""
    artifact: str | None
    """Path of the file that holds the whole of an offloaded text."""
    blocks: tuple[str, ...]
    """Types of its content blocks where the content is a list."""


@dataclass(frozen=True, slots=True)
class Aligned:
    """One row of Raw ↔ Effective. Exactly one side may be None, and ``reason`` then says why."""

    raw: RawRow | None
    sent: MessageRow | None
    reason: str


@dataclass(frozen=True, slots=True)
class Event:
    """Something that context engineering did, on the request where it shows."""

    id: int
    request: int | None
    request_number: int | None
    kind: str
    """offload, summary, memory loaded, memory edited, memory applied, skill listed, skill read, skill pinned,
    skills applied, purpose guessed, warning, lost, failure, overflow, interrupt, decision, by hand; told from
    checkpoints also state rewritten, step failed."""
    at: float
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """One summary event, whole: `event.data` told apart."""

    event: int
    request: int | None
    """The first request that was sent with it; of one made on demand, the summarizing call."""
    request_number: int | None
    summary_request: int | None
    """The summarizing call that wrote it."""
    at: float
    cutoff: int
    """Raw messages before this index are replaced by the summary."""
    evicted_from: int
    """First raw message that this summary (and none before it) evicted."""
    tokens_before: int
    tokens_after: int
    path: str | None
    """History file with the evicted messages; None when saving it failed."""
    part: int
    """The summary message."""
    chained: bool
    """A summary of a summary: one was in force before."""
    problem: str | None = None
    """Why its history file can't be had although it was saved."""


@dataclass(frozen=True, slots=True)
class RequestDetail:
    """A request with its four areas: lists without bodies, so that any size opens at once."""

    row: RequestRow
    system: tuple[SystemBlock, ...]
    messages: tuple[MessageRow, ...]
    tools: tuple[ToolRow, ...]
    raw: Sequence[RawRow]
    """Empty where raw state was not recorded. Rows before the cut are made when looked at."""
    aligned: Sequence[Aligned]
    cutoff: int | None
    """Raw index of the cut in force; None without a summary."""
    provider: Mapping[str, Any]
    """model, class, params, kwargs, stop, model_settings, profile, cache_markers, wire."""
    response: int | None
    """Part of the response message."""
    usage: Mapping[str, Any] | None
    """``usage_metadata`` exactly as the integration gave it."""
    events: tuple[Event, ...]
    exact: bool
    """False where the messages are a callback's, which LangChain may have rewritten, or rebuilt from a checkpoint."""
    not_recorded: Mapping[str, str] = field(default_factory=dict)
    """What the source can't tell: an area (``system``, ``messages``, …, ``response``) → why, in a sentence."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A request as it stood after one of its contributors. A list that it left as it was is the one before."""

    by: str
    """Class of the middleware; ``caller`` for the request as the agent made it."""
    system: Sequence[Piece]
    """Blocks of the system message."""
    tools: Sequence[Piece]
    messages: Sequence[Piece]
    settings: Mapping[str, Any]
    """Model settings so far."""
    model: str | None
    """Name of the model that it put in place of the agent's own."""


@dataclass(frozen=True, slots=True)
class RequestLists:
    """The lists of a request as pieces, and how they came about. Cheap: for going over whole threads."""

    system: Sequence[Piece]
    """Blocks of the system message."""
    tools: Sequence[Piece]
    messages: Sequence[Piece]
    raw: Sequence[Piece]
    """Empty where raw state was not recorded."""
    cutoff: int | None
    response: int | None
    system_by: Sequence[str]
    """Contributor of each block; may be shorter than the blocks."""
    tools_by: Mapping[str, str]
    """Contributor of each tool by name, those that were not sent included."""
    messages_by: Sequence[str] | None
    """Who changed messages, in order; None for a request of a program whose middlewares were not seen."""
    order: Sequence[str]
    """The middlewares, outermost first; empty where they were not recorded."""
    rules: Mapping[str, Any]
    """Limits that they go by; see :mod:`engine.recording.rules`."""
    layers: tuple[Layer, ...]
    """Layers that changed something, the caller's first; empty where they were not recorded."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One line of a thread's checkpoints, from the first to one that nothing follows."""

    tip: str
    checkpoints: frozenset[str]
    """Ids, the tip's included."""
    files: frozenset[str]
    """Paths that the agent can read at the tip."""


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a thread: offloaded result, saved history, memory, skill or the agent's own."""

    path: str
    size: int
    """Bytes as UTF-8."""
    place: str
    """``thread state``, ``store`` or ``folder``."""
    lifetime: str
    """How long it lives, in words."""
    kind: Literal["offloaded result", "offloaded message", "history", "memory", "skill", "file"]
    request: int | None
    """The request in which it was first seen."""
    tool_call_id: str | None
    """The call whose result it holds."""
    modified_at: str | None
    problem: str | None = None
    """Why it can't be shown, or what is odd about it."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""


SkillDrift = Literal["none", "not-loaded", "file-newer", "file-gone", "file-new"]
"""The thread's menu against a new thread's: the same; the thread has loaded none; the skill is listed otherwise
by now; it is no more; it is listed by now."""


@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill as the thread's agent sees it."""

    name: str
    path: str
    description: str
    """As listed to the model."""
    menu_tokens: int
    full_tokens: int | None
    listed_in: int
    """Requests whose system message listed it."""
    read_in: tuple[int, ...]
    """Numbers of the requests that read its SKILL.md."""
    problem: str | None = None
    listed: bool | None = None
    """Whether the thread's menu has it; where the thread has loaded none, whether a new one's would."""
    line: int | None = None
    """Of its SKILL.md, where it is not listed for what stands there."""
    menu: str = ""
    """What the model sees of it, as the engine writes it; empty when it is not listed."""
    menu_now: str = ""
    """What a new thread would see of it."""
    overridden_by: str | None = None
    """The file that is listed under its name instead."""
    findings: tuple[Finding, ...] = ()
    drift: SkillDrift | None = None
    listed_requests: tuple[int, ...] = ()
    """Numbers of the requests whose system message listed it."""
    pinned_in: tuple[int, ...] = ()
    """Numbers of the requests into which it was pinned."""
    helpers: tuple[tuple[str, int], ...] = ()
    """Other files of its folder: path and bytes."""
    tools: tuple[str, ...] = ()
    """Tools that it discloses once it is read (``metadata.include_tools``)."""
    disclosed: tuple[str, ...] = ()
    """Tools that it had disclosed in the thread's last request."""
    allowed_tools: tuple[str, ...] = ()
    """Tools that it recommends."""
    place: str = ""
    """Where its file lies."""
    version: str = ""
    """Digest of the bytes; an edit names the one it was made from."""
    text: str | None = None
    """The whole SKILL.md; None when it is gone or not UTF-8."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""


Drift = Literal["none", "not-loaded", "file-newer", "file-gone", "request-older", "thread-differs", "all-differ"]
"""File, thread's copy and last request: all one; the thread has loaded nothing; the file was changed since the
thread loaded it; it was removed; the thread's copy was changed since the request; only the thread's copy is
another; three texts."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One memory source of a thread, as it stands on its backend now."""

    path: str
    text: str | None
    """None when missing or not UTF-8."""
    version: str
    """Digest of the bytes; an edit names the one it was made from."""
    size: int
    place: str
    modified_at: str | None
    in_thread: str | None
    """The copy cached in the thread's state; None when the thread has not loaded it."""
    problem: str | None = None
    state: Literal["loaded", "missing", "stops"] | None = None
    """What an agent that loads it does: uses it, skips it, or stops on it."""
    tokens: int | None = None
    """Estimate of what is sent of it; None when it is missing or not UTF-8."""
    facts: TextFacts | None = None
    in_request: str | None = None
    """What the main agent's last request carried of it, as sent; None where no request tells or it carried nothing."""
    request_number: int | None = None
    """That request."""
    drift: Drift | None = None
    changed_at: float | None = None
    changed_by: str | None = None
    """``you, here``, ``outside``, or the agent's call, in words."""
    read_only: str = ""
    """Why it can't be edited from here; empty when it can."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""
