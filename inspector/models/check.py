"""What a check of a file found, as rows. ``run_check`` is for jobs."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject

from engine.explain.model import Integrity
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Progress
from inspector.models.items import Column, ItemsModel


@dataclass(frozen=True, slots=True)
class Finding:
    """A place where the record does not explain itself, a file that is gone, or a note."""

    place: int
    what: str
    words: str
    thread_id: str = ""
    number: int | None = None
    request: int | None = None
    """To go there."""
    by: str = ""
    wrong: bool = True
    """False for a note."""


def run_check(explaining: Explaining, progress: Progress) -> Integrity:
    """Work out every request from its state, and look for the files that are spoken of."""

    def told(done: int, total: int, thread: str) -> None:
        progress.report(done, total, format.elide_middle(format.one_line(thread), 60))

    found: Integrity = explaining().check(None, told)
    return found


def findings(found: Integrity) -> list[Finding]:
    """Differences, then missing files, then notes."""
    rows: list[Finding] = []
    for each in found.differences:
        at = each.index if each.index is not None else each.raw_index
        side = "Message" if each.index is not None else "Raw message"
        where = "" if at is None else f"{side} {format.exact(at + 1)}: "
        rows.append(Finding(len(rows), f"{where}{each.what}", each.words, each.thread_id, each.number, each.request,
                            each.contributor))  # fmt: skip
    for gone in found.missing_artifacts:
        rows.append(Finding(len(rows), f"{gone.kind.capitalize()} is gone: {gone.path}", gone.words, gone.thread_id,
                            gone.number, gone.request))  # fmt: skip
    rows += [Finding(len(rows) + n, "Note", note, wrong=False) for n, note in enumerate(found.notes)]
    return rows


def verdict(found: Integrity) -> str:
    """The whole in a sentence."""
    looked = format.count(found.requests, "request")
    unchecked = ""
    if found.unchecked:
        verb = "was" if found.unchecked == 1 else "were"
        unchecked = f" {format.exact(found.unchecked)} of them {verb} made without raw messages and can't be compared."
    if found.clean:
        return f"Nothing wrong in {looked}.{unchecked}"
    differences = format.count(len(found.differences), "difference")
    return f"{differences} and {format.count(len(found.missing_artifacts), 'missing file')} in {looked}.{unchecked}"


class FindingModel(ItemsModel[Finding]):
    """A row a finding."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("#", lambda row: format.UNKNOWN if row.number is None else format.exact(row.number),
                       right=True, link=True),
                Column("Thread", lambda row: row.thread_id or format.UNKNOWN),
                Column("What", lambda row: row.what, kind=lambda row: "error" if row.wrong else None),
                Column("Why", lambda row: row.words, cut_end=True),
                Column("By", lambda row: row.by, muted=True),
            ),
            lambda row: row.place,
            parent,
        )  # fmt: skip
