"""What the recorder's writer gets of the wire: an attempt that was sent, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from engine.canonical import json_text
from engine.wire.body import cut


class Statements(Protocol):
    """Carries out statements."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any: ...


class Shelf(Protocol):
    """The writer's access to the tables."""

    @property
    def db(self) -> Statements: ...

    def part(self, encoded: Any) -> int: ...

    def node(self, parent: int, part: int, depth: int) -> int: ...

    def request(self, token: str | None) -> int | None: ...


@dataclass(slots=True)
class Sent:
    """An attempt on its way to the provider."""

    token: str
    """Of the request that it was made for."""
    number: int
    """1, 2, 3 … within the request."""
    at: float
    method: str
    host: str
    path: str
    streamed: bool
    """Whether the client asked to read the answer piece by piece."""
    headers: dict[str, str]
    """Those few that change what the provider does, and are no secret."""
    content: bytes | None
    """None where the body was a stream, which can be read only once."""
    urgent: ClassVar[bool] = False

    def write(self, book: Shelf) -> None:
        request = book.request(self.token)
        if request is None:
            return  # its request was lost, and counted
        body = None if self.content is None else cut(self.content)
        nodes = []
        for parts in body.lists if body is not None else ():
            node = 0
            for depth, part in enumerate(parts, start=1):
                node = book.node(node, book.part(part), depth)
            nodes.append(node)
        facts = {"headers": self.headers, "masked": list(body.masked) if body is not None else []}
        book.db.execute(
            "INSERT INTO wire(request, number, started_at, method, host, path, streamed, bytes, shell_part, nodes, "
            "facts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                request,
                self.number,
                self.at,
                self.method,
                self.host,
                self.path,
                self.streamed,
                None if self.content is None else len(self.content),
                book.part(body.shell) if body is not None else None,
                json_text(nodes),
                json_text(facts),
            ),
        )


@dataclass(slots=True)
class Answered:
    """What came of an attempt: a status, or an error without one, or an error after it."""

    token: str
    number: int
    at: float
    status: int | None
    error: str | None
    headers: dict[str, str]
    urgent: ClassVar[bool] = False

    def write(self, book: Shelf) -> None:
        book.db.execute(
            "UPDATE wire SET ended_at = ?, status = ?, error = ?, answer = ? WHERE request = ? AND number = ?",
            (
                self.at,
                self.status,
                self.error,
                json_text(self.headers),
                book.request(self.token),
                self.number,
            ),
        )
