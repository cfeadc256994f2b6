"""What a search found, as rows: a line for each thread, under it the texts. Strings are made when shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from engine.search.model import Hit, Results
from inspector import format, theme

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
_AREAS = {
    "system": "System", "messages": "Messages", "tools": "Tools", "provider": "Provider",
    "response": "Response", "raw": "Raw",
}  # fmt: skip
_SOURCES = {"file": "File", "memory": "Memory", "thread": "Thread", "note": "Note", "error": "Error", "request": ""}
OUTSIDE = "Files of the store"


@dataclass(frozen=True, slots=True)
class Row:
    """A thread with its number of hits, or a hit."""

    hit: Hit | None
    thread_id: str | None
    title: str
    count: int = 0


def rows_of(results: Results) -> list[Row]:
    """Hits under their threads, threads in the order of their first hit."""
    groups: dict[str | None, list[Hit]] = {}
    for hit in results.hits:
        groups.setdefault(hit.thread_id, []).append(hit)
    rows = []
    for thread_id, hits in groups.items():
        title = OUTSIDE if thread_id is None else hits[0].thread_title or thread_id
        rows.append(Row(None, thread_id, title, len(hits)))
        rows += [Row(hit, thread_id, title) for hit in hits]
    return rows


def place(hit: Hit) -> str:
    """Where a text stands, in words: ``#12 · Messages 3 · tool result``."""
    number = "" if hit.request_number is None else f"#{format.exact(hit.request_number)}"
    where = _AREAS.get(hit.area or "", "") or _SOURCES.get(hit.source, "")
    if hit.index is not None and hit.area in ("system", "messages", "tools", "raw"):
        where = f"{where} {format.exact(hit.index)}"
    path = format.one_line(hit.path, 200) if hit.path else ""
    earlier = "" if hit.current else "earlier version"
    return " · ".join(word for word in (number, where, path, earlier) if word)


def spread(hit: Hit) -> str:
    """In how many requests it stands, when in several."""
    return f"in {format.count(hit.requests, 'request')}" if hit.requests > 1 else ""


class FoundModel(QAbstractListModel):
    """The rows of one search."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[Row] = []

    def set_results(self, results: Results | None) -> None:
        """Show what another search found."""
        self.beginResetModel()
        self._rows = [] if results is None else rows_of(results)
        self.endResetModel()

    def row_at(self, index: Index) -> Row | None:
        """What a row shows."""
        return self._rows[index.row()] if index.isValid() and index.row() < len(self._rows) else None

    def index_of(self, row: Row | None) -> QModelIndex:
        """Where a row stands now; invalid when it is gone."""
        return self.index(self._rows.index(row), 0) if row is not None and row in self._rows else QModelIndex()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Threads and hits."""
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Words; the delegate asks for the row itself."""
        row = self.row_at(index)
        if row is None:
            return None
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            if row.hit is None:
                return f"{format.one_line(row.title)}, {format.count(row.count, 'text')}"
            kind = theme.kind_name(row.hit.kind) if row.hit.kind else ""
            said = (kind, place(row.hit), spread(row.hit), format.marked(row.hit.snippet))
            return ", ".join(word for word in said if word)
        if role == Qt.ItemDataRole.ToolTipRole:
            if row.hit is None:
                return format.tip(row.title)
            return format.tip("\n".join(filter(None, (place(row.hit), spread(row.hit), row.hit.snippet))))
        return None
