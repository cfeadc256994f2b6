"""The last door before the provider: what a chat model's own methods are given.

Callbacks see messages that LangChain rewrote for tracers, and before it normalizes them
for the model. So the class of an observed model object is exchanged for a subclass of the
same name, whose ``_generate``, ``_stream`` and their async twins note their arguments and
go on. Only methods that the class itself defines are wrapped: LangChain asks which those
are to decide whether it may stream.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from langchain_core.language_models import BaseChatModel

log = logging.getLogger(__name__)

Receiver = Callable[[list[Any], Any, dict[str, Any]], None]
"""Takes messages, stop words and keyword arguments as the model's method got them."""

receiver: ContextVar[Receiver | None] = ContextVar("context_inspector_receiver", default=None)
"""Of the call that is being made; set when its callback starts it."""

_METHODS = (
    "_generate",
    "_agenerate",
    "_stream",
    "_astream",
    "_stream_chat_model_events",
    "_astream_chat_model_events",
)
_MARK = "__context_inspector_observed__"


def observe(model: Any) -> None:
    """Make a chat model object tell what it receives. Idempotent; leaves what it can't observe as it is."""
    cls: Any = type(model)
    if isinstance(model, BaseChatModel) and _MARK not in cls.__dict__:
        try:
            object.__setattr__(model, "__class__", _observed(cls))
        except Exception as error:  # a class of unusual layout: its requests are then marked as not exact
            log.warning("%s can't be observed: %s", cls.__name__, error)


@functools.cache
def _observed(cls: Any) -> Any:
    names = [
        name
        for name in _METHODS
        if getattr(cls, name, None) is not None and getattr(cls, name) is not getattr(BaseChatModel, name, None)
    ]
    namespace: dict[str, Any] = {name: _telling(getattr(cls, name)) for name in names}
    namespace |= {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    made = type(cls)(cls.__name__, (cls,), namespace)
    setattr(made, _MARK, True)
    return made


def _telling(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def told(self: Any, messages: Any, *args: Any, **kwargs: Any) -> Any:
        tell = receiver.get()
        if tell is not None:
            given = {name: value for name, value in kwargs.items() if name not in {"stop", "run_manager"}}
            tell(messages, args[0] if args else kwargs.get("stop"), given)
        return method(self, messages, *args, **kwargs)

    return told
