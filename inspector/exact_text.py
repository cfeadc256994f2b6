"""What a text editor shows of a file, and the way back to the file's own characters.

Qt's editor has one kind of line end. A file may have several, and more characters that the editor
takes for one (``\\r\\n``, ``\\r``, U+2029, U+FDD0, U+FDD1); everything else it keeps. ``ExactText`` holds
the lines and, apart from them, what stood between them; an edited text is mapped back line by line,
so that what was not edited keeps its own characters. Pure functions, no Qt; the work grows with the
text, so call it off the GUI thread for a text of unknown size.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

BREAK = re.compile("\r\n|[\n\r\u2029\ufdd0\ufdd1]")
"""Where Qt's editor begins a new line."""

LINE_ENDS = ("\r\n", "\n", "\r")
_END_NAMES = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}
BOM = "\ufeff"


@dataclass(frozen=True, slots=True)
class ExactText:
    """A text as lines and what stands between them: one end fewer than lines."""

    lines: tuple[str, ...]
    ends: tuple[str, ...]
    mark: str = ""
    """The byte order mark in front, which is not shown and stays."""

    @classmethod
    def of(cls, text: str) -> ExactText:
        """Take a text apart."""
        body = text.removeprefix(BOM)
        return cls(tuple(BREAK.split(body)), tuple(BREAK.findall(body)), text[: len(text) - len(body)])

    @property
    def shown(self) -> str:
        """The text as the editor has it: every line end is ``\\n``."""
        return "\n".join(self.lines)

    @property
    def exact(self) -> str:
        """The text itself."""
        return self.mark + _join(self.lines, self.ends)

    def edited(self, shown: str) -> str:
        """The exact text after an edit of what was shown.

        Unedited lines keep their own ends. A changed line keeps the end of the line it replaces; a
        new one gets the end of the line before it, or the file's usual one.
        """
        new = tuple(shown.split("\n"))
        if new == self.lines:
            return self.exact
        origin = line_origins(self.lines, new)
        usual = self.usual_end
        ends: list[str] = []
        before = usual
        for source in origin[:-1]:
            end = self.ends[source] if source is not None and source < len(self.ends) else before
            ends.append(end)
            before = end if end in LINE_ENDS else usual
        for n in range(len(ends) - 1):
            if ends[n] == "\r" and not new[n + 1] and ends[n + 1] == "\n":  # the two would be one line end
                if origin[n] is None:
                    ends[n] = "\n"
                else:
                    ends[n + 1] = "\r\n"
        return self.mark + _join(new, tuple(ends))

    @property
    def usual_end(self) -> str:
        """The commonest line end of the file; ``\\n`` when it has none."""
        counted = Counter(end for end in self.ends if end in LINE_ENDS)
        return max(LINE_ENDS, key=lambda end: (counted[end], end == "\n")) if counted else "\n"

    def describe(self) -> str:
        """Line ends and byte order mark in words: ``CRLF · byte order mark · no line end at the end``."""
        kinds = {end for end in self.ends if end in LINE_ENDS}
        found = []
        if len(kinds) > 1:
            found.append("mixed line ends (" + ", ".join(_END_NAMES[k] for k in LINE_ENDS if k in kinds) + ")")
        elif kinds:
            found.append(_END_NAMES[kinds.pop()])
        if self.mark:
            found.append("byte order mark")
        if self.lines[-1]:
            found.append("no line end at the end")
        return " · ".join(found)


def line_origins(old: tuple[str, ...], new: tuple[str, ...]) -> list[int | None]:
    """For each new line the old line that it is or replaces; None for an inserted one."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    stop_old, stop_new = len(old) - tail, len(new) - tail
    origin: list[int | None] = list(range(head))
    for tag, a, b, c, d in changes(old[head:stop_old], new[head:stop_new]):
        for n in range(d - c):
            paired = tag == "equal" or a + n < b
            origin.append(head + a + n if paired else None)
    origin.extend(range(stop_old, len(old)))
    return origin


def changes(old: tuple[str, ...], new: tuple[str, ...]) -> list[tuple[str, int, int, int, int]]:
    """``(tag, old from, old to, new from, new to)`` in order; tags are equal, replace, insert, delete."""
    from rapidfuzz.distance import Indel

    # Numbers, since rapidfuzz compares hashes, and those of "" and "\0" are the same.
    numbers: dict[str, int] = {}
    before = [numbers.setdefault(line, len(numbers)) for line in old]
    after = [numbers.setdefault(line, len(numbers)) for line in new]
    found: list[tuple[str, int, int, int, int]] = []
    for op in Indel.opcodes(before, after):
        step = (op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end)
        if found and op.tag != "equal" and found[-1][0] != "equal":
            _tag, a, _b, c, _d = found.pop()
            step = ("replace", a, op.src_end, c, op.dest_end)
        found.append(step)
    return found


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    n = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        n += 1
    return n


def _join(lines: tuple[str, ...], ends: tuple[str, ...]) -> str:
    return "".join(part for pair in zip(lines, (*ends, ""), strict=True) for part in pair)
