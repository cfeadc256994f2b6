"""Which units hold all terms: candidates from the index, then looked for in the texts themselves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy

from engine.folding import fold
from engine.search.index import OVERLAP, PIECE, Index, Piece
from engine.search.query import Query
from engine.search.update import PART

_BLOCK_KINDS = {"system", "memory", "skills"}
_COUNTED = 4
"""Pieces of one text in which occurrences are counted; a file of many megabytes has thousands."""


@dataclass(frozen=True, slots=True)
class Match:
    """A unit in which all terms occur."""

    source: str
    ref: str
    part: int | None
    """Id of a recorded part."""
    kind: str
    at: float | None
    version: bytes
    field: str
    position: int
    """Of the first term's first occurrence in the field."""
    length: int
    occurrences: int
    around: str
    """The text that ``position`` is in, and what is near."""
    around_start: int
    """Characters of the field before it."""
    weight: float
    """How well it fits: occurrences against its length."""


class Units:
    """What is in the index, by number: a picture of one moment. Later units have higher numbers."""

    def __init__(self, index: Index, parts: Mapping[bytes, int]) -> None:
        """``parts`` are the ids of recorded parts by what they are known by."""
        self._index = index
        rows = index.rows("SELECT id, source, ref, version, kind, tools, at FROM units ORDER BY id")
        self.rows = rows
        self._ids = numpy.fromiter((row[0] for row in rows), numpy.int64, len(rows))
        pieces = index.rows("SELECT id, unit FROM pieces ORDER BY id")
        table = numpy.array(pieces, numpy.int64).reshape(-1, 2)
        units = numpy.searchsorted(self._ids, table[:, 1])
        known = units < len(rows)  # an update in another process may have come between
        self._pieces, self._unit_of = table[known, 0], units[known]
        # The pieces of a unit went in at once, so they follow one another.
        self._first = numpy.searchsorted(self._unit_of, numpy.arange(len(rows)))
        self._last = numpy.searchsorted(self._unit_of, numpy.arange(len(rows)), side="right")
        self._is_part = numpy.fromiter((row[1] == PART for row in rows), bool, len(rows))
        ids = (parts.get(bytes.fromhex(row[2]), 0) if row[1] == PART else 0 for row in rows)
        self._part = numpy.fromiter(ids, numpy.int64, len(rows))
        """Ids of recorded parts; 0 for one that is gone, and for what is none."""

    @property
    def largest_part(self) -> int:
        """The largest id of a recorded part that is in."""
        return int(self._part.max()) if len(self._part) else 0

    def let(self, query: Query, parts: Any, others: bool, only_others: bool = False) -> Any:
        """Units that a query's filters for texts let through, booleans by number.

        ``parts`` are booleans by part id, None for all; ``others`` says whether more than parts is let
        through, ``only_others`` that parts are not.
        """
        let = numpy.ones(len(self.rows), bool) if others else self._is_part.copy()
        if only_others:
            let &= ~self._is_part
        if parts is not None:
            within = self._part < len(parts)
            let &= ~self._is_part | within
            let[self._is_part & within] &= parts[self._part[self._is_part & within]]
        kinds = {filter.value for filter in query.of("kind")}
        if kinds:
            stored = kinds | ({"block"} if kinds & _BLOCK_KINDS else set())
            stored |= {"schema"} if "tools" in kinds else set()
            stored |= {"params"} if "other" in kinds else set()
            let &= self._is_part & self._where(lambda row: row[4] in stored)
        if query.of("tool"):
            tools = [fold(filter.value) for filter in query.of("tool")]
            let &= self._where(lambda row: any(tool in row[5] for tool in tools))
        return let

    def candidates(self, terms: Sequence[str], let: Any) -> Candidates:
        """Units that may hold all folded terms."""
        flags = []
        for term in terms:
            ids = self._index.candidates(term)
            flag = numpy.ones(len(self._pieces), bool) if ids is None else numpy.isin(self._pieces, ids)
            held = numpy.zeros(len(self.rows), bool)
            held[self._unit_of[flag]] = True
            let = let & held
            flags.append(flag)
        return Candidates(self, self._index, terms, flags, numpy.flatnonzero(let)[::-1])

    def _where(self, test: Any) -> Any:
        return numpy.fromiter((test(row) for row in self.rows), bool, len(self.rows))


