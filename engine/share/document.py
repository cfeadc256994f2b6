"""A thread of a workspace as one JSON document that holds all that the record has of it.

The document is a copy of the record's shape, not of its tables: every part once, lists as chains of nodes, a
request naming the ends of its lists. ``engine.share.format`` says what each field is, and checks one that is read.
"""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Iterable, Mapping
from typing import Any

from engine import __version__, importing
from engine.canonical import to_json
from engine.errors import InspectorError
from engine.masking import Masker
from engine.notes import list_notes
from engine.places import in_store
from engine.share.format import FORMAT, STATE, VERSION
from engine.share.outline import Progress
from engine.share.pieces import Pieces
from engine.trace.book import Book
from engine.trace.files import Files

EVENT_PART = "part"
"""Key in an event's data that names a part."""
CALLS = "calls"
"""Key in an event's data that names requests by their tokens."""

_REQUEST = (
    "id", "run", "token", "number", "purpose", "agent", "lane", "checkpoint_ns", "step", "checkpoint_id", "parent",
    "parent_call", "depth", "model", "window", "trigger_at", "exact", "cutoff", "started_at", "ended_at", "status",
    "error", "messages", "raw_messages", "chars", "tokens", "input_tokens", "output_tokens", "cache_read",
    "cache_creation", "sizes", "calls", "system_node", "tools_node", "messages_node", "raw_node", "params_part",
    "origin_part", "response_part",
)  # fmt: skip
_SAME = (
    "token", "number", "purpose", "agent", "lane", "checkpoint_ns", "step", "checkpoint_id", "parent_call", "depth",
    "model", "window", "trigger_at", "cutoff", "started_at", "ended_at", "status",
)  # fmt: skip
"""Columns that stand in the document as they are."""


def document(
    book: Book,
    thread_id: str,
    masker: Masker,
    number: int | None = None,
    progress: Progress = lambda done, total, what: None,
    stop: threading.Event | None = None,
) -> dict[str, Any]:
    """The document of a thread, or of one of its requests; the thread and the request must be there.

    Raises:
        InspectorError: ``stop`` was set.
    """
    return _Writing(book, thread_id, masker, progress, stop or threading.Event()).document(number)


