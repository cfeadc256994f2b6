"""What a summary lost that later requests needed, as rows. ``read_lost`` is for jobs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject

from engine.explain.model import LostFact, SummaryReport
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Progress
from inspector.models.items import Column, ItemsModel


@dataclass(frozen=True, slots=True)
class Lost:
    """The reports of a thread's summaries, and its requests by number."""

    thread_id: str
    reports: Mapping[int, SummaryReport]
    """By event."""
    ids: Mapping[int, int]
    """Request by number."""


def read_lost(explaining: Explaining, thread_id: str, progress: Progress) -> Lost:
    """Look through every summary of a thread."""
    reports = {report.summary.event: report for report in explaining().summaries(thread_id, progress.check)}
    reader = explaining.reader
    rows = reader.request_rows(reader.request_ids(thread_id)) if reports else []
    return Lost(thread_id, reports, {row.number: row.id for row in rows})


def kinds(counts: Mapping[str, int]) -> str:
    """``2 paths, 14 numbers``; ``nothing``."""
    return ", ".join(format.count(many, kind) for kind, many in counts.items() if many) or "nothing"


def numbers(wanted: tuple[int, ...]) -> str:
    """Numbers of requests."""
    return ", ".join(map(format.exact, wanted))


class LostModel(ItemsModel[LostFact]):
    """A row a fact that the summary does not hold and that was needed later."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Lost", lambda fact: fact.text),
                Column("Kind", lambda fact: fact.kind, muted=True),
                Column("Used in", lambda fact: numbers(fact.used_in) or format.UNKNOWN, _used, cut_end=True,
                       hint="Numbers of later requests whose answer uses it."),
                Column("Read back", lambda fact: numbers(fact.read_back_in) or "no",
                       lambda fact: f"In request {numbers(fact.read_back_in)}." if fact.read_back_in else
                       "Reading the history file never brought it back.", cut_end=True,
                       hint="Numbers of requests to which reading the history file had brought it back."),
            ),
            lambda fact: (fact.kind, fact.text),
            parent,
        )  # fmt: skip


def _used(fact: LostFact) -> str:
    if not fact.used_in:
        return "No answer uses it; it was read back."
    told = f"Used by the answers of requests {numbers(fact.used_in)}."
    if fact.unsourced_in:
        told += f"\nNo message that the model was given had it in {numbers(fact.unsourced_in)}."
    return told
