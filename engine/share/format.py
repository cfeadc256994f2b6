"""The JSON document of a thread: its fields, and what each must be.

A file is somebody else's text: everything that the reader, the window or SQLite will rely on is checked here, so
that what is imported can be trusted as far as the record's own. Fields that are not named here are let be.
Numbers of parts, nodes, origins, runs and requests count from 1 in the order of their lists; a node is
``[the node before it, its part]``, 0 for none.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from engine.errors import InspectorError
from engine.places import in_store

FORMAT = "context-inspector thread"
VERSION = 1

STATE = ("memory_contents", "skills_metadata", "todos", "_summarization_event", "_summarization_session_id")
"""Values of a thread's state that go with it, besides its messages and files."""


class FormatError(InspectorError):
    """The file is no document of a thread, or a damaged one."""

    exit_code = 3


Count = Annotated[int, Field(ge=0, le=2**53)]
Number = Annotated[int, Field(ge=1, le=2**53)]
Moment = Annotated[float, Field(ge=0, le=253_402_300_799, allow_inf_nan=False, strict=False)]
"""Seconds since the epoch, up to the year 9999."""
Word = Annotated[str, Field(max_length=10_000)]
Text = Annotated[str, Field(max_length=10**9)]
"""A bound makes pydantic look for halves of surrogate pairs, which no column can hold."""
Json = dict[str, Any]


class _Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Part(_Model):
    """One piece of a request: its JSON value, or the JSON text where only that tells it exactly."""

    kind: Annotated[str, Field(min_length=1, max_length=100)]
    chars: Count
    tokens: Count
    value: Any = None
    text: str | None = None

    @property
    def told(self) -> Any:
        """The value, however it is given."""
        return self.value if self.text is None else json.loads(self.text)


class Run(_Model):
    token: Word
    started_at: Moment
    ended_at: Moment | None = None
    status: Literal["running", "done", "failed", "stopped", "interrupted"]
    error: Text | None = None


class Lists(_Model):
    """The nodes that a request's lists end in; ``raw`` is null where raw state was not recorded."""

    system: Count | None
    tools: Count | None
    messages: Count
    raw: Count | None


class Counts(_Model):
    messages: Count
    raw_messages: Count | None
    chars: Count
    tokens: Count


class Usage(_Model):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read: Count | None = None
    cache_creation: Count | None = None


class Request(_Model):
    token: Word
    number: Number
    purpose: Literal["agent", "subagent", "summary", "other"]
    agent: Word | None
    lane: Word
    """Requests of one agent in one thread have the same."""
    checkpoint_ns: Word
    step: Annotated[int, Field(ge=-(2**53), le=2**53)] | None
    checkpoint_id: Word | None
    parent: Number | None
    parent_call: Word | None
    depth: Annotated[int, Field(ge=0, le=10_000)]
    model: Word | None
    window: Count | None
    trigger_at: Count | None
    exact: bool
    cutoff: Count | None
    started_at: Moment
    ended_at: Moment | None
    status: Literal["running", "done", "failed", "stopped"]
    error: Text | None
    run: Number | None
    lists: Lists
    params: Number | None
    origin: Number | None
    response: Number | None
    counts: Counts
    usage: Usage
    sizes: dict[str, Count]
    calls: list[Word]


class Event(_Model):
    request: Number | None
    kind: Annotated[str, Field(min_length=1, max_length=100)]
    at: Moment
    lane: Word
    data: Json


class Attempt(_Model):
    """One time that a request's body was sent."""

    request: Number
    number: Number
    started_at: Moment
    ended_at: Moment | None
    method: Word
    host: Word
    path: Word
    streamed: bool
    status: Annotated[int, Field(ge=0, le=999)] | None
    error: Text | None
    bytes: Count | None
    shell: Number | None
    nodes: list[Count]
    facts: Json
    answer: Json | None


class Note(_Model):
    kind: Literal["note", "mark", "baseline"]
    request: Number | None
    text: Text
    created_at: Moment
    updated_at: Moment


class _Message(_Model):
    type: str
    data: Json


class _SummaryState(_Model):
    cutoff_index: Count
    summary_message: _Message
    file_path: str | None = None


class _SkillState(_Model):
    name: str
    path: str
    description: str


class _Values(_Model):
    memory_contents: dict[str, str] | None = None
    skills_metadata: list[_SkillState] | None = None
    todos: list[Json] | None = None
    summarization_event: Annotated[_SummaryState | None, Field(alias="_summarization_event")] = None
    summarization_session_id: Annotated[str | None, Field(alias="_summarization_session_id")] = None


class State(_Model):
    """The newest state of a namespace: files as deepagents keeps them, and the values of ``STATE``."""

    namespace: Word
    files: dict[str, Json | None]
    values: Json

    @field_validator("values")
    @classmethod
    def _known(cls, values: Json) -> Json:
        _Values.model_validate(values)
        return {name: values[name] for name in STATE if name in values}


