"""Whom an edit of one file concerns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reach:
    """A thread that an edit of one file concerns."""

    thread_id: str
    title: str
    loaded: bool
    """It holds a copy of its own: the edit reaches it when it is applied there."""
    current: bool
    """Its copy is the file as it stands."""
    agents: tuple[str | None, ...]
    """Agents that had the file in their system message; None is the unnamed main agent."""
    last_request: int | None
    """Number of the last request that carried the file."""
    block_tokens: int
    """Of the block that the file stands in."""
    invalidated_tokens: int
    """That block and all that came after it in that request: what a prompt cache loses by the change."""
    cache_read: int | None
    """Cached tokens that the provider reported for that request."""


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Whom an edit of one file concerns."""

    path: str
    threads: tuple[Reach, ...]
    new_threads: bool
    """A new thread of the default agent loads the file."""

    @property
    def invalidated_tokens(self) -> int:
        """Over all threads that hold a copy."""
        return sum(reach.invalidated_tokens for reach in self.threads if reach.loaded)
