"""Words and signs in the last column of the table of requests, and in what the chart says of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from inspector import format
from inspector.models.happened import branch_words

if TYPE_CHECKING:
    from engine.trace.model import RequestRow


class Mark(NamedTuple):
    """A word in the last column, in the colour and with the letter of a kind."""

    kind: str
    letter: str
    word: str


_EVENT_MARKS = {
    "summary": Mark("summary", "Σ", "summary"),
    "compaction": Mark("summary", "Σ", "compaction"),
    "offload": Mark("tool", "R", "offload"),
    "memory loaded": Mark("memory", "M", "memory loaded"),
    "memory edited": Mark("memory", "M", "memory edited"),
    "skill read": Mark("skills", "K", "skill read"),
    "skill pinned": Mark("skills", "K", "skill pinned"),
    "state rewritten": Mark("warning", "!", "state rewritten"),
    "step failed": Mark("error", "!", "step failed"),
    "interrupt": Mark("human", "?", "asked"),
    "decision": Mark("human", "?", "decided"),
    "by hand": Mark("human", "H", "handed on"),
    "overflow": Mark("warning", "!", "overflow"),
    "warning": Mark("warning", "!", "warning"),
    "lost": Mark("error", "!", "record lost"),
}
PLAIN = "·"
"""The letter of a mark that has none of its own."""
MARKED, NOTED = Mark("human", "⚑", "marked"), Mark("human", "✎", "note")
BASELINE = Mark("human", "B", "baseline")
QUIET_EVENTS = frozenset({"skill listed", "purpose guessed", "failure"})
"""Events that nearly every request has, or that its problem or error tells: no mark."""


def marks(row: RequestRow) -> tuple[Mark, ...]:
    """Marks of a request: its error first, then its events in order."""
    found = []
    if row.error is not None or row.status == "failed":
        found.append(Mark("error", "!", format.one_line(row.error or "failed", 200)))
    elif row.status == "stopped":
        found.append(Mark("other", PLAIN, "stopped"))
    for event in row.events:
        if event not in QUIET_EVENTS:
            found.append(_EVENT_MARKS.get(event) or Mark("other", PLAIN, format.one_line(event, 40)))
    if row.branch:
        found.insert(0, Mark("human", "⎇", branch_words(row, None)))
    if row.problem and row.problem != row.error:
        found.append(Mark("warning", "!", format.one_line(row.problem, 200)))
    return tuple(found)
