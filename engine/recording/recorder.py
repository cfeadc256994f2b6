"""The recorder: joins what callbacks, observers and models tell, and hands it to the writer.

Every door that a run passes through is guarded: whatever goes wrong in here is counted as
a loss and shown, and the run goes on as if nobody watched.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from langchain_core.messages import SystemMessage

from engine.failures import Failure
from engine.places import MEMORIES
from engine.recording import facts, notice
from engine.recording.assembling import observing
from engine.recording.canon import text_chars, text_of
from engine.recording.following import FollowingHandler
from engine.recording.guessing import GUESSED, looks_like_summary
from engine.recording.handler import Handler, OpenRequest
from engine.recording.lanes import Lane
from engine.recording.layers import layers_of
from engine.recording.noting import Noted, NotedAt, OverflowSeen, RunUndone
from engine.recording.operations import (
    EventNote,
    EventSeen,
    LanesOver,
    RequestEnded,
    RequestStarted,
    RunEnded,
    RunStarted,
)
from engine.recording.origin import origin_of, origin_without_layers
from engine.recording.parameters import parameters
from engine.recording.standing import Standing, standing_of
from engine.recording.tree import Tree
from engine.recording.writer import Losses, Writer
from engine.stubs import offload_path
from engine.wire.secrets import without_keys
from engine.workspace import Workspace

_F = TypeVar("_F", bound=Callable[..., Any])
_EDITS = {"edit_file", "write_file"}
_AT_ONCE = 2.0  # seconds to wait for the file at the end of a run, at the most
_LANES = 512  # agents' lists that are kept for their next request


def _guarded(method: _F) -> _F:
    """A fault in the recorder is a loss of the record, never of the run."""

    @functools.wraps(method)
    def guarded(self: Recorder, *args: Any, **kwargs: Any) -> None:
        try:
            with self._lock:
                method(self, *args, **kwargs)
        except Exception as error:  # whatever it is, the run must not notice
            self._writer.lose(1, f"{type(error).__name__}: {error}")

    return guarded  # type: ignore[return-value]


class Recorder:
    """Records runs into one workspace. Thread-safe; close it when no run is left.

    Use :attr:`handler` as a callback of each run and build its agent inside :meth:`observing`. Tell where
    a run begins and ends, or let the recorder follow every run to its end by itself (``follow``; then
    ``thread`` names the thread of runs whose configuration names none).
    """

    def __init__(
        self,
        workspace: Workspace | Callable[[], Workspace],
        *,
        follow: bool = False,
        thread: str | None = None,
        hidden: bool = False,
    ) -> None:
        self._writer = Writer(workspace, self._forget, hidden=hidden)
        self._thread = thread
        self._lock = threading.RLock()
        self._generation = 0
        self._lanes: OrderedDict[tuple[str, str], tuple[int, Lane]] = OrderedDict()
        self._runs: dict[str, str] = {}
        self._tasks: dict[tuple[str, str], tuple[str | None, str | None]] = {}
        told = (self._request_started, self._request_ended, self._writer)
        self.handler: Handler = FollowingHandler(*told, self._tree_ended) if follow else Handler(*told)
        self.at_once = False
        """Whether a run that is followed ends only when its record is in the file."""
        self.handler.listener = self

    @property
    def losses(self) -> Losses:
        """What could not be recorded so far."""
        return self._writer.losses

    def observing(self) -> AbstractContextManager[None]:
        """Agents put together inside are observed; so are subagents made later in a run started inside."""
        return observing()

    def flush(self, seconds: float = 10.0) -> bool:
        """Wait until everything seen so far is in the file or counted as lost."""
        return self._writer.flush(seconds)

    def close(self, seconds: float = 10.0) -> None:
        """Write what is left and let go of the file. A run that is seen later opens it again."""
        with self._lock:  # what is told from here on can't build on what was told before
            ended = self._writer.end()
            if ended is not None:
                self._forget()
        if ended is not None:
            ended.wait(seconds)

    def forked(self) -> None:
        """In a child process: start anew, and leave to the parent what is the parent's."""
        self._lock = threading.RLock()
        self._writer.forked()
        self._forget()

    @_guarded
    def begin_run(self, token: str, thread_id: str, title: str, agent: str | None, settings: dict[str, Any]) -> None:
        """An agent is about to be invoked on a thread."""
        self._runs[thread_id] = token
        self._writer.put(RunStarted(token, thread_id, title, agent, time.time(), os.getpid(), settings))

    @_guarded
    def end_run(self, token: str, thread_id: str, status: str, error: str | None = None) -> None:
        """The invocation is over: ``done``, ``failed``, ``stopped`` or ``interrupted``."""
        self._runs.pop(thread_id, None)
        self._run_over(token, thread_id, status, error, bool)

    @_guarded
    def undo_run(self, token: str, thread_id: str) -> None:
        """The invocation found nothing to do: it is none."""
        self._runs.pop(thread_id, None)
        self._writer.put(RunUndone(token))

    @_guarded
    def note(self, thread_id: str, request: int | None, kind: str, data: dict[str, Any]) -> None:
        """An event that isn't seen in a run's requests, on the request of this id (None: on the thread)."""
        self._writer.put(Noted(thread_id, request, kind, time.time(), data))

    @_guarded
    def compacted(self, thread_id: str, messages: list[Any], before: Any, after: Any, calls: tuple[str, ...]) -> None:
        """A thread was summarized on demand: ``before`` and ``after`` are its summary events, ``calls`` tokens."""
        lane = self._lane(thread_id, "")
        self._writer.put(EventSeen(lane, notice.compacted(lane, messages, before, after, calls, time.time())))

    def _tree_ended(self, tree: Tree, status: str, error: str | None) -> None:
        self._tree_over(tree, status, error)
        if self.at_once:
            self._writer.flush(_AT_ONCE)

    @_guarded
    def _tree_over(self, tree: Tree, status: str, error: str | None) -> None:
        for thread_id, token in tree.runs.items():
            unnamed = thread_id == str(tree.root)
            self._run_over(token, thread_id, status, error, _every if unnamed else _of_tasks)

    def _run_over(
        self, token: str, thread_id: str, status: str, error: str | None, over: Callable[[str], bool]
    ) -> None:
        """Let go of the lanes whose namespace is ``over``: those of a run's own tasks."""
        keys = [key for key in self._lanes if key[0] == thread_id and over(key[1])]
        lanes = tuple(self._lanes.pop(key)[1].key for key in keys)
        self._tasks = {key: value for key, value in self._tasks.items() if key[0] != thread_id}
        self._writer.put(RunEnded(token, time.time(), status, without_keys(error) if error else error, lanes))

    def _forget(self) -> None:
        self._generation += 1

    def _lane(self, thread_id: str, namespace: str) -> Lane:
        generation, lane = self._lanes.get((thread_id, namespace), (self._generation, None))
        if lane is None:
            lane = Lane(thread_id, namespace)
        elif generation != self._generation:
            lane.reset()
        self._lanes[thread_id, namespace] = (self._generation, lane)
        self._lanes.move_to_end((thread_id, namespace))
        while len(self._lanes) > _LANES:
            self._writer.put(LanesOver((self._lanes.popitem(last=False)[1][1].key,)))
        return lane

    def _run(self, opened: OpenRequest, standing: Standing, title: str) -> str | None:
        """Token of the run that a request belongs to; the first request of an invocation begins it."""
        thread_id, tree = standing.thread_id, opened.place.tree
        if tree is None:
            return self._runs.get(thread_id)
        if thread_id not in tree.runs:
            token = str(tree.root) + (f" {len(tree.runs) + 1}" if tree.runs else "")
            agent = opened.metadata.get("lc_agent_name") if standing.purpose == "agent" else None
            self._writer.put(RunStarted(token, thread_id, title, agent, tree.started_at, os.getpid(), None))
            tree.runs[thread_id] = token
        return tree.runs[thread_id]

    @_guarded
    def _request_started(
        self, opened: OpenRequest, received: list[Any], stop: Any, given: dict[str, Any], exact: bool
    ) -> None:
        metadata, token, at = opened.metadata, opened.token, opened.started_at
        standing = standing_of(opened, self._thread)
        guessed = standing.purpose == "other" and looks_like_summary(received, given)
        if guessed:
            standing.purpose = "summary"
        thread_id, call, passed = standing.thread_id, standing.call, standing.passed
        own = self._lane(thread_id, standing.lane)
        # A model called beside its agent's own requests must not disturb their lists.
        lane = own if standing.own else Lane(thread_id, standing.beside, passing=True)
        parent, parent_call = standing.parent, standing.parent_call
        if standing.own:
            parent, parent_call = self._tasks.get((thread_id, standing.namespace), (parent, parent_call))
        elif parent is None and (guessed or standing.purpose == "other"):
            parent = own.last
        if not standing.own and opened.call is not None:
            opened.call.children.append(token)
            parent = parent or opened.call.rejected  # unless it is tried again with this summary

        system = received[0] if received and isinstance(received[0], SystemMessage) else None
        messages = received[1:] if system is not None else received
        lists = {}
        events = [EventNote(GUESSED, at, token, {"purpose": "summary"})] if guessed else []
        raw, cutoff = standing.raw or [], None
        if standing.raw is not None:
            lists["raw"] = lane.raw.change(raw, verify=False)
        if call is not None:
            events += notice.loaded(lane, call.state, token, at)
            cutoff, summaries = notice.summarized(call, lane, token, at)
            events += summaries
        lists["messages"] = lane.sent.change(messages, verify=True)
        if standing.raw is not None:
            new = messages[lists["messages"].keep :]
            events += notice.in_messages(raw, lists["raw"].keep, new, token, at, lane)
        lists["system"] = lane.blocks(facts.system_values(system))
        tools = list(given.get("tools") or ())
        lists["tools"] = lane.tools(tools)
        origin = origin_of(passed) if passed is not None else origin_without_layers(system, tools, standing.known)
        sizes = facts.sizes(lane, origin["system"])
        lane.last = token
        title = facts.title(raw or messages)
        profile, trigger = facts.limits(call, opened.model)
        opened.thread_id, opened.run = thread_id, self._run(opened, standing, title)
        self._writer.put(
            RequestStarted(
                token=token,
                run=opened.run,
                lane=lane,
                title=title,
                purpose=standing.purpose,
                agent=metadata.get("lc_agent_name"),
                checkpoint_ns=standing.checkpoint_ns,
                step=metadata.get("langgraph_step"),
                checkpoint_id=facts.checkpoint_id(standing.namespace),
                parent=parent,
                parent_call=parent_call,
                depth=standing.depth + (not standing.own and (parent is not None or opened.call is not None)),
                model=facts.model_name(opened),
                window=profile.get("max_input_tokens"),
                trigger=trigger,
                exact=exact,
                lists=lists,
                cutoff=cutoff,
                params=lane.small("params", parameters(opened, stop, given, call, profile)),
                origin=origin,
                layers=layers_of(passed, lane, raw, messages, tools) if passed is not None else [],
                chars=sum(entry.encoded.chars for entry in lane.sent.entries),
                tokens=sum(sizes.values()),
                sizes=sizes,
                started_at=at,
                children=tuple(call.children) if call is not None else (),
                events=events,
            )
        )
        if call is not None:
            if call.rejected is not None:
                self._writer.put(OverflowSeen(call.rejected, tuple(call.children), token, at))
                call.rejected = None
            call.children.clear()

    @_guarded
    def _request_ended(self, opened: OpenRequest, status: str, response: Any, failure: Failure | None) -> None:
        message = None
        for generation in (response.generations[0] if response is not None and response.generations else ())[:1]:
            message = getattr(generation, "message", None)
        calls = getattr(message, "tool_calls", None) or ()
        if opened.place.tree is not None:
            opened.place.tree.calls.update((str(call.get("id")), opened.token) for call in calls)
        at = time.time()
        self._writer.put(
            RequestEnded(
                opened.token,
                status,
                at,
                failure.sentence if failure is not None else None,
                facts.answer(message, failed=failure is not None),
                getattr(message, "usage_metadata", None),
                tuple(str(call.get("name")) for call in calls),
                opened.run,
            )
        )
        if failure is not None and failure.kind != "other":
            self._writer.put(NotedAt(opened.token, "failure", at, failure.data()))
            if failure.kind == "overflow" and opened.call is not None:
                opened.call.rejected = opened.token

    @_guarded
    def tool_called(self, request: Any) -> None:
        """A tool is about to run: a subagent started by it belongs to the request that called it."""
        at = facts.configurable()
        namespace = str(at.get("checkpoint_ns") or "")
        key = (str(at.get("thread_id")), namespace)
        self._tasks[key] = (self._tool_lane().last, request.tool_call.get("id"))

    @_guarded
    def tool_changed(self, request: Any, given: Any, left: Any) -> None:
        """A middleware passed on another result than it was given: was it offloaded?"""
        call_id = request.tool_call.get("id")
        whole, stub = facts.result(given, call_id), facts.result(left, call_id)
        if whole is not None and stub is not None and offload_path(text_of(stub)):
            offloaded = self._tool_lane().seen.setdefault("offloaded", {})
            offloaded[call_id] = text_chars(whole.content)

    @_guarded
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


def _every(namespace: str) -> bool:
    return True


def _of_tasks(namespace: str) -> bool:
    """Whether a namespace is one of a single task, which no later run has."""
    return ":" in namespace