class Stored(_Model):
    """A file of the store, by the path that an agent sees."""

    path: Annotated[str, Field(max_length=10_000)]
    value: Json

    @field_validator("path")
    @classmethod
    def _routed(cls, path: str) -> str:
        found = in_store(path)
        if found is None or found[1] == "/":
            raise ValueError("no path of the store")
        return path


class Thread(_Model):
    thread_id: Word
    title: Text
    agent: Word | None
    created_at: Moment
    updated_at: Moment
    settings: Json | None

    @field_validator("settings")
    @classmethod
    def _sources(cls, settings: Json | None) -> Json | None:
        for name in ("memory", "skills"):
            if not _all_str((settings or {}).get(name) or []):
                raise ValueError(f"{name} is no list of paths")
        return settings


class Document(_Model):
    format: Literal["context-inspector thread"]
    version: Literal[1]
    masked: dict[str, Count] | None
    """Secrets masked by rule; null where nothing was to be masked."""
    thread: Thread
    parts: list[Part]
    nodes: list[Annotated[list[Count], Field(min_length=2, max_length=2)]]
    origins: list[Json]
    runs: list[Run]
    requests: list[Request]
    events: list[Event]
    wire: list[Attempt] = []
    notes: list[Note] = []
    states: list[State] = []
    store: list[Stored] = []


class _Offload(_Model):
    path: str


class _Summary(_Model):
    cutoff: Count
    evicted_from: Count
    part: Number
    tokens_before: Count = 0
    tokens_after: Count = 0
    path: str | None = None
    calls: list[str] = []


class _Named(_Model):
    path: str
    name: str | None = None


class _Sources(_Model):
    sources: list[_Named]


class _Skills(_Model):
    skills: list[_Named]


_EVENTS: dict[str, type[_Model]] = {
    "offload": _Offload, "summary": _Summary, "memory loaded": _Sources, "memory edited": _Named,
    "skill listed": _Skills, "skill read": _Named,
}  # fmt: skip
"""What the reader takes from the data of each kind of event."""


def parse(text: str, name: str) -> Document:
    """The document in a text; ``name`` is what the sentences call it.

    Raises:
        FormatError: it is none, of another version, or damaged; the sentence says where.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise FormatError(f"{name} is nested too deeply to be a thread of the Context Inspector.") from None
    except json.JSONDecodeError as error:
        where = f"is no JSON at line {error.lineno}, column {error.colno}"
        if _cut_off(text, error):
            where = "ends too early; it was cut off"
        raise FormatError(f"{name} {where}. Nothing was imported.") from None
    except ValueError as error:
        raise FormatError(f"{name} holds a number that can't be: {error}. Nothing was imported.") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise FormatError(f"{name} is JSON, but no thread exported by the Context Inspector. Nothing was imported.")
    version = value.get("version")
    if version != VERSION or isinstance(version, bool):
        newer = isinstance(version, int) and version > VERSION
        hint = "Update the program to import it." if newer else "Nothing was imported."
        raise FormatError(f"{name} is of format {version!r:.40}, and this version knows {VERSION}. {hint}")
    try:
        found = Document.model_validate(value)
    except ValidationError as error:
        raise FormatError(f"{name} is damaged: {_first(error)}. Nothing was imported.") from None
    problem = next(iter(_problems(found)), None)
    if problem is not None:
        raise FormatError(f"{name} is damaged: {problem}. Nothing was imported.")
    return found


def _cut_off(text: str, error: json.JSONDecodeError) -> bool:
    """Whether the text is the beginning of an object, and no more."""
    text = text.strip()
    return not text or (text[0] == "{" and (text[-1] != "}" or error.pos >= len(text)))


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no number in JSON")


def _first(error: ValidationError) -> str:
    first = error.errors()[0]
    place = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"]).lstrip(".")
    return f"{place}: {first['msg'].lower()}"


def _problems(found: Document) -> Iterable[str]:
    """What is wrong with how the pieces refer to one another."""
    parts, nodes, requests = len(found.parts), len(found.nodes), len(found.requests)
    for at, part in enumerate(found.parts, 1):
        yield from (f"part {at} {problem}" for problem in _part(part))
    for at, (before, named) in enumerate(found.nodes, 1):
        if before >= at:
            yield f"node {at} follows node {before}, which is not before it"
        if not 0 < named <= parts:
            yield f"node {at} names part {named} of {parts}"
    yield from _origin_problems(found)
    numbers = [request.number for request in found.requests]
    if any(one >= other for one, other in pairwise(numbers)):
        yield "the requests' numbers don't rise"
    tokens = [request.token for request in found.requests] + [run.token for run in found.runs]
    if len(set(tokens)) != len(tokens):
        yield "two requests or runs have the same token"
    for at, request in enumerate(found.requests, 1):
        if any((node or 0) > nodes for node in request.lists.model_dump().values()):
            yield f"request {at} names a node that isn't there"
        if any((part or 0) > parts for part in (request.params, request.response)):
            yield f"request {at} names a part that isn't there"
        if (request.origin or 0) > len(found.origins) or (request.run or 0) > len(found.runs):
            yield f"request {at} names an origin or run that isn't there"
        if (request.parent or 0) > requests:
            yield f"request {at} names request {request.parent} of {requests}"
    yield from _cycle(found.requests)
    yield from _list_problems(found)
    for at, event in enumerate(found.events, 1):
        if (event.request or 0) > requests:
            yield f"event {at} names request {event.request} of {requests}"
        try:
            _EVENTS.get(event.kind, _Model).model_validate(event.data)
        except ValidationError as error:
            yield f"event {at} ({event.kind}): {_first(error)}"
        if not isinstance(event.data.get("part", 0), int) or event.data.get("part", 0) > parts:
            yield f"event {at} names a part that isn't there"
    for at, attempt in enumerate(found.wire, 1):
        if attempt.request > requests or (attempt.shell or 0) > parts or any(node > nodes for node in attempt.nodes):
            yield f"wire attempt {at} names something that isn't there"
    if len({(attempt.request, attempt.number) for attempt in found.wire}) != len(found.wire):
        yield "two wire attempts of a request have the same number"
    if any((note.request or 0) > requests for note in found.notes):
        yield "a note names a request that isn't there"
    spaces = [state.namespace for state in found.states]
    if len(set(spaces)) != len(spaces):
        yield "two states have the same namespace"


def _cycle(requests: Sequence[Request]) -> Iterable[str]:
    """Whether a request is its own ancestor."""
    safe: set[int] = {0}
    for start in range(1, len(requests) + 1):
        path: list[int] = []
        at = start
        while at not in safe:
            if at in path:
                yield f"request {at} is its own parent, over {len(path) - path.index(at)} steps"
                return
            path.append(at)
            at = requests[at - 1].parent or 0 if at <= len(requests) else 0
        safe.update(path)


def _part(part: Part) -> Iterable[str]:
    if part.text is None:
        return
    try:
        json.loads(part.text)
    except (ValueError, RecursionError):
        yield "is given as a text that is no JSON"


def _origin_problems(found: Document) -> Iterable[str]:
    for at, origin in enumerate(found.origins, 1):
        layers = origin.get("layers") or []
        told = (origin.get("system") or [], origin.get("messages") or [], origin.get("order") or [])
        if not all(map(_all_str, told)) or not isinstance(origin.get("tools") or {}, dict):
            yield f"origin {at} names no contributors"
        if not isinstance(layers, list) or not all(isinstance(layer, dict) and "by" in layer for layer in layers):
            yield f"origin {at} has layers that are none"
            continue
        for layer in layers:
            for name in ("system", "tools", "messages"):
                if name in layer and not _is_list(layer[name], name, found):
                    yield f"origin {at} has a layer that names something that isn't there"


def _is_list(told: Any, name: str, found: Document) -> bool:
    """Whether a layer's list is a node, or (of messages) a base and pairs of place and part."""
    if isinstance(told, int):
        return 0 <= told <= len(found.nodes)
    if name != "messages" or not isinstance(told, list) or not told or told[0] not in ("raw", "messages"):
        return False
    return all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(one, int) for one in pair)
        and pair[0] >= 0 and 1 <= pair[1] <= len(found.parts)
        for pair in told[1:]
    )  # fmt: skip


