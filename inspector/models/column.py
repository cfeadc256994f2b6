"""One text drawn as a column: lines wrapped to its width, rows filled up, stretches of lines left out.

What is put in is a mark that stands for nothing of the text. No Qt.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from unicodedata import east_asian_width

from inspector import format
from inspector.models.secrets import MarkKind
from inspector.models.shown_text import Mark, ShownText, shown

_TAB = 4


@dataclass(frozen=True, slots=True)
class Row:
    """Lines of both sides, from one up to another; None for a side that has nothing there. Many are left out."""

    old: tuple[int, int] | None
    new: tuple[int, int] | None


class Column:
    """Takes its lines in order and keeps count of what is drawn."""

    def __init__(self, source: str, lines: list[tuple[int, int]], width: int) -> None:
        self._base = shown(source, whole=True)
        self._lines, self._width = lines, max(8, width)
        self._starts = [mark.start for mark in self._base.marks]
        self._out: list[str] = []
        self._marks: list[Mark] = []
        self._drawn = 0
        self._high = 0
        self._break: tuple[int, int] | None = None
        """Line end of the text that is to come before the next row."""
        self._begun = False
        self.line = 0
        """Number of the drawn line at which the next row begins."""
        self.empty: list[int] = []
        """Drawn lines that only fill a row."""

    def put(self, lines: tuple[int, int] | None) -> int:
        """Draw a row; gives how many drawn lines it takes by itself."""
        self._next()
        self._high = 0
        if lines is None:
            return 0
        first, stop = lines
        if stop - first == 1:
            self._high = self._one(*self._lines[first])
        else:
            says = f"⋯ {format.exact(stop - first)} equal lines"
            self._mark(self._lines[first][0], self._lines[stop - 1][1], says, "fold", says)
            self._high = 1
        at = self._lines[stop - 1][1]
        self._break = (at, self._lines[stop][0]) if stop < len(self._lines) else None
        return self._high

    def fill(self, high: int) -> None:
        """Make the row that was put as high as this."""
        blank = range(self.line + self._high, self.line + high)
        self.empty += blank
        self._insert("\n" * (len(blank) if self._high else len(blank) - 1))
        self.line += high

    def text(self) -> ShownText:
        """All that was put."""
        how = {"secrets": self._base.secrets, "revealed": self._base.revealed}
        return ShownText(self._base.source, "".join(self._out), self._marks, how=how)

    # -- inside ----------------------------------------------------------------------------

    def _next(self) -> None:
        """To a new line, by the text's own line end where it has one left."""
        ends, self._break = self._break, None
        if ends is not None and self._base.source[ends[0] : ends[1]] == "\n":
            self._plain("\n")
        elif ends is not None:
            self._mark(*ends, "\n", "line end", "line end")
        elif self._begun:
            self._insert("\n")
        self._begun = True

    def _insert(self, text: str) -> None:
        if text:
            self._mark(self._at(), self._at(), text, "line end", "")

    def _at(self) -> int:
        return self._marks[-1].source_end + self._drawn - self._marks[-1].end if self._marks else self._drawn

    def _mark(self, start: int, end: int, text: str, kind: MarkKind, says: str) -> None:
        self._out.append(text)
        self._marks.append(Mark(self._drawn, self._drawn + len(text), start, end, kind, says))
        self._drawn += len(text)

    def _one(self, start: int, end: int) -> int:
        """Draw one line, wrapped; gives its height."""
        base = self._base
        begin, stop = base.to_drawn(start), base.to_drawn(end)
        n = bisect_left(self._starts, begin)
        high, at = 1, begin
        for cut in (*self._cuts(begin, stop), stop):
            while n < len(base.marks) and base.marks[n].end <= cut and base.marks[n].source_end <= end:
                mark = base.marks[n]
                self._plain(base.text[at : mark.start])
                self._out.append(base.text[mark.start : mark.end])
                length = mark.end - mark.start
                self._marks.append(replace(mark, start=self._drawn, end=self._drawn + length))
                self._drawn += length
                high += base.text.count("\n", mark.start, mark.end)
                at = mark.end
                n += 1
            self._plain(base.text[at:cut])
            at = cut
            if cut != stop:
                self._insert("\n")
                high += 1
        return high

    def _plain(self, text: str) -> None:
        self._out.append(text)
        self._drawn += len(text)

    def _cuts(self, begin: int, stop: int) -> Iterator[int]:
        """Where to wrap: after a blank where one is near, never inside a mark."""
        text, marks = self._base.text, self._base.marks
        if stop - begin <= self._width and text.isascii() and "\t" not in text[begin:stop]:
            return
        last, cells, blank = begin, 0, -1
        for at in range(begin, stop):
            letter = text[at]
            wide = _cells(letter, cells)
            if letter == "\n":
                last, cells, blank = at + 1, 0, -1
                continue
            if cells + wide > self._width and at > last:
                cut = blank if blank > last else at
                n = bisect_left(self._starts, cut) - 1
                if n >= 0 and marks[n].end > cut > marks[n].start:
                    cut = marks[n].start if marks[n].start > last else at
                    if marks[n].end > cut > marks[n].start:
                        cells += wide
                        continue
                yield cut
                cells = sum(_cells(each, 0) for each in text[cut:at])
                last, blank = cut, -1
            cells += wide
            if letter in " \t":
                blank = at + 1


def _cells(letter: str, at: int) -> int:
    if letter == "\t":
        return _TAB - at % _TAB
    return 1 if letter.isascii() or east_asian_width(letter) not in "WF" else 2
