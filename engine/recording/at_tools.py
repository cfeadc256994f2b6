"""What the recorder is told of tools: whose subagent runs, what was offloaded, which memory and skills were touched."""

from __future__ import annotations

import threading
import time
from typing import Any

from engine.places import MEMORIES
from engine.recording import facts
from engine.recording.canon import text_chars, text_of
from engine.recording.guard import guarded
from engine.recording.lanes import Lane
from engine.recording.operations import EventNote, EventSeen
from engine.recording.writer import Writer
from engine.stubs import offload_path

_EDITS = {"edit_file", "write_file"}


class AtTools:
    """The part of a recorder that listens at tools; see :class:`engine.recording.observers.Listener`."""

    _lock: threading.RLock
    _writer: Writer
    _tasks: dict[tuple[str, str], tuple[str | None, str | None]]

    def _lane(self, thread_id: str, namespace: str) -> Lane:
        raise NotImplementedError

    @guarded
    def tool_called(self, request: Any) -> None:
        """A tool is about to run: a subagent started by it belongs to the request that called it."""
        at = facts.configurable()
        namespace = str(at.get("checkpoint_ns") or "")
        key = (str(at.get("thread_id")), namespace)
        self._tasks[key] = (self._tool_lane().last, request.tool_call.get("id"))

    @guarded
    def tool_changed(self, request: Any, given: Any, left: Any) -> None:
        """A middleware passed on another result than it was given: was it offloaded?"""
        call_id = request.tool_call.get("id")
        whole, stub = facts.result(given, call_id), facts.result(left, call_id)
        if whole is not None and stub is not None and offload_path(text_of(stub)):
            offloaded = self._tool_lane().seen.setdefault("offloaded", {})
            offloaded[call_id] = text_chars(whole.content)

    @guarded
    def tool_answered(self, request: Any, result: Any) -> None:
        """A tool's result left the middlewares: did it touch memory or a skill?"""
        call_id, name = request.tool_call.get("id"), request.tool_call.get("name")
        path = (request.tool_call.get("args") or {}).get("file_path")
        left = facts.result(result, call_id)
        if left is None or left.status == "error" or not isinstance(path, str):
            return
        lane = self._tool_lane()
        if name in _EDITS and (path.startswith(MEMORIES) or path in (lane.seen.get("memory") or {})):
            self._event(lane, "memory edited", {"path": path, "tool": name, "tool_call_id": call_id})
        for skill in lane.seen.get("skills") or ():
            if name == "read_file" and skill["path"] == path:
                self._event(lane, "skill read", {"name": skill["name"], "path": path, "tool_call_id": call_id})

    def _tool_lane(self) -> Lane:
        """The lane of the agent whose tool is running."""
        at = facts.configurable()
        return self._lane(str(at.get("thread_id")), str(at.get("checkpoint_ns") or "").rpartition("|")[0])

    def _event(self, lane: Lane, kind: str, data: dict[str, Any]) -> None:
        self._writer.put(EventSeen(lane, EventNote(kind, time.time(), lane.last, data)))
