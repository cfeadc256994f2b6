"""Two texts beside each other: their lines in rows, as high on one side as on the other, with what differs marked.

Each side stays its own text: what is put in to wrap a line or to fill a row is no part of it, so that a copy is true.
Pure functions, no Qt. The work grows with the texts: call it in a job.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.explain.model import Span
from engine.masking import secrets_in
from inspector.exact_text import BREAK, changes
from inspector.line_diff import CONTEXT
from inspector.models.changed_secrets import whole_secrets
from inspector.models.column import Column, Row
from inspector.models.marked_text import Marked, Sort

_TELLING = 3
"""Letters that two lines must share to stand in one row."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Both sides, ready to draw; a drawn line of one stands beside that of the other of the same number."""

    before: Marked
    after: Marked
    empty: tuple[frozenset[int], frozenset[int]]
    """Drawn lines of each side that only fill a row."""
    steps: tuple[int, ...]
    """Drawn lines at which the differences begin."""
    removed: int
    """Lines of the text before that differ or are gone."""
    added: int
    same: bool
    """The texts are equal to the last character; without differences and not the same, only line ends differ."""


def beside(old: str, new: str, width: int, all_lines: bool = False) -> Beside:
    """From ``old`` to ``new`` in columns of ``width`` cells; ``all_lines``: also those far from a change."""
    sides = (_lines(old), _lines(new))
    texts = tuple(tuple(text[start:end] for start, end in side) for text, side in zip((old, new), sides, strict=True))
    rows: list[Row] = []
    begins: list[int] = []
    ranges: tuple[list[tuple[int, int, Sort]], list[tuple[int, int, Sort]]] = ([], [])
    removed = added = 0
    steps = changes(*texts)
    for n, (tag, a, b, c, d) in enumerate(steps):
        if tag == "equal":
            rows += _equal(a, b, c, n == 0, n == len(steps) - 1, all_lines)
            continue
        removed, added = removed + b - a, added + d - c
        begins.append(len(rows))
        spans = list(_spans(old, new, _reach(sides[0], a, b), _reach(sides[1], c, d)))
        rows += _changed(spans, sides, (a, b, c, d))
        for span in spans:
            if span.what != "equal":
                ranges[0].append((span.old_start, span.old_end, "removed"))
                ranges[1].append((span.new_start, span.new_end, "added"))
    left, right = Column(old, sides[0], width), Column(new, sides[1], width)
    places = []
    for row in rows:
        places.append(left.line)
        high = max(left.put(row.old), right.put(row.new))
        left.fill(high)
        right.fill(high)
    before, after = (
        Marked(column.text(), tuple(each for each in found if each[0] < each[1]))
        for column, found in zip((left, right), ranges, strict=True)
    )
    empty = (frozenset(left.empty), frozenset(right.empty))
    return Beside(before, after, empty, tuple(places[n] for n in begins), removed, added, old == new)


def _lines(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends, its line end left out."""
    found, at = [], 0
    for match in BREAK.finditer(text):
        found.append((at, match.start()))
        at = match.end()
    return [*found, (at, len(text))]


def _reach(lines: Sequence[tuple[int, int]], first: int, stop: int) -> tuple[int, int]:
    if first < stop:
        return lines[first][0], lines[stop - 1][1]
    at = lines[first][0] if first < len(lines) else lines[-1][1]
    return at, at


def _spans(old: str, new: str, before: tuple[int, int], after: tuple[int, int]) -> Iterator[Span]:
    """What differs word by word, in places of the whole texts; a secret is gone or new as a whole."""
    from engine.explain.texts import diff_texts

    (a, b), (c, d) = before, after
    found = diff_texts(old[a:b], new[c:d]).spans
    for span in whole_secrets(found, secrets_in(old[a:b]), secrets_in(new[c:d])):
        yield Span(span.what, span.old_start + a, span.old_end + a, span.new_start + c, span.new_end + c)


def _equal(a: int, b: int, c: int, first: bool, last: bool, all_lines: bool) -> Iterator[Row]:
    """Equal lines from a to b; those far from a change as one row."""
    head, tail = (0 if first else CONTEXT), (0 if last else CONTEXT)
    left_out = b - a - head - tail
    if all_lines or left_out <= 1:
        yield from (Row((i, i + 1), (i - a + c, i - a + c + 1)) for i in range(a, b))
        return
    yield from (Row((i, i + 1), (i - a + c, i - a + c + 1)) for i in range(a, a + head))
    yield Row((a + head, b - tail), (a + head - a + c, b - tail - a + c))
    yield from (Row((i, i + 1), (i - a + c, i - a + c + 1)) for i in range(b - tail, b))


def _changed(
    spans: Sequence[Span], sides: tuple[list[tuple[int, int]], list[tuple[int, int]]], hunk: tuple[int, int, int, int]
) -> Iterator[Row]:
    """Lines of a change: those that have words in common in one row, the others as they come."""
    a, b, c, d = hunk
    starts = [[start for start, _ in side] for side in sides]
    i, j = a, c
    for span in spans:
        if span.what != "equal" or span.old_end - span.old_start < _TELLING:
            continue
        line = bisect_right(starts[0], span.old_start) - 1, bisect_right(starts[1], span.new_start) - 1
        if i <= line[0] < b and j <= line[1] < d:
            yield from _apart(i, line[0], j, line[1])
            yield Row((line[0], line[0] + 1), (line[1], line[1] + 1))
            i, j = line[0] + 1, line[1] + 1
    yield from _apart(i, b, j, d)


def _apart(a: int, b: int, c: int, d: int) -> Iterator[Row]:
    for n in range(max(b - a, d - c)):
        yield Row((a + n, a + n + 1) if a + n < b else None, (c + n, c + n + 1) if c + n < d else None)
