"""The list of threads, from what can be had without reading a checkpoint.

Counts and times come from the index and from the ids themselves; agent and title from the
first row of a thread, where that is short.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from engine.sources.database import Database
from engine.sources.line import Contents, time_of
from engine.sources.rows import DamagedError, Group, Key, Write
from engine.sources.runs import MODEL_NODES
from engine.sources.values import UnreadableError
from engine.trace.content import text_of
from engine.trace.model import ThreadRow

PATIENCE = 900.0
"""Seconds after which a request without an answer counts as stopped."""
_SHORT = 65_536  # bytes of a row that is read for a title
_TITLE = 100  # characters

Status = Literal["idle", "running", "failed", "stopped", "interrupted"]


class Loaded(Protocol):
    """A thread that has been read: it knows more than the list does."""

    @property
    def count(self) -> int: ...
    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Facts:
    """What a thread's first row says."""

    title: str = ""
    agent: str | None = None
    problem: str = ""


class Listing:
    """Makes the rows; what cannot change is kept."""

    def __init__(self, database: Database, contents: Contents) -> None:
        self._database, self._contents = database, contents
        self._facts: dict[tuple[str, str], Facts] = {}

    def rows(self, loaded: Mapping[str, Loaded]) -> list[ThreadRow]:
        """All threads, the one last changed first."""
        by_thread: dict[str, list[Group]] = {}
        for group in self._database.groups():
            by_thread.setdefault(group.thread_id, []).append(group)
        counts = self._database.runs(MODEL_NODES)
        rows = [self._row(thread_id, groups, counts, loaded.get(thread_id)) for thread_id, groups in by_thread.items()]
        return sorted(rows, key=lambda row: (-(row.updated_at or 0.0), row.thread_id))

    def _row(self, thread_id: str, groups: list[Group], counts: Mapping[str, int], loaded: Loaded | None) -> ThreadRow:
        main = next((group for group in groups if not group.namespace), groups[0])
        facts = self._facts.get((thread_id, main.first))
        if facts is None:
            facts = self._first(main)
            self._facts[thread_id, main.first] = facts
        status, problem = self._last(main)
        problem = (loaded.problem if loaded else "") or facts.problem or problem
        return ThreadRow(
            thread_id,
            facts.title or thread_id,
            facts.agent,
            loaded.count if loaded else counts.get(thread_id, 0) if self._database.has_writes else None,
            min((at for group in groups if (at := time_of(group.first)) is not None), default=None),
            max((at for group in groups if (at := time_of(group.last)) is not None), default=None),
            "langgraph",
            status,
            problem or None,
        )

    def _first(self, group: Group) -> Facts:
        try:
            outline = self._database.outline(group.thread_id, group.namespace, group.first)
            writes = self._database.writes(group.thread_id, group.namespace, group.first, _SHORT)
        except DamagedError as error:
            return Facts(problem=str(error))
        title = self._title(self._written(writes))
        if outline.size > _SHORT or "+" in outline.type:
            cipher = outline.type.partition("+")[2]
            return Facts(title, problem=f"encrypted with {cipher}, not readable here" if cipher else "")
        stored = self._database.stored(outline.row)
        key = Key(outline.row, group.thread_id, group.namespace, group.first, outline.parent)
        point = self._contents.point(key, stored)
        values = point.values or {}
        begun = values.get("__start__")
        for channels in (values, begun if isinstance(begun, dict) else {}):
            title = title or self._title(channels.get("messages"))
        agent = next(
            (
                point.metadata[name]
                for name in ("lc_agent_name", "agent_name")
                if isinstance(point.metadata.get(name), str)
            ),
            None,
        )
        return Facts(title, agent, point.problem)

    def _written(self, writes: Iterable[Write]) -> Any:
        for write in writes:
            if write.channel == "messages" and write.value is not None:
                try:
                    return self._contents.write(write)
                except UnreadableError:
                    return None
        return None

    def _title(self, value: Any) -> str:
        """The first thing a human says, on one line."""
        for message in self._contents.messages(value) if value is not None else ():
            if message.type == "human" and message.source != "summarization":
                data = self._contents.shelf.value(message.part)["data"]
                return " ".join(text_of(data.get("content"))[: 4 * _TITLE].split())[:_TITLE]
        return ""

    def _last(self, group: Group) -> tuple[Status, str]:
        """How the thread stands, from the channels that were written at its newest checkpoint."""
        try:
            outline = self._database.outline(group.thread_id, group.namespace, group.last)
            channels = self._channels(group, group.last)
            if "__interrupt__" in channels and "__resume__" not in channels:
                return "interrupted", ""
            if "__error__" in channels:
                return "failed", ""
            waits = outline.parent is not None and any(
                name.startswith("branch:to:") for name in self._channels(group, outline.parent)
            )
        except DamagedError as error:
            return "idle", str(error)
        if not waits or channels - {"__resume__"}:
            return "idle", ""
        return ("running" if is_recent(time_of(group.last)) else "stopped"), ""

    def _channels(self, group: Group, id: str) -> set[str]:
        return {write.channel for write in self._database.writes(group.thread_id, group.namespace, id, 0)}


def is_recent(at: float | None) -> bool:
    """Whether what began then may still be going on."""
    return at is not None and time.time() - at < PATIENCE
