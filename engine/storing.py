"""Plain values of the store page: namespaces, items, and what one is. Times are seconds since the epoch, UTC."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class StoreNamespace:
    """A namespace of the store that has items of its own."""

    text: str
    """Its parts joined by dots, as the store keeps it; names it everywhere here."""
    parts: tuple[str, ...]
    """As they read: ``~2e`` in an identity's part is a dot again."""
    items: int
    size: int
    """Bytes of the values as stored."""
    updated_at: float | None
    """The latest change of an item."""


@dataclass(frozen=True, slots=True)
class StoreItem:
    """One item, with its value."""

    namespace: str
    key: str
    value: Any
    """As JSON gives it; None where it is damaged."""
    json: str
    """The value as text, indented; what is stored where that is no JSON."""
    version: str
    """Digest of the stored value; an edit names the one it was made from."""
    size: int
    """Bytes as stored."""
    created_at: float | None
    updated_at: float | None
    is_file: bool
    """An agent's backend wrote it: it has content and an encoding. Anything else is an item of the application."""
    path: str | None
    """Of a file in a namespace that agents have by default: the path by which they read it."""
    problem: str = ""
    """Why the value can't be read; empty when it can."""
    expires_at: float | None = None
    whole: bool = True
    """Whether the value is here; a page leaves out one over 256 KiB, and has no version of it then."""


@dataclass(frozen=True, slots=True)
class StorePage:
    """Some items of one namespace, by key."""

    items: tuple[StoreItem, ...]
    total: int
    """Items that there are, on all pages."""
    offset: int
