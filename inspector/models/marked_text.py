"""Two texts as one, with what came and what went marked; and texts of several pieces under labels.

Pure functions, no Qt. The work grows with the texts: call it in a job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from engine.explain.model import Span, TextDiff
from inspector.models.shown_text import ShownText, shown

Sort = Literal["added", "removed"]


@dataclass(frozen=True, slots=True)
class Marked:
    """A text to draw, and the stretches of it that were added or removed, as true offsets in order."""

    text: ShownText
    ranges: tuple[tuple[int, int, Sort], ...] = ()

    def of(self, sort: Sort) -> str:
        """Everything that was added, or removed, in one."""
        return "".join(self.text.source[start:end] for start, end, each in self.ranges if each == sort)

    @property
    def changes(self) -> tuple[int, ...]:
        """Where each change begins: what went and what came in its place are one."""
        found, last = [], -1
        for start, end, _sort in self.ranges:
            if start != last:
                found.append(start)
            last = end
        return tuple(found)


def marked_difference(old: str, new: str, found: TextDiff) -> Marked:
    """Both texts in one: what is equal once, what went before what came in its place."""
    out: list[str] = []
    ranges: list[tuple[int, int, Sort]] = []
    at = 0

    def put(text: str, sort: Sort | None) -> None:
        nonlocal at
        if not text:
            return
        out.append(text)
        if sort is not None:
            ranges.append((at, at + len(text), sort))
        at += len(text)

    for span in found.spans:
        if span.what == "equal":
            put(new[span.new_start : span.new_end], None)
            continue
        put(old[span.old_start : span.old_end], "removed")
        put(new[span.new_start : span.new_end], "added")
    return Marked(shown("".join(out), whole=True), tuple(ranges))


def marked_whole(text: str, sort: Sort | None) -> Marked:
    """A text that came or went whole."""
    return Marked(shown(text, whole=True), ((0, len(text), sort),) if text and sort is not None else ())


def labelled(texts: Sequence[tuple[str, str]]) -> Marked:
    """Several texts under a label each: ``(label, text)``."""
    labels: list[tuple[int, str]] = []
    out: list[str] = []
    at = 0
    for label, text in texts:
        ended = text if text.endswith("\n") or not text else text + "\n"
        labels.append((at, label))
        out.append(ended)
        at += len(ended)
    return Marked(shown("".join(out), labels=labels))


def replaced(old: str, new: str) -> TextDiff:
    """One text in place of another."""
    return TextDiff((Span("replace", 0, len(old), 0, len(new)),))
