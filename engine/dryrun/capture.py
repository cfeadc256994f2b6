"""A chat model that takes what it is given and answers nothing: the run ends there.

The object that an agent has is exchanged for a copy of a subclass, so that everything that asks for the
model's class, profile or name gets the same answers. A callback stands guard for any other model of the
agent, a summarizer's own for instance: none is ever reached.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult

from engine.recording.observers import current
from engine.recording.origin import origin_of

_DOORS = ("generate", "agenerate")
_METHODS = (
    "_generate",
    "_agenerate",
    "_stream",
    "_astream",
    "_stream_chat_model_events",
    "_astream_chat_model_events",
)


@dataclass(frozen=True)
class Captured:
    """What the model's own method was given."""

    messages: list[BaseMessage]
    stop: Any
    kwargs: Mapping[str, Any]
    summarizing: bool
    origin: Mapping[str, Any]
    """Contributors as :func:`engine.recording.origin.origin_of` tells them; empty for a summarizing call."""


class Stop(Exception):
    """Ends a run at its model. LangChain's async methods pass on nothing that is not an ``Exception``."""


@dataclass
class Capture:
    """Takes the first request that has no answer prepared."""

    summaries: Sequence[BaseMessage] = ()
    """Answers to summarizing calls, in order, as they were given when the request was recorded."""
    found: Captured | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    """Of the call that has begun, as callbacks are told."""
    _given: int = 0
    guard: BaseCallbackHandler = field(init=False)

    def __post_init__(self) -> None:
        self.guard = _Guard(self)

    def model(self, model: BaseChatModel) -> BaseChatModel:
        """A model like this one, that is never called."""
        made = model.model_copy()
        object.__setattr__(made, "__class__", _captured(type(model)))
        return made

    def take(self, messages: Sequence[BaseMessage], stop: Any, kwargs: Mapping[str, Any]) -> BaseMessage:
        """Keep a request and end the run; a summarizing call gets its prepared answer."""
        summarizing = self.metadata.get("lc_source") == "summarization"
        if summarizing and self._given < len(self.summaries):
            self._given += 1
            return self.summaries[self._given - 1]
        if self.found is not None:
            raise Stop  # a middleware tries again
        call = current.get()
        origin = origin_of(call) if call is not None and call.inside and not summarizing else {}
        self.found = Captured(list(messages), stop, dict(kwargs), summarizing, origin)
        raise Stop


active: ContextVar[Capture] = ContextVar("context_inspector_capture")
"""Of the dry run in this context."""

_at_the_door: ContextVar[bool] = ContextVar("context_inspector_at_the_door", default=False)


class _Guard(BaseCallbackHandler):
    """Ends the run before a model that is none of ours is reached."""

    raise_error = run_inline = True

    def __init__(self, capture: Capture) -> None:
        self._capture = capture

    def on_chat_model_start(self, serialized: Any, messages: list[list[Any]], **kwargs: Any) -> None:
        self._capture.metadata = kwargs.get("metadata") or {}
        if not _at_the_door.get():
            given = kwargs.get("invocation_params") or {}
            self._capture.take(messages[0], given.get("stop"), {})
            raise Stop  # an answer was prepared, but that model can't be made to give it


@functools.cache
def _captured(cls: Any) -> Any:
    namespace: dict[str, Any] = {name: _door(getattr(cls, name)) for name in _DOORS}
    for name in _METHODS:
        own = getattr(cls, name, None)
        if own is not None and own is not getattr(BaseChatModel, name, None):
            namespace[name] = _taking(name)
    namespace |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    return type(cls)(cls.__name__, (cls,), namespace)


def _door(method: Any) -> Any:
    if method.__name__ == "agenerate":

        @functools.wraps(method)
        async def agenerate(*args: Any, **kwargs: Any) -> Any:
            token = _at_the_door.set(True)
            try:
                return await method(*args, **kwargs)
            finally:
                _at_the_door.reset(token)

        return agenerate

    @functools.wraps(method)
    def generate(*args: Any, **kwargs: Any) -> Any:
        token = _at_the_door.set(True)
        try:
            return method(*args, **kwargs)
        finally:
            _at_the_door.reset(token)

    return generate


def _taking(name: str) -> Any:
    def take(messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any) -> BaseMessage:
        return active.get().take(messages, stop, kwargs)

    if "stream" not in name:

        def generate(self: Any, *args: Any, **kwargs: Any) -> ChatResult:
            return ChatResult(generations=[ChatGeneration(message=take(*args, **kwargs))])

        async def agenerate(self: Any, *args: Any, **kwargs: Any) -> ChatResult:
            return ChatResult(generations=[ChatGeneration(message=take(*args, **kwargs))])

        return agenerate if name.startswith("_a") else generate

    def stream(self: Any, *args: Any, **kwargs: Any) -> Any:
        yield ChatGenerationChunk(message=_chunk(take(*args, **kwargs)))

    async def astream(self: Any, *args: Any, **kwargs: Any) -> Any:
        yield ChatGenerationChunk(message=_chunk(take(*args, **kwargs)))

    return astream if name.startswith("_a") else stream


def _chunk(message: BaseMessage) -> Any:
    return AIMessageChunk(content=message.content, id=message.id)
