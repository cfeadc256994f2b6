"""What of a request was remembered, a row each: by which mechanism, what, and where it stands."""

from __future__ import annotations

from PySide6.QtCore import QObject

from engine.explain.model import MECHANISMS, Mechanism, Remembered
from inspector import format
from inspector.models.items import Column, ItemsModel

KINDS: dict[Mechanism, str] = {
    "checkpoint": "human", "memory file": "memory", "store": "tool", "runtime context": "system",
    "summary": "summary", "subagent": "ai",
}  # fmt: skip


def _where(one: Remembered) -> str:
    if not one.area:
        return format.UNKNOWN
    return f"{'Block' if one.area == 'system' else 'Message'} {format.exact(one.index + 1)}"


class RememberedModel(ItemsModel[Remembered]):
    """Rows in the order of the request."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("By", lambda one: one.by, lambda one: MECHANISMS[one.by], kind=lambda one: KINDS[one.by],
                       hint="Checkpoint, memory file, store, runtime context, summary or subagent."),
                Column("What", lambda one: one.what, cut_end=True),
                Column("Where", _where, lambda one: _where(one) if one.area else "The model never sees it.",
                       link=True, hint="The first block or message of it; a click goes there."),
            ),
            lambda one: one,
            parent,
        )  # fmt: skip
