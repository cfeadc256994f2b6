"""The ledger as two tables: a row a request, and a row a text that was put away."""

from __future__ import annotations

from PySide6.QtCore import QObject

from engine.ledger.model import LedgerRow, ReadBack
from inspector import format
from inspector.models.items import Column, ItemsModel


def chars(value: int | None) -> str:
    """Characters, short; a dash where they are not known."""
    return format.UNKNOWN if value is None else format.size(value)


def percent(share: float | None) -> str:
    """A share in per cent."""
    return format.UNKNOWN if share is None else f"{share:.0%}".replace("%", " %")


def _tip(what: str, value: int | None) -> str:
    return f"{what} is not known." if value is None else f"{format.exact(value)} characters"


def _size(title: str, field: str, hint: str) -> Column[LedgerRow]:
    def value(row: LedgerRow) -> int | None:
        found: int | None = getattr(row, field)
        return found

    return Column(
        title,
        lambda row: chars(value(row)),
        lambda row: _tip(hint, value(row)),
        sort=lambda row: value(row) or 0,
        right=True,
        hint=hint,
    )


class LedgerModel(ItemsModel[LedgerRow]):
    """A row a request."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("#", lambda row: format.exact(row.number), sort=lambda row: row.number, right=True, link=True),
                _size("Received", "received_chars", "Characters of text in the messages that the model received"),
                _size("Returned", "tool_returned_chars", "What tools returned, new here, before it was put away"),
                _size("Offloaded", "offloaded_chars", "Whole length of the texts that were put into files, new here"),
                _size("Summarized", "summarized_chars", "Messages that a summary took the place of, new here"),
                _size("Original", "original_chars", "What it would hold had nothing been put away, summarized or cut"),
                Column(
                    "Share",
                    lambda row: percent(row.share),
                    lambda row: (
                        "The original is not known."
                        if row.share is None
                        else f"{format.exact(row.received_chars)} of {format.exact(row.original_chars or 0)} characters"
                    ),
                    sort=lambda row: row.share or 0.0,
                    right=True,
                    hint="Received of the original.",
                ),
            ),
            lambda row: row.id,
            parent,
        )


class ReadBackModel(ItemsModel[ReadBack]):
    """A row a text that was put away: what it costs to have it back, and how much of it was read since."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column(
                    "Put away",
                    lambda item: ("! " if item.problem else "") + item.path,
                    lambda item: "\n".join(part for part in (item.path, item.problem) if part),
                    kind=lambda item: "error" if item.problem else None,
                ),
                Column(
                    "Chars",
                    lambda item: chars(item.chars),
                    lambda item: f"{format.exact(item.chars)} characters in {format.count(item.lines, 'line')}",
                    sort=lambda item: item.chars,
                    right=True,
                ),
                Column(
                    "Reads",
                    lambda item: format.exact(item.reads_needed),
                    lambda item: f"{format.count(item.reads_needed, 'call')} of read_file bring it back whole.",
                    sort=lambda item: item.reads_needed,
                    right=True,
                    hint="Calls of read_file at its default page that bring it back whole.",
                ),
                Column(
                    "Cost",
                    lambda item: format.tokens(item.read_tokens),
                    lambda item: f"About {format.exact(item.read_tokens)} tokens for all of these reads, estimated.",
                    sort=lambda item: item.read_tokens,
                    right=True,
                    hint="Tokens that these reads return, estimated.",
                ),
                Column(
                    "Read",
                    lambda item: percent(item.read_percent / 100),
                    lambda item: f"{format.count(item.reads_made, 'call')} so far returned text of it.",
                    sort=lambda item: item.read_percent,
                    right=True,
                    hint="How much of it the model has in fact read since.",
                ),
            ),
            lambda item: item.path,
            parent,
        )
