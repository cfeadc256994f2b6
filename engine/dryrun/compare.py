"""Two requests that were not sent, side by side: what an edit changes, and what a prompt cache loses by it."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from engine.canonical import to_json
from engine.workbench import DryComparison, DryRequest, DryRow, Piece


def compare_requests(before: DryRequest, after: DryRequest) -> DryComparison:
    """Rows of both, area by area. A prefix ends with the first piece that is another one."""
    rows = [
        row for area in ("tools", "system", "messages") for row in _rows(getattr(before, area), getattr(after, area))
    ]
    kept = 0
    for old, new in zip(before.pieces, after.pieces, strict=False):
        if old.value != new.value:
            break
        kept += old.tokens
    return DryComparison(tuple(rows), kept, before.tokens - kept, before.tokens, after.tokens)


def _rows(old: tuple[Piece, ...], new: tuple[Piece, ...]) -> list[DryRow]:
    one, other = [to_json(piece.value) for piece in old], [to_json(piece.value) for piece in new]
    rows: list[DryRow] = []
    for _, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        rows += [DryRow(*pair) for pair in zip_longest(old[a:b], new[c:d])]
    return rows
