"""Text as it is drawn: hidden characters marked, likely secrets masked, long lines cut, every position mapped back.

Knows nothing of Qt. A viewer draws :attr:`ShownText.text` and asks here what was really there, so that
copying and searching work on the true text, but for the secrets that are masked. Building is linear in
the text: do it off the GUI thread for anything large.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engine.masking import Masked as Masked
from engine.masking import Secret, beginning, secrets_in
from inspector.invisible import SPECIAL, harmless, mark, marked, name_of
from inspector.models import secrets as masks
from inspector.models.secrets import Edit, MarkKind

LINE_LIMIT = 2_000
"""Characters of one line that are drawn before it is cut (or folded, when shown whole)."""
SHOWN_LIMIT = 2_000_000
"""Characters that are drawn of one text before the rest has to be asked for."""

_ASTRAL = re.compile("[\U00010000-\U0010ffff]")
_LINE = re.compile("[^\n\r\u2028\u2029]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A place where the drawn text differs from the true one. Offsets count code points."""

    start: int
    end: int
    source: int
    source_end: int
    kind: MarkKind
    says: str
    """In words, for a tooltip; plain text."""


class ShownText:
    """One text, its drawn form and the way between them."""

    def __init__(
        self,
        source: str,
        text: str,
        marks: list[Mark],
        *,
        longest: int = 0,
        cut: int = 0,
        how: dict[str, Any] | None = None,
    ) -> None:
        self.source = source
        self.text = text
        self.marks = marks
        self._how: dict[str, Any] = how or {"secrets": ()}
        self.secrets: tuple[Secret, ...] = self._how["secrets"]
        """Likely secrets of the true text, shown ones too."""
        self.revealed: frozenset[int] = self._how.get("revealed", frozenset())
        """True offsets at which those begin that are shown."""
        self.masked = tuple(secret for secret in self.secrets if secret.start not in self.revealed)
        self.longest_line = longest
        self.cut_lines = cut
        self.visible = [m for m in marks if m.kind != "line end"]
        self._starts = [m.start for m in marks]
        self._sources = [m.source for m in marks]
        self._visible_starts = [m.start for m in self.visible]
        self._astral = [] if text.isascii() else [m.start() for m in _ASTRAL.finditer(text)]
        self._astral16 = [at + n for n, at in enumerate(self._astral)]

    @property
    def hidden(self) -> int:
        """Characters drawn as marks because they can't be seen or change how the text reads."""
        return sum(m.kind in ("hidden", "control", "surrogate") for m in self.marks)

    @property
    def windows_line_ends(self) -> bool:
        """Every line end is CR LF."""
        return any(m.kind == "line end" for m in self.marks)

    @property
    def shown_characters(self) -> int:
        """Characters of the true text before the place where drawing stopped."""
        last = self.marks[-1] if self.marks else None
        return last.source if last is not None and last.kind == "end" else len(self.source)

    def visible_between(self, start: int, end: int) -> list[Mark]:
        """Marks to paint between two drawn offsets."""
        first = max(0, bisect_right(self._visible_starts, start) - 1)
        return [m for m in self.visible[first : bisect_left(self._visible_starts, end)] if m.end > start]

    def mark_at(self, offset: int) -> Mark | None:
        """The mark drawn over an offset, if one is."""
        n = bisect_right(self._starts, offset) - 1
        return self.marks[n] if n >= 0 and self.marks[n].end > offset else None

    def to_source(self, offset: int, *, after: bool = False) -> int:
        """True offset of a drawn one; inside a mark its start, or its end with ``after``."""
        n = bisect_right(self._starts, offset) - 1
        if n < 0:
            return offset
        mark = self.marks[n]
        if offset >= mark.end:
            return mark.source_end + offset - mark.end
        return mark.source_end if after and offset > mark.start else mark.source

    def to_drawn(self, source: int) -> int:
        """Drawn offset of a true one; the start of the mark for what a mark stands for."""
        n = bisect_right(self._sources, source) - 1
        if n < 0:
            return source
        mark = self.marks[n]
        return mark.end + source - mark.source_end if source >= mark.source_end else mark.start

    def is_drawn(self, source: int) -> bool:
        """Whether the character at a true offset stands in the drawn text, not behind a cut."""
        n = bisect_right(self._sources, source) - 1
        mark = self.marks[n] if n >= 0 else None
        return mark is None or source >= mark.source_end or mark.kind not in ("cut", "end")

    def between(self, start: int, end: int) -> str:
        """What a copy of a drawn selection holds."""
        return self.selected(start, end).text

    def selected(self, start: int, end: int) -> Masked:
        """True text of a drawn selection, masked secrets aside. A mark that is touched counts whole."""
        true = (self.to_source(start), self.to_source(end, after=True)) if start < end else (0, 0)
        return masks.between(self.source, self.masked, *true)

    def whole(self) -> Masked:
        """The whole true text, masked secrets aside."""
        return masks.between(self.source, self.masked, 0, len(self.source))

    def secret_at(self, source: int) -> Secret | None:
        """The secret at a true offset, masked or shown."""
        n = bisect_right(self.secrets, source, key=lambda secret: secret.start) - 1
        return self.secrets[n] if n >= 0 and source < self.secrets[n].end else None

    def revealed_between(self, start: int, end: int) -> list[tuple[int, int]]:
        """Drawn ranges, between two drawn offsets, of secrets that are shown."""
        shown = (each for each in self.secrets if each.start in self.revealed)
        found = ((max(start, self.to_drawn(each.start)), min(end, self.to_drawn(each.end))) for each in shown)
        return [each for each in found if each[0] < each[1]]

    def again(self, **how: Any) -> ShownText:
        """The same text drawn otherwise: ``whole``, ``limit`` or ``revealed`` as for :func:`shown`."""
        return shown(self.source, **(self._how | how))

    def utf16(self, offset: int) -> int:
        """Qt's position of a drawn offset."""
        return offset + bisect_left(self._astral, offset)

    def from_utf16(self, position: int) -> int:
        """Drawn offset of Qt's position."""
        return position - bisect_left(self._astral16, position)


