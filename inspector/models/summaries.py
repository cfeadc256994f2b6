"""The summary events of a thread as a table, the first one first."""

from __future__ import annotations

from PySide6.QtCore import QObject

from engine.trace.model import RawRow, Summary
from inspector import format, theme
from inspector.models.items import Column, ItemsModel

NOT_SAVED = "the old messages were not saved"


def evicted(summary: Summary) -> int:
    """Raw messages that this summary, and none before it, replaced."""
    return max(0, summary.cutoff - summary.evicted_from)


def tokens(summary: Summary) -> str:
    """Before and after, as estimated."""
    return f"{format.tokens(summary.tokens_before)} → {format.tokens(summary.tokens_after)}"


def _request(summary: Summary) -> str:
    return format.UNKNOWN if summary.request_number is None else f"#{summary.request_number}"


def _request_tip(summary: Summary) -> str:
    if summary.request_number is None:
        return "No request has been sent with it."
    return f"Request {summary.request_number} was the first one sent with it."


def saved(summary: Summary) -> str:
    """What became of the old messages, in a word or two."""
    if summary.problem:
        return "not found" if summary.problem.startswith("not found") else "damaged"
    return "no" if summary.path is None else "yes"


def history(summary: Summary) -> str:
    """Where the old messages are, and why they can't be had."""
    where = repr(summary.path) if summary.path == "" else summary.path
    return "\n".join(part for part in (where, summary.problem) if part) or NOT_SAVED


def _history_tip(summary: Summary) -> str:
    if summary.problem:
        return history(summary)
    if summary.path is None:
        return "The history file could not be written, so the evicted messages are in the raw state only."
    return summary.path


class SummariesModel(ItemsModel[Summary]):
    """Rows keyed by event. The ordinal of a row is its place in the thread."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column(
                    "#",
                    self._ordinal,
                    lambda summary: "A summary of a summary." if summary.chained else "The first summary.",
                    sort=lambda summary: self.row_of(summary.event),
                    right=True,
                    hint="Place among the thread's summaries.",
                ),
                Column(
                    "When",
                    lambda summary: format.ago(summary.at),
                    lambda summary: format.absolute(summary.at),
                    sort=lambda summary: summary.at,
                    muted=True,
                ),
                Column(
                    "Request",
                    _request,
                    _request_tip,
                    sort=lambda summary: summary.request_number or 0,
                    right=True,
                    link=True,
                    hint="The first request sent with it; a click goes there.",
                ),
                Column(
                    "Evicted",
                    lambda summary: format.exact(evicted(summary)),
                    lambda summary: (
                        f"Raw messages {summary.evicted_from + 1} to {summary.cutoff}, "
                        "replaced by this summary and by none before it."
                    ),
                    sort=evicted,
                    right=True,
                    hint="Messages that it replaced, and no summary before it.",
                ),
                Column(
                    "Tokens",
                    tokens,
                    lambda summary: (
                        f"{format.exact_tokens(summary.tokens_before)} before, "
                        f"{format.exact_tokens(summary.tokens_after)} after"
                    ),
                    sort=lambda summary: summary.tokens_before,
                    right=True,
                    hint="Size of the context before and after, estimated.",
                ),
                Column(
                    "Saved",
                    saved,
                    _history_tip,
                    kind=lambda summary: "error" if saved(summary) != "yes" else None,
                    hint="Whether the old messages were saved to a file.",
                ),
            ),
            lambda summary: summary.event,
            parent,
        )

    def _ordinal(self, summary: Summary) -> str:
        return str(self.row_of(summary.event) + 1)


class EvictedModel(ItemsModel[RawRow]):
    """The raw messages that one summary evicted; their first lines are read as they come into view."""

    def __init__(self, parent: QObject | None = None) -> None:
        self._lines: dict[int, str] = {}
        super().__init__(
            (
                Column("#", lambda row: str(row.index + 1), sort=lambda row: row.index, right=True, muted=True),
                Column(
                    "",
                    lambda row: theme.kind_letter(row.kind),
                    lambda row: theme.kind_name(row.kind),
                    kind=lambda row: row.kind,
                    said=lambda row: theme.kind_name(row.kind),
                ),
                Column("Message", lambda row: self._lines.get(row.part, ""), cut_end=True),
                Column(
                    "Size",
                    lambda row: format.size(row.chars),
                    lambda row: f"{format.count(row.chars, 'character')}, {format.exact_tokens(row.tokens)}",
                    sort=lambda row: row.chars,
                    right=True,
                ),
            ),
            lambda row: (row.index, row.part),
            parent,
        )

    def unread(self, first: int, last: int) -> list[int]:
        """Parts of these rows whose first line has not been read."""
        rows = self.items[max(0, first) : last + 1]
        return [row.part for row in rows if row.part not in self._lines]

    def put_lines(self, lines: dict[int, str]) -> None:
        """First lines that have been read, by part."""
        self._lines.update(lines)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 2), self.index(self.rowCount() - 1, 2))
