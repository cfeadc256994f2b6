"""What is searched, whatever it comes from: a workspace, or somebody else's database.

A corpus tells its texts by what names them, and where they stand. It is asked by the update of an index and by
the picture that a query is answered from; both know no tables.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.notes import Note
from engine.places import ROUTES
from engine.search.places import Places
from engine.trace.model import RequestRow, ThreadRow

FILE, STORED, EARLIER = "file", "stored", "earlier"
"""Sources of texts besides recorded parts. Files of the store, and the texts that they had before, are two."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A file of a thread's state or of the store, as it is kept."""

    source: str
    ref: str
    """Names it within its source."""
    path: str
    data: Any
    """deepagents' dict, or bytes."""
    at: float | None = None


class Corpus(Protocol):
    """What is searched."""

    @property
    def path(self) -> Path: ...

    def close(self) -> None: ...

    def load(self, stop: threading.Event) -> bool:
        """Read what has to be read before anything else; False when it was stopped."""
        ...

    def parts(self) -> dict[bytes, int]:
        """Ids of the parts that hold text, by what they are known by."""
        ...

    def newer(self, part: int) -> int:
        """How many parts have a larger id than this."""
        ...

    def read(self, parts: Sequence[int]) -> Iterator[tuple[bytes, str, Any]]:
        """Digest, kind and value of these parts; None for one that can't be read."""
        ...

    def places(self) -> Places: ...

    def threads(self) -> list[ThreadRow]: ...

    def thread_numbers(self) -> dict[int, str]:
        """Threads by the numbers that the places have for them."""
        ...

    def rows(self, ids: Sequence[int]) -> list[RequestRow]: ...

    def calls(self) -> dict[int, list[str]]:
        """Names of the tools that a request's answer calls."""
        ...

    def named(self) -> dict[int, list[str]]:
        """Paths that a request's events name."""
        ...

    def contributor(self, request: int, index: int) -> str:
        """Who put a block of the system message there."""
        ...

    def notes(self) -> list[Note]: ...

    def states(self) -> dict[str, str]:
        """For each thread with files of its own, a word that is another one when they may be others."""
        ...

    def state_files(self, thread_id: str) -> list[Stored]: ...

    def stored(self) -> Iterator[Stored]:
        """Files of the store, and the texts that they had before."""
        ...


def file_ref(thread_id: str, path: str) -> str:
    """Name of a thread's file; that of an empty path begins the names of them all, and of no others."""
    return f"{len(thread_id)} {thread_id}{path}"


def file_of(ref: str) -> tuple[str, str]:
    """Thread and path of a thread's file."""
    length, _, rest = ref.partition(" ")
    return rest[: int(length)], rest[int(length) :]


def stored_ref(prefix: str, key: str, version: int = 0) -> str:
    """Name of a file of the store; with its number in ``file_versions``, of a text that it had before."""
    return f"{version} {len(prefix)} {prefix}{key}"


def stored_of(ref: str) -> str:
    """Path of a file of the store."""
    return path_in_store(*file_of(ref.partition(" ")[2]))


def path_in_store(prefix: str, key: str) -> str:
    """A store file's path as an agent sees it; outside its routes, its namespace and key."""
    route = next((route for route, namespace in ROUTES.items() if namespace == prefix), None)
    return route.rstrip("/") + key if route else f"{prefix}:{key}"


def paths_in(data: Any) -> Iterator[str]:
    """Every path that an event names."""
    for item in data.values() if isinstance(data, Mapping) else data:
        if isinstance(item, (Mapping, list)):
            yield from paths_in(item)
    path = data.get("path") if isinstance(data, Mapping) else None
    if isinstance(path, str):
        yield path
