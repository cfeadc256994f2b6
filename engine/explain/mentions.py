"""Things that a text names and that can be looked for elsewhere: paths, addresses, identifiers, numbers, names.

Found by their spelling alone; nothing is understood. Numbers are compared without their thousands separators.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Kind = Literal["path", "url", "identifier", "number", "name"]
Mention = tuple[Kind, str]
KINDS: tuple[Kind, ...] = ("path", "url", "identifier", "number", "name")

_FOUND = re.compile(
    r"""(?x)
    (?P<url> https?://[^\s<>"'`)\]}]+ )
  | (?P<path> (?<![\w/.:<]) / (?:[\w.@+-]+/)* [\w.@+-]*\w
      | (?<![\w/.-]) (?:[\w.@+-]+/)* [\w@+-][\w.@+-]+ \.[A-Za-z]{1,5}\d?\b (?!\() )
  | (?P<identifier> \b[A-Za-z]\w*_\w+\b | \b[a-z]+[A-Z]\w*\b
      | (?<![\w.-]) (?=[\w-]*\d) (?=[\w-]*[A-Za-z]) [A-Za-z0-9][\w-]{3,} (?![\w-]) )
  | (?P<number> (?<![\w.,]) \d (?:[\d,]*\d)? (?:\.\d+)? %? (?![\w]) )
  | (?P<name> (?<=[\w,;:|"'(/–-]\ ) (?<![.!?:]\ ) [A-Z][\w’'-]{2,} (?:\ [A-Z][\w’'-]+)*
      | (?<=[,|\t(]) [A-Z][a-z][\w’'-]+ )
    """
)
_CAPITALS = re.compile(r"(?<!\w)[A-Z][\w’'-]{2,}(?: [A-Z][\w’'-]+)*")
_SEPARATORS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DIGITS = 3  # a shorter number without a point or a percent sign stands in any text


def mentions(text: str) -> Iterator[Mention]:
    """Everything that the text names, in order, repeatedly where it does so."""
    for match in _FOUND.finditer(text):
        kind: Kind = match.lastgroup  # type: ignore[assignment]
        found = match.group().rstrip(".,;:")
        if kind == "number":
            found = _SEPARATORS.sub("", found)
            if sum(char.isdigit() for char in found) < _DIGITS and not ("." in found or "%" in found):
                continue
        if found:
            yield kind, found


def mentioned(text: str) -> Iterator[Mention]:
    """What the text may name that another text is known to name: capitals at the start of a sentence too."""
    yield from mentions(text)
    for match in _CAPITALS.finditer(text):
        yield "name", match.group()


def comparable(text: str) -> str:
    """The text in which what :func:`mentions` gives can be looked for."""
    return _SEPARATORS.sub("", text)
