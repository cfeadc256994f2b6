"""Markdown as an editor colours it: what each stretch of a line is, given what the line begins inside of.

Two steps, so that a long file costs no more than what is seen of it: ``outline`` goes over the whole text (in a job)
and notes what each line begins inside of; ``spans`` looks at one line. Pure functions, no Qt, linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

COMMENT, FENCE, FRONT = 1, 2, 4
"""What a line may begin inside of: a comment, a fenced block, the front matter of a skill."""

HEADING, STRONG, EMPHASIS, CODE, LINK, MARK, KEY, UNSENT = 1, 2, 4, 8, 16, 32, 64, 128
"""What a stretch is; several may be true. ``UNSENT``: in a comment that the engine removes before it sends the text."""

LONGEST = 2_000
"""Characters of a line that are looked at."""

_FENCE = re.compile(r"^ {0,3}(?:(?P<ticks>`{3,})[^`\n]*|(?P<tildes>~{3,})[^\n]*)$", re.MULTILINE)
_FRONT = re.compile(r"\A---[ \t]*\n(?:.*\n)*?---[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r" {0,3}#{1,6}(?=\s|$)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_LEAD = re.compile(r"[ \t]*(?:>[ \t]?)*(?:(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)(?:[ \t]+\[[ xX]\](?=[ \t]))?)?")
_KEY = re.compile(r"[ \t]*(?:-[ \t]+)?[\w-]+(?=:(?:[ \t]|$))")
_INLINE = (
    (re.compile(r"\*\*(?=[^\s*])[^*]+\*\*|(?<!\w)__(?=[^\s_])[^_]+__(?!\w)"), STRONG),
    (re.compile(r"(?<![\w*])\*(?=[^\s*])[^*]+\*(?![\w*])|(?<!\w)_(?=[^\s_])[^_]+_(?!\w)"), EMPHASIS),
    (re.compile(r"!?\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])|<https?://[^<>\s]*>|https?://[^\s<>()\[\]`]+"), LINK),
)
_TICKS = re.compile(r"`+")


def outline(text: str, skill: bool = False) -> bytearray:
    """What each line begins inside of, one byte a line; the work grows with the text.

    A comment counts in memory only, as the engine removes it there and nowhere else; front matter in a ``skill`` only.
    """
    states = bytearray(text.count("\n") + 1)
    for first, last in _lines(text, () if skill else _comments(text, False, False)):
        states[first + 1 : last + 1] = bytes([COMMENT]) * (last - first)
    front = _FRONT.match(text) if skill else None
    if front is not None:
        last = text.count("\n", 0, front.end())
        states[1 : last + 1] = bytes([FRONT]) * last
    for first, last in _lines(text, _fences(text, front.end() if front is not None else 0)):
        for line in range(first + 1, last + 1):
            states[line] |= FENCE
    return states


def spans(line: str, state: int, after: int, skill: bool = False) -> list[tuple[int, int, int]]:
    """Stretches of a line in order, ``(start, end, what)`` in characters; ``after`` is the state of the next line."""
    line = line[:LONGEST]
    what = bytearray(len(line))
    if state & FRONT:
        _paint(what, _KEY.match(line), KEY)
        if line.startswith("---"):
            _add(what, 0, len(line), MARK)
    elif state & FENCE or (after & FENCE and _FENCE.match(line)):
        _add(what, 0, len(line), CODE)
    else:
        _block(line, what)
        if after & FRONT:
            _add(what, 0, len(line), MARK)
    if not skill:
        for start, end in _comments(line, bool(state & COMMENT), bool(after & COMMENT)):
            what[start:end] = bytes([UNSENT]) * (end - start)
    found, at = [], 0
    for each, run in groupby(what):
        length = len(list(run))
        if each:
            found.append((at, at + length, each))
        at += length
    return found


def _block(line: str, what: bytearray) -> None:
    if _RULE.match(line):
        _add(what, 0, len(line), MARK)
        return
    heading = _HEADING.match(line)
    if heading is not None:
        _add(what, 0, len(line), HEADING)
        _paint(what, heading, MARK)
    else:
        _paint(what, _LEAD.match(line), MARK)
    bare = list(line)
    for start, end in _code(line):
        _add(what, start, end, CODE)
        bare[start:end] = "x" * (end - start)
    hidden = "".join(bare)
    for pattern, sort in _INLINE:
        for match in pattern.finditer(hidden):
            _paint(what, match, sort)


def _code(line: str) -> Iterator[tuple[int, int]]:
    """Code between runs of as many backticks."""
    runs = [match.span() for match in _TICKS.finditer(line)]
    at = 0
    while at < len(runs):
        start, stop = runs[at]
        close = next((n for n in range(at + 1, len(runs)) if runs[n][1] - runs[n][0] == stop - start), None)
        if close is None:
            at += 1
            continue
        yield start, runs[close][1]
        at = close + 1


def _comments(line: str, inside: bool, goes_on: bool) -> Iterator[tuple[int, int]]:
    """Comments that are closed: here, or on a later line where it ``goes_on``."""
    at = 0
    if inside:
        at = line.find("-->") + 3
        if at < 3:
            yield 0, len(line)
            return
        yield 0, at
    while (start := line.find("<!--", at)) >= 0:
        end = line.find("-->", start + 4)
        if end < 0:
            if goes_on:
                yield start, len(line)
            return
        at = end + 3
        yield start, at


def _fences(text: str, begin: int) -> Iterator[tuple[int, int]]:
    """From the line that opens a block to the end of the one that closes it, or of the text."""
    opened: tuple[int, str] | None = None
    for match in _FENCE.finditer(text, begin):
        marks = match["ticks"] or match["tildes"]
        if opened is None:
            opened = (match.start(), marks)
        elif marks[0] == opened[1][0] and len(marks) >= len(opened[1]) and match[0].strip() == marks:
            yield opened[0], match.end()
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _lines(text: str, ranges: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """First and last line of ranges in order, from 0."""
    at = line = 0
    for start, end in ranges:
        first = line + text.count("\n", at, start)
        line = first + text.count("\n", start, end)
        at = end
        yield first, line


def _paint(what: bytearray, match: re.Match[str] | None, sort: int) -> None:
    if match is not None:
        _add(what, *match.span(), sort)


def _add(what: bytearray, start: int, end: int, sort: int) -> None:
    for at in range(start, end):
        what[at] |= sort
