"""What context engineering did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


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