class _Writing:
    """One document in the making. Numbers of requests count from 1."""

    def __init__(self, book: Book, thread_id: str, masker: Masker, progress: Progress, stop: threading.Event) -> None:
        self._book, self._thread, self._masker, self._progress, self._stop = book, thread_id, masker, progress, stop
        self._pieces = Pieces(book, masker)

    def document(self, number: int | None) -> dict[str, Any]:
        row = self._book.one(
            "SELECT id, thread_id, title, agent, created_at, updated_at, settings FROM threads WHERE thread_id = ?",
            (self._thread,),
        )
        assert row is not None
        thread = int(row[0])
        runs = {run[0]: at for at, run in enumerate(self._runs(thread), 1)}
        requests, numbers = self._requests(thread, number, runs)
        events = self._events(thread, numbers, number is None)
        whole = number is None
        result = {
            "format": FORMAT,
            "version": VERSION,
            "program": f"context-inspector {__version__}",
            "exported_at": time.time(),
            "masked": None,
            "thread": {
                "thread_id": row[1],
                "title": self._masker.text(row[2]),
                "agent": row[3],
                "created_at": row[4],
                "updated_at": row[5],
                "settings": self._value(json.loads(row[6])) if row[6] else None,
            },
            "parts": self._pieces.parts,
            "nodes": self._pieces.nodes,
            "origins": self._pieces.origins,
            "runs": [
                {"token": token, "started_at": began, "ended_at": ended, "status": status, "error": self._error(error)}
                for _, token, began, ended, status, error in self._runs(thread)
            ],
            "requests": requests,
            "events": events,
            "wire": self._wire(numbers),
            "notes": [
                {"kind": note.kind, "request": numbers.get(note.request or 0), "text": self._masker.text(note.text),
                 "created_at": note.created_at, "updated_at": note.updated_at}
                for note in list_notes(self._book.path, self._thread)
                if note.request in numbers or (note.request is None and whole)
            ],
            "states": self._states() if whole else [],
            "store": self._store() if whole else [],
        }  # fmt: skip
        result["masked"] = dict(self._masker.counts) if self._masker.on else None
        return result

    def _requests(
        self, thread: int, number: int | None, runs: Mapping[int, int]
    ) -> tuple[list[dict[str, Any]], dict[int, int]]:
        rows = self._book.rows(
            f"SELECT {', '.join(_REQUEST)} FROM requests "
            "WHERE thread = ?1 AND (?2 IS NULL OR number = ?2) ORDER BY number",
            (thread, number),
        )
        numbers = {row[0]: at for at, row in enumerate(rows, 1)}
        told = []
        for done, row in enumerate(rows):
            if self._stop.is_set():
                raise InspectorError("The export was stopped. Nothing was written.")
            told.append(self._request(dict(zip(_REQUEST, row, strict=True)), numbers, runs))
            self._progress(done + 1, len(rows), "requests")
        return told, numbers

    def _request(self, row: dict[str, Any], numbers: Mapping[int, int], runs: Mapping[int, int]) -> dict[str, Any]:
        return {name: row[name] for name in _SAME} | {
            "run": runs.get(row["run"]),
            "parent": numbers.get(row["parent"]),
            "exact": bool(row["exact"]),
            "error": self._error(row["error"]),
            "lists": {
                name: None if row[f"{name}_node"] is None else self._pieces.node(row[f"{name}_node"])
                for name in ("system", "tools", "messages", "raw")
            },
            "params": self._pieces.part(row["params_part"]),
            "origin": self._pieces.origin(row["origin_part"]),
            "response": self._pieces.part(row["response_part"]),
            "counts": {name: row[name] for name in ("messages", "raw_messages", "chars", "tokens")},
            "usage": {name: row[name] for name in ("input_tokens", "output_tokens", "cache_read", "cache_creation")},
            "sizes": json.loads(row["sizes"]),
            "calls": json.loads(row["calls"]) if row["calls"] else [],
        }

    def _events(self, thread: int, numbers: Mapping[int, int], whole: bool) -> list[dict[str, Any]]:
        told = []
        query = "SELECT request, kind, at, lane, data FROM events WHERE thread = ? ORDER BY id"
        for request, kind, at, lane, text in self._book.rows(query, (thread,)):
            if request not in numbers and not (request is None and whole):
                continue
            data = self._value(json.loads(text))
            if isinstance(data.get(EVENT_PART), int):
                data[EVENT_PART] = self._pieces.part(data[EVENT_PART])
            told.append({"request": numbers.get(request), "kind": kind, "at": at, "lane": lane, "data": data})
        return told

    def _wire(self, numbers: Mapping[int, int]) -> list[dict[str, Any]]:
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'wire'"):
            return []
        names = (
            "request", "number", "started_at", "ended_at", "method", "host", "path", "streamed", "status", "error",
            "bytes", "shell_part", "nodes", "facts", "answer",
        )  # fmt: skip
        told = []
        for row in self._book.rows(f"SELECT {', '.join(names)} FROM wire ORDER BY request, number"):
            one = dict(zip(names, row, strict=True))
            if one["request"] not in numbers:
                continue
            told.append(
                {name: one[name] for name in names[1:7]}
                | {
                    "request": numbers[one["request"]],
                    "streamed": bool(one["streamed"]),
                    "status": one["status"],
                    "error": self._error(one["error"]),
                    "bytes": one["bytes"],
                    "shell": self._pieces.part(one["shell_part"]),
                    "nodes": [self._pieces.node(node) for node in json.loads(one["nodes"])],
                    "facts": self._value(json.loads(one["facts"])),
                    "answer": self._value(json.loads(one["answer"])) if one["answer"] else None,
                }
            )
        return told

    def _runs(self, thread: int) -> list[tuple[Any, ...]]:
        return self._book.rows(
            "SELECT id, token, started_at, ended_at, status, error FROM runs WHERE thread = ? ORDER BY id", (thread,)
        )

    def _states(self) -> list[dict[str, Any]]:
        """The newest state of the thread, and of each run of a subagent that left files in a state of its own."""
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'"):
            return []
        reading, told = Files(self._book), []
        query = "SELECT DISTINCT checkpoint_ns FROM checkpoints WHERE thread_id = ? ORDER BY checkpoint_ns"
        for (namespace,) in self._book.rows(query, (self._thread,)):
            files, values = reading.state(self._thread, None, namespace)
            kept = (
                {name: _plain(values[name]) for name in STATE if values.get(name) is not None} if not namespace else {}
            )
            if files or kept or not namespace:
                told.append({"namespace": namespace, "files": self._value(_plain(files)), "values": self._value(kept)})
        return told

    def _store(self) -> list[dict[str, Any]]:
        """Memory and skills of the store that the thread's agent can read, from the namespaces that it has."""
        files = Files(self._book)
        found = files.store(files.layout(self._thread))
        return [
            {"path": path, "value": self._value(data)}
            for path, data in found.items()
            if isinstance(data, dict) and in_store(path)
        ]

    def _value(self, value: Any) -> Any:
        return self._masker.value(value)

    def _error(self, text: str | None) -> str | None:
        return None if text is None else self._masker.text(text)


def _plain(value: Any) -> Any:
    """A value of the state as JSON; messages as LangChain's own dicts."""
    with importing.lock:  # deferred: LangChain takes a second to import
        from langchain_core.messages import BaseMessage

    if isinstance(value, BaseMessage):
        return {"type": value.type, "data": _plain(value.model_dump())}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (str, int, bool)) or value is None:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [_plain(item) for item in value]
    return json.loads(to_json(value))
