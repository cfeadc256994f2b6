"""The recorder: joins what callbacks, observers and models tell, and hands it to the writer.

Every door that a run passes through is guarded: whatever goes wrong in here is counted as
a loss and shown, and the run goes on as if nobody watched.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from langchain_core.messages import SystemMessage

from engine.failures import Failure
from engine.recording import facts, notice
from engine.recording.assembling import observing
from engine.recording.at_tools import AtTools
from engine.recording.following import FollowingHandler
from engine.recording.guard import guarded
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
from engine.wire.secrets import without_keys
from engine.workspace import Workspace

_AT_ONCE = 2.0  # seconds to wait for the file at the end of a run, at the most
_LANES = 512  # agents' lists that are kept for their next request


class Recorder(AtTools):
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

    @guarded
    def begin_run(self, token: str, thread_id: str, title: str, agent: str | None, settings: dict[str, Any]) -> None:
        """An agent is about to be invoked on a thread."""
        self._runs[thread_id] = token
        self._writer.put(RunStarted(token, thread_id, title, agent, time.time(), os.getpid(), settings))

    @guarded
    def end_run(self, token: str, thread_id: str, status: str, error: str | None = None) -> None:
        """The invocation is over: ``done``, ``failed``, ``stopped`` or ``interrupted``."""
        self._runs.pop(thread_id, None)
        self._run_over(token, thread_id, status, error, bool)

    @guarded
    def undo_run(self, token: str, thread_id: str) -> None:
        """The invocation found nothing to do: it is none."""
        self._runs.pop(thread_id, None)
        self._writer.put(RunUndone(token))

    @guarded
    def note(self, thread_id: str, request: int | None, kind: str, data: dict[str, Any]) -> None:
        """An event that isn't seen in a run's requests, on the request of this id (None: on the thread)."""
        self._writer.put(Noted(thread_id, request, kind, time.time(), data))

    @guarded
    def compacted(self, thread_id: str, messages: list[Any], before: Any, after: Any, calls: tuple[str, ...]) -> None:
        """A thread was summarized on demand: ``before`` and ``after`` are its summary events, ``calls`` tokens."""
        lane = self._lane(thread_id, "")
        self._writer.put(EventSeen(lane, notice.compacted(lane, messages, before, after, calls, time.time())))

    def _tree_ended(self, tree: Tree, status: str, error: str | None) -> None:
        self._tree_over(tree, status, error)
        if self.at_once:
            self._writer.flush(_AT_ONCE)

    @guarded
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

    @guarded
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

    @guarded
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


def _every(namespace: str) -> bool:
    return True


def _of_tasks(namespace: str) -> bool:
    """Whether a namespace is one of a single task, which no later run has."""
    return ":" in namespace
