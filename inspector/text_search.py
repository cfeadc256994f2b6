"""Finding and replacing in a text that is edited: words as they are, or a pattern that somebody typed.

No Qt. A pattern may take for ever on some text, so it is stopped after a while, and it lets other threads run; still
call everything here in a job.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engine.errors import UsageError

SECONDS = 5.0
"""How long a pattern may take."""
TOGETHER = 16_000
"""Characters of the text in which replacements next to each other are made in one."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for. Nothing empty is ever found."""

    words: str
    case: bool = False
    whole: bool = False
    """Only where no letter, figure or underscore stands right before or after."""
    pattern: bool = False
    """``words`` is a regular expression; ``^`` and ``$`` stand for the beginning and end of a line."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """One stretch of a text, and what takes its place. Offsets count code points."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Replaced:
    """What replacing makes of a text."""

    edits: tuple[Replacement, ...]
    """In order; those close to each other are one, with what stands between them."""
    count: int
    """Of the matches that were replaced."""


def find(wanted: Wanted, text: str, most: int) -> list[tuple[int, int]]:
    """Where it stands, at most so often. Raises ``UsageError`` for a pattern that is none, or takes too long."""
    return [match.span() for match in islice(_matches(wanted, text), most)]


def replace_all(wanted: Wanted, text: str, by: str) -> Replaced:
    """Put ``by`` in the place of every match; in it a pattern's groups are ``\\1`` or ``\\g<name>``."""
    edits: list[Replacement] = []
    count = 0
    for match in _matches(wanted, text):
        count += 1
        start, end = match.span()
        last = edits[-1] if edits else None
        new = _instead(wanted, match, by)
        if last is not None and end - last.start <= TOGETHER:
            edits[-1] = Replacement(last.start, end, last.text + text[last.end : start] + new)
        else:
            edits.append(Replacement(start, end, new))
    return Replaced(tuple(edits), count)


def replace_one(wanted: Wanted, text: str, by: str, start: int) -> Replaced:
    """Put ``by`` in the place of the match that begins there; nothing where none does."""
    match = next((one for one in _matches(wanted, text) if one.start() >= start), None)
    if match is None or match.start() != start:
        return Replaced((), 0)
    return Replaced((Replacement(start, match.end(), _instead(wanted, match, by)),), 1)


def _instead(wanted: Wanted, match: Any, by: str) -> str:
    if not wanted.pattern:
        return by
    import regex

    try:
        return str(match.expand(by))
    except (regex.error, IndexError) as error:
        raise UsageError(f"“{by}” can't be put in the place of what was found: {error}.") from error


def _matches(wanted: Wanted, text: str) -> Iterator[Any]:
    import regex  # deferred: only somebody who searches pays for it

    if not wanted.words:
        return
    words = wanted.words if wanted.pattern else regex.escape(wanted.words, special_only=True)
    words = rf"(?<!\w)(?:{words})(?!\w)" if wanted.whole else words
    flags = regex.MULTILINE | (0 if wanted.case else regex.IGNORECASE)
    try:
        for match in regex.finditer(words, text, flags=flags, timeout=SECONDS, concurrent=True):
            if match.end() > match.start():
                yield match
    except regex.error as error:
        raise UsageError(f"This is not a regular expression: {error}.") from error
    except TimeoutError as error:
        raise UsageError("The pattern takes too long on this text. Use a simpler one.") from error
