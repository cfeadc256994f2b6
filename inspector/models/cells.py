"""What a row of messages shows: strings made from a row, its head and its place, when it is shown.

No colours and no geometry: those are the delegate's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.trace.model import FIRST_LINE, MessageHead, MessageRow, PartRow, RawRow, ToolCall
from inspector import format
from inspector.models.pairs import NONE, Pair
from inspector.models.shown_text import one_line

Style = Literal["text", "note", "arrow", "call", "args", "error"]
CALLS_SHOWN = 4
_PLAIN_BLOCKS = ("text", "str", "tool_use", "function_call", "tool_call")
"""Blocks that a row shows as its text or its calls."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one painted line."""

    text: str
    style: Style = "text"


@dataclass(frozen=True, slots=True)
class Badge:
    """A word at the end of a line."""

    word: str
    kind: str
    """Whose colour it has: a kind of message, ``error``, ``accent`` or ``muted``."""
    why: str = ""
    """In words, for the tooltip and for screen readers."""
    opens: str | None = None
    """Path of the file that a click opens."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One message as a line."""

    number: str
    kind: str
    name: str
    segments: tuple[Segment, ...]
    badges: tuple[Badge, ...]
    chars: int
    tokens: int
    pair: Pair = NONE
    dim: bool = False

    @property
    def line(self) -> str:
        """The text of the line."""
        return "".join(segment.text for segment in self.segments)

    @property
    def spoken(self) -> str:
        """The whole row as one sentence for a screen reader."""
        badges = ", ".join(badge.word.rstrip(" ▸") for badge in self.badges)
        size = f"{format.exact(self.chars)} characters"
        return ", ".join(part for part in (f"{self.number}: {self.name}", badges, self.line, size) if part)


FATE_KINDS: dict[str, str] = {"sent": "muted", "summarized": "summary", "not sent": "error"}
"""Whose colour a fate's word has; the others have that of tools."""

_FATE_BADGES = {
    "arguments cut": Badge("args cut", "tools", "arguments of old tool calls were cut before sending"),
    "clipped": Badge("clipped", "tools", "the tail was cut off and saved in a file"),
    "reasoning dropped": Badge("reasoning dropped", "tools", "reasoning blocks were left out"),
    "patched": Badge("patched", "tools", "a tool call without a result was given one"),
    "replaced": Badge("replaced", "tools", "content differs from the raw message"),
}


def badges_of(row: PartRow, head: MessageHead | None, *, new: bool = False, fate: bool = True) -> list[Badge]:
    """How a message came here, where its whole text lies, and what the tool said of it."""
    badges: list[Badge] = []
    if isinstance(row, MessageRow):
        if row.is_new and new:
            badges.append(Badge("new", "accent", "not in this agent's request before"))
        if row.origin == "summary":
            badges.append(Badge("summary", "summary", "made by summarization, not said by anybody"))
        elif row.origin == "inserted":
            badges.append(Badge("inserted", "tools", "put in by a middleware, not in the raw messages"))
        if fate and row.fate in _FATE_BADGES:
            badges.append(_FATE_BADGES[row.fate])
    offloaded = isinstance(row, (MessageRow, RawRow)) and row.fate == "offloaded"
    if head is not None and head.artifact is not None:
        word = "history ▸" if row.kind == "summary" else "offloaded ▸"
        if isinstance(row, RawRow) and row.fate == "offloaded":  # one badge is fate and way to the file
            return [*badges, Badge(word, "tools", f"{row.reason} It lies in {head.artifact}", head.artifact)]
        badges.append(Badge(word, row.kind, f"the whole stands in {head.artifact}", head.artifact))
    elif offloaded and fate and isinstance(row, MessageRow):
        badges.append(Badge("offloaded", "tool", "the whole stands in a file"))
    if head is not None and head.status == "error":
        badges.append(Badge("error", "error", "the tool reported an error"))
    broken = [call.error for call in head.tool_calls if call.error is not None] if head is not None else []
    if broken:
        why = "; ".join(f"invalid: {one_line(error, 80)}" for error in broken[:CALLS_SHOWN])
        badges.append(Badge(_times("invalid call", len(broken)), "error", why))
    if isinstance(row, RawRow):
        badges.append(Badge(row.fate, FATE_KINDS.get(row.fate, "tools"), row.reason))
    return badges


def segments(head: MessageHead) -> tuple[Segment, ...]:
    """First line, calls, and words for what has no text."""
    made: list[Segment] = []
    if head.first_line.strip():
        made.append(Segment(one_line(head.first_line, 240, goes_on=len(head.first_line) >= FIRST_LINE)))
    elif head.role == "remove":
        made.append(Segment(f"removes the message {head.message_id or 'without id'}", "note"))
    elif head.note and not (head.note == "tool call only" and head.tool_calls):
        made.append(Segment(head.note, "note"))
    other = [kind or "block without a type" for kind in head.blocks if kind not in _PLAIN_BLOCKS]
    if other:
        kinds = ", ".join(_times(kind, other.count(kind)) for kind in dict.fromkeys(other))
        made.append(Segment(("  " if made else "") + f"+ {one_line(kinds, 120)}", "note"))
    for call in head.tool_calls[:CALLS_SHOWN]:
        made += _call(call, bool(made))
    more = len(head.tool_calls) - CALLS_SHOWN
    if more > 0:
        made.append(Segment(f"  and {format.count(more, 'call')} more", "note"))
    if not made:
        made.append(Segment("no text", "note"))
    return tuple(made)


def name_of(row: PartRow, head: MessageHead | None) -> str:
    """Role, the tool's name for its result; a summary has the role of what a user says, and nobody said it."""
    if head is None or row.kind == "summary":
        return row.kind
    if head.role == "tool":
        return one_line(head.name or "tool", 80)
    if head.role == "ai":
        return head.role  # its name is the agent's, the same in every row
    return one_line(f"{head.role} · {head.name}" if head.name else head.role, 80)


def loading_segments(problem: str | None) -> tuple[Segment, ...]:
    """While a head is on its way, or when it can't be read."""
    if problem is None:
        return (Segment("…", "note"),)
    return (Segment(f"can't be read: {one_line(problem, 200)}", "error"),)


def _call(call: ToolCall, follows: bool) -> Sequence[Segment]:
    made = [
        Segment("  → " if follows else "→ ", "arrow"),
        Segment(one_line(call.name or "no name", 60), "call"),
        Segment(f" {one_line(call.args, 200)}", "args"),
    ]
    if call.error is not None:
        made.append(Segment(f"  invalid: {one_line(call.error, 80)}", "error"))
    return made


def _times(kind: str, number: int) -> str:
    return kind if number == 1 else f"{kind} × {number}"
