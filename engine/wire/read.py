"""The recorded wire, read back: attempts as rows, a body exactly as it was sent."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from engine.errors import UsageError
from engine.wire.body import join
from engine.wire.model import WireAttempt

_COLUMNS = (
    "id, number, method, host, path, streamed, status, error, started_at, ended_at, bytes, facts, answer, shell_part"
)


class Shelf(Protocol):
    """Read access to the tables."""

    def rows(self, query: str, values: Any = ()) -> list[tuple[Any, ...]]: ...

    def path_of(self, node: int | None) -> tuple[tuple[int, str, int, int], ...]: ...

    def body(self, part: int) -> bytes: ...

    def value(self, part: int) -> Any: ...


def attempts(book: Shelf, request_id: int) -> tuple[WireAttempt, ...]:
    """Attempts of a request, in order; none where nothing was sent or nobody listened."""
    if not book.rows("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'wire'"):
        return ()  # recorded by a version that did not listen
    rows = book.rows(f"SELECT {_COLUMNS} FROM wire WHERE request = ? ORDER BY number", (request_id,))
    return tuple(map(_attempt, rows))


def content(book: Shelf, attempt_id: int) -> bytes:
    """The body, byte by byte as it was sent but for secrets; empty where it was not kept.

    Raises ``UsageError`` when there is no such attempt.
    """
    shell, nodes = _stored(book, attempt_id)
    if shell is None:
        return b""
    return join(book.value(shell), [[book.body(piece[0]) for piece in book.path_of(node)] for node in nodes])


def body(book: Shelf, attempt_id: int) -> Any:
    """The body as a JSON value, order kept; None where it is none."""
    try:
        return json.loads(content(book, attempt_id))
    except ValueError:
        return None


def marked_items(book: Shelf, attempt_id: int) -> tuple[Mapping[str, Any], list[tuple[str, int, Any]]]:
    """A body without its long lists, and those of their items that may ask for caching: (list, index, item)."""
    shell, nodes = _stored(book, attempt_id)
    cut = None if shell is None else book.value(shell)
    if cut is None or "base64" in cut:
        return {}, []
    found = []
    for head, node in zip(cut["lists"], nodes, strict=True):
        if head["marked"]:
            path = book.path_of(node)
            found += [(head["name"], at, book.value(path[at][0])) for at in head["marked"]]
    return json.loads("".join(cut["pieces"])), found


def shape(book: Shelf, request_id: int) -> dict[str, Any]:
    """The wire of a request as JSON values: every attempt with its body."""
    return {"attempts": [_shape(book, attempt) for attempt in attempts(book, request_id)]}


def _shape(book: Shelf, attempt: WireAttempt) -> dict[str, Any]:
    sent = content(book, attempt.id)
    value: Any = None
    raw: str | None = None
    if sent:
        try:
            value = json.loads(sent)
        except ValueError:
            raw = base64.b64encode(sent).decode()
    return {
        "number": attempt.number,
        "method": attempt.method,
        "host": attempt.host,
        "url_path": attempt.url_path,
        "status": attempt.status,
        "error": attempt.error,
        "started_at": attempt.started_at,
        "duration_ms": attempt.duration_ms,
        "streamed": attempt.streamed,
        "headers": dict(attempt.headers),
        "answer_headers": dict(attempt.answer_headers),
        "masked": list(attempt.masked),
        "body": value,
        "body_base64": raw,
    }


def _stored(book: Shelf, attempt_id: int) -> tuple[int | None, list[int]]:
    rows = book.rows("SELECT shell_part, nodes FROM wire WHERE id = ?", (attempt_id,))
    if not rows:
        raise UsageError(f"There is no attempt {attempt_id} in the record.")
    return rows[0][0], json.loads(rows[0][1])


def _attempt(row: tuple[Any, ...]) -> WireAttempt:
    facts, answer = json.loads(row[11]), json.loads(row[12]) if row[12] else {}
    return WireAttempt(
        id=row[0],
        number=row[1],
        method=row[2],
        host=row[3],
        url_path=row[4],
        streamed=bool(row[5]),
        status=row[6],
        error=row[7],
        started_at=row[8],
        duration_ms=None if row[9] is None else max(0.0, (row[9] - row[8]) * 1000),
        size=row[10],
        headers=facts["headers"],
        answer_headers=answer,
        masked=tuple(facts["masked"]),
        has_body=row[13] is not None,
    )


class LateWire(Mapping[str, Any]):
    """A request's wire as JSON values, read when it is looked at: a body may be large."""

    def __init__(self, book: Shelf, request_id: int, attempts: int) -> None:
        self._book, self._request, self._attempts = book, request_id, attempts
        self._made: dict[str, Any] | None = None

    def __getitem__(self, name: str) -> Any:
        if self._made is None:
            self._made = shape(self._book, self._request)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        yield "attempts"

    def __len__(self) -> int:
        return 1

    def __str__(self) -> str:
        return f"sent {self._attempts} times" if self._attempts != 1 else "sent once"
