"""A query as it is typed: words and phrases to be found, and filters as tokens.

``offload "exact words" agent:researcher tokens>10k``. All words must occur, anywhere in one text, in any
case; quotes keep words together and make a filter's look plain text (``""`` inside quotes is a quote).
Of several filters of one name any suffices, but ``has:`` and ``tokens``, which must all hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import get_args

from rapidfuzz.distance import OSA

from engine.errors import UsageError
from engine.trace.model import Kind, Purpose

FILTERS = {
    "agent": "requests of this agent; main: the unnamed one",
    "tool": "requests whose answer calls this tool; its calls, results and schema",
    "kind": "texts of this kind; requests that hold some",
    "tokens": "tokens>10k, tokens<500: by input tokens, reported or else estimated",
    "error": "requests that failed with this text",
    "has": "requests with this mark",
    "file": "files of this path; requests that an event joins to one",
    "thread": "by a thread's id or title",
    "purpose": "what the request was made for",
}
"""Names of filters, and a word on each."""

KINDS: tuple[str, ...] = get_args(Kind)
PURPOSES: tuple[str, ...] = get_args(Purpose)
HAS = {
    "summary": "a summary came into force",
    "offload": "a result or message was put into a file",
    "memory": "memory was loaded or edited",
    "skill": "a skill was listed, read or pinned",
    "error": "it failed",
    "note": "you wrote a note on it",
    "mark": "you marked it",
    "lost": "something could not be recorded",
}
"""Values of ``has:``."""

_CHOICES = {"kind": KINDS, "purpose": PURPOSES, "has": tuple(HAS)}
_START = re.compile(r"([A-Za-z]+)(:|>=|<=|>|<|=)")
_NUMBER = re.compile(r"(\d[\d,_]*(?:\.\d+)?)([kKmM]?)")
_TIMES = {"": 1, "k": 1_000, "m": 1_000_000}


class QueryError(UsageError):
    """The query can't be understood; ``start`` and ``end`` say which characters are meant."""

    def __init__(self, sentence: str, start: int, end: int) -> None:
        super().__init__(sentence)
        self.start, self.end = start, end


@dataclass(frozen=True, slots=True)
class Filter:
    """One filter token."""

    name: str
    operator: str
    """``:``, and of ``tokens`` one of ``> < >= <= =``."""
    value: str
    number: float = 0.0
    """Of ``tokens``."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query that was understood."""

    terms: tuple[str, ...] = ()
    """Words and phrases that must all occur."""
    filters: tuple[Filter, ...] = ()

    def of(self, name: str) -> tuple[Filter, ...]:
        """The filters of one name."""
        return tuple(filter for filter in self.filters if filter.name == name)


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text of a query."""

    start: int
    end: int
    name: str
    """Of a filter, in lower case; empty for a word."""
    operator: str
    value: str
    quoted: bool
    value_start: int


def parse_query(text: str) -> Query:
    """Understand a query.

    Raises:
        QueryError: a filter has no such value, or its name is nearly that of another one.
    """
    terms: dict[str, None] = {}
    filters: list[Filter] = []
    for token in tokens_of(text):
        if token.name in FILTERS:
            filters.append(_filter(token))
        elif token.value:
            if token.name:
                _check_name(token)
            terms[text[token.start : token.end] if token.name else token.value] = None
    return Query(tuple(terms), tuple(filters))


def tokens_of(text: str) -> Iterator[Token]:
    """Words, phrases and filters in the order of the text, whatever their values are."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        start, name, operator = at, "", ""
        found = _START.match(text, at)
        if found and _is_filter(found, text):
            name, operator, at = found[1].lower(), found[2], found.end()
        value_start = at
        quoted = at < len(text) and text[at] == '"'
        if quoted:
            value, at = _quoted(text, at)
        else:
            while at < len(text) and not text[at].isspace():
                at += 1
            value = text[value_start:at]
        yield Token(start, at, name, operator, value, quoted, value_start)


def _is_filter(found: re.Match[str], text: str) -> bool:
    """Whether a token is to be read as a filter: not so a<b, thread::spawn and file://x."""
    if found[2] != ":":
        return found[1].lower() == "tokens"
    return not text.startswith((":", "//"), found.end())


def quote(value: str) -> str:
    """A filter's value as it has to be typed: in quotes where it needs them."""
    plain = value and not any(char.isspace() or char == '"' for char in value) and not value.startswith((":", "//"))
    return value if plain else '"' + value.replace('"', '""') + '"'


def _quoted(text: str, at: int) -> tuple[str, int]:
    """What stands in the quotes that begin here, and the place behind them; an open one reaches to the end."""
    value: list[str] = []
    at += 1
    while at < len(text):
        if text[at] == '"':
            if text[at + 1 : at + 2] != '"':
                return "".join(value), at + 1
            at += 1
        value.append(text[at])
        at += 1
    return "".join(value), at


def _filter(token: Token) -> Filter:
    name, operator, value = token.name, token.operator, token.value
    if name == "tokens":
        return Filter(name, operator, value, _number(token))
    if not value:
        hint = " has:error finds every request that failed." if name == "error" else ""
        raise _wrong(token, f"{name}: needs a value: {FILTERS[name]}.{hint}")
    if name in _CHOICES:
        value = value.lower()
        if value not in _CHOICES[name]:
            raise _wrong(token, f"{name}:{token.value} is not known. It can be {', '.join(_CHOICES[name])}.")
    return Filter(name, operator, value)


def _number(token: Token) -> float:
    if token.operator == ":":
        raise _wrong(token, "Write tokens>10k or tokens<500 to compare tokens.")
    found = _NUMBER.fullmatch(token.value)
    if found is None:
        wrong = token.value or "nothing"
        raise _wrong(token, f"tokens{token.operator} needs a number such as 500, 10k or 1.5M, not {wrong}.")
    digits = found[1].replace(",", "").replace("_", "")
    return float(digits[:30]) * _TIMES[found[2].lower()]


def _check_name(token: Token) -> None:
    """Refuse what is most likely a filter's name with a slip."""
    near = [name for name in FILTERS if len(token.name) > 3 and OSA.distance(name, token.name, score_cutoff=1) <= 1]
    if near and token.operator == ":":
        raise _wrong(
            token, f"There is no filter {token.name}:, but there is {near[0]}:. To find it as text, put it in quotes."
        )


def _wrong(token: Token, sentence: str) -> QueryError:
    return QueryError(sentence, token.start, token.end)