def shown(
    source: str,
    *,
    whole: frozenset[int] | bool = frozenset(),
    limit: int = SHOWN_LIMIT,
    labels: Sequence[tuple[int, str]] = (),
    secrets: Sequence[Secret] | None = None,
    revealed: frozenset[int] = frozenset(),
) -> ShownText:
    """How to draw a text.

    ``whole`` holds the true offsets at which long lines start that are to be shown whole (True: all of
    them): folded every :data:`LINE_LIMIT` characters, since no widget lays out a megabyte in one line.
    ``labels`` are drawn on lines of their own before true offsets; they are no part of the text.
    ``secrets`` are masked, by default the likely ones that are found, but for those that begin at ``revealed``.
    """
    found = secrets_in(source) if secrets is None else tuple(secrets)
    masked = [secret for secret in found if secret.start not in revealed]
    out: list[str] = []
    marks: list[Mark] = []
    at = drawn = longest = cut = 0
    for start, end, text, kind, says, length in masks.laid_over(_edits(source, whole, labels), masked):
        longest = max(longest, length)
        cut += kind == "cut"
        if drawn + start - at > limit:
            break
        out.append(source[at:start])
        drawn += start - at
        out.append(text)
        marks.append(Mark(drawn, drawn + len(text), start, end, kind, says))
        drawn += len(text)
        at = end
    if drawn + len(source) - at > limit:
        keep = at + limit - drawn
        says = f"{_exact(keep)} of {_exact(len(source))} characters are shown"
        out += [source[at:keep], f"\n… {says}"]
        drawn += keep - at
        marks.append(Mark(drawn, drawn + len(out[-1]), keep, len(source), "end", says))
    else:
        out.append(source[at:])
    how = {"whole": whole, "limit": limit, "labels": labels, "secrets": found, "revealed": revealed}
    return ShownText(source, "".join(out), marks, longest=longest, cut=cut, how=how)


