"""Twins of middlewares: objects that are the middleware in all but what they note.

A twin's class is a subclass that shares the middleware's ``__dict__``; each method of it that wraps calls notes
the request before and after it, and is never seen in a traceback.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables.config import var_child_runnable_config

from engine.frames import Unseen
from engine.recording.observers import Assembly, Call, Follower, Layer, Listener, current

_PLACES = "_context_inspector_place_"
_PLACE = _PLACES + __name__.replace(".", "_")  # a second copy of this module, under another name, has its own
MODEL = ("wrap_model_call", "awrap_model_call")
TOOL = ("wrap_tool_call", "awrap_tool_call")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a twin stands in its agent."""

    name: str
    index: int
    assembly: Assembly
    outermost: bool
    innermost: bool
    first_at_tools: bool


def own_methods(cls: type, names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of these methods that a middleware's class defines itself."""
    from langchain.agents.middleware.types import AgentMiddleware  # deferred: a program may have no LangChain agents

    return tuple(name for name in names if getattr(cls, name) is not getattr(AgentMiddleware, name))


def twin_of(item: Any, place: Place) -> Any:
    """A middleware that is ``item`` in all but what it notes; ``item`` itself where that can't be."""
    cls: Any = type(item)
    slots = _slots(cls)
    if not all(name.startswith(_PLACES) for name in slots):  # a value in a slot can't be shared
        return item
    try:
        twin = object.__new__(_twin_class(cls))
        object.__setattr__(twin, "__dict__", item.__dict__)
    except (TypeError, AttributeError):  # a class of unusual layout
        return item
    for name in slots:
        object.__setattr__(twin, name, getattr(item, name))
    object.__setattr__(twin, _PLACE, place)
    return twin


def _slots(cls: type) -> list[str]:
    """Names of attributes that are not in an object's ``__dict__``."""
    named = (base.__dict__.get("__slots__") or () for base in cls.__mro__)
    names = [name for slots in named for name in ((slots,) if isinstance(slots, str) else slots)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


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
    makers = dict(zip((*MODEL, *TOOL), (_model_call, _async_model_call, _tool_call, _async_tool_call), strict=True))
    for name in own_methods(cls, (*MODEL, *TOOL)):
        namespace[name] = makers[name](getattr(cls, name))
    return type(cls)(cls.__name__, (cls,), namespace)


def _model_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, request: Any, handler: Callable[[Any], Any]) -> Any:
        place: Place = getattr(self, _PLACE)

        def inner(passed: Any) -> Any:
            with _PassedOn(place, passed):
                return handler(passed)

        with _ModelCall(place, request):
            return method(self, request, inner)

    return call


def _async_model_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: Any, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        place: Place = getattr(self, _PLACE)

        async def inner(passed: Any) -> Any:
            with _PassedOn(place, passed):
                return await handler(passed)

        with _ModelCall(place, request):
            return await method(self, request, inner)

    return call


def _tool_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(self: Any, request: Any, handler: Callable[[Any], Any]) -> Any:
        tool = _ToolCall(getattr(self, _PLACE), request)

        def inner(passed: Any) -> Any:
            with Unseen():
                tool.given = [handler(passed)]
            return tool.given[0]

        with tool:
            result = method(self, request, inner)
        tool.answered(result)
        return result

    return call


def _async_tool_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: Any, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
        tool = _ToolCall(getattr(self, _PLACE), request)

        async def inner(passed: Any) -> Any:
            with Unseen():
                tool.given = [await handler(passed)]
            return tool.given[0]

        with tool:
            result = await method(self, request, inner)
        tool.answered(result)
        return result

    return call


class _ModelCall(Unseen):
    """A middleware's pass of a model call; the outermost one opens the call."""

    def __init__(self, place: Place, request: Any) -> None:
        self._token: Any = None
        if place.outermost:
            call = Call(place.assembly, request.state)
            call.layers.append(_layer(request))
            self._token = current.set(call)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        super().__exit__(kind, error, traceback)
        if self._token is not None:
            current.reset(self._token)


class _PassedOn(Unseen):
    """What a middleware passed on, of which references are kept, until it is answered."""

    def __init__(self, place: Place, passed: Any) -> None:
        call = current.get()
        self._innermost = call if place.innermost else None
        if call is None:
            return
        del call.layers[place.index + 1 :]  # a retry passes here again
        call.layers += [None] * (place.index + 1 - len(call.layers))
        call.layers.append(_layer(passed))
        if self._innermost is not None:
            self._innermost.inside = True

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        super().__exit__(kind, error, traceback)
        if self._innermost is not None:
            self._innermost.inside = False


class _ToolCall(Unseen):
    """A middleware's pass of a tool call. The first one at the tools tells of the call and of its answer."""

    def __init__(self, place: Place, request: Any) -> None:
        self._request, self._first = request, place.first_at_tools
        self.given: list[Any] = []
        """The result that the middleware was given; empty while it has asked for none."""
        self._token: Any = None

    def __enter__(self) -> None:
        if self._first:
            for listener in _listeners():
                listener.tool_called(self._request)
            # Inside a tool there is no model node's call: a subagent opens its own.
            self._token = current.set(None)

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        super().__exit__(kind, error, traceback)
        if self._token is not None:
            current.reset(self._token)

    def answered(self, result: Any) -> None:
        """Tell of the result that the middleware gave, and of the one that it was given where that is another."""
        changed = bool(self.given) and self.given[0] is not result
        if changed or self._first:
            for listener in _listeners():
                if changed:
                    listener.tool_changed(self._request, self.given[0], result)
                if self._first:
                    listener.tool_answered(self._request, result)


def _layer(request: Any) -> Layer:
    return Layer(request.system_message, request.messages, request.tools, request.model_settings, request.model)


def _listeners() -> list[Listener]:
    """Whoever follows the run that this tool belongs to."""
    callbacks = (var_child_runnable_config.get() or {}).get("callbacks")
    handlers = callbacks if isinstance(callbacks, list) else getattr(callbacks, "handlers", ())
    return [item.listener for item in handlers if isinstance(item, Follower) and item.listener is not None]
