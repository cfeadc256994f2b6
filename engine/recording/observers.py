"""Observing an agent's middlewares: who added what, and the raw state.

deepagents assembles the list of middlewares inside ``create_deep_agent`` and calls
LangChain's ``create_agent``; there each middleware that wraps calls is exchanged for a
twin: an object of a subclass that shares its ``__dict__`` and notes the request before and
after it. A middleware of our own between each pair would see the same, but LangChain takes
two threads and a task to call one, which tripled the cost of recording. Outside of
:func:`observing` nothing is different.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from langchain.agents.middleware.types import AgentMiddleware
from langchain_core.language_models import BaseChatModel

from engine.kinds import CALLER
from engine.recording.model import observe
from engine.recording.rules import rules_of


@dataclass(slots=True)
class Layer:
    """A model request as it stood between two middlewares."""

    system: Any
    messages: Any
    tools: Any
    settings: Any
    model: Any


@dataclass(slots=True)
class Call:
    """One pass of a model node through its middlewares."""

    assembly: Assembly
    state: Any
    layers: list[Layer | None] = field(default_factory=list)
    """As the caller gave it, then after each middleware; None after one that wraps no calls."""
    inside: bool = False
    """Whether the innermost middleware has handed over to the model."""
    children: list[str] = field(default_factory=list)
    """Tokens of requests that a middleware made meanwhile."""


@dataclass(slots=True)
class Assembly:
    """What is known of one agent when it is put together."""

    names: list[str]
    """Middlewares, outermost first."""
    tools: dict[str, str]
    """Contributor of each tool by name."""
    summarizer: Any = None
    rules: dict[str, Any] = field(default_factory=dict)
    """See :mod:`engine.recording.rules`."""


class Listener(Protocol):
    """What is told of tools. Its methods never raise."""

    def tool_called(self, request: Any) -> None: ...

    def tool_changed(self, request: Any, given: Any, left: Any) -> None: ...

    def tool_answered(self, request: Any, result: Any) -> None: ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where a twin stands in its agent."""

    name: str
    index: int
    assembly: Assembly
    listener: Listener
    outermost: bool
    innermost: bool
    first_at_tools: bool


current: ContextVar[Call | None] = ContextVar("context_inspector_call", default=None)
_listener: ContextVar[Listener | None] = ContextVar("context_inspector_listener", default=None)

_PLACE = "_context_inspector_place"
_MODEL = ("wrap_model_call", "awrap_model_call")
_TOOL = ("wrap_tool_call", "awrap_tool_call")


@contextmanager
def observing(listener: Listener) -> Iterator[None]:
    """Agents that are put together in here, or in a run started in here, are observed."""
    _install()
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@functools.cache
def _install() -> None:
    import deepagents.graph
    import deepagents.middleware.subagents

    for module in (deepagents.graph, deepagents.middleware.subagents):
        module.create_agent = _observed(module.create_agent)  # type: ignore[attr-defined]


