"""The difference of two texts: by line, then by word inside what changed. Bounded, whatever the texts hold."""

from __future__ import annotations

import re
from itertools import accumulate

from engine.explain.model import Span, TextDiff
from engine.explain.sequence import Op, Tick, no_tick, opcodes

_LONG = 2_000  # characters; a longer line is compared in pieces
_HUNK = 20_000  # characters on one side; in a longer change single words are not looked for
_ALIKE = 0.25  # share of equal characters below which a change reads better whole
_PIECES = re.compile(r"[^,;:{}\[\]<>]{0,2000}[,;:{}\[\]<>]?")
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


def diff_texts(old: str, new: str, tick: Tick = no_tick) -> TextDiff:
    """From ``old`` to ``new``, as spans that cover both texts."""
    spans: list[Span] = []
    for op in _steps(_lines(old), _lines(new), 0, 0, tick):
        tag, a0, a1, b0, b1 = op
        if tag == "replace" and max(a1 - a0, b1 - b0) <= _HUNK:
            words = _steps(_WORDS.findall(old[a0:a1]), _WORDS.findall(new[b0:b1]), a0, b0, tick)
            equal = sum(step[2] - step[1] for step in words if step[0] == "equal")
            if equal >= _ALIKE * min(a1 - a0, b1 - b0):
                spans += [Span(*step) for step in _readable(words, old)]
                continue
        spans.append(Span(*op))
    return TextDiff(tuple(_joined(spans)))


def _steps(old: list[str], new: list[str], at_old: int, at_new: int, tick: Tick) -> list[Op]:
    """Steps between two divided texts, as places of characters from these starts on."""
    places = [list(accumulate(map(len, pieces), initial=at)) for pieces, at in ((old, at_old), (new, at_new))]
    return [
        (tag, places[0][a0], places[0][a1], places[1][b0], places[1][b1])
        for tag, a0, a1, b0, b1 in opcodes(old, new, tick)
    ]


def _lines(text: str) -> list[str]:
    """Lines with their ends, long ones in pieces; put together they are the text."""
    lines: list[str] = []
    for line in text.splitlines(keepends=True):
        if len(line) <= _LONG:
            lines.append(line)
        else:
            lines += filter(None, _PIECES.findall(line))
    return lines


def _readable(steps: list[Op], old: str) -> list[Op]:
    """Without the blanks that two changes have between them: a reader takes those for one change."""
    result: list[Op] = []
    for n, step in enumerate(steps):
        between = 0 < n < len(steps) - 1 and step[0] == "equal" and old[step[1] : step[2]].isspace()
        if result and result[-1][0] != "equal" and (step[0] != "equal" or between):
            _, a0, _, b0, _ = result[-1]
            _, _, a1, _, b1 = step
            result[-1] = ("replace" if a1 > a0 and b1 > b0 else "delete" if a1 > a0 else "insert", a0, a1, b0, b1)
        else:
            result.append(step)
    return result


def _joined(spans: list[Span]) -> list[Span]:
    """Neighbours of one sort as one."""
    result: list[Span] = []
    for span in spans:
        if result and result[-1].what == span.what == "equal":
            result[-1] = Span("equal", result[-1].old_start, span.old_end, result[-1].new_start, span.new_end)
        else:
            result.append(span)
    return result
