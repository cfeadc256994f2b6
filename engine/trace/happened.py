"""What context engineering did in a thread, as it was recorded: events, summaries and what they evicted."""

from __future__ import annotations

import json
from typing import Any

from engine.trace.book import Book
from engine.trace.fate import REASONS
from engine.trace.model import Event, Piece, RawRow, Summary


def events_of_thread(book: Book, thread_id: str) -> list[Event]:
    """Everything that was done in a thread, in order."""
    return _events(book, "t.thread_id = ?", thread_id)


def events_of_request(book: Book, request_id: int) -> list[Event]:
    """What was done on a request, in order."""
    return _events(book, "e.request = ?", request_id)


def _events(book: Book, condition: str, value: Any) -> list[Event]:
    rows = book.rows(
        "SELECT e.id, e.request, r.number, e.kind, e.at, e.data FROM events e JOIN threads t ON t.id = e.thread "
        f"LEFT JOIN requests r ON r.id = e.request WHERE {condition} ORDER BY e.id",
        (value,),
    )
    return [Event(id, request, number, kind, at, json.loads(data)) for id, request, number, kind, at, data in rows]


def summaries_of_thread(book: Book, thread_id: str) -> list[Summary]:
    """Every summary of a thread, in order."""
    rows = book.rows(
        "SELECT r.token, r.id FROM requests r JOIN threads t ON t.id = r.thread "
        "WHERE t.thread_id = ? AND r.purpose = 'summary'",
        (thread_id,),
    )
    made_by = dict(rows)
    return [_summary(event, made_by) for event in events_of_thread(book, thread_id) if event.kind == "summary"]


def _summary(event: Event, made_by: dict[str, int]) -> Summary:
    data = event.data
    return Summary(
        event=event.id,
        request=event.request,
        request_number=event.request_number,
        summary_request=next((made_by[token] for token in data.get("calls", ()) if token in made_by), None),
        at=event.at,
        cutoff=data["cutoff"],
        evicted_from=data["evicted_from"],
        tokens_before=data.get("tokens_before", 0),
        tokens_after=data.get("tokens_after", 0),
        path=data.get("path"),
        part=data["part"],
        chained=bool(data.get("chained")),
    )


def evicted_by(book: Book, event_id: int) -> list[RawRow]:
    """Raw messages that a summary's event evicted, and none before it had; none for an unknown event."""
    row = book.one(
        "SELECT e.data, coalesce(r.raw_node, "
        # Made on demand, beside the agent's own requests: the next of them has the messages, else the last.
        "(SELECT raw_node FROM requests WHERE thread = e.thread AND lane = e.lane AND id > e.request "
        "AND raw_node IS NOT NULL ORDER BY id LIMIT 1), "
        "(SELECT raw_node FROM requests WHERE thread = e.thread AND lane = e.lane AND id < e.request "
        "AND raw_node IS NOT NULL ORDER BY id DESC LIMIT 1)) "
        "FROM events e JOIN requests r ON r.id = e.request WHERE e.id = ?",
        (event_id,),
    )
    if row is None:
        return []
    data = json.loads(row[0])
    pieces: tuple[Piece, ...] = book.path_of(row[1])
    return [
        RawRow(index, part, kind, chars, tokens, "summarized", REASONS["summarized"])  # type: ignore[arg-type]
        for index, (part, kind, chars, tokens) in enumerate(pieces)
        if data["evicted_from"] <= index < data["cutoff"]
    ]
