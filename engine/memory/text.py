"""How a file is written: its encoding, its line ends, and the characters that nobody sees."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator

from engine.workbench import TextFacts

BOM = "\ufeff"

_MARKS = (
    (codecs.BOM_UTF8, "UTF-8"),
    (codecs.BOM_UTF32_LE, "UTF-32 LE"),
    (codecs.BOM_UTF32_BE, "UTF-32 BE"),
    (codecs.BOM_UTF16_LE, "UTF-16 LE"),
    (codecs.BOM_UTF16_BE, "UTF-16 BE"),
)
_ENDS = {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}
_END = re.compile("\r\n|\n|\r")
BREAK = re.compile("\r\n|[\n\r\u2029\ufdd0\ufdd1]")
"""Where the editor of the window begins a new line: Qt keeps these apart from everything else."""
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_JOINERS = "\u200c\u200d"
_DIRECTIONS = "\u200e\u200f\u061c"
_FLAG = "\U0001f3f4"


def facts_of(data: bytes) -> TextFacts:
    """What can be said of a file from its bytes."""
    named = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    try:
        text, fault = data.decode("utf-8"), None
    except UnicodeDecodeError as error:
        text, fault = "", error.start
    encoding = "" if not data else named or ("UTF-8" if fault is None else "not UTF-8")
    ends = {_ENDS[end] for end in _END.findall(text)}
    return TextFacts(
        encoding=encoding,
        line_ends="mixed" if len(ends) > 1 else "".join(ends),
        bom=named is not None,
        final_newline=text.endswith(("\n", "\r")),
        hidden=sum(1 for _ in hidden_in(text)),
        fault=fault,
    )


def hidden_in(text: str) -> Iterator[tuple[int, str]]:
    """Offset and name of each character that can't be seen or changes how the text reads.

    Those that ordinary spelling needs are left out: joiners inside words and emoji, direction marks in
    lines that hold right-to-left letters. A byte order mark at the very beginning is told apart.
    """
    for found in _HIDDEN.finditer(text):
        at, char = found.start(), found.group()
        if char == BOM and at == 0:
            continue
        if char in _JOINERS and _joins(text, at):
            continue
        if char in _DIRECTIONS and _right_to_left(text, at):
            continue
        if char >= "\U000e0020" and _in_flag(text, at):
            continue
        yield at, unicodedata.name(char, f"U+{ord(char):04X}").lower()


def line_of(text: str, at: int) -> int:
    """Line of an offset, from 1, as the editor counts lines."""
    return len(BREAK.findall(text, 0, at)) + 1


def line_of_fault(data: bytes, at: int) -> int:
    """Line of the first byte that is not UTF-8, from 1."""
    return line_of(data[:at].decode("utf-8"), at)


def _joins(text: str, at: int) -> bool:
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    if before == "\ufe0f":
        before = text[at - 2 : at - 1]
    return bool(before and after) and all(
        unicodedata.category(char) in {"So", "Sk"} or (char.isalpha() and ord(char) >= 0x0600) or _mark(char)
        for char in (before, after)
    )


def _mark(char: str) -> bool:
    return unicodedata.category(char) in {"Mn", "Mc"} and ord(char) >= 0x0600


def _right_to_left(text: str, at: int) -> bool:
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return any(unicodedata.bidirectional(char) in {"R", "AL"} and char not in _DIRECTIONS for char in line)


def _in_flag(text: str, at: int) -> bool:
    while at > 0 and text[at] >= "\U000e0020":
        at -= 1
    return text[at] == _FLAG
