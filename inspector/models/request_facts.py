"""What the chart says of one request: in lines under the mouse, in one line for the selected one. Plain text."""

from __future__ import annotations

from engine.trace.model import RequestRow
from inspector import format, theme
from inspector.models.bars import SERIES, sizes
from inspector.models.requests import agent_name, marks
from inspector.models.spending import Price, money


def in_lines(row: RequestRow, *, marked: bool = False, price: Price | None = None) -> list[str]:
    """Number, who and what for; tokens and their share of the window; parts, the upper ones first; what happened."""
    head = [f"Request {format.exact(row.number)}", agent_name(row), row.purpose, format.absolute(row.started_at)]
    found = [" · ".join(head), f"In: {_tokens(row, ', reported by the provider', ', estimated')}"]
    found += [f"{letter(name)} {title(name)}: ~{format.exact(tokens)}" for name, tokens in _parts(row)]
    if price is not None:
        cost = f"{money(price.amount)}" if price.amount is not None else f"not known: {price.reason}"
        found.append(f"Cost: {cost}")
    words = _words(row, marked)
    return [*found, ", ".join(words)] if words else found


def in_one_line(row: RequestRow, *, marked: bool = False, price: Price | None = None) -> str:
    """The same, the parts by their letters."""
    said = [format.exact(row.number), agent_name(row), row.purpose, _tokens(row, " reported", " estimated")]
    if price is not None:
        said.append(money(price.amount) if price.amount is not None else "cost not known")
    said += _words(row, marked)
    said += ["  ".join(f"{letter(name)} ~{format.exact(tokens)}" for name, tokens in _parts(row))]
    return " · ".join(each for each in said if each)


def letter(series: str) -> str:
    """The letter of a series of ``Bars``; S+ for what middlewares appended to the system message."""
    return "S+" if series == "added" else theme.kind_letter(series)


def title(series: str) -> str:
    """Its name in words."""
    return "Other system" if series == "added" else theme.kind_name(series)


def _tokens(row: RequestRow, reported: str, estimated: str) -> str:
    if row.input_tokens is None:
        return "tokens not known"
    said = format.count(row.input_tokens, "token") + (estimated if row.tokens == "estimated" else reported)
    if row.window:
        said += f", {row.input_tokens / row.window:.0%} of the window of {format.exact(row.window)}"
    if row.usage.cache_read:
        said += f", {format.exact(row.usage.cache_read)} from the cache"
    return said


def _parts(row: RequestRow) -> list[tuple[str, int]]:
    found = sizes(row)
    return [(name, found[name]) for name in reversed(SERIES) if found.get(name)]


def _words(row: RequestRow, marked: bool) -> list[str]:
    words = [f"{mark.letter} {mark.word}" for mark in marks(row)]
    return ["⚑ marked", *words] if marked else words
