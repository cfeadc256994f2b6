"""The provider's side as plain frozen values: attempts, the comparison with LangChain's view, usage, cost.

Times are seconds since the epoch, UTC; ``None`` always means "not known" or "not reported".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal

Side = Literal["same", "differs", "renamed", "wire only", "LangChain only"]


@dataclass(frozen=True, slots=True)
class WireAttempt:
    """One time that a request's body was sent. Its body is asked for by ``id``."""

    id: int
    number: int
    """1, 2, 3 … within the request; from 2 on it is a retry of the client's."""
    method: str
    host: str
    """With the port where the address named one."""
    url_path: str
    """Without the query, which may hold a key."""
    streamed: bool
    """Whether the client read the answer piece by piece."""
    status: int | None
    """HTTP status; None while it is not answered, and where it never was."""
    error: str | None
    """Why there is no answer, or why it broke off."""
    started_at: float
    duration_ms: float | None
    """Until the answer was there: whole, or, where it is streamed, its head."""
    size: int | None
    """Bytes of the body; None where it was a stream, which is not kept."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Of what was sent, only those that tell versions and beta features."""
    answer_headers: Mapping[str, str] = field(default_factory=dict)
    """Of the answer, only the request's id there and the time to wait."""
    masked: tuple[str, ...] = ()
    """Places of the body from which a secret was removed; empty where it is exactly what was sent."""
    has_body: bool = True


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter on both sides."""

    name: str
    """As it stands on the wire, else in LangChain's view."""
    side: Side
    wire: Any = None
    langchain: Any = None
    langchain_name: str | None = None
    """LangChain's name for it where the two differ."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of content that only one side has."""

    place: str
    """``messages[3].content[0]``, as a path into that side."""
    kind: str
    """text, tool call, tool result, thinking, image, …"""
    preview: str
    """At most 200 characters."""
    chars: int


@dataclass(frozen=True, slots=True)
class Conversion:
    """A way in which the integration put LangChain's messages into the provider's form."""

    kind: Literal["moved", "merged", "split", "role"]
    words: str
    count: int
    """LangChain messages that it happened to."""
    first: int
    """Index of the first of them; the system message is −1."""


@dataclass(frozen=True, slots=True)
class Unsent:
    """A field of LangChain's messages that is not on the wire."""

    name: str
    messages: int
    """Messages that have a value there which was not sent."""


@dataclass(frozen=True, slots=True)
class ToolDifference:
    """One tool on both sides, by name. ``same`` allows for the provider's wrapping."""

    name: str
    side: Side
    wire_index: int | None = None
    langchain_index: int | None = None
    wire_only: tuple[str, ...] = ()
    """Paths into the schema."""
    langchain_only: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CacheMarker:
    """A mark that asks the provider to cache what stands before it."""

    area: Literal["system", "tools", "messages", "provider"]
    index: int | None
    """Of the block, tool or message in LangChain's view; None where none could be told."""
    block: int | None
    """Content block in a message."""
    place: str
    """Path into the side that it was found on."""
    marker: Any


@dataclass(frozen=True, slots=True)
class Comparison:
    """What went over the wire beside LangChain's view of the same request."""

    attempt: int
    """Id of the attempt compared: the last one."""
    api: Literal["openai chat", "openai responses", "anthropic messages", "other"]
    parameters: tuple[Parameter, ...]
    conversions: tuple[Conversion, ...]
    wire_only: tuple[Piece, ...]
    langchain_only: tuple[Piece, ...]
    unsent: tuple[Unsent, ...]
    tools: tuple[ToolDifference, ...]
    markers_asked: tuple[CacheMarker, ...]
    """In LangChain's view: put there by the caller or a middleware."""
    markers_sent: tuple[CacheMarker, ...]
    """On the wire: what the provider was really asked."""


@dataclass(frozen=True, slots=True)
class TokenSplit:
    """Input tokens told apart so that nothing is counted twice; as reported, never estimated."""

    reported: bool
    input: int | None = None
    """All of it."""
    fresh: int | None = None
    """Neither read from the cache nor written to it; None where it can't be told."""
    cache_read: int | None = None
    cache_creation: int | None = None
    """Written to the cache, all lifetimes."""
    cache_creation_5m: int | None = None
    cache_creation_1h: int | None = None
    output: int | None = None
    reasoning: int | None = None
    """Part of the output."""
    problem: str | None = None
    """Why the counts can't all be true."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What a request cost by a price list, in US dollars; ``amount`` is None with the reason why."""

    amount: Decimal | None
    input: Decimal | None = None
    output: Decimal | None = None
    model: str | None = None
    """As the list names it."""
    provider: str | None = None
    prices: str = ""
    """The list, its version and the newest price in it: ``genai-prices 0.2.3 (prices to 2026-11-09)``."""
    reason: str = ""
    """Why there is no amount."""
    note: str = ""
    """What may make the true price another one."""
