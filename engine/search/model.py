"""What the search gives: plain frozen values, as the read model's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.trace.model import Kind

Source = Literal["part", "file", "memory", "thread", "note", "error", "request"]
"""Where a text lies. ``request`` is a hit of a query that has filters only: the request itself."""

Area = Literal["system", "tools", "messages", "raw", "provider", "response"]
"""The area of a request in which a part stands; ``raw`` where it was never sent."""

Order = Literal["newest", "rank"]


@dataclass(frozen=True, slots=True)
class Hit:
    """One text in which all of a query's terms occur, in one thread."""

    source: Source
    thread_id: str | None
    """None for memory and other files of the store, which belong to no thread."""
    thread_title: str
    request: int | None
    """The first request of the thread that holds it (of those that the filters let through)."""
    request_number: int | None
    requests: int
    """How many requests of the thread hold it (of those that the filters let through)."""
    area: Area | None
    """Where it stands in that first request; None for what is no part of one."""
    index: int | None
    """Its place in that area's list, from 0."""
    kind: Kind | None
    """As in the request's bar; None for what is no part of a request."""
    part: int | None
    path: str | None
    """Of a file, or of a memory file in the store."""
    version: str | None
    """Of a memory file's text: the digest that names it; of a note: its id."""
    current: bool
    """False for an earlier version of a memory file, which a save has replaced."""
    field: str
    """``text``: what the reader's ``text`` gives, so that ``position`` is a place in it; else what it is
    (``calls``, ``schema``, ``parameters``, ``more``, ``path``, ``title``, ``id``)."""
    position: int
    """Characters before the first match in that field's text."""
    length: int
    """Characters of the first match; 0 without a term."""
    snippet: str
    """The match and what stands around it, on one line, likely secrets masked."""
    marks: tuple[tuple[int, int], ...]
    """Start and length of every term's occurrences in ``snippet``."""
    occurrences: int
    """Of the terms in this text, all fields taken together; of a long text, in its first pieces that hold them."""
    at: float | None
    """When the request was made, or the file or note last changed."""


@dataclass(frozen=True, slots=True)
class Results:
    """What one query found."""

    hits: tuple[Hit, ...]
    more: bool
    """There are others: the limit or the time was reached."""
    candidates: int
    """Texts that may hold all terms, by the index: at least as many as do."""
    pending: int
    """Texts of the record that were not searched, since they are not in the index yet."""
    seconds: float
    """What it took."""
