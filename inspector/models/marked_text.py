"""Two texts as one, with what came and what went marked; and texts of several pieces under labels.

Pure functions, no Qt. The work grows with the texts: call it in a job.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from engine.explain.model import Span, TextDiff
from engine.masking import Secret, secrets_in
from inspector.models.changed_secrets import joined, whole_secrets
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
    """Both texts in one: what is equal once, what went before what came in its place.

    A secret that differs went whole and came whole, so that two masks stand there and not one: what is
    masked is looked for in both texts, never in the mixture.
    """
    out: list[str] = []
    ranges: list[tuple[int, int, Sort]] = []
    secrets: list[Secret] = []
    before, after = secrets_in(old), secrets_in(new)
    at = 0

    def put(text: str, start: int, end: int, of: Sequence[Secret], sort: Sort | None) -> None:
        nonlocal at
        if start == end:
            return
        out.append(text[start:end])
        secrets.extend(_moved(of, start, end, at))
        if sort is not None:
            ranges.append((at, at + end - start, sort))
        at += end - start

    for span in whole_secrets(found.spans, before, after):
        if span.what == "equal":
            there = _moved(before, span.old_start, span.old_end, span.new_start)
            put(new, span.new_start, span.new_end, joined([*there, *after]), None)
            continue
        put(old, span.old_start, span.old_end, before, "removed")
        put(new, span.new_start, span.new_end, after, "added")
    return Marked(shown("".join(out), whole=True, secrets=secrets), tuple(ranges))


def _moved(secrets: Sequence[Secret], start: int, end: int, to: int) -> list[Secret]:
    """Those between two places of their text, where they stand when the first place is ``to``."""
    first = bisect_left(secrets, start, key=lambda each: each.start)
    last = bisect_left(secrets, end, key=lambda each: each.start)
    return [replace(each, start=each.start - start + to, end=each.end - start + to) for each in secrets[first:last]]


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