class Candidates:
    """Units to be looked at, the latest first."""

    def __init__(self, units: Units, index: Index, terms: Sequence[str], flags: list[Any], numbers: Any) -> None:
        self._units, self._index, self._terms, self._flags, self._numbers = units, index, terms, flags, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def of(self, parts: bool) -> Any:
        """Numbers of those that are recorded parts, or of the others."""
        return self._numbers[self._units._is_part[self._numbers] == parts]

    def match(self, number: int) -> Match | None:
        """The match in a unit; None when the terms don't occur in it after all."""
        units = self._units
        _, source, ref, version, kind, _, at = units.rows[number]
        part = int(units._part[number]) or None
        looks = _Looks(self._index, units._pieces, range(units._first[number], units._last[number]))
        found: list[tuple[Piece, int, int]] = []
        total = 0
        for term, flag in zip(self._terms, self._flags, strict=True):
            one = looks.find(term, flag)
            if one is None:
                return None
            piece, index, count = one
            found.append((piece, index, len(term)))
            total += count
        if not found:  # a query of filters alone
            return Match(source, ref, part, kind, at, version, "", 0, 0, 0, "", 0, 0.0)
        piece, index, length = next((one for one in found if one[0].field == "text"), found[0])
        weight = min(total, 50) / (1 + math.log2(1 + len(looks.range) * PIECE / 1_000))
        position = piece.start + index
        return Match(
            source, ref, part, kind, at, version, piece.field, position, length, total, piece.text, piece.start, weight
        )


class _Looks:
    """The pieces of one unit, each unpacked once."""

    def __init__(self, index: Index, ids: Any, numbers: range) -> None:
        self._index, self._ids, self.range = index, ids, numbers
        self._read: dict[int, Piece | None] = {}
        self._low: dict[int, bytes] = {}

    def find(self, term: str, flag: Any) -> tuple[Piece, int, int] | None:
        """The piece of a term's first occurrence, its place there in characters, and how often the term occurs."""
        if len(term) > OVERLAP:
            return self._find_long(term)
        first: tuple[Piece, int] | None = None
        count = 0
        looked = 0
        for number in self.range:
            if first is not None and looked >= _COUNTED:
                break
            piece = self._piece(number) if flag[number] else None
            if piece is None:
                continue
            looked += 1
            if term.isascii() and "\x01" not in term:
                low, wanted = self._lower(number, piece), term.encode()
                at = low.find(wanted)
                if at < 0:
                    continue
                count += low.count(wanted) - (low[: _overlap(piece)].count(wanted) if piece.start else 0)
                if first is None:
                    first = piece, len(piece.body[:at].decode("utf-8", "surrogatepass"))
            else:
                folded = fold(piece.text)
                at = folded.find(term)
                if at < 0:
                    continue
                count += folded.count(term) - (folded[:OVERLAP].count(term) if piece.start else 0)
                first = first or (piece, at)
        return (*first, max(count, 1)) if first else None

    def _find_long(self, term: str) -> tuple[Piece, int, int] | None:
        """A term longer than what pieces share: in the whole text of each field."""
        whole: dict[str, list[str]] = {}
        for number in self.range:
            piece = self._piece(number)
            if piece is not None:
                whole.setdefault(piece.field, []).append(piece.text[OVERLAP:] if piece.start else piece.text)
        for field, texts in whole.items():
            text = "".join(texts)
            folded = fold(text)
            at = folded.find(term)
            if at >= 0:
                return Piece(field, 0, True, text.encode("utf-8", "surrogatepass")), at, folded.count(term)
        return None

    def _piece(self, number: int) -> Piece | None:
        if number not in self._read:
            self._read[number] = self._index.piece(int(self._ids[number]))
        return self._read[number]

    def _lower(self, number: int, piece: Piece) -> bytes:
        if number not in self._low:
            self._low[number] = piece.body.lower()
        return self._low[number]


def _overlap(piece: Piece) -> int:
    """Bytes that a piece shares with the one before."""
    return OVERLAP if piece.body.isascii() else len(piece.text[:OVERLAP].encode("utf-8", "surrogatepass"))
