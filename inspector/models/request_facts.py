"""What the chart says of one request: in lines under the mouse, in one line for the selected one. Plain text."""

from __future__ import annotations

from collections.abc import Sequence

from engine.trace.model import RequestRow
from inspector import format, theme
from inspector.models.bars import SERIES, sizes
from inspector.models.marks import PLAIN, marks
from inspector.models.requests import agent_name
from inspector.models.spending import Price, money


def in_lines(row: RequestRow, *, signs: Sequence[str] = (), price: Price | None = None) -> list[str]:
    """Number, who and what for; tokens and their share of the window; parts, the upper ones first; what happened.

    ``signs`` are those that the reader put on it.
    """
    found = [" · ".join((f"Request {format.exact(row.number)}", agent_name(row), row.purpose))]
    found += [
        format.absolute(row.started_at),
        f"In: {format.exact_tokens(row.input_tokens, row.tokens == 'estimated')}",
    ]
    if (part := _share(row)) is not None:
        found.append(f"{part} of the window of {format.exact(row.window)}")
    if row.usage.cache_read:
        found.append(f"{format.exact(row.usage.cache_read)} read from the cache")
    found += [f"{letter(name)} {title(name)}: ~{format.exact(count)}" for name, count in _parts(row)]
    if price is not None:
        cost = money(price.amount) if price.amount is not None else f"not known: {price.reason}"
        found.append(f"Cost: {cost}")
    return [*found, *_words(row, signs)]


def in_one_line(row: RequestRow, *, signs: Sequence[str] = (), price: Price | None = None) -> str:
    """The same, the parts by their letters."""
    said = [format.exact(row.number), agent_name(row), row.purpose]
    if row.input_tokens is None:
        said.append("tokens not known")
    else:
        source = "estimated" if row.tokens == "estimated" else "reported"
        said.append(f"{format.count(row.input_tokens, 'token')} {source}")
    if (part := _share(row)) is not None:
        said.append(f"{part} of {format.exact(row.window)}")
    if row.usage.cache_read:
        said.append(f"{format.exact(row.usage.cache_read)} cached")
    if price is not None:
        said.append(money(price.amount) if price.amount is not None else "cost not known")
    said += _words(row, signs)
    said.append("  ".join(f"{letter(name)} ~{format.exact(tokens)}" for name, tokens in _parts(row)))
    return " · ".join(each for each in said if each)


def letter(series: str) -> str:
    """The letter of a series of ``Bars``; S+ for what middlewares appended to the system message."""
    return "S+" if series == "added" else theme.kind_letter(series)


def title(series: str) -> str:
    """Its name in words."""
    return "Other system" if series == "added" else theme.kind_name(series)


def _share(row: RequestRow) -> str | None:
    """What part of the window the input takes."""
    return f"{row.input_tokens / row.window:.0%}" if row.window and row.input_tokens is not None else None


def _parts(row: RequestRow) -> list[tuple[str, int]]:
    found = sizes(row)
    return [(name, found[name]) for name in reversed(SERIES) if found.get(name)]


def _words(row: RequestRow, signs: Sequence[str]) -> list[str]:
    return [*signs, *(mark.word if mark.letter == PLAIN else f"{mark.letter} {mark.word}" for mark in marks(row))]
