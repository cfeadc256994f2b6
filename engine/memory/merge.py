"""Two edits of one text, brought together line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher

from rapidfuzz.distance import Indel

from engine.errors import EditConflict, UsageError
from engine.workbench import Merge

_LINE = re.compile("[^\n\r]*(?:\r\n|\n|\r)|[^\n\r]+\\Z")
_START, _MIDDLE, _END = "<<<<<<<", "=======", ">>>>>>>"
_LARGEST = 1_000_000_000  # product of two numbers of lines; a bit each


class MergeConflict(EditConflict):
    """Two edits of the same lines: nothing was written. ``merge`` has both, to be decided."""

    def __init__(self, sentence: str, current: str | None, version: str, merge: Merge) -> None:
        super().__init__(sentence, current, version)
        self.merge = merge


def merge_texts(base: str, mine: str, theirs: str) -> Merge:
    """What ``mine`` and ``theirs`` made of ``base``, together. Lines keep their own ends.

    Where both changed the same lines otherwise, both stand there between conflict markers.
    """
    if mine == theirs or base == theirs:
        return Merge(mine, ())
    if base == mine:
        return Merge(theirs, ())
    before, one, other = _lines(base), _lines(mine), _lines(theirs)
    head = _common(before, one, other)
    tail = _common(before[head:][::-1], one[head:][::-1], other[head:][::-1])
    old, a, b = (lines[head : len(lines) - tail] for lines in (before, one, other))
    lines, conflicts = list(before[:head]), []
    for was, ours, stands in _regions(old, a, b):
        if stands == was or ours == stands:
            lines += ours
        elif ours == was:
            lines += stands
        else:
            start = len(lines) + 1
            end = _end_of(one or other)
            lines += [f"{_START} yours{end}", *_closed(ours, end), f"{_MIDDLE}{end}"]
            lines += [*_closed(stands, end), f"{_END} the file as it stands{end}"]
            conflicts.append((start, len(lines)))
    lines += before[len(before) - tail :]
    return Merge("".join(_closed_inside(lines)), tuple(conflicts))


def refuse_markers(text: str) -> None:
    """Raise ``UsageError`` when a conflict that a merge left is still in a text that is to be saved."""
    if re.search(f"^{_START} yours\\r?$", text, re.MULTILINE):
        raise UsageError("A conflict is still undecided in the text. Decide it, then save.")


def _regions(
    old: Sequence[str], one: Sequence[str], other: Sequence[str]
) -> Iterator[tuple[Sequence[str], Sequence[str], Sequence[str]]]:
    """The three texts side by side, in turn: lines that all have, and what stands between those."""
    at, at_one, at_other = 0, 0, 0
    for start, in_one, in_other, many in [*_common_runs(old, one, other), (len(old), len(one), len(other), 0)]:
        yield old[at:start], one[at_one:in_one], other[at_other:in_other]
        yield (old[start : start + many],) * 3
        at, at_one, at_other = start + many, in_one + many, in_other + many


def _common_runs(old: Sequence[str], one: Sequence[str], other: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """Lines of ``old`` that both others kept: where they begin in each of the three, and how many."""
    kept_one, kept_other = list(_kept(old, one)), list(_kept(old, other))
    n = m = 0
    while n < len(kept_one) and m < len(kept_other):
        (a, in_one, many_one), (b, in_other, many_other) = kept_one[n], kept_other[m]
        start, end = max(a, b), min(a + many_one, b + many_other)
        if start < end:
            yield start, in_one + start - a, in_other + start - b, end - start
        if a + many_one < b + many_other:
            n += 1
        else:
            m += 1


def _kept(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int]]:
    """Equal runs of two lists of lines, in order: quick where the ends are equal, as they mostly are."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    a, b = old[head : len(old) - tail], new[head : len(new) - tail]
    if head:
        yield 0, 0, head
    yield from ((head + i, head + j, n) for i, j, n in _blocks(a, b) if n)
    if tail:
        yield len(old) - tail, len(new) - tail, tail


def _blocks(old: Sequence[str], new: Sequence[str]) -> Iterable[tuple[int, int, int]]:
    if len(old) * len(new) > _LARGEST:  # its table would not fit into memory
        return SequenceMatcher(None, old, new).get_matching_blocks()
    # Numbers, since rapidfuzz compares hashes.
    numbers: dict[str, int] = {}
    one, other = ([numbers.setdefault(line, len(numbers)) for line in lines] for lines in (old, new))
    steps = Indel.opcodes(one, other)
    return [(op.src_start, op.dest_start, op.src_end - op.src_start) for op in steps if op.tag == "equal"]


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _common(*lists: Sequence[str]) -> int:
    count = 0
    for lines in zip(*lists, strict=False):
        if any(line != lines[0] for line in lines):
            break
        count += 1
    return count


def _end_of(lines: list[str]) -> str:
    found = re.search("\r\n|\n|\r", lines[0]) if lines else None
    return found.group() if found else "\n"


def _closed(lines: Sequence[str], end: str) -> list[str]:
    """The same lines, the last one ended too: a marker must stand on a line of its own."""
    if lines and not lines[-1].endswith(("\n", "\r")):
        return [*lines[:-1], lines[-1] + end]
    return list(lines)


def _closed_inside(lines: list[str]) -> list[str]:
    """A text's last line may have no end; where something was added behind it, it needs one."""
    end = _end_of(lines)
    return [
        line if at == len(lines) - 1 or line.endswith(("\n", "\r")) else line + end for at, line in enumerate(lines)
    ]
