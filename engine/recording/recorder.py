"""The recorder: joins what callbacks, observers and models tell, and hands it to the writer.

Every door that a run passes through is guarded: whatever goes wrong in here is counted as
a loss and shown, and the run goes on as if nobody watched.
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from langchain_core.messages import BaseMessage, SystemMessage, ToolMessage
from langgraph.config import get_config
from langgraph.types import Command

from engine.kinds import block_kind
from engine.recording import notice
from engine.recording.canon import encode_message, text_chars
from engine.recording.handler import Handler, OpenRequest
from engine.recording.lanes import Lane
from engine.recording.layers import layers_of
from engine.recording.observers import Call, observing
from engine.recording.operations import EventNote, EventSeen, RequestEnded, RequestStarted, RunEnded, RunStarted
from engine.recording.origin import blocks_of, origin_of
from engine.recording.parameters import parameters
from engine.recording.writer import Losses, Writer
from engine.stubs import offload_path
from engine.wire.secrets import without_keys
from engine.workspace import Workspace

_F = TypeVar("_F", bound=Callable[..., Any])
_EDITS = {"edit_file", "write_file"}


def _guarded(method: _F) -> _F:
    """A fault in the recorder is a loss of the record, never of the run."""

    @functools.wraps(method)
    def guarded(self: Recorder, *args: Any, **kwargs: Any) -> None:
        try:
            method(self, *args, **kwargs)
        except Exception as error:  # whatever it is, the run must not notice
            self._writer.lose(1, f"{type(error).__name__}: {error}")

    return guarded  # type: ignore[return-value]


class Recorder:
    """Records runs into one workspace. Thread-safe; close it when no run is left.

    Use :attr:`handler` as a callback of each run, build its agent inside :meth:`observing`,
    and tell where a run begins and ends.
    """

    def __init__(self, workspace: Workspace, on_request: Callable[[str], None] = lambda thread_id: None) -> None:
        self._writer = Writer(workspace, self._forget)
        self._on_request = on_request
        self._generation = 0
        self._lanes: dict[tuple[str, str], tuple[int, Lane]] = {}
        self._runs: dict[str, str] = {}
        self._tasks: dict[tuple[str, str], tuple[str | None, str | None]] = {}
        self.handler = Handler(self._request_started, self._request_ended, self._writer)

    @property
    def losses(self) -> Losses:
        """What could not be recorded so far."""
        return self._writer.losses

    def observing(self) -> AbstractContextManager[None]:
        """Agents put together inside are observed; so are subagents made later in a run started inside."""
        return observing(self)

    def flush(self) -> bool:
        """Wait until everything seen so far is in the file or counted as lost."""
        return self._writer.flush()

    def close(self) -> None:
        """Write what is left and stop."""
        self._writer.close()

    @_guarded
    def begin_run(self, token: str, thread_id: str, title: str, agent: str | None, settings: dict[str, Any]) -> None:
        """An agent is about to be invoked on a thread."""
        self._runs[thread_id] = token
        self._writer.put(RunStarted(token, thread_id, title, agent, time.time(), os.getpid(), settings))

    @_guarded
    def end_run(self, token: str, thread_id: str, status: str, error: str | None = None) -> None:
        """The invocation is over: ``done``, ``failed``, ``stopped`` or ``interrupted``."""
        over = [key for key in self._lanes if key[0] == thread_id and key[1]]
        keys = tuple(self._lanes.pop(key)[1].key for key in over)
        self._tasks = {key: value for key, value in self._tasks.items() if key[0] != thread_id}
        self._runs.pop(thread_id, None)
        self._writer.put(RunEnded(token, time.time(), status, without_keys(error) if error else error, keys))

    def _forget(self) -> None:
        self._generation += 1

    def _lane(self, thread_id: str, namespace: str) -> Lane:
        generation, lane = self._lanes.get((thread_id, namespace), (self._generation, None))
        if lane is None:
            lane = Lane(thread_id, namespace)
        elif generation != self._generation:
            lane.reset()
        self._lanes[thread_id, namespace] = (self._generation, lane)
        return lane

    @_guarded
    def _request_started(
        self, opened: OpenRequest, received: list[Any], stop: Any, given: dict[str, Any], exact: bool
    ) -> None:
        call = opened.call if opened.call is not None and opened.call.inside else None
        metadata = opened.metadata
        full = str(metadata.get("langgraph_checkpoint_ns") or metadata.get("checkpoint_ns") or "")
        namespace = full.rpartition("|")[0]
        thread_id = str(metadata.get("thread_id") or f"run {self._first_run(opened)}")
        summary = metadata.get("lc_source") == "summarization"
        if call is None:
            # A model called beside its agent's own requests must not disturb their lists.
            purpose = "summary" if summary else "other"
            lane = Lane(thread_id, f"{namespace}|{purpose}" if namespace else purpose)
        else:
            purpose = "subagent" if "tools:" in namespace else "agent"
            lane = self._lane(thread_id, namespace)
        self._lanes.setdefault((thread_id, namespace), (self._generation, lane if call else Lane(thread_id, namespace)))
        own = self._lanes[thread_id, namespace][1]
        parent, parent_call = self._tasks.get((thread_id, namespace), (None, None))
        depth = namespace.count("tools:")
        if call is None:
            depth += 1
            parent = own.last if purpose == "other" else None
            parent_call = None
            if opened.call is not None:
                opened.call.children.append(opened.token)

        system = received[0] if received and isinstance(received[0], SystemMessage) else None
        messages = received[1:] if system is not None else received
        lists = {}
        events: list[EventNote] = []
        at = opened.started_at
        raw: list[BaseMessage] = []
        cutoff = None
        if call is not None:
            raw = call.state.get("messages") or []
            lists["raw"] = lane.raw.change(raw, verify=False)
            events += notice.loaded(lane, call.state, opened.token, at)
            cutoff, summaries = notice.summarized(call, lane, opened.token, at)
            events += summaries
        lists["messages"] = lane.sent.change(messages, verify=True)
        if call is not None:
            new = messages[lists["messages"].keep :]
            events += notice.in_messages(raw, lists["raw"].keep, new, opened.token, at, lane)
        lists["system"] = lane.blocks(_system_values(system))
        tools = list(given.get("tools") or ())
        lists["tools"] = lane.tools(tools)
        origin = origin_of(call) if call is not None else {"system": ["caller"] * len(blocks_of(system))}
        sizes = _sizes(lane, origin["system"])
        lane.last = opened.token
        model = opened.extra.get("invocation_params") or {}
        profile, trigger = _limits(call)
        self._writer.put(
            RequestStarted(
                token=opened.token,
                run=self._runs.get(thread_id),
                lane=lane,
                title=_title(raw or messages),
                purpose=purpose,
                agent=metadata.get("lc_agent_name"),
                checkpoint_ns=full,
                step=metadata.get("langgraph_step"),
                checkpoint_id=_checkpoint_id(namespace),
                parent=parent,
                parent_call=parent_call,
                depth=depth,
                model=metadata.get("ls_model_name") or model.get("model") or model.get("model_name"),
                window=profile.get("max_input_tokens"),
                trigger=trigger,
                exact=exact,
                lists=lists,
                cutoff=cutoff,
                params=lane.small("params", parameters(opened, stop, given, call, profile)),
                origin=origin,
                layers=layers_of(call, lane, raw, messages, tools) if call is not None else [],
                chars=sum(entry.encoded.chars for entry in lane.sent.entries),
                tokens=sum(sizes.values()),
                sizes=sizes,
                started_at=at,
                children=tuple(call.children) if call is not None else (),
                events=events,
            )
        )
        if call is not None:
            call.children.clear()
        self._on_request(thread_id)

    @_guarded
    def _request_ended(self, opened: OpenRequest, status: str, response: Any, error: str | None) -> None:
        message = None
        for generation in (response.generations[0] if response is not None and response.generations else ())[:1]:
            message = getattr(generation, "message", None)
        self._writer.put(
            RequestEnded(
                opened.token,
                status,
                time.time(),
                error,
                encode_message(message) if message is not None else None,
                getattr(message, "usage_metadata", None),
                tuple(str(call.get("name")) for call in getattr(message, "tool_calls", None) or ()),
                self._runs.get(str(opened.metadata.get("thread_id"))),
            )
        )
        self._on_request(str(opened.metadata.get("thread_id")))

    @_guarded
    def tool_called(self, request: Any) -> None:
        """A tool is about to run: a subagent started by it belongs to the request that called it."""
        at = get_config()["configurable"]
        thread_id, namespace = str(at.get("thread_id")), str(at.get("checkpoint_ns") or "")
        lane = self._lane(thread_id, namespace.rpartition("|")[0])
        self._tasks[thread_id, namespace] = (lane.last, request.tool_call.get("id"))

    @_guarded
    def tool_changed(self, request: Any, given: Any, left: Any) -> None:
        """A middleware passed on another result than it was given: was it offloaded?"""
        call_id = request.tool_call.get("id")
        whole, stub = _result(given, call_id), _result(left, call_id)
        if whole is not None and stub is not None and offload_path(stub.text):
            offloaded = self._tool_lane().seen.setdefault("offloaded", {})
            offloaded[call_id] = text_chars(whole.content)

    @_guarded
    def tool_answered(self, request: Any, result: Any) -> None:
        """A tool's result left the middlewares: did it touch memory or a skill?"""
        call_id, name = request.tool_call.get("id"), request.tool_call.get("name")
        path = (request.tool_call.get("args") or {}).get("file_path")
        left = _result(result, call_id)
        if left is None or left.status == "error" or not isinstance(path, str):
            return
        lane = self._tool_lane()
        if name in _EDITS and path in (lane.seen.get("memory") or {}):
            self._event(lane, "memory edited", {"path": path, "tool": name, "tool_call_id": call_id})
        for skill in lane.seen.get("skills") or ():
            if name == "read_file" and skill["path"] == path:
                self._event(lane, "skill read", {"name": skill["name"], "path": path, "tool_call_id": call_id})

    def _tool_lane(self) -> Lane:
        """The lane of the agent whose tool is running."""
        at = get_config()["configurable"]
        return self._lane(str(at.get("thread_id")), str(at.get("checkpoint_ns") or "").rpartition("|")[0])

    def _event(self, lane: Lane, kind: str, data: dict[str, Any]) -> None:
        self._writer.put(EventSeen(lane, EventNote(kind, time.time(), lane.last, data)))

    @staticmethod
    def _first_run(opened: OpenRequest) -> str:
        return str(opened.extra.get("parent_run_id") or opened.token)


