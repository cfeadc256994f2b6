"""The list of threads, searched by title, id and agent. Rows keep their places when news arrive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from inspector import format
from inspector.annotations import Signs

if TYPE_CHECKING:
    from engine.trace.model import ThreadRow

Index = QModelIndex | QPersistentModelIndex
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 1
SIGNS_ROLE = int(Qt.ItemDataRole.UserRole) + 2
"""The letters of what the reader put on a thread."""
SECOND_ROLE = int(Qt.ItemDataRole.UserRole) + 3
"""The line under the title."""
STATUS_ROLE = int(Qt.ItemDataRole.UserRole) + 4
"""How a thread stands now: a key of ``STATUS_WORDS``, or what its source calls it."""
_NONE = Signs()

STATUS_WORDS = {
    "idle": "",
    "running": "● running",
    "failed": "! failed",
    "stopped": "stopped",
    "interrupted": "? waits for you",
    "waiting": "? waits for you",
}
"""Status of a thread, or of our run in it, with its sign; a resting thread needs none."""


_TITLE = 100
"""Characters of a first message that make a title: a longer one was cut, perhaps inside a secret."""


def title(row: ThreadRow) -> str:
    """What a thread is called: its title, else its id, else that it has none."""
    cut = len(row.title) >= _TITLE
    return format.one_line(row.title, goes_on=cut) or format.one_line(row.thread_id) or "(no name)"


def called_by_id(thread_id: str) -> str:
    """An id in a line; in words where there is nothing to see of it."""
    return format.one_line(thread_id, 60) or ("id of spaces only" if thread_id else "empty id")


def second_line(row: ThreadRow, now: float | None = None, with_id: bool = False) -> str:
    """``41 requests · 3 h ago · researcher``: what is cut first comes last; what can't be read comes before all."""
    parts = [
        f"! {format.one_line(row.problem, 200)}" if row.problem else "",
        "requests not counted yet" if row.requests is None else format.count(row.requests, "request"),
        format.ago(row.updated_at, now),
        called_by_id(row.thread_id) if with_id else "",
        format.one_line(row.agent, 40) if row.agent else "",
    ]
    return " · ".join(part for part in parts if part)


class ThreadsModel(QAbstractListModel):
    """Threads in the reader's order; new ones on top, known ones where they were."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._all: list[ThreadRow] = []
        self._shown: list[ThreadRow] = []
        self._filter = ""
        self._twice: set[str] = set()
        """Titles that more than one thread has: their ids tell these apart."""
        self._signs: Mapping[str, Signs] = {}
        self._live: Mapping[str, str] = {}

    def set_live(self, live: Mapping[str, str]) -> None:
        """How our runs stand, by thread: they know it before the record does."""
        before, self._live = self._live, dict(live)
        for thread_id in {id for id in {*before, *live} if before.get(id) != live.get(id)}:
            index = self.index_of(thread_id)
            if index.isValid():
                self.dataChanged.emit(index, index)

    def set_signs(self, signs: Mapping[str, Signs]) -> None:
        """Marks and notes of the reader, by thread; the search looks into the notes too."""
        self._signs = signs
        self._show()
        if self._shown:
            self.dataChanged.emit(self.index(0), self.index(len(self._shown) - 1))

    def set_rows(self, rows: Sequence[ThreadRow]) -> None:
        """Another list: known threads keep their order, new ones come first, gone ones go."""
        given = {row.thread_id: row for row in rows}
        known = {row.thread_id for row in self._all}
        kept = [given[row.thread_id] for row in self._all if row.thread_id in given]
        self._all = [row for row in rows if row.thread_id not in known] + kept
        many = Counter(row.title for row in rows)
        self._twice = {title for title, count in many.items() if count > 1}
        self._show()

    def set_filter(self, text: str) -> None:
        """Show only threads whose title, id, agent or note holds every word of ``text``."""
        self._filter = text.casefold()
        self._show()

    @property
    def total(self) -> int:
        """Threads in all, whatever the search."""
        return len(self._all)

    def index_of(self, thread_id: str | None) -> QModelIndex:
        """Place of a thread; invalid when the search hides it."""
        for i, row in enumerate(self._shown):
            if row.thread_id == thread_id:
                return self.index(i)
        return QModelIndex()

    def second_line(self, row: ThreadRow) -> str:
        """What stands under its title; its id, too, where another thread has the same title."""
        return second_line(row, with_id=row.title in self._twice)

    def row_at(self, index: Index) -> ThreadRow | None:
        """The thread at a place."""
        return self._shown[index.row()] if index.isValid() and index.row() < len(self._shown) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Threads that are shown."""
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        """Strings are made when shown."""
        row = self.row_at(index)
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return title(row)
        if role == ROW_ROLE:
            return row
        if role == STATUS_ROLE:
            return self._live.get(row.thread_id, row.status)
        if role == SECOND_ROLE:
            return self.second_line(row)
        signs = self._signs.get(row.thread_id, _NONE)
        if role == SIGNS_ROLE:
            return ("⚑" if signs.marked else "") + ("✎" if signs.note else "")
        if role == Qt.ItemDataRole.ToolTipRole:
            note = [f"Note: {signs.note}"] if signs.note else []
            return format.tip("\n".join([_tip(row), *(["Marked"] if signs.marked else []), *note]))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            now = self._live.get(row.thread_id, row.status)
            status = STATUS_WORDS.get(now, now)
            said = (title(row), self.second_line(row).replace(" · ", ", "), status, signs.said())
            return ", ".join(part for part in said if part)
        return None

    def _show(self) -> None:
        words = self._filter.split()
        wanted = [row for row in self._all if _holds(row, self._signs.get(row.thread_id, _NONE).note, words)]
        target = {row.thread_id for row in wanted}
        for i in range(len(self._shown) - 1, -1, -1):
            if self._shown[i].thread_id not in target:
                self.beginRemoveRows(QModelIndex(), i, i)
                del self._shown[i]
                self.endRemoveRows()
        for i, row in enumerate(wanted):
            if i < len(self._shown) and self._shown[i].thread_id == row.thread_id:
                if self._shown[i] != row:
                    self._shown[i] = row
                    self.dataChanged.emit(self.index(i), self.index(i))
                continue
            self.beginInsertRows(QModelIndex(), i, i)
            self._shown.insert(i, row)
            self.endInsertRows()


def _holds(row: ThreadRow, note: str, words: list[str]) -> bool:
    if not words:
        return True
    text = f"{row.title}\n{row.thread_id}\n{row.agent or ''}\n{note}".casefold()
    return all(word in text for word in words)


def _tip(row: ThreadRow) -> str:
    lines = [
        row.title or "(no title)",
        *([f"! {row.problem}"] if row.problem else []),
        f"Thread id: {row.thread_id}",
        f"Source: {row.source}",
        f"Started: {format.absolute(row.created_at)}",
        f"Last changed: {format.absolute(row.updated_at)}",
        *(["Its requests are counted when it is opened."] if row.requests is None else []),
    ]
    return "\n".join(lines)
