"""Paging as ``read_file`` does it: how many calls a text takes, and which lines a call returned.

Figures and wording of deepagents 0.7; a contract test reads a file back through the tool itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PAGE_LINES = 100
"""``DEFAULT_READ_LIMIT``."""
PAGE_CHARS = 80_000
"""Four characters for each of the 20,000 tokens above which a result would be put away."""

_CHARS_A_TOKEN = 4
_NOTICE = (
    "[Output was truncated due to size limits. The file content is very large. Consider reformatting the file to "
    "make it easier to navigate. For example, if this is JSON, use execute(command='jq . {path}') to pretty-print it "
    "with line breaks. For other formats, you can use appropriate formatting tools to split long lines.]"
)
_HEADER = re.compile(r"^@@ lines (\d+)-(\d+)(?: of \d+)?(?: \| .*?)?(?: \| (\d+) of (\d+) chars)? @@$", re.M)
_NUMBERED = re.compile(r"^ *(\d+)(?:\.\d+)?\t", re.M)  # releases before 0.7 numbered the lines
_HEAD = 4_000  # characters in which the header must stand


@dataclass(frozen=True, slots=True)
class Paging:
    """What it takes to read a text from its first line to its last."""

    reads: int
    chars: int
    """What the reads return."""
    tokens: int
    unreachable: int
    """Characters that no read returns."""


def lines_of(text: str) -> list[str]:
    """Lines as the tool counts them, each with its end."""
    return text.splitlines(keepends=True)


def paging(text: str, path: str, page_chars: int | None = PAGE_CHARS) -> Paging:
    """Read a text in the mind: as many calls, each going on where the one before stopped."""
    lines = [line.replace("\r\n", "\n").replace("\r", "\n") for line in lines_of(text)]
    notice = len(_NOTICE.format(path=path)) + 1
    reads = chars = tokens = lost = at = 0
    while at < len(lines):
        end = min(at + PAGE_LINES, len(lines))
        size = _size(lines, at, end)
        if page_chars is not None and size >= page_chars:
            size = _size(lines, at, end, "truncated due to size") + notice
            while end > at and size > page_chars:
                end -= 1
                size = _size(lines, at, end, "truncated due to size") + notice
            if end == at:
                end = at + 1
                size, left = _midline(lines, at, page_chars - notice)
                size += notice
                lost += left
        reads += 1
        chars += size
        tokens += math.ceil(size / _CHARS_A_TOKEN)
        at = end
    return Paging(reads, chars, tokens, lost)


def returned(result: str, args: Mapping[str, Any]) -> tuple[int, int, float] | None:
    """First line, last line (from 1) and the share of the last one that a result holds; None for no text.

    ``args`` tell where the result itself does not.
    """
    header = _HEADER.search(result[:_HEAD])
    if header:
        first, last, shown, whole = header.groups()
        return int(first), int(last), int(shown) / int(whole) if shown and int(whole) else 1.0
    numbers = [int(number) for number in _NUMBERED.findall(result)]
    if numbers:
        return min(numbers), max(numbers), 1.0
    if not result or result.startswith(("Error", "System reminder")):
        return None
    offset, limit = args.get("offset"), args.get("limit")
    first = offset if isinstance(offset, int) and offset > 0 else 0
    return first + 1, first + (limit if isinstance(limit, int) and limit > 0 else PAGE_LINES), 1.0


def _size(lines: list[str], start: int, end: int, more: str = "") -> int:
    """Length of a page: its status line, and the text without the last line's end."""
    page = lines[start:end]
    body, rows = sum(map(len, page)), sum(line.count("\n") for line in page)
    if page and page[-1].endswith("\n"):
        body -= 1
    else:
        rows += 1
    # Lines that end in another sign than a line feed are followed by as many empty ones.
    return len(_header(start, end, len(lines), more)) + 1 + body + max(0, len(page) - rows)


def _midline(lines: list[str], at: int, room: int) -> tuple[int, int]:
    """Length of a page that holds the beginning of one line, and how much of that line is left out for good."""
    whole = len(lines[at].removesuffix("\n"))

    def head(shown: int) -> int:
        return len(_header(at, at + 1, len(lines), f"truncated mid-line | {shown} of {whole} chars")) + 1

    shown = max(0, min(whole, room - head(whole)))
    return head(shown) + shown, whole - shown


def _header(start: int, end: int, total: int, more: str) -> str:
    fields = [f"lines {start + 1}-{end} of {total}"]
    if end < total and "mid-line" not in more:
        fields.append(f"next offset {end}")
    return f"@@ {' | '.join([*fields, *([more] if more else [])])} @@"
