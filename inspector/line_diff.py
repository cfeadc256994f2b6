"""Differences between two texts, line by line, as a reader wants them: few equal lines around each change.

Pure functions, no Qt. The work grows with the texts: call it off the GUI thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from inspector.exact_text import ExactText, changes

CONTEXT = 3
"""Equal lines shown around a change."""

Sign = Literal["equal", "removed", "added", "skipped"]


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference."""

    sign: Sign
    text: str
    """Without its line end; for ``skipped`` a sentence."""
    old: int | None = None
    """Line number in the old text, from 1."""
    new: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """What differs between two texts."""

    lines: tuple[DiffLine, ...]
    removed: int
    added: int
    ends_differ: bool
    """Line ends or another invisible line separator differ, which no line shows."""

    @property
    def same(self) -> bool:
        """Whether the texts are equal to the last character."""
        return not self.removed and not self.added and not self.ends_differ


def difference(old: str, new: str, context: int = CONTEXT) -> Difference:
    """From ``old`` to ``new``."""
    before, after = ExactText.of(old), ExactText.of(new)
    steps = changes(before.lines, after.lines)
    lines: list[DiffLine] = []
    removed = added = 0
    ends_differ = False
    for n, (tag, a, b, c, d) in enumerate(steps):
        if tag == "equal":
            ends_differ = ends_differ or before.ends[a : b - 1] != after.ends[c : d - 1]
            lines.extend(_equal(before.lines, a, b, c, n == 0, n == len(steps) - 1, context))
            continue
        removed += b - a
        added += d - c
        lines.extend(DiffLine("removed", before.lines[i], old=i + 1) for i in range(a, b))
        lines.extend(DiffLine("added", after.lines[i], new=i + 1) for i in range(c, d))
    if not removed and not added:
        ends_differ = old != new
    return Difference(tuple(lines), removed, added, ends_differ)


def _equal(lines: tuple[str, ...], a: int, b: int, c: int, first: bool, last: bool, context: int) -> list[DiffLine]:
    """The equal lines a to b, those far from a change left out."""
    head = 0 if first else context
    tail = 0 if last else context
    left_out = b - a - head - tail

    def line(i: int) -> DiffLine:
        return DiffLine("equal", lines[i], old=i + 1, new=c + i - a + 1)

    if left_out <= 1:
        return [line(i) for i in range(a, b)]
    said = DiffLine("skipped", f"{left_out:,} equal lines".replace(",", "\u2009"))
    return [*map(line, range(a, a + head)), said, *map(line, range(b - tail, b))]
