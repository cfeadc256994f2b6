"""A request with its four areas, and its lists as pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.trace.model.events import Event
from engine.trace.model.kinds import Piece
from engine.trace.model.parts import Aligned, MessageRow, RawRow, SystemBlock, ToolRow
from engine.trace.model.rows import RequestRow


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
