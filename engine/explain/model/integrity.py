"""Whether a record explains itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class IntegrityDifference:
    """A place where a request is not what the engine's rules make of its state."""

    thread_id: str
    request: int
    number: int
    """Of the request, in its thread."""
    contributor: str
    """Whose step it is; empty where steps were not recorded."""
    index: int | None
    """Of the effective message; None for one that is missing."""
    raw_index: int | None
    what: Literal["missing", "unexpected", "changed", "not changed", "summary"]
    words: str


@dataclass(frozen=True, slots=True)
class MissingArtifact:
    """A file that messages or a summary speak of and that is not there any more."""

    thread_id: str
    path: str
    kind: Literal["offloaded result", "offloaded message", "history"]
    request: int | None
    """The first request that speaks of it."""
    number: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Integrity:
    """Whether the record of a file, or of a thread, explains itself."""

    requests: int
    """Looked at."""
    unchecked: int
    """Of them, those without raw state, such as summarizing calls, and those whose program changed messages unseen."""
    differences: tuple[IntegrityDifference, ...]
    missing_artifacts: tuple[MissingArtifact, ...]
    notes: tuple[str, ...]
    """What could not be checked, and oddities that the engine itself left."""

    @property
    def clean(self) -> bool:
        """Nothing differs and nothing is missing."""
        return not self.differences and not self.missing_artifacts
