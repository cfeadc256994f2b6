"""Events beside the requests' own: what a run was asked and answered, why a request failed, what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from engine.recording.book import Book, row_data


@dataclass(slots=True)
class Noted:
    """An event told by the runner, on a request by its id, or on the thread alone."""

    thread_id: str
    request: int | None
    kind: str
    at: float
    data: dict[str, Any]
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None:
        book.db.execute(
            "INSERT INTO events(thread, request, lane, kind, at, data) "
            "SELECT t.id, r.id, coalesce(r.lane, ''), ?, ?, ? "
            "FROM threads t LEFT JOIN requests r ON r.id = ? AND r.thread = t.id WHERE t.thread_id = ?",
            (self.kind, self.at, row_data(self.data), self.request, self.thread_id),
        )


@dataclass(slots=True)
class NotedAt:
    """The same for a request of this process, by its token."""

    token: str
    kind: str
    at: float
    data: dict[str, Any]
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        book.db.execute(
            "INSERT INTO events(thread, request, lane, kind, at, data) SELECT thread, id, lane, ?, ?, ? "
            "FROM requests WHERE token = ?",
            (self.kind, self.at, row_data(self.data), self.token),
        )


@dataclass(slots=True)
class OverflowSeen:
    """The model's window did not hold a request: it was summarized and tried again. Each of them says so."""

    rejected: str
    summaries: tuple[str, ...]
    retry: str
    at: float
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        tokens = (self.rejected, *self.summaries, self.retry)
        ids = [book.request(token) for token in tokens]
        data = {"rejected": ids[0], "summaries": ids[1:-1], "retry": ids[-1]}
        for token in tokens:
            NotedAt(token, "overflow", self.at, data).write(book)
        for summary in ids[1:-1]:
            book.db.execute("UPDATE requests SET parent = ? WHERE id = ?", (ids[-1], summary))


@dataclass(slots=True)
class RunUndone:
    """A run that made no request and is none."""

    token: str
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None:
        row = book.run(self.token)
        book.db.execute("DELETE FROM runs WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM requests WHERE run = ?1)", (row,))
