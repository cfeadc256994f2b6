"""What can stand at the cursor of a query: names of filters, and their values as the workspace knows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from engine.folding import fold
from engine.search.filters import MAIN
from engine.search.query import FILTERS, HAS, KINDS, PURPOSES, quote, tokens_of

_MOST = 30


@dataclass(frozen=True, slots=True)
class Values:
    """Values that filters can have in a workspace."""

    agents: Sequence[str] = ()
    tools: Sequence[str] = ()
    files: Sequence[str] = ()
    threads: Sequence[tuple[str, str]] = ()
    """Ids and titles."""
    errors: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Completion:
    """One candidate: put ``text`` in place of the query's characters from ``start`` to ``end``."""

    text: str
    about: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Choice:
    value: str
    about: str = ""
    also: str = field(default="")
    """Found by this too."""


def complete(text: str, cursor: int, values: Values) -> list[Completion]:
    """Candidates for the token that the cursor stands in or behind, the likeliest first."""
    token = next((token for token in tokens_of(text) if token.start <= cursor <= token.end), None)
    if token is None:
        return [Completion(_open(name), about, cursor, cursor) for name, about in FILTERS.items()]
    if token.quoted and not token.name:
        return []
    if token.name in FILTERS and cursor >= token.value_start:
        if token.name == "tokens":
            return []
        typed = fold(token.value)
        return [
            Completion(f"{token.name}:{quote(choice.value)} ", choice.about, token.start, token.end)
            for choice in _ranked(_choices(token.name, values), typed)
        ][:_MOST]
    typed = fold(text[token.start : cursor])
    return [
        Completion(_open(name), about, token.start, token.end)
        for name, about in FILTERS.items()
        if name.startswith(typed.rstrip(":"))
    ]


def _open(name: str) -> str:
    return f"{name}{'>' if name == 'tokens' else ':'}"


def _ranked(choices: Sequence[_Choice], typed: str) -> list[_Choice]:
    """Those that hold what was typed, those that begin with it first."""
    found = [choice for choice in choices if typed in fold(choice.value) or typed in fold(choice.also)]
    return sorted(found, key=lambda choice: not fold(choice.value).startswith(typed))


def _choices(name: str, values: Values) -> list[_Choice]:
    if name == "has":
        return [_Choice(value, about) for value, about in HAS.items()]
    if name == "thread":
        return [_Choice(id, title if title != id else "", title) for id, title in values.threads]
    if name == "agent":
        return [_Choice(MAIN, "agents without a name"), *map(_Choice, values.agents)]
    fixed = {"kind": KINDS, "purpose": PURPOSES, "tool": values.tools, "file": values.files, "error": values.errors}
    return [_Choice(value) for value in fixed[name]]