def _list_problems(found: Document) -> Iterable[str]:
    """Whether each list holds what it is a list of. A node is looked at once for each kind of list."""
    seen: dict[str, set[int]] = {"system": set(), "tools": set(), "messages": set()}
    checks = {"system": _is_block, "tools": _is_tool, "messages": _is_message}
    for at, request in enumerate(found.requests, 1):
        ends = {"system": request.lists.system, "tools": request.lists.tools}
        for name, end in [*ends.items(), ("messages", request.lists.messages), ("messages", request.lists.raw)]:
            node = end or 0
            while node and node not in seen[name]:
                seen[name].add(node)
                before, part = found.nodes[node - 1]
                if not (_is_shell if name == "system" and not before else checks[name])(found.parts[part - 1].told):
                    yield f"request {at} holds a part among its {name} that is none"
                node = before
        if request.response and not _is_message(found.parts[request.response - 1].told):
            yield f"request {at} has a response that is no message"
        if request.params and not isinstance(found.parts[request.params - 1].told, dict):
            yield f"request {at} has parameters that are none"


def _is_shell(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("data"), dict) and {"form", "type"} <= value.keys()


def _is_block(value: Any) -> bool:
    return isinstance(value, (str, dict))


def _is_tool(value: Any) -> bool:
    return isinstance(value, dict)


def _is_message(value: Any) -> bool:
    """Whether it has the form of LangChain's own dict, in whatever the reader looks at."""
    data = value.get("data") if isinstance(value, dict) else None
    if not isinstance(data, dict) or not isinstance(value.get("type"), str):
        return False
    calls = [call for name in ("tool_calls", "invalid_tool_calls") for call in data.get(name) or ()]
    words = [data.get(name) for name in ("id", "name", "tool_call_id", "status")]
    return (
        all(isinstance(call, dict) for call in calls)
        and all(word is None or isinstance(word, str) for word in words)
        and isinstance(data.get("additional_kwargs") or {}, dict)
        and isinstance(data.get("usage_metadata") or {}, dict)
    )


def _all_str(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
