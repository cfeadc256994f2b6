"""A document of a thread on its way into the tables of a record."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.canonical import digest, to_json
from engine.places import without_folders
from engine.recording.book import Book
from engine.recording.canon import Encoded, encode
from engine.share.document import CALLS, EVENT_PART
from engine.share.format import Document, Part, Request
from engine.share.restoring import restore_states, restore_store
from engine.share.way import Way


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did."""

    thread_id: str
    renamed_from: str | None
    """The id in the file, where it was taken here."""
    requests: int
    events: int
    files: int
    """Files of the thread's own state."""
    added: tuple[str, ...]
    """Files put into the workspace's store."""
    left: tuple[str, ...]
    """Files of the store that are another text here, and stayed as they are."""
    masked: Mapping[str, int]
    """Secrets that were masked when the file was written: these texts are not the recorded ones."""
    problem: str
    """Why the thread can be read but not gone on with; empty when it can."""


class Writing:
    """One document on its way into the tables. Lists of ids begin with one for "none", as the numbers do."""

    def __init__(self, db: sqlite3.Connection, found: Document, way: Way) -> None:
        self._db, self._found, self._book, self._way = db, found, Book(db), way
        tokens = [request.token for request in found.requests] + [run.token for run in found.runs]
        self._id = self._free_id(found.thread.thread_id)
        self._tokens = {token: uuid.uuid4().hex for token in tokens}

    def write(self) -> Imported:
        """Write all of it, inside the transaction of the connection."""
        found, along = self._found, self._way.along
        self._thread = self._insert("threads", {
            "thread_id": self._id, "title": found.thread.title, "agent": found.thread.agent,
            "created_at": found.thread.created_at, "updated_at": found.thread.updated_at,
            "settings": None if found.thread.settings is None else _json(without_folders(found.thread.settings)),
        })  # fmt: skip
        self._parts = [0, *(self._book.part(_encoded(part)) for part in along(found.parts, "texts"))]
        self._nodes, depths = [0], [0]
        for before, part in along(found.nodes, "lists"):
            depths.append(depths[before] + 1)
            self._nodes.append(self._book.node(self._nodes[before], self._parts[part], depths[-1]))
        self._origins = [0, *(self._book.part(encode("origin", self._origin(origin))) for origin in found.origins)]
        self._runs = [0, *(self._run(run) for run in found.runs)]
        self._requests = [0, *(self._request(request) for request in along(found.requests, "requests"))]
        for at, request in enumerate(found.requests, 1):
            if request.parent:
                parent = self._requests[request.parent]
                self._db.execute("UPDATE requests SET parent = ? WHERE id = ?", (parent, self._requests[at]))
        for event in along(found.events, "events"):
            self._event(event)
        for attempt in along(found.wire, "attempts"):
            self._attempt(attempt)
        for note in found.notes:
            self._note(note)
        added, left = restore_store(self._db, found)
        problem = restore_states(self._db, self._id, found)
        return Imported(
            thread_id=self._id,
            renamed_from=found.thread.thread_id if self._id != found.thread.thread_id else None,
            requests=len(found.requests),
            events=len(found.events),
            files=sum(len(state.files) for state in found.states if not state.namespace),
            added=tuple(added),
            left=tuple(left),
            masked=dict(found.masked or {}),
            problem=problem,
        )

    def _free_id(self, wanted: str) -> str:
        id, number = wanted, 1
        while any(
            self._db.execute(f"SELECT 1 FROM {table} WHERE thread_id = ?", (id,)).fetchone()
            for table in ("threads", "checkpoints")
        ):
            number += 1
            id = f"{wanted} ({number})"
        return id

    def _origin(self, origin: dict[str, Any]) -> dict[str, Any]:
        if not origin.get("layers"):
            return origin
        return origin | {"layers": [self._layer(layer) for layer in origin["layers"]]}

    def _layer(self, layer: dict[str, Any]) -> dict[str, Any]:
        made = dict(layer)
        for name in ("system", "tools", "messages"):
            if isinstance(made.get(name), int):
                made[name] = self._nodes[made[name]]
            elif name in made:
                base, *differing = made[name]
                made[name] = [base, *([at, self._parts[part]] for at, part in differing)]
        return made

    def _run(self, run: Any) -> int:
        return self._insert("runs", {
            "token": self._tokens[run.token], "thread": self._thread, "started_at": run.started_at,
            "ended_at": run.ended_at, "status": _ended(run.status), "error": run.error,
        })  # fmt: skip

    def _request(self, request: Request) -> int:
        lists, counts = request.lists, request.counts
        same = request.model_dump(
            exclude={"lists", "counts", "usage", "params", "origin", "response", "run", "parent", "token", "status",
                     "sizes", "calls"}
        )  # fmt: skip
        return self._insert("requests", same | counts.model_dump() | request.usage.model_dump() | {
            "token": self._tokens[request.token], "thread": self._thread, "run": self._runs[request.run or 0] or None,
            "status": _ended(request.status), "sizes": _json(request.sizes),
            "calls": _json(request.calls) if request.calls else None,
            "system_node": self._nodes[lists.system or 0], "tools_node": self._nodes[lists.tools or 0],
            "messages_node": self._nodes[lists.messages],
            "raw_node": None if lists.raw is None else self._nodes[lists.raw],
            "params_part": self._parts[request.params or 0] or None,
            "origin_part": self._origins[request.origin or 0] or None,
            "response_part": self._parts[request.response or 0] or None,
        })  # fmt: skip

    def _event(self, event: Any) -> None:
        data = dict(event.data)
        if isinstance(data.get(EVENT_PART), int):
            data[EVENT_PART] = self._parts[data[EVENT_PART]]
        if isinstance(data.get(CALLS), list):
            data[CALLS] = [self._tokens.get(token, token) for token in data[CALLS] if isinstance(token, str)]
        self._insert("events", {
            "thread": self._thread, "request": self._requests[event.request or 0] or None, "lane": event.lane,
            "kind": event.kind, "at": event.at, "data": _json(data),
        })  # fmt: skip

    def _attempt(self, attempt: Any) -> None:
        same = attempt.model_dump(exclude={"request", "shell", "nodes", "facts", "answer"})
        self._insert("wire", same | {
            "request": self._requests[attempt.request], "shell_part": self._parts[attempt.shell or 0] or None,
            "nodes": _json([self._nodes[node] for node in attempt.nodes]),
            "facts": _json({"headers": {}, "masked": []} | attempt.facts),
            "answer": None if attempt.answer is None else _json(attempt.answer),
        })  # fmt: skip

    def _note(self, note: Any) -> None:
        self._insert("notes", {
            "token": uuid.uuid4().hex, "thread": self._thread, "request": self._requests[note.request or 0] or None,
            "kind": note.kind, "text": note.text, "version": 1, "created_at": note.created_at,
            "updated_at": note.updated_at,
        })  # fmt: skip

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        row = self._db.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(values.values())).lastrowid
        return int(row or 0)


def _encoded(part: Part) -> Encoded:
    body = to_json(part.value) if part.text is None else part.text.encode("utf-8", "surrogatepass")
    return Encoded(part.kind, digest(part.kind, body), body, part.chars, part.tokens)


def _ended(status: str) -> str:
    return "stopped" if status == "running" else status


def _json(value: Any) -> str:
    return to_json(value).decode("utf-8", "replace")