def one_line(source: str, limit: int = 400, *, goes_on: bool = False) -> str:
    """A text for one painted row: line ends as spaces, hidden characters as marks, likely secrets masked.

    ``goes_on``: the text is the beginning of another.
    """
    flat = (
        beginning(source, limit + 1, goes_on)
        .replace("\r\n", " ")
        .replace("\n", " ")
        .replace("\r", " ")
        .replace("\t", " ")
    )
    return marked(flat[:limit] + "…" if len(flat) > limit else flat)


def for_clipboard(text: str) -> str:
    """The text itself, but for lone surrogates: no clipboard carries them, so they go as escapes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def find_all(
    source: str, needle: str, *, case: bool = False, most: int = 10_000, masked: Sequence[Secret] = ()
) -> list[tuple[int, int]]:
    """True ranges of a searched text, at most ``most`` of them, none that reaches into a masked secret."""
    if not needle:
        return []
    found = re.finditer(re.escape(needle), source, 0 if case else re.IGNORECASE)
    return list(islice(masks.outside((match.span() for match in found), masked), most))


def _edits(source: str, whole: frozenset[int] | bool, labels: Sequence[tuple[int, str]]) -> Iterator[Edit]:
    """Replacements in order. What stands behind a cut is not looked at."""
    at = 0
    for stop, label in (*labels, (len(source), "")):
        for long in _long_lines(source, whole, at, stop):
            yield from _specials(source, at, long[0])
            yield long
            at = long[1]
        yield from _specials(source, at, stop)
        at = stop
        if label:
            label = one_line(label, 300)
            yield stop, stop, f"{'' if _at_line_start(source, stop) else chr(10)}{label}\n", "label", label, 0


def _at_line_start(source: str, at: int) -> bool:
    return at == 0 or source[at - 1] in "\n\r\u2028\u2029"


def _long_lines(source: str, whole: frozenset[int] | bool, begin: int, stop: int) -> Iterator[Edit]:
    if stop - begin <= LINE_LIMIT:
        return
    for match in _LINE.finditer(source, begin, stop):
        start, end = match.span()
        if end - start <= LINE_LIMIT:
            continue
        if whole is True or (whole is not False and start in whole):
            for at in range(start + LINE_LIMIT, end, LINE_LIMIT):
                yield at, at, "↩\n", "fold", "the line goes on: broken here for display only", end - start
        else:
            says = f"line of {_exact(end - start)} characters, {_exact(LINE_LIMIT)} shown"
            yield start + LINE_LIMIT, end, f"… [{says}]", "cut", says, end - start


def _specials(source: str, start: int, end: int) -> Iterator[Edit]:
    windows: bool | None = None
    for match in SPECIAL.finditer(source, start, end):
        at = match.start()
        code = ord(match[0])
        if code == 0x0D:
            feed = source.startswith("\n", at + 1, end)
            if windows is None:
                windows = source.count("\r\n") == source.count("\n") == source.count("\r")
            if feed and windows:
                yield at, at + 2, "\n", "line end", "CR LF", 0
            else:
                yield at, at + 1 + feed, f"{mark(0x0D)}\n", "control", "carriage return", 0
        elif not harmless(source, at, code):
            line_end = "\n" if code in (0x2028, 0x2029) else ""
            yield at, at + 1, mark(code) + line_end, _kind(code), name_of(code), 0


def _kind(code: int) -> MarkKind:
    if 0xD800 <= code <= 0xDFFF:
        return "surrogate"
    return "control" if code < 0x20 or code == 0x7F else "hidden"


def _exact(number: int) -> str:
    return f"{number:,}".replace(",", "\u2009")
