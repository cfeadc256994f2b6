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

from engine.recording.frames import unseen
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
            noted = _noted(place, passed)
            try:
                return handler(passed)
            except BaseException as error:
                unseen(error)
                raise
            finally:
                _back(place, noted)

        token = _opened(place, request)
        try:
            return method(self, request, inner)
        except BaseException as error:
            unseen(error)
            raise
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
            except BaseException as error:
                unseen(error)
                raise
            finally:
                _back(place, noted)

        token = _opened(place, request)
        try:
            return await method(self, request, inner)
        except BaseException as error:
            unseen(error)
            raise
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
            try:
                given[:] = [handler(passed)]
            except BaseException as error:
                unseen(error)
                raise
            return given[0]

        # Inside a tool there is no model node's call: a subagent opens its own.
        token = _tool_begins(place, request) if place.first_at_tools else None
        try:
            result = method(self, request, inner)
        except BaseException as error:
            unseen(error)
            raise
        finally:
            if token is not None:
                current.reset(token)
        _told(place, request, given, result)
        return result

    return call


def _async_tool_call(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    async def call(self: Any, request: Any, handler: Callable[[Any], Any]) -> Any:
        place: Place = getattr(self, _PLACE)
        given: list[Any] = []

        async def inner(passed: Any) -> Any:
            try:
                given[:] = [await handler(passed)]
            except BaseException as error:
                unseen(error)
                raise
            return given[0]

        # Inside a tool there is no model node's call: a subagent opens its own.
        token = _tool_begins(place, request) if place.first_at_tools else None
        try:
            result = await method(self, request, inner)
        except BaseException as error:
            unseen(error)
            raise
        finally:
            if token is not None:
                current.reset(token)
        _told(place, request, given, result)
        return result

    return call


def _tool_begins(place: Place, request: Any) -> Any:
    for listener in _listeners():
        listener.tool_called(request)
    return current.set(None)


def _told(place: Place, request: Any, given: list[Any], result: Any) -> None:
    changed = bool(given) and given[0] is not result
    if changed or place.first_at_tools:
        for listener in _listeners():
            if changed:
                listener.tool_changed(request, given[0], result)
            if place.first_at_tools:
                listener.tool_answered(request, result)


def _listeners() -> list[Listener]:
    """Whoever follows the run that this tool belongs to."""
    callbacks = (var_child_runnable_config.get() or {}).get("callbacks")
    handlers = callbacks if isinstance(callbacks, list) else getattr(callbacks, "handlers", ())
    return [item.listener for item in handlers if isinstance(item, Follower) and item.listener is not None]
