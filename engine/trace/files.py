"""Files of a thread: from the newest checkpoint's state, from the store, and from folders of its agent.

Paths are those that the agent uses. Which place each has, the record's settings of the thread say.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from engine import importing
from engine.errors import InspectorError, UsageError
from engine.lifetimes import FOLDER, LIFETIMES, STORE, THREAD_STATE
from engine.places import Layout, Located
from engine.trace import folders
from engine.trace.book import Book
from engine.trace.layouts import layout_of, settings_of
from engine.trace.model import Artifact, Branch, Event

_CHARS_A_TOKEN = 4


class Files:
    """Reads thread files, store files, memory and skills of a workspace."""

    def __init__(self, book: Book) -> None:
        self._book = book

    def all(self, thread_id: str, events: Sequence[Event]) -> list[Artifact]:
        """Files that the thread's agent can read, by path.

        Of a folder on the disk those that the thread has to do with: what its requests left or named, what its
        calls wrote, its memory and its skills.
        """
        layout = self.layout(thread_id)
        left_by = {event.data["path"]: event for event in reversed(events) if event.kind == "offload"}
        history = {event.data.get("path"): event for event in reversed(events) if event.kind == "summary"}
        memory = set(self.sources(thread_id, events))
        result = []
        for place, files in (
            (THREAD_STATE, self._state_files(thread_id, layout)),
            (STORE, self.store(layout)),
            (FOLDER, self._on_disk(thread_id, layout, [*left_by, *history, *memory])),
        ):
            for path, data in files.items():
                problem = content_of(data)[1]
                event = left_by.get(path) or history.get(path)
                result.append(
                    Artifact(
                        path=path,
                        size=size_of(data),
                        place=place,
                        lifetime=LIFETIMES[place],
                        kind=_kind(path, left_by.get(path), memory, layout),
                        request=event.request if event else None,
                        tool_call_id=event.data.get("tool_call_id") if event else None,
                        modified_at=data.get("modified_at") if isinstance(data, dict) else None,
                        problem=problem or None,
                        within="" if place == THREAD_STATE else layout.locate(path).within,
                    )
                )
        return sorted(result, key=lambda artifact: artifact.path)

    def read(self, thread_id: str, path: str) -> bytes:
        """Bytes of one file."""
        data = self.entry(thread_id, path)
        if data is None:
            raise UsageError(f"The thread has no file at {path}.")
        content, problem = content_of(data)
        if content is None:
            raise InspectorError(f"The file {path} can't be shown: {problem}.")
        return content

    def layout(self, thread_id: str) -> Layout:
        """Where the files of the thread's agent lie."""
        return layout_of(self._book.rows, thread_id)

    def entry(self, thread_id: str, path: str) -> Any:
        """One file as it is stored, wherever it lies; None where there is none."""
        layout = self.layout(thread_id)
        located = layout.locate(path)
        if located.kind == "filesystem":
            return folders.entry_at(located)
        if located.kind == "store":
            return self._stored(located)
        return self._state_files(thread_id, layout).get(path)

    def skill_files(self, thread_id: str, sources: Sequence[str]) -> dict[str, Any]:
        """Files among which the skills of these sources are, by path."""
        layout = self.layout(thread_id)
        files = {**self._state_files(thread_id, layout), **self.store(layout)}
        return {**files, **folders.below(layout, [*sources, *folders.through_links(layout, sources)])}

    def linked_skills(self, thread_id: str, sources: Sequence[str]) -> dict[str, str]:
        """Folders of skills that lie elsewhere, and the source with the link to each."""
        return folders.through_links(self.layout(thread_id), sources)

    def circles(self, thread_id: str, sources: Sequence[str]) -> dict[str, str]:
        """Sources of skills that the engine can't list, and the link in each that leads in a circle."""
        return folders.circles(self.layout(thread_id), sources)

    def sources(self, thread_id: str, events: Iterable[Event]) -> Sequence[str]:
        """Memory paths of the thread's agent: from its settings, else from what was loaded."""
        declared = self.settings(thread_id).get("memory")
        if declared:
            return list(declared)
        loaded = [source["path"] for e in events if e.kind == "memory loaded" for source in e.data["sources"]]
        return list(dict.fromkeys(loaded))

    def settings(self, thread_id: str) -> dict[str, Any]:
        """What the record keeps of the settings of a thread's agent; empty where it knows none."""
        return settings_of(self._book.rows, thread_id)

    def store(self, layout: Layout | None = None) -> dict[str, Any]:
        """Files of the store as they are stored, by the path that an agent of this layout has for them."""
        layout = layout or Layout()
        namespaces = [place.within for place in layout.places() if place.kind == "store"]
        if not namespaces or not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'store'"):
            return {}
        marks = ",".join("?" * len(namespaces))
        rows = self._book.rows(
            f"SELECT prefix, key, value FROM store WHERE prefix IN ({marks}) ORDER BY prefix, key", namespaces
        )
        found = {layout.path_of(Located("store", prefix, key)): _json(value) for prefix, key, value in rows}
        return {path: value for path, value in found.items() if path is not None}

    def _stored(self, located: Located) -> Any:
        if not self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'store'"):
            return None
        row = self._book.one("SELECT value FROM store WHERE prefix = ? AND key = ?", (located.within, located.key))
        return None if row is None else _json(row[0])

    def _state_files(self, thread_id: str, layout: Layout) -> dict[str, Any]:
        """Thread files by the agent's path; one that no path leads to any more has the name that it has there."""
        files = self.state(thread_id)[0]
        return {layout.path_of(Located("state", "", key)) or key: data for key, data in files.items()}

    def _on_disk(self, thread_id: str, layout: Layout, paths: Sequence[Any]) -> dict[str, Any]:
        if not any(place.kind == "filesystem" for place in layout.places()):
            return {}
        from engine.memory.calls import calls_on  # deferred: it reads this package

        written = [call.path for call in calls_on(self._book, thread_id=thread_id)]
        declared = self.settings(thread_id).get("skills") or []
        skills = folders.below(layout, [str(source) for source in declared])
        paths = [path for path in dict.fromkeys([*paths, *written]) if isinstance(path, str) and path.startswith("/")]
        return {**skills, **folders.named(layout, paths)}

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
        layout = self.layout(thread_id)
        lasting, followed = set(self.store(layout)), set(parents.values())
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
    if isinstance(data, dict) and folders.UNREAD in data:
        return None, str(data[folders.UNREAD])
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


def size_of(data: Any) -> int:
    """Bytes of a stored file, 0 where they are not known."""
    if isinstance(data, dict) and folders.UNREAD in data:
        return int(data.get(folders.SIZE) or 0)
    return len(content_of(data)[0] or b"")


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


def _kind(path: str, offload: Event | None, memory: set[str], layout: Layout) -> Any:
    if offload is not None:
        return "offloaded message" if offload.data.get("of") == "message" else "offloaded result"
    if path in memory or path.startswith("/memories/"):
        return "memory"
    if path.startswith(layout.results):
        return "offloaded result"
    if path.startswith(layout.history):
        return "history"
    return "skill" if path.startswith("/skills/") else "file"


def _json(text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return "damaged"
