"""Whether two texts differ in nothing but a time, a random id or a number: what changes by itself."""

from __future__ import annotations

import re

from engine.explain.sequence import Tick, no_tick
from engine.explain.texts import diff_texts

_TOKEN = re.compile(r"[\w:.,/+-]")
_TIME = re.compile(
    r"(?ix) [\d:.,/+TZ-]* \d [:/-] \d [\d:.,/+TZ-]* | (?:1\d{9}|1\d{12})(?:\.\d+)? | \d{1,2}(?:st|nd|rd|th)"
    r" | [ap]\.?m\.?"
    r" | (?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?"
    r" | (?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?"
    r" | oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBER = re.compile(r"[+-]?\d[\d.,_]*%?")
_HEX = re.compile(r"(?i)[0-9a-f-]{6,}")
_MIXED = re.compile(r"(?=\w*\d)(?=\w*[A-Za-z])[\w-]{8,}")
_MOST = 40  # changed places; more are an edit


def volatile_change(old: str, new: str, tick: Tick = no_tick) -> str | None:
    """``a time``, ``a random id`` or ``a number``; None where anything else differs."""
    kinds: list[str] = []
    for span in diff_texts(old, new, tick).spans:
        if span.what != "equal":
            kinds += _kinds(_around(old, span.old_start, span.old_end))
            kinds += _kinds(_around(new, span.new_start, span.new_end))
            if "" in kinds or len(kinds) > 2 * _MOST:
                return None
    return next((kind for kind in ("a time", "a random id", "a number") if kind in kinds), None)


def _around(text: str, start: int, end: int) -> str:
    """The changed place with the rest of the words that it cuts through."""
    while start > 0 and _TOKEN.match(text[start - 1]):
        start -= 1
    while end < len(text) and _TOKEN.match(text[end]):
        end += 1
    return text[start:end]


def _kinds(changed: str) -> list[str]:
    """The kind of each word; an empty one for a word that does not change by itself."""
    return [_kind(word.strip(".,:-/+")) for word in re.findall(r"[\w:.,/+%-]+", changed) if word.strip(".,:-/+")] or (
        [""] if changed.strip() else []
    )


def _kind(word: str) -> str:
    if _TIME.fullmatch(word):
        return "a time"
    if _NUMBER.fullmatch(word):
        return "a number"
    if (_HEX.fullmatch(word) and any(char.isdigit() for char in word)) or _MIXED.fullmatch(word):
        return "a random id"
    return ""
