"""Pieces of a request, without their bodies, and what a row shows of a message."""

from __future__ import annotations

from dataclasses import dataclass

from engine.trace.model.kinds import Fate, Kind, Origin


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
