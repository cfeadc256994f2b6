"""What the recorder hands to the writer: plain values, each able to write itself."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

from engine.canonical import digest
from engine.recording.book import Book, FollowsLoss, row_data
from engine.recording.canon import Encoded, encode
from engine.recording.lanes import Lane, ListChange
from engine.recording.layers import LayerNote


@dataclass(slots=True)
class EventNote:
    """An event, on the request named by ``token`` (None: on the thread alone).

    With ``once``, it is left out when the lane's last event of this kind (with ``ever``, any) has
    the same data under these names.
    """

    kind: str
    at: float
    token: str | None
    data: dict[str, Any]
    once: tuple[str, ...] = ()
    ever: bool = False
    parts: dict[str, Encoded] = field(default_factory=dict)
    """Parts to be stored; their ids go into ``data`` under these names."""

    def prepare(self, book: Book) -> dict[str, Any]:
        """Store the parts; the event's data with their ids. Raises what can't be JSON."""
        data = self.data | {name: book.part(part) for name, part in self.parts.items()}
        row_data(data)
        return data

    def write(self, book: Book, thread: int, lane: str, data: dict[str, Any]) -> None:
        """Insert the row, with data that was prepared."""
        if self.once and self._known(book, thread, lane, data):
            return
        book.db.execute(
            "INSERT INTO events(thread, request, lane, kind, at, data) VALUES (?, ?, ?, ?, ?, ?)",
            (thread, book.request(self.token), lane, self.kind, self.at, row_data(data)),
        )

    def _known(self, book: Book, thread: int, lane: str, data: dict[str, Any]) -> bool:
        earlier = book.db.execute(
            "SELECT data FROM events WHERE thread = ? AND kind = ? AND lane = ? ORDER BY id DESC",
            (thread, self.kind, lane),
        )
        for (text,) in earlier if self.ever else earlier.fetchmany(1):
            if all(json.loads(text).get(name) == data[name] for name in self.once):
                return True
        return False


@dataclass(slots=True)
class RequestStarted:
    """A request, as it was when the model received it."""

    token: str
    run: str | None
    lane: Lane
    title: str
    purpose: str
    agent: str | None
    checkpoint_ns: str
    step: int | None
    checkpoint_id: str | None
    parent: str | None
    parent_call: str | None
    depth: int
    model: str | None
    window: int | None
    trigger: int | None
    exact: bool
    lists: dict[str, ListChange]
    """``system``, ``tools``, ``messages``, and ``raw`` where it is known."""
    cutoff: int | None
    params: Encoded
    origin: dict[str, Any]
    """Who contributed what, see :mod:`engine.recording.origin`."""
    layers: list[LayerNote]
    """The request after each contributor; they go into the origin's part, with the nodes of their lists."""
    chars: int
    tokens: int
    sizes: dict[str, int]
    started_at: float
    children: tuple[str, ...]
    """Requests made on the way to this one (summarizing calls)."""
    events: list[EventNote]
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        nodes = {place: book.list(self.lane, change) for place, change in self.lists.items()}
        events = [(event, event.prepare(book)) for event in self.events]
        thread = book.thread(self.lane.thread_id, self.title, self.agent, self.started_at)
        values: dict[str, Any] = {
            "token": self.token,
            "thread": thread,
            "run": book.run(self.run),
            "purpose": self.purpose,
            "agent": self.agent,
            "lane": self.lane.namespace,
            "checkpoint_ns": self.checkpoint_ns,
            "step": self.step,
            "checkpoint_id": self.checkpoint_id,
            "parent": book.request(self.parent),
            "parent_call": self.parent_call,
            "depth": self.depth,
            "model": self.model,
            "window": self.window,
            "trigger_at": self.trigger,
            "exact": self.exact,
            "system_node": nodes.get("system", 0),
            "tools_node": nodes.get("tools", 0),
            "messages_node": nodes["messages"],
            "raw_node": nodes.get("raw"),
            "cutoff": self.cutoff,
            "params_part": book.part(self.params),
            "origin_part": self._origin(book),
            "messages": self.lists["messages"].length,
            "raw_messages": self.lists["raw"].length if "raw" in self.lists else None,
            "chars": self.chars,
            "tokens": self.tokens,
            "sizes": row_data(self.sizes),
            "started_at": self.started_at,
            "status": "running",
        }
        names = ", ".join(values)
        places = ", ".join("?" * len(values))
        inserted = book.db.execute(
            f"INSERT OR IGNORE INTO requests({names}, number) SELECT {places}, "
            "(SELECT coalesce(max(number), 0) + 1 FROM requests WHERE thread = ?)",
            (*values.values(), thread),
        )
        if inserted.rowcount != 1:  # two recordings into this file follow one call
            return
        row = int(inserted.lastrowid or 0)
        book.requests[self.token] = row
        for child in self.children:
            book.db.execute("UPDATE requests SET parent = ? WHERE token = ? AND parent IS NULL", (row, child))
        for event, data in events:
            event.write(book, thread, self.lane.namespace, data)
        if self.lane.passing:
            book.let_go(self.lane.key)

    def _origin(self, book: Book) -> int:
        layers = [layer.value(lambda change: book.list(self.lane, change), book.part) for layer in self.layers]
        value = self.origin | {"layers": layers} if layers else self.origin
        known = book.origins.get(self.lane.key)
        if known is None or known[0] != value:
            known = book.origins[self.lane.key] = (value, book.part(encode("origin", value)))
        return known[1]


