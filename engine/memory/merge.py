"""Two edits of one text, brought together line by line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from merge3 import Merge3
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
    merged = Merge3(old, a, b, sequence_matcher=_Matcher)
    lines, conflicts = list(before[:head]), []
    for group in merged.merge_groups():
        if group[0] != "conflict":
            lines += group[1]
            continue
        start = len(lines) + 1
        end = _end_of(one or other)
        lines += [f"{_START} yours{end}", *_closed(group[2], end), f"{_MIDDLE}{end}"]
        lines += [*_closed(group[3], end), f"{_END} the file as it stands{end}"]
        conflicts.append((start, len(lines)))
    lines += before[len(before) - tail :]
    return Merge("".join(_closed_inside(lines)), tuple(conflicts))


def refuse_markers(text: str) -> None:
    """Raise ``UsageError`` when a conflict that a merge left is still in a text that is to be saved."""
    if re.search(f"^{_START} yours\\r?$", text, re.MULTILINE):
        raise UsageError("A conflict is still undecided in the text. Decide it, then save.")


class _Matcher:
    """Equal runs of two lists of lines, as ``difflib`` tells them; quick where that takes the square of the length."""

    def __init__(self, _junk: None, old: Sequence[str], new: Sequence[str], autojunk: bool = True) -> None:
        self._old, self._new = old, new

    def get_matching_blocks(self) -> list[tuple[int, int, int]]:
        old, new = self._old, self._new
        head = _common(old, new)
        tail = _common(old[head:][::-1], new[head:][::-1])
        a, b = old[head : len(old) - tail], new[head : len(new) - tail]
        blocks = [(0, 0, head)] if head else []
        blocks += [(head + i, head + j, n) for i, j, n in _blocks(a, b) if n]
        if tail:
            blocks.append((len(old) - tail, len(new) - tail, tail))
        return [*blocks, (len(old), len(new), 0)]


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
