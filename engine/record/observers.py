"""Observers between an agent's middlewares: who added what, and the raw state.

deepagents assembles the list of middlewares inside ``create_deep_agent`` and calls
LangChain's ``create_agent``; that call is where observers are put between each pair. They
keep references only. Outside of :func:`observing` nothing is different.
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
from engine.record.model import observe


@dataclass(slots=True)
class Layer:
    """A model request as it stood at one observer."""

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
    token_of_last: str | None = None
    layers: list[Layer | None] = field(default_factory=list)
    inside: bool = False
    """Whether the innermost observer has handed over to the model."""
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


class Listener(Protocol):
    """What observers report to. Its methods never raise."""

    def tool_called(self, request: Any) -> None: ...

    def tool_answered(self, request: Any, inner: Any, outer: Any) -> None: ...


current: ContextVar[Call | None] = ContextVar("context_inspector_call", default=None)
_listener: ContextVar[Listener | None] = ContextVar("context_inspector_listener", default=None)
_inner_result: ContextVar[list[Any] | None] = ContextVar("context_inspector_tool", default=None)


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
            kwargs["middleware"] = _interleave(model, middleware, kwargs.get("tools") or (), listener)
        return create_agent(model, *args, **kwargs)

    return create


def _interleave(model: Any, middleware: list[Any], tools: Any, listener: Listener) -> list[Any]:
    origin = {_tool_name(tool): CALLER for tool in tools}
    for item in middleware:
        origin |= {_tool_name(tool): item.name for tool in getattr(item, "tools", ())}
    summarizer = next((item for item in middleware if item.name == "SummarizationMiddleware"), None)
    assembly = Assembly([item.name for item in middleware], origin, summarizer)
    for candidate in (model, *(getattr(item, "model", None) for item in middleware)):
        if isinstance(candidate, BaseChatModel):
            observe(candidate)
    last = len(middleware)
    observers: list[AgentMiddleware] = [Observer(index, assembly) for index in range(1, last)]
    observers.insert(0, Outermost(0, assembly, listener))
    observers.append(Innermost(last, assembly))
    result: list[Any] = []
    for observer, item in zip(observers, [*middleware, None], strict=True):
        result += [observer] if item is None else [observer, item]
    return result


def _tool_name(tool: Any) -> str:
    if isinstance(tool, dict):
        return str(tool.get("name") or (tool.get("function") or {}).get("name") or tool.get("type") or "")
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))


class Observer(AgentMiddleware[Any, Any, Any]):
    """Notes the request between two middlewares and passes it on untouched."""

    def __init__(self, index: int, assembly: Assembly) -> None:
        self.index, self.assembly = index, assembly
        self.tools = []

    @property
    def name(self) -> str:
        """Unique in its agent."""
        return f"context-inspector-{self.index}"

    def note(self, request: Any) -> Call | None:
        """Keep references to the request's areas as they stand here."""
        call = current.get()
        if call is not None:
            del call.layers[self.index :]  # a retry passes here again
            call.layers += [None] * (self.index - len(call.layers))
            call.layers.append(
                Layer(
                    request.system_message,
                    request.messages,
                    request.tools,
                    request.model_settings,
                    request.model,
                )
            )
        return call

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.note(request)
        return handler(request)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        self.note(request)
        return await handler(request)


class Innermost(Observer):
    """Sees the request as it goes to the model, and a tool's result as the tool gave it."""

    def note(self, request: Any) -> Call | None:
        observe(request.model)
        call = super().note(request)
        if call is not None:
            call.inside = True
        return call

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        call = self.note(request)
        try:
            return handler(request)
        finally:
            if call is not None:
                call.inside = False

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        call = self.note(request)
        try:
            return await handler(request)
        finally:
            if call is not None:
                call.inside = False

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        return _keep(handler(request))

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        return _keep(await handler(request))


class Outermost(Observer):
    """Opens the call, and compares a tool's result as it leaves with what the tool gave."""

    def __init__(self, index: int, assembly: Assembly, listener: Listener) -> None:
        super().__init__(index, assembly)
        self.listener = listener

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        token = current.set(Call(self.assembly, request.state))
        try:
            self.note(request)
            return handler(request)
        finally:
            current.reset(token)

    async def awrap_model_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        token = current.set(Call(self.assembly, request.state))
        try:
            self.note(request)
            return await handler(request)
        finally:
            current.reset(token)

    def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        self.listener.tool_called(request)
        inner: list[Any] = []
        token = _inner_result.set(inner)
        # Inside a tool there is no model node's call: a subagent opens its own.
        call = current.set(None)
        try:
            result = handler(request)
        finally:
            current.reset(call)
            _inner_result.reset(token)
        self.listener.tool_answered(request, inner[-1] if inner else None, result)
        return result

    async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        self.listener.tool_called(request)
        inner: list[Any] = []
        token = _inner_result.set(inner)
        call = current.set(None)
        try:
            result = await handler(request)
        finally:
            current.reset(call)
            _inner_result.reset(token)
        self.listener.tool_answered(request, inner[-1] if inner else None, result)
        return result


def _keep(result: Any) -> Any:
    kept = _inner_result.get()
    if kept is not None:
        kept.append(result)
    return result
