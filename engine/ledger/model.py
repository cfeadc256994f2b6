"""The ledger as plain frozen values. Sizes are characters of text; tokens say where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

TokenSource = Literal["reported", "estimated", "mixed", "unknown"]


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One request. "New" is what this agent run's state got since the request before it."""

    id: int
    number: int
    purpose: str
    agent: str | None
    received_chars: int
    """Text in the messages that the model received, the system message not counted."""
    system_chars: int
    tools_chars: int
    """Tool schemas as JSON."""
    received_tokens: int | None
    """All four areas: as reported, else estimated; ``tokens`` says which."""
    tokens: Literal["reported", "estimated", "unknown"]
    tool_returned_chars: int
    """What tools returned, new here, before anything of it was put away."""
    offloaded_chars: int
    """Whole length of the texts that were put into files, new here."""
    left_chars: int
    """What stands for those in the context: the stubs."""
    summarized_chars: int
    """Messages of the state that a summary took the place of, new here; stubs count as stubs."""
    summary_chars: int
    """The summary in force."""
    history_chars: int | None
    """What the thread's state holds; None where the state was not recorded."""
    original_chars: int | None
    """What the messages would hold had nothing been put away, summarized or cut."""
    other_chars: int | None
    """Received beyond the history, less what is summarized, plus the summary: arguments cut, texts inserted, …"""

    @property
    def share(self) -> float | None:
        """Received of the original, 1.0 for all of it; None where the original is not known or is nothing."""
        return self.received_chars / self.original_chars if self.original_chars else None


@dataclass(frozen=True, slots=True)
class LedgerTotals:
    """All requests together. What a request received again counts again, as it is paid for again."""

    requests: int
    received_chars: int
    received_tokens: int | None
    """None where reported and estimated counts would have to be added up."""
    tokens: TokenSource
    reported_tokens: int
    """Of the requests whose tokens were reported …"""
    estimated_tokens: int
    """… and of the rest."""
    tool_returned_chars: int
    offloaded_chars: int
    left_chars: int
    summarized_chars: int
    original_chars: int
    """Of those requests for which it is known."""
    share: float | None
    """Received of the original, over the requests for which it is known."""
    last_received_chars: int
    """The main agent's last request."""
    last_original_chars: int | None
    last_share: float | None
    history_chars: int | None
    """What is left in the main agent's state."""


@dataclass(frozen=True, slots=True)
class ReadBack:
    """An offloaded text or saved history, and what it costs the model to have it back."""

    path: str
    kind: str
    request: int | None
    """Number of the request in which it was first seen."""
    chars: int
    lines: int
    reads_needed: int
    """Calls of ``read_file`` at its default page, from the first line to the last."""
    read_chars: int
    """Characters that these calls return, their status lines included."""
    read_tokens: int
    """The same, estimated at 4 characters a token."""
    unreachable_chars: int
    """Ends of lines that are too long for a page; no offset reaches them."""
    reads_made: int
    """Calls of ``read_file`` on it so far that returned text."""
    lines_read: float
    """Lines of it that these returned, each once; a part of a line counts as that part."""
    read_percent: float
    """``lines_read`` of ``lines``."""
    problem: str | None = None
    """Why it could not be looked into."""


@dataclass(frozen=True, slots=True)
class Published:
    """A figure that was published for a scenario, and why ours is what it is."""

    name: str
    published: int
    counted: int | None
    """None where the thread has no such thing."""
    why: str


@dataclass(frozen=True, slots=True)
class Ledger:
    """The ledger of one thread."""

    thread_id: str
    rows: tuple[LedgerRow, ...]
    totals: LedgerTotals
    artifacts: tuple[ReadBack, ...]
    published: tuple[Published, ...] = ()
    """Empty for a thread that nothing was published about."""
