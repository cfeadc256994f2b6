"""What a page says of a thread or a request, in no format yet: plain values, likely secrets already masked."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.masking import Masker
from engine.trace.model import Artifact, RequestRow, ThreadRow


@dataclass(frozen=True, slots=True)
class Item:
    """One part of a request, with its text."""

    anchor: str
    """Names its place on the page."""
    kind: str
    """As in the request's bar: system, memory, …; ``provider``."""
    index: int | None
    title: str
    """Role, tool or contributor."""
    facts: tuple[str, ...]
    """Short words: size, fate, status."""
    text: str
    """As the reader gives it, secrets masked."""
    more: str
    """What is no text: tool calls, parameters, blocks of other types, as JSON; empty when there is none."""


@dataclass(frozen=True, slots=True)
class Same:
    """Items ``first`` to ``last`` of a list that are told elsewhere."""

    first: int
    last: int
    anchor: str
    words: str
    """Where they are told, or what became of them."""


@dataclass(frozen=True, slots=True)
class Area:
    """One list of a request."""

    name: str
    note: str
    """Why it is empty, or how many it holds."""
    rows: tuple[Item | Same, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """One request."""

    anchor: str
    row: RequestRow
    facts: tuple[tuple[str, str], ...]
    error: str
    areas: tuple[Area, ...]
    events: tuple[tuple[str, str], ...]
    """Kind and data as JSON."""


@dataclass(frozen=True, slots=True)
class File:
    """An artifact; ``text`` is None where its contents are not part of the page."""

    artifact: Artifact
    facts: tuple[str, ...]
    text: str | None


@dataclass(slots=True)
class Outline:
    """What a page says."""

    thread: ThreadRow
    title: str
    whole: bool
    """The thread; else one request."""
    sections: list[Section]
    summaries: list[Item]
    files: list[File]
    with_files: bool
    masker: Masker = field(repr=False)

    @property
    def file_bytes(self) -> int:
        """Bytes of all artifacts."""
        return sum(file.artifact.size for file in self.files)