@dataclass(slots=True)
class RequestEnded:
    """How a request ended: its response and usage, or its error."""

    token: str
    status: str
    ended_at: float
    error: str | None = None
    response: Encoded | None = None
    usage: dict[str, Any] | None = None
    calls: tuple[str, ...] = ()
    """Names of the tools that the response calls."""
    run: str | None = None
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None:
        row = book.request(self.token)
        if row is None:
            raise FollowsLoss("the request's beginning was lost", counted=False)
        usage = self.usage or {}
        details = usage.get("input_token_details") or {}
        created = [
            details[name]
            for name in ("cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens")
            if isinstance(details.get(name), int)
        ]
        book.db.execute(
            "UPDATE requests SET status = ?, ended_at = ?, error = ?, response_part = ?, input_tokens = ?, "
            "output_tokens = ?, cache_read = ?, cache_creation = ?, calls = ? WHERE id = ?",
            (
                self.status,
                self.ended_at,
                self.error,
                book.part(self.response) if self.response else None,
                usage.get("input_tokens"),
                usage.get("output_tokens"),
                details.get("cache_read"),
                sum(created) if created else None,
                json.dumps(self.calls) if self.calls else None,
                row,
            ),
        )
        if self.run is None:
            book.db.execute(
                "UPDATE threads SET updated_at = ? WHERE id = (SELECT thread FROM requests WHERE id = ?)",
                (self.ended_at, row),
            )
        book.requests.pop(self.token, None)


@dataclass(slots=True)
class EventSeen:
    """An event that belongs to a request already written."""

    lane: Lane
    event: EventNote
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        data = self.event.prepare(book)
        thread = book.thread(self.lane.thread_id, self.lane.thread_id, None, self.event.at)
        self.event.write(book, thread, self.lane.namespace, data)


@dataclass(slots=True)
class RunStarted:
    """An agent is invoked on a thread."""

    token: str
    thread_id: str
    title: str
    agent: str | None
    at: float
    pid: int
    settings: dict[str, Any] | None
    """None leaves what is known of the thread's settings."""
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        thread = book.thread(self.thread_id, self.title, self.agent, self.at)
        body = None if self.settings is None else row_data(self.settings)
        book.db.execute(
            "UPDATE threads SET updated_at = ?, settings = coalesce(?, settings), agent = coalesce(agent, ?) "
            "WHERE id = ?",
            (self.at, body, self.agent, thread),
        )
        book.db.execute(
            "INSERT OR IGNORE INTO runs(token, thread, started_at, status, pid, settings) "
            "VALUES (?, ?, ?, 'running', ?, ?)",
            (self.token, thread, self.at, self.pid, None if body is None else _settings(book, thread, body)),
        )


def _settings(book: Book, thread: int, body: str) -> int:
    """Row of settings, which is there once however many of the thread's runs have them."""
    key = (thread, digest("settings", body.encode("utf-8", "surrogatepass")))
    book.db.execute("INSERT OR IGNORE INTO run_settings(thread, digest, body) VALUES (?, ?, ?)", (*key, body))
    row = book.db.execute("SELECT id FROM run_settings WHERE thread = ? AND digest = ?", key).fetchone()
    return int(row[0])


@dataclass(slots=True)
class LanesOver:
    """Lanes that nothing more will be told of."""

    keys: tuple[int, ...]
    urgent: ClassVar[bool] = False

    def write(self, book: Book) -> None:
        for key in self.keys:
            book.let_go(key)


@dataclass(slots=True)
class RunEnded:
    """The invocation is over: done, failed or stopped. Requests still open end with it."""

    token: str
    at: float
    status: str
    error: str | None
    lanes: tuple[int, ...] = ()
    """Keys of lanes that are over."""
    urgent: ClassVar[bool] = True

    def write(self, book: Book) -> None:
        for key in self.lanes:
            book.let_go(key)
        book.db.execute(
            "UPDATE runs SET ended_at = ?, status = ?, error = ? WHERE token = ?",
            (self.at, self.status, self.error, self.token),
        )
        book.db.execute(
            "UPDATE requests SET status = 'stopped', ended_at = ? WHERE status = 'running' AND run = "
            "(SELECT id FROM runs WHERE token = ?)",
            (self.at, self.token),
        )
        book.db.execute(
            "UPDATE threads SET updated_at = ? WHERE id = (SELECT thread FROM runs WHERE token = ?)",
            (self.at, self.token),
        )
