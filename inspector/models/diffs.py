"""Two requests piece by piece as rows, and the text of a row with what changed in it. Reading is for jobs."""

from __future__ import annotations

import json
from dataclasses import dataclass

from PySide6.QtCore import QObject

from engine.explain.model import Area, PartDiff, RequestDiff, TextDiff
from engine.trace.model import RequestRow
from inspector import format, theme
from inspector.explaining import Explaining
from inspector.jobs import Progress
from inspector.models.items import Column, ItemsModel
from inspector.models.marked_text import Marked, marked_difference, marked_whole, replaced
from inspector.models.why import kind_of_change, signed

NAMES: dict[Area, str] = {"system": "System", "tools": "Tools", "messages": "Messages", "provider": "Provider"}
_PIECES: dict[Area, str] = {"system": "Block", "tools": "Tool", "messages": "Message", "provider": "Setting"}
SIGNS = {"added": "+", "removed": "−", "changed": "≠", "moved": "→", "same": "="}


@dataclass(frozen=True, slots=True)
class DiffRow:
    """A piece, or a run of equal ones."""

    area: Area
    part: PartDiff

    @property
    def differs(self) -> bool:
        """Whether it is not the same in both."""
        return self.part.what != "same"


@dataclass(frozen=True, slots=True)
class Compared:
    """Two requests, ready to be shown; without an older one there is nothing to compare with."""

    old: RequestRow | None
    new_id: int
    rows: tuple[DiffRow, ...]
    counts: tuple[tuple[str, int], ...]


def compare(explaining: Explaining, new_id: int, old_id: int | None, progress: Progress) -> Compared:
    """From ``old_id``, by default the same agent's request before, to ``new_id``."""
    explainer = explaining()
    if old_id is None:
        before = explainer.predecessor(new_id)
        if before is None:
            return Compared(None, new_id, (), ())
        old_id = before.id
    found: RequestDiff = explainer.diff(new_id, old_id, progress.check)
    rows = [DiffRow(area.area, part) for area in found.areas for part in area.parts]
    counts: dict[str, int] = {}
    for row in rows:
        counts[row.part.what] = counts.get(row.part.what, 0) + row.part.count
    return Compared(found.old, new_id, tuple(rows), tuple(counts.items()))


def by_number(reader: object, thread_id: str, number: int) -> RequestRow | None:
    """The request of a thread with this number. Runs in a job."""
    ids = reader.request_ids(thread_id)  # type: ignore[attr-defined]
    near = ids[max(0, number - 2) : number + 1]
    for wanted in (near, ids):
        for row in reader.request_rows(wanted):  # type: ignore[attr-defined]
            if row.number == number:
                found: RequestRow = row
                return found
    return None


def row_text(explaining: Explaining, row: DiffRow, old_id: int, new_id: int, progress: Progress) -> Marked:
    """The text of a row with what came and what went marked."""
    part, explainer = row.part, explaining()
    if row.area == "provider":
        from engine.explain.texts import diff_texts

        old, new = (_setting(text, part.name) for text in explainer.provider_texts(old_id, new_id))
        return marked_difference(old, new, diff_texts(old, new, progress.check))
    if part.old_part is not None and part.new_part is not None and part.what == "changed":
        pair = (row.area, part.old_part, part.new_part)
        old, new = explainer.texts(*pair)
        found: TextDiff = explainer.text_diff(*pair, progress.check)
        return marked_difference(old, new, found if found.spans else replaced(old, new))
    whole = part.new_part if part.new_part is not None else part.old_part
    if whole is None:
        return marked_whole("", None)
    sort = {"added": "added", "removed": "removed"}.get(part.what)
    return marked_whole(explaining.text(row.area, whole), sort)  # type: ignore[arg-type]


def _setting(provider: str, name: str) -> str:
    """One setting of a Provider area, as JSON; empty where it is not there."""
    settings = json.loads(provider)
    return json.dumps(settings[name], ensure_ascii=False, indent=2) if name in settings else ""


def what_of(row: DiffRow) -> str:
    """``Message 12``, ``Messages 1 to 40, the same``, ``Tool grep``."""
    part, word = row.part, _PIECES[row.area]
    if part.name:
        return f"{word} {part.name}"
    at = part.new_index if part.new_index is not None else part.old_index
    if at is None:
        return word
    if part.count > 1:
        first, last = format.exact(at + 1), format.exact(at + part.count)
        return f"{word}s {first} to {last}"
    kind = f" · {theme.kind_name(part.kind)}" if part.kind not in ("other", "tools") else ""
    return f"{word} {format.exact(at + 1)}{kind}"


def words_of(row: DiffRow) -> str:
    """``changed``, ``the same``, ``moved from 3 to 5``."""
    part = row.part
    if part.what == "same":
        return "the same" if part.old_index == part.new_index else f"the same, {_moved(part)}"
    return f"moved, {_moved(part)}" if part.what == "moved" else part.what


def _moved(part: PartDiff) -> str:
    old, new = (format.UNKNOWN if at is None else format.exact(at + 1) for at in (part.old_index, part.new_index))
    return f"from {old} to {new}"


class DiffModel(ItemsModel[DiffRow]):
    """A row a piece, in the order of the areas; equal ones in one row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("", lambda row: SIGNS[row.part.what], kind=_kind, said=words_of),
                Column("Piece", what_of, muted=False),
                Column("Difference", words_of, kind=_kind),
                Column("~Tokens", lambda row: signed(row.part.tokens), lambda row: f"{row.part.tokens:+,} tokens",
                       right=True, hint="What it adds to the request, estimated."),
            ),
            lambda row: (row.area, row.part.what, row.part.old_part, row.part.new_part, row.part.name),
            parent,
        )  # fmt: skip


def _kind(row: DiffRow) -> str | None:
    return "other" if row.part.what == "same" else kind_of_change(row.part)
