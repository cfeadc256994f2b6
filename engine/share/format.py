"""The JSON document of a thread: its fields, and what each must be.

A file is somebody else's text: ``engine.share.parsing`` holds it to this, and to what its pieces say of one another.
Fields that are not named here are let be.
Numbers of parts, nodes, origins, runs and requests count from 1 in the order of their lists; a node is
``[the node before it, its part]``, 0 for none.
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

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


class Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="ignore", frozen=True)


class Part(Strict):
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


class Run(Strict):
    token: Word
    started_at: Moment
    ended_at: Moment | None = None
    status: Literal["running", "done", "failed", "stopped", "interrupted"]
    error: Text | None = None


class Lists(Strict):
    """The nodes that a request's lists end in; ``raw`` is null where raw state was not recorded."""

    system: Count | None
    tools: Count | None
    messages: Count
    raw: Count | None


class Counts(Strict):
    messages: Count
    raw_messages: Count | None
    chars: Count
    tokens: Count


class Usage(Strict):
    input_tokens: Count | None = None
    output_tokens: Count | None = None
    cache_read: Count | None = None
    cache_creation: Count | None = None


class Request(Strict):
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


class Event(Strict):
    request: Number | None
    kind: Annotated[str, Field(min_length=1, max_length=100)]
    at: Moment
    lane: Word
    data: Json


class Attempt(Strict):
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


class Note(Strict):
    kind: Literal["note", "mark", "baseline"]
    request: Number | None
    text: Text
    created_at: Moment
    updated_at: Moment


class _Message(Strict):
    type: str
    data: Json


class _SummaryState(Strict):
    cutoff_index: Count
    summary_message: _Message
    file_path: str | None = None


class _SkillState(Strict):
    name: str
    path: str
    description: str


class _Values(Strict):
    memory_contents: dict[str, str] | None = None
    skills_metadata: list[_SkillState] | None = None
    todos: list[Json] | None = None
    summarization_event: Annotated[_SummaryState | None, Field(alias="_summarization_event")] = None
    summarization_session_id: Annotated[str | None, Field(alias="_summarization_session_id")] = None


class State(Strict):
    """The newest state of a namespace: files as deepagents keeps them, and the values of ``STATE``."""

    namespace: Word
    files: dict[str, Json | None]
    values: Json

    @field_validator("values")
    @classmethod
    def _known(cls, values: Json) -> Json:
        _Values.model_validate(values)
        return {name: values[name] for name in STATE if name in values}


class Stored(Strict):
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


class Thread(Strict):
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
            if not all_str((settings or {}).get(name) or []):
                raise ValueError(f"{name} is no list of paths")
        return settings


class Document(Strict):
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


def all_str(value: Any) -> bool:
    """Whether it is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)
