"""By which mechanism each thing in a request is remembered: "remembered" alone can mean six.

What a tool of the user's own reads from the store can't be told from its result: only the file tools name paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from engine.errors import UsageError
from engine.explain.model.remembered import Remembered
from engine.explain.source import Source
from engine.file_places import file_places, identity_of
from engine.lifetimes import STORE, RoutedPlace
from engine.trace.model import RequestDetail

T = TypeVar("T")

_FILE_TOOLS = {"read_file": "file_path", "ls": "path", "grep": "path", "glob": "path"}
"""Tools that read, and the argument that names the path."""
_MEMORY, _TASK = "MemoryMiddleware", "task"


def remembered_in(source: Source, request_id: int) -> tuple[Remembered, ...]:
    """Everything in a request that is remembered, in the order in which it stands there."""
    detail = source.request(request_id)
    messages = sorted(_of_messages(source, detail), key=lambda one: one.index)
    return (*_of_system(source, detail), *messages, *_of_context(source, detail))


def _of_system(source: Source, detail: RequestDetail) -> Iterator[Remembered]:
    blocks = [block for block in detail.system if block.contributor == _MEMORY]
    if blocks:
        loaded = [event for event in source.events(detail.row.thread_id) if event.kind == "memory loaded"]
        paths = dict.fromkeys(str(one["path"]) for event in loaded for one in event.data["sources"])
        for block in blocks:
            yield Remembered("memory file", ", ".join(paths) or "which ones is not known", "system", block.index)


def _of_messages(source: Source, detail: RequestDetail) -> Iterator[Remembered]:
    told = _calls(source, detail)
    last = max((row.index for row in detail.messages if row.kind == "human" and row.origin == "raw"), default=0)
    before = [row for row in detail.messages[:last] if row.origin == "raw"]
    if before and detail.row.purpose == "agent":
        few = "message" if len(before) == 1 else "messages"
        yield Remembered("checkpoint", f"{len(before):,} {few} of earlier turns", "messages", before[0].index)
    places = _known(file_places, source, detail.row.thread_id) or ()
    for row in detail.messages:
        if row.origin == "summary":
            yield Remembered("summary", "older messages, in its words", "messages", row.index)
        elif row.index in told:
            name, args = told[row.index]
            if name == _TASK:
                yield Remembered("subagent", str(args.get("subagent_type") or "subagent"), "messages", row.index)
            elif (stored := _stored(places, str(args.get(_FILE_TOOLS[name]) or ""))) is not None:
                yield Remembered("store", f"{name} {stored}", "messages", row.index)


def _of_context(source: Source, detail: RequestDetail) -> Iterator[Remembered]:
    who = _known(identity_of, source, detail.row.thread_id)
    if who is not None:
        yield Remembered("runtime context", f"tenant {who.tenant}, user {who.user}: in no area of the request")


def _calls(source: Source, detail: RequestDetail) -> Mapping[int, tuple[str, Mapping[str, Any]]]:
    """Name and arguments of the call that each result of a file tool or of ``task`` answers, by the result's place."""
    calls: dict[str, tuple[str, Mapping[str, Any]]] = {}
    found = {}
    for row in detail.messages:
        if row.kind not in ("ai", "tool"):
            continue
        data = source.message(row.part).get("data") or {}
        for call in data.get("tool_calls") or ():
            if call.get("name") == _TASK or call.get("name") in _FILE_TOOLS:
                calls[str(call.get("id"))] = (call["name"], _arguments(call.get("args")))
        if (answered := calls.get(str(data.get("tool_call_id")))) is not None:
            found[row.index] = answered
    return found


def _arguments(args: Any) -> Mapping[str, Any]:
    if isinstance(args, str):
        try:
            args = json.loads(args)
        except ValueError:
            return {}
    return args if isinstance(args, Mapping) else {}


def _known(ask: Callable[[Path, str], T], source: Source, thread_id: str) -> T | None:
    """What the record's settings say; None for a source without a file, and for settings that don't hold together."""
    path = getattr(source, "path", None)
    try:
        return ask(path, thread_id) if path is not None else None
    except UsageError:
        return None


def _stored(places: Sequence[RoutedPlace], path: str) -> str | None:
    """The path and its namespace; None for one that does not lie in the store."""
    fitting = [one for one in places if f"{path}/".startswith(one.prefix)]
    of = max(fitting, key=lambda one: len(one.prefix), default=None)
    return f"{path} in {of.within}" if of is not None and of.place == STORE else None
