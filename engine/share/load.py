"""Reading a document of a thread back into a workspace: all of it, in one transaction, or nothing."""

from __future__ import annotations

import json
import sqlite3
import threading
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from engine.canonical import digest, to_json
from engine.errors import InspectorError, UsageError
from engine.places import Layout, without_folders
from engine.recording.book import Book
from engine.recording.canon import Encoded, encode
from engine.share.document import CALLS, EVENT_PART
from engine.share.format import Document, FormatError, Part, Request, State
from engine.share.outline import Progress
from engine.share.parsing import parse
from engine.transactions import transaction
from engine.workspace import Workspace

T = TypeVar("T")


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


def import_thread(
    path: str | Path,
    file: str | Path,
    progress: Progress = lambda done, total, what: None,
    stop: threading.Event | None = None,
) -> Imported:
    """Bring the thread in a JSON file into a workspace, which is made when it isn't there.

    Raises:
        UsageError: there is no such file.
        FormatError: it is no document of a thread, or a damaged one.
        InspectorError: the workspace can't be written, or ``stop`` was set: then nothing was.
    """
    workspace, source = Path(path), Path(file)
    progress(0, 0, f"Reading {source.name}")
    found = parse(_text(source), str(source))
    way = _Way(found, progress, stop or threading.Event())
    way.check()
    if not workspace.exists():
        Workspace.create(workspace)
    try:
        _prepare(Workspace.open(workspace))
        with transaction(workspace) as db:
            done = _Writing(db, found, way).write()
            way.check()  # the last moment at which nothing was written
            return done
    except (UnicodeEncodeError, OverflowError) as error:
        raise FormatError(f"{source} holds what no record can: {error}. Nothing was imported.") from None


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise UsageError(f"{file} is a folder. Name a JSON file that the program exported.") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{file} is no text: byte {error.start} is not UTF-8. Nothing was imported.") from None
    except OSError as error:
        raise InspectorError(f"{file} can't be read: {error.strerror}.") from error


def _prepare(workspace: Workspace) -> None:
    """LangGraph's own tables, which its classes make outside any transaction."""
    from engine.checkpoints import WorkspaceSaver, WorkspaceStore  # deferred: LangGraph takes a second to import

    saver = WorkspaceSaver(workspace)
    try:
        saver.setup()
    finally:
        saver.conn.close()
    WorkspaceStore(workspace).conn.close()


class _Way:
    """How far an import is, and whether somebody stopped it."""

    def __init__(self, found: Document, progress: Progress, stop: threading.Event) -> None:
        self._total = sum(len(each) for each in (found.parts, found.nodes, found.requests, found.events, found.wire))
        self._done, self._progress, self._stop = 0, progress, stop

    def check(self) -> None:
        if self._stop.is_set():
            raise InspectorError("The import was stopped. Nothing was imported.")

    def along(self, items: Sequence[T], what: str) -> Iterator[T]:
        """Go through these, and tell."""
        for item in items:
            self.check()
            yield item
            self._done += 1
            self._progress(self._done, self._total, what)


class _Writing:
    """One document on its way into the tables. Lists of ids begin with one for "none", as the numbers do."""

    def __init__(self, db: sqlite3.Connection, found: Document, way: _Way) -> None:
        self._db, self._found, self._book, self._way = db, found, Book(db), way
        tokens = [request.token for request in found.requests] + [run.token for run in found.runs]
        self._id = self._free_id(found.thread.thread_id)
        self._tokens = {token: uuid.uuid4().hex for token in tokens}

    def write(self) -> Imported:
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
        added, left = self._store()
        problem = self._states()
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

    def _store(self) -> tuple[list[str], list[str]]:
        """Put in the store's files that aren't here; those that are another text here stay as they are."""
        added, left = [], []
        layout = Layout.recorded(without_folders(self._found.thread.settings or {}))
        for stored in self._found.store:
            located = layout.locate(stored.path)
            if located.kind != "store":
                left.append(stored.path)
                continue
            place = (located.within, located.key)
            row = self._db.execute("SELECT value FROM store WHERE prefix = ? AND key = ?", place).fetchone()
            if row is None:
                self._db.execute(
                    "INSERT INTO store(prefix, key, value, created_at, updated_at) "
                    "VALUES (?, ?, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
                    (*place, json.dumps(stored.value).encode()),
                )
                added.append(stored.path)
            elif json.loads(row[0]).get("content") != stored.value.get("content"):
                left.append(stored.path)
        return added, left

    def _states(self) -> str:
        """Checkpoints that the thread can go on from; the reason where its messages can't be one."""
        problem = ""
        for state in self._found.states:
            values: dict[str, Any] = {"files": state.files} if state.files else {}
            if not state.namespace:
                try:
                    values |= _loaded(state) | {"messages": self._messages()}
                except Exception as error:  # LangChain's own classes refuse what they don't know in many ways
                    problem = f"its messages can't be loaded ({type(error).__name__}), so it can't be run on"
            self._checkpoint(state.namespace, values)
        return problem

    def _messages(self) -> list[Any]:
        """The thread's messages: those of the main agent's last request and its answer."""
        from langchain_core.messages import messages_from_dict

        own = [request for request in self._found.requests if request.purpose == "agent" and not request.depth]
        if not own:
            return []
        last = own[-1]
        node = last.lists.messages if last.lists.raw is None else last.lists.raw
        parts = [last.response] if last.response else []
        while node:
            node, part = self._found.nodes[node - 1]
            parts.append(part)
        return messages_from_dict([self._found.parts[part - 1].told for part in reversed(parts)])

    def _checkpoint(self, namespace: str, values: dict[str, Any]) -> None:
        from langgraph.checkpoint.base import empty_checkpoint

        saver = _saver(self._db)
        checkpoint = empty_checkpoint()
        checkpoint["channel_values"] = values
        versions = {name: saver.get_next_version(None, None) for name in values}
        checkpoint["channel_versions"] = dict(versions)
        config: Any = {"configurable": {"thread_id": self._id, "checkpoint_ns": namespace}}
        saver.put(config, checkpoint, {"source": "update", "step": 0, "parents": {}}, versions)

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        row = self._db.execute(f"INSERT INTO {table}({names}) VALUES ({marks})", tuple(values.values())).lastrowid
        return int(row or 0)


def _saver(db: sqlite3.Connection) -> Any:
    """LangGraph's saver inside the transaction: its own would end it."""
    from engine.checkpoints import WorkspaceSaver

    class Within(WorkspaceSaver):
        @contextmanager
        def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
            cursor = self.conn.cursor()
            try:
                yield cursor
            finally:
                cursor.close()

    return Within.reading(db)


def _loaded(state: State) -> dict[str, Any]:
    """The values of a state, its messages as LangChain's classes."""
    from langchain_core.messages import messages_from_dict

    values = dict(state.values)
    event = values.get("_summarization_event")
    if event is not None:
        (message,) = messages_from_dict([event["summary_message"]])
        values["_summarization_event"] = event | {"summary_message": message}
    return values


def _encoded(part: Part) -> Encoded:
    body = to_json(part.value) if part.text is None else part.text.encode("utf-8", "surrogatepass")
    return Encoded(part.kind, digest(part.kind, body), body, part.chars, part.tokens)


def _ended(status: str) -> str:
    return "stopped" if status == "running" else status


def _json(value: Any) -> str:
    return to_json(value).decode("utf-8", "replace")
