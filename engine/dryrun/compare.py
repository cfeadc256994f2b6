"""Two requests that were not sent, side by side: what an edit changes, and what a prompt cache loses by it."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import zip_longest

from rapidfuzz import fuzz

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
        rows += _paired(old[a:b], new[c:d])
    return rows


_MANY = 2_500  # pairs of pieces whose texts are compared
_LONG = 4_000  # characters of each text that tell whether two are alike


def _paired(old: tuple[Piece, ...], new: tuple[Piece, ...]) -> list[DryRow]:
    """Pieces that changed, each beside the one it was: by their texts, in order, where their numbers differ."""
    if len(old) == len(new) or not old or not new or len(old) * len(new) > _MANY:
        return [DryRow(*pair) for pair in zip_longest(old, new)]
    alike = [[_alike(one, other) for other in new] for one in old]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], alike[i][j] + best[i + 1][j + 1])
    rows: list[DryRow] = []
    i = j = 0
    while i < len(old) or j < len(new):
        if i < len(old) and j < len(new) and alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            rows.append(DryRow(old[i], new[j]))
            i, j = i + 1, j + 1
        elif i < len(old) and best[i][j] == best[i + 1][j]:
            rows.append(DryRow(old[i], None))
            i += 1
        else:
            rows.append(DryRow(None, new[j]))
            j += 1
    return rows


def _alike(one: Piece, other: Piece) -> float:
    """From 0 to 1, for two pieces of one kind."""
    return fuzz.ratio(one.text[:_LONG], other.text[:_LONG]) / 100 if one.kind == other.kind else 0.0
