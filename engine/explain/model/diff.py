"""Two texts, and two requests, compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.explain.model.waterfall import Area
from engine.trace.model import Kind, RequestRow


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of two texts: equal, or what stands in place of what. Places are characters."""

    what: Literal["equal", "insert", "delete", "replace"]
    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """From one text to another: spans in order that cover both."""

    spans: tuple[Span, ...]

    @property
    def removed(self) -> int:
        """Characters of the old text that are gone."""
        return sum(span.old_end - span.old_start for span in self.spans if span.what != "equal")

    @property
    def added(self) -> int:
        """Characters of the new text that were not there."""
        return sum(span.new_end - span.new_start for span in self.spans if span.what != "equal")


@dataclass(frozen=True, slots=True)
class PartDiff:
    """A piece, or a run of equal ones, on one side or both."""

    what: Literal["same", "moved", "changed", "added", "removed"]
    old_index: int | None
    new_index: int | None
    count: int
    """More than one for a run of equal pieces."""
    old_part: int | None
    new_part: int | None
    kind: Kind
    name: str
    """Of a tool."""
    tokens: int
    """What it adds to the request; negative for what it takes."""


@dataclass(frozen=True, slots=True)
class AreaDiff:
    """One area of two requests. The Provider area is one text each, compared by ``Explainer.text_diff``."""

    area: Area
    parts: tuple[PartDiff, ...]
    prefix: int
    """Pieces that both begin with."""
    suffix: int
    """Pieces that both end with, the prefix not counted again."""

    @property
    def same(self) -> bool:
        """Whether the area is the same in both."""
        return all(part.what == "same" for part in self.parts)


@dataclass(frozen=True, slots=True)
class RequestDiff:
    """Two requests, piece by piece: from ``old`` to ``new``."""

    old: RequestRow
    new: RequestRow
    areas: tuple[AreaDiff, ...]
    """System, tools, messages, provider."""
