"""Files of a thread: from the newest checkpoint's state and from the store.

Paths are names inside the record, never paths on the user's disk.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import importing
from engine.errors import InspectorError, UsageError
from engine.lifetimes import LIFETIMES, STORE, THREAD_STATE
from engine.places import HISTORY, RESULTS, ROUTES, in_store
from engine.trace.book import Book
from engine.trace.model import Artifact, Branch, Event

_CHARS_A_TOKEN = 4


class Files:
    """Reads thread files, store files, memory and skills of a workspace."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def all(self, thread_id: str, events: Sequence[Event]) -> list[Artifact]:
        """Thread files and store files, by path."""
        left_by = {event.data["path"]: event for event in reversed(events) if event.kind == "offload"}
        history = {event.data.get("path"): event for event in reversed(events) if event.kind == "summary"}
        memory = set(self.sources(thread_id, events))
        result = []
        for place, files in ((THREAD_STATE, self.state(thread_id)[0]), (STORE, self.store())):
            for path, data in files.items():
                content, problem = content_of(data)
                event = left_by.get(path) or history.get(path)
                result.append(
                    Artifact(
                        path=path,
                        size=len(content or b""),
                        place=place,
                        lifetime=LIFETIMES[place],
                        kind=_kind(path, left_by.get(path), memory),
                        request=event.request if event else None,
                        tool_call_id=event.data.get("tool_call_id") if event else None,
                        modified_at=data.get("modified_at") if isinstance(data, dict) else None,
                        problem=problem,
                    )
                )
        return sorted(result, key=lambda artifact: artifact.path)

    def read(self, thread_id: str, path: str) -> bytes:
        """Bytes of one file."""
        files = self.store() if in_store(path) else self.state(thread_id)[0]
        if path not in files:
            raise UsageError(f"The thread has no file at {path}.")
        content, problem = content_of(files[path])
        if content is None:
            raise InspectorError(f"The file {path} can't be shown: {problem}.")
        return content

    def sources(self, thread_id: str, events: Iterable[Event]) -> Sequence[str]:
        """Memory paths of the thread's agent: from its settings, else from what was loaded."""
        declared = self.settings(thread_id).get("memory")
        if declared:
            return list(declared)
        loaded = [source["path"] for e in events if e.kind == "memory loaded" for source in e.data["sources"]]
        return list(dict.fromkeys(loaded))

    def settings(self, thread_id: str) -> dict[str, Any]:
        """What the record keeps of the settings of a thread's agent; empty where it knows none."""
        row = self._book.one("SELECT settings FROM threads WHERE thread_id = ?", (thread_id,))
        return json.loads(row[0]) if row and row[0] else {}

    def store(self) -> dict[str, Any]:
        """Files of the store as they are stored, by path."""
        marks = ",".join("?" * len(ROUTES))
        prefixes = {namespace: prefix for prefix, namespace in ROUTES.items()}
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'store'"):
            return {}
        rows = self._book.rows(
            f"SELECT prefix, key, value FROM store WHERE prefix IN ({marks}) ORDER BY prefix, key", list(prefixes)
        )
        return {prefixes[namespace].rstrip("/") + key: _json(value) for namespace, key, value in rows}

    def branches(self, thread_id: str) -> list[Branch]:
        """The thread's lines of checkpoints, the newest last."""
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'"):
            return []
        parents = dict(
            self._book.rows(
                "SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints "
                "WHERE thread_id = ? AND checkpoint_ns = '' ORDER BY checkpoint_id",
                (thread_id,),
            )
        )
        lasting, followed = set(self.store()), set(parents.values())
        found = []
        for tip in [id for id in parents if id not in followed]:
            line, at = set(), tip
            while at and at not in line:
                line.add(at)
                at = parents.get(at)
            found.append(Branch(tip, frozenset(line), frozenset(lasting | self.state(thread_id, tip)[0].keys())))
        return found

    def state(
        self, thread_id: str, checkpoint_id: str | None = None, namespace: str = ""
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Thread files, and the other values, of a checkpoint; of the newest one without an id.

        A subagent's run has a namespace of its own.
        """
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'"):
            return {}, {}
        with importing.lock:  # LangGraph takes a second to import
            from langgraph.channels.delta import DeltaChannel

            from engine.checkpoints import WorkspaceSaver

        saver = WorkspaceSaver.reading(self._book.connection())
        config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}}
        if checkpoint_id is not None:
            config["configurable"]["checkpoint_id"] = checkpoint_id
        latest = saver.get_tuple(config)
        if latest is None:
            return {}, {}
        channel = DeltaChannel(_merge_files, dict)
        if "files" in latest.checkpoint["channel_values"]:  # whole in the checkpoint itself: nothing to replay
            files = channel.from_checkpoint(latest.checkpoint["channel_values"]["files"])
        else:
            history = saver.get_delta_channel_history(config=latest.config, channels=["files"])["files"]
            files = channel.from_checkpoint(history.get("seed"))
            files.replay_writes(history["writes"])
        if latest.pending_writes:
            files.replay_writes([write for write in latest.pending_writes if write[1] == "files"])
        return files.get() or {}, latest.checkpoint["channel_values"]


def content_of(data: Any) -> tuple[bytes | None, str | None]:
    """Bytes of a stored file in any of its formats, or None and the reason."""
    if not isinstance(data, dict) or data.get("content") is None:
        return None, "the entry is empty" if data is None or isinstance(data, dict) else "the entry is damaged"
    content, problem = data["content"], None
    if isinstance(content, list) and all(isinstance(line, str) for line in content):
        content = "\n".join(content)  # deepagents before 0.5 kept lines
    if not isinstance(content, str):
        return None, f"the content is {type(content).__name__}, which no release writes"
    if data.get("encoding") == "base64":
        try:
            return base64.b64decode(content, validate=True), None
        except (binascii.Error, ValueError):
            return None, "the base64 is damaged"
    return content.encode("utf-8", "surrogatepass"), problem


def _merge_files(files: dict[str, Any] | None, writes: Sequence[Any]) -> dict[str, Any]:
    """deepagents' own reducer for ``files``: a later write wins, None deletes."""
    merged = dict(files or {})
    for write in writes:
        for path, data in write.items():
            if data is None:
                merged.pop(path, None)
            else:
                merged[path] = data
    return merged


def _kind(path: str, offload: Event | None, memory: set[str]) -> Any:
    if offload is not None:
        return "offloaded message" if offload.data.get("of") == "message" else "offloaded result"
    if path in memory or path.startswith("/memories/"):
        return "memory"
    if path.startswith(RESULTS):
        return "offloaded result"
    if path.startswith(HISTORY):
        return "history"
    return "skill" if path.startswith("/skills/") else "file"


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return "damaged"
