"""The words around a match, on one line, with likely secrets masked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.folding import fold
from engine.masking import Masked, mask

_BEFORE, _AFTER = 48, 120  # characters shown around a match
_AROUND = 400  # characters looked at for a secret that reaches into what is shown
_MASK = re.compile(r"\[masked: [^\]]{1,40}\]")
_BREAKS = re.compile(r"[\s\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True, slots=True)
class Snippet:
    """Text and the places of terms in it."""

    text: str
    marks: tuple[tuple[int, int], ...]


def snippet(text: str, position: int, terms: Sequence[str]) -> Snippet:
    """The words around a place in a text; ``terms`` are folded."""
    begin = max(0, position - _BEFORE - _AROUND)
    masked: Masked = mask(text[begin : position + _AFTER + _AROUND])
    at = masked.place(position - begin)
    start, end = max(0, at - _BEFORE), min(len(masked.text), at + _AFTER)
    shown = masked.text[start:end]
    before = "…" if begin or start else ""
    after = "…" if end < len(masked.text) or position + _AFTER + _AROUND < len(text) else ""
    shown = f"{before}{_BREAKS.sub(' ', shown)}{after}"
    return Snippet(shown, _marks(shown, terms))


def _marks(shown: str, terms: Sequence[str]) -> tuple[tuple[int, int], ...]:
    folded = _MASK.sub(lambda mask: "\x00" * len(mask[0]), fold(shown))  # the name of a rule is no match
    found: list[tuple[int, int]] = []
    for term in terms:
        term = _BREAKS.sub(" ", term)
        at = folded.find(term)
        while at >= 0:
            found.append((at, len(term)))
            at = folded.find(term, at + len(term))
    marks: list[tuple[int, int]] = []
    for start, length in sorted(found):
        if not marks or start >= sum(marks[-1]):
            marks.append((start, length))
    return tuple(marks)
