"""A difference of two texts in which every secret is equal, gone or new as a whole.

What differs is worked out on the true texts. Where a change lies inside a secret, drawing a mask over it would
hide that something changed; so the whole secret is drawn as gone and the other one as come. Pure functions, no Qt.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from engine.explain.model import Span
from engine.masking import Secret, secrets_in
from inspector.exact_text import ExactText
from inspector.line_diff import DiffLine


def whole_secrets(spans: Sequence[Span], before: Sequence[Secret], after: Sequence[Secret]) -> Iterator[Span]:
    """The spans, those that end inside a secret of either text made one with what the secret reaches into."""
    if not before and not after:
        yield from spans
        return
    places = _Places(spans)
    at = 0
    for start, end, is_split in _joined(places.hulls(before, after)):
        if not is_split:
            continue
        yield from places.part(at, start)
        yield places.one(start, end)
        at = end
    yield from places.part(at, places.length)


def joined(secrets: Iterable[Secret]) -> list[Secret]:
    """Secrets in order, those that overlap as one."""
    kept: list[Secret] = []
    for each in sorted(secrets, key=lambda each: each.start):
        if kept and each.start < kept[-1].end:
            kept[-1] = replace(kept[-1], end=max(kept[-1].end, each.end))
        else:
            kept.append(each)
    return kept


def secrets_of_lines(old: str, new: str, lines: Sequence[DiffLine], places: Sequence[int]) -> list[Secret]:
    """Secrets of the lines of a difference, each at its place; looked for in the whole texts.

    A key's lines are the key's also where its first line is not among them.
    """
    sides = (_by_line(old), _by_line(new))
    found: list[Secret] = []
    for line, place in zip(lines, places, strict=True):
        for number, secrets in zip((line.old, line.new), sides, strict=True):
            for start, end, rule in secrets.get(number or 0, ()):
                found.append(Secret(place + start, place + min(end, len(line.text)), rule))
    return joined(each for each in found if each.end > each.start)


def _by_line(text: str) -> dict[int, list[tuple[int, int, str]]]:
    """By the number of a line, from 1: the stretches of secrets in it."""
    secrets = secrets_in(text)
    if not secrets:
        return {}
    exact = ExactText.of(text)
    starts, at = [], len(exact.mark)
    for line, end in zip(exact.lines, (*exact.ends, ""), strict=True):
        starts.append(at)
        at += len(line) + len(end)
    found: dict[int, list[tuple[int, int, str]]] = {}
    for secret in secrets:
        n = bisect_right(starts, secret.start) - 1
        while n < len(starts) and starts[n] < secret.end:
            found.setdefault(n + 1, []).append((max(0, secret.start - starts[n]), secret.end - starts[n], secret.rule))
            n += 1
    return found


_Hull = tuple[int, int, bool]
"""Start, end, and whether it holds more than a stretch of equal text."""


class _Places:
    """Both texts on one line: what is equal once, what went before what came in its place."""

    def __init__(self, spans: Sequence[Span]) -> None:
        self._spans = [span for span in spans if span.old_end > span.old_start or span.new_end > span.new_start]
        self._starts: list[int] = []
        at = 0
        for span in self._spans:
            self._starts.append(at)
            at += _length(span)
        self.length = at

    def hulls(self, before: Sequence[Secret], after: Sequence[Secret]) -> list[_Hull]:
        """The stretch of each secret, in order; one that reaches into a change holds all of it."""
        return sorted([*self._hulls(before, old=True), *self._hulls(after, old=False)])

    def _hulls(self, secrets: Sequence[Secret], old: bool) -> Iterator[_Hull]:
        n = 0
        for secret in secrets:
            while n < len(self._spans) and _side(self._spans[n], old)[1] <= secret.start:
                n += 1
            start, end, is_split, m = None, 0, False, n
            while m < len(self._spans) and _side(self._spans[m], old)[0] < secret.end:
                span, at = self._spans[m], self._starts[m]
                left, right = _side(span, old)
                equal = span.what == "equal"
                is_split = is_split or not equal
                if start is None:
                    start = at + max(0, secret.start - left) if equal else at
                end = at + min(right, secret.end) - left if equal else at + _length(span)
                m += 1
            if start is not None:
                yield start, end, is_split or m - n > 1

    def part(self, start: int, end: int) -> Iterator[Span]:
        """The spans between two places; only equal ones are cut."""
        for span, at in zip(self._spans, self._starts, strict=True):
            left, right = max(start, at), min(end, at + _length(span))
            if left >= right:
                continue
            if span.what != "equal":
                yield span
                continue
            shift, cut = left - at, right - left
            old, new = span.old_start + shift, span.new_start + shift
            yield Span("equal", old, old + cut, new, new + cut)

    def one(self, start: int, end: int) -> Span:
        """Everything between two places as one change."""
        parts = list(self.part(start, end))
        return Span("replace", parts[0].old_start, parts[-1].old_end, parts[0].new_start, parts[-1].new_end)


def _joined(hulls: Iterable[_Hull]) -> list[_Hull]:
    kept: list[_Hull] = []
    for start, end, is_split in hulls:
        if kept and start < kept[-1][1]:
            kept[-1] = (kept[-1][0], max(kept[-1][1], end), kept[-1][2] or is_split)
        else:
            kept.append((start, end, is_split))
    return kept


def _side(span: Span, old: bool) -> tuple[int, int]:
    return (span.old_start, span.old_end) if old else (span.new_start, span.new_end)


def _length(span: Span) -> int:
    if span.what == "equal":
        return span.new_end - span.new_start
    return span.old_end - span.old_start + span.new_end - span.new_start