def _observed(create_agent: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(create_agent)
    def create(model: Any, *args: Any, **kwargs: Any) -> Any:
        listener = _listener.get()
        if listener is not None:
            middleware = list(kwargs.get("middleware") or ())
            kwargs["middleware"] = _twins(model, middleware, kwargs.get("tools") or (), listener)
        return create_agent(model, *args, **kwargs)

    return create


def _twins(model: Any, middleware: list[Any], tools: Any, listener: Listener) -> list[Any]:
    origin = {tool_name(tool): CALLER for tool in tools}
    for item in middleware:
        origin |= {tool_name(tool): item.name for tool in getattr(item, "tools", ())}
    summarizer = next((item for item in middleware if item.name == "SummarizationMiddleware"), None)
    assembly = Assembly([item.name for item in middleware], origin, summarizer, rules_of(middleware))
    for candidate in (model, *(getattr(item, "model", None) for item in middleware)):
        if isinstance(candidate, BaseChatModel):
            observe(candidate)
    at_model = [index for index, item in enumerate(middleware) if _own(type(item), _MODEL)]
    at_tools = [index for index, item in enumerate(middleware) if _own(type(item), _TOOL)]
    result = list(middleware)
    for index in sorted({*at_model, *at_tools}):
        item = middleware[index]
        place = Place(
            item.name,
            index,
            assembly,
            listener,
            outermost=at_model[:1] == [index],
            innermost=at_model[-1:] == [index],
            first_at_tools=at_tools[:1] == [index],
        )
        result[index] = _twin(item, place)
    return result


def tool_name(tool: Any) -> str:
    """Name of a tool, a callable, or a schema in any provider's form."""
    if isinstance(tool, dict):
        return str(tool.get("name") or (tool.get("function") or {}).get("name") or tool.get("type") or "")
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


def _own(cls: type, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these methods that a middleware's class defines itself."""
    return tuple(name for name in names if getattr(cls, name) is not getattr(AgentMiddleware, name))


def _twin(item: Any, place: Place) -> Any:
    """A middleware that is ``item`` in all but what it notes; ``item`` itself where that can't be."""
    try:
        cls: Any = type(item)
        twin = object.__new__(_twin_class(cls))
        twin.__dict__ = item.__dict__
    except (TypeError, AttributeError):  # a class of unusual layout
        return item
    setattr(twin, _PLACE, place)
    return twin


@functools.cache
def _twin_class(cls: Any) -> Any:
    namespace: dict[str, Any] = {
        "__slots__": (_PLACE,),
        "__module__": cls.__module__,
        "__qualname__": cls.__qualname__,
        "__doc__": cls.__doc__,
        # A middleware's name may depend on its exact class.
        "name": property(lambda self: getattr(self, _PLACE).name),
    }
    makers = dict(zip((*_MODEL, *_TOOL), (_model_call, _async_model_call, _tool_call, _async_tool_call), strict=True))
    for name in _own(cls, (*_MODEL, *_TOOL)):
        namespace[name] = makers[name](getattr(cls, name))
    return type(cls)(cls.__name__, (cls,), namespace)


def _model_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, request: Any, handler: Callable[[Any], Any]) -> Any:
        place: Place = getattr(self, _PLACE)

        def inner(passed: Any) -> Any:
            noted = _noted(place, passed)
            try:
                return handler(passed)
            finally:
                _back(place, noted)

        token = _opened(place, request)
        try:
            return method(self, request, inner)
        finally:
            if token is not None:
                current.reset(token)

    return call


def _async_model_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: Any, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        place: Place = getattr(self, _PLACE)

        async def inner(passed: Any) -> Any:
            noted = _noted(place, passed)
            try:
                return await handler(passed)
            finally:
                _back(place, noted)

        token = _opened(place, request)
        try:
            return await method(self, request, inner)
        finally:
            if token is not None:
                current.reset(token)

    return call


def _opened(place: Place, request: Any) -> Any:
    """The outermost middleware opens the call; returns what resets it."""
    if not place.outermost:
        return None
    call = Call(place.assembly, request.state)
    call.layers.append(_layer(request))
    return current.set(call)


def _noted(place: Place, passed: Any) -> Call | None:
    """Keep references to what a middleware passed on."""
    call = current.get()
    if call is None:
        return None
    del call.layers[place.index + 1 :]  # a retry passes here again
    call.layers += [None] * (place.index + 1 - len(call.layers))
    call.layers.append(_layer(passed))
    if place.innermost:
        observe(passed.model)
        call.inside = True
    return call


def _back(place: Place, call: Call | None) -> None:
    if call is not None and place.innermost:
        call.inside = False


def _layer(request: Any) -> Layer:
    return Layer(request.system_message, request.messages, request.tools, request.model_settings, request.model)


def _tool_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, request: Any, handler: Callable[[Any], Any]) -> Any:
        place: Place = getattr(self, _PLACE)
        given: list[Any] = []

        def inner(passed: Any) -> Any:
            given[:] = [handler(passed)]
            return given[0]

        if not place.first_at_tools:
            result = method(self, request, inner)
        else:
            place.listener.tool_called(request)
            # Inside a tool there is no model node's call: a subagent opens its own.
            token = current.set(None)
            try:
                result = method(self, request, inner)
            finally:
                current.reset(token)
        _told(place, request, given, result)
        return result

    return call


def _async_tool_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: Any, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        place: Place = getattr(self, _PLACE)
        given: list[Any] = []

        async def inner(passed: Any) -> Any:
            given[:] = [await handler(passed)]
            return given[0]

        if not place.first_at_tools:
            result = await method(self, request, inner)
        else:
            place.listener.tool_called(request)
            token = current.set(None)
            try:
                result = await method(self, request, inner)
            finally:
                current.reset(token)
        _told(place, request, given, result)
        return result

    return call


def _told(place: Place, request: Any, given: list[Any], result: Any) -> None:
    if given and given[0] is not result:
        place.listener.tool_changed(request, given[0], result)
    if place.first_at_tools:
        place.listener.tool_answered(request, result)