def _system_values(system: SystemMessage | None) -> list[Any]:
    """The system area as a list: the message without its content, then a block each."""
    if system is None:
        return []
    shell = {"type": system.type, "data": system.model_dump(exclude={"content"})}
    shell["form"] = "list" if isinstance(system.content, list) else "str"
    return [shell, *blocks_of(system)]


def _sizes(lane: Lane, contributors: list[str]) -> dict[str, int]:
    """Estimated tokens by kind."""
    sizes: dict[str, int] = {}

    def add(kind: str, tokens: int) -> None:
        if tokens:
            sizes[kind] = sizes.get(kind, 0) + tokens

    for index, block in enumerate(lane.encoded("system")[1:]):
        add(block_kind(contributors[index] if index < len(contributors) else ""), block.tokens)
    add("tools", sum(schema.tokens for schema in lane.encoded("tools")))
    for entry in lane.sent.entries:
        add(entry.encoded.kind, entry.encoded.tokens)
    return sizes


def _title(messages: list[BaseMessage]) -> str:
    """The first thing a human says, on one line."""
    for message in messages:
        if message.type == "human" and not notice.is_summary(message):
            return " ".join(message.text[:400].split())[:100]
    return ""


def _checkpoint_id(namespace: str) -> str | None:
    """Id of the checkpoint that the running node started from."""
    try:
        known = get_config()["configurable"].get("checkpoint_map") or {}
    except RuntimeError:  # not inside a graph
        return None
    found = known.get(namespace)
    return str(found) if found else None


def _limits(call: Call | None) -> tuple[dict[str, Any], int | None]:
    """The model's profile, and the tokens at which its agent starts to summarize."""
    if call is None or not call.layers or call.layers[-1] is None:
        return {}, None
    profile = dict(getattr(call.layers[-1].model, "profile", None) or {})
    window = profile.get("max_input_tokens")
    helper = getattr(call.assembly.summarizer, "_lc_helper", None)
    sizes = []
    for clause in getattr(helper, "_trigger_clauses", None) or ():
        if "tokens" in clause:
            sizes.append(int(clause["tokens"]))
        elif "fraction" in clause and isinstance(window, int):
            sizes.append(int(clause["fraction"] * window))
    return profile, min(sizes) if sizes else None


def _result(value: Any, call_id: str | None) -> ToolMessage | None:
    """The tool message in what a tool call gave."""
    if isinstance(value, ToolMessage):
        return value
    if isinstance(value, Command) and isinstance(value.update, dict):
        for message in value.update.get("messages") or ():
            if isinstance(message, ToolMessage) and message.tool_call_id == call_id:
                return message
    return None
