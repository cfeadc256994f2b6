"""The last door before the provider: what a chat model's own methods are given.

Callbacks see messages that LangChain rewrote for tracers, and before it normalizes them for the
model. So the methods of every chat model class through which a model is reached note their
arguments and go on. They are exchanged in the class itself, and only where a class defines them:
LangChain asks which those are to decide whether it may stream, and a program may ask for an
object's exact class, or pickle it. Unless a call is awaited, they do nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextvars import ContextVar
from types import FunctionType
from typing import Any, Protocol

from langchain_core.language_models import BaseChatModel

from engine.frames import Unseen

_METHODS = (
    "_generate",
    "_agenerate",
    "_stream",
    "_astream",
    "_stream_chat_model_events",
    "_astream_chat_model_events",
)
_MARK = f"__{__name__}__"  # a second copy of this module, under another name, observes for itself


class Awaited(Protocol):
    """A call that has begun, and whose model has not been reached yet."""

    run_id: Any
    told: bool
    traced: list[Any]
    """The messages, as callbacks see them."""

    def receive(self, model: Any, messages: list[Any], stop: Any, given: dict[str, Any]) -> None:
        """Take what this model's method got. Never raises."""


_awaited: ContextVar[tuple[Awaited, ...]] = ContextVar("context_inspector_awaited", default=())


def expect(call: Awaited) -> None:
    """A call begins in this context: the next model method in it that fits is its."""
    observe_classes()
    _awaited.set((*(each for each in _awaited.get() if not each.told), call))


def observe_classes(base: Any = BaseChatModel) -> None:
    """Make all chat model classes that there are by now tell what they receive. Idempotent."""
    for cls in type.__subclasses__(base):
        if _MARK not in cls.__dict__:
            for name in _METHODS:
                method = cls.__dict__.get(name)
                if type(method) is FunctionType:
                    setattr(cls, name, _telling(method))
            setattr(cls, _MARK, True)
        observe_classes(cls)


def _telling(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def told(*args: Any, **kwargs: Any) -> Any:
        awaited = _awaited.get()
        if awaited:
            _tell(awaited, *args, **kwargs)
        with Unseen():
            return method(*args, **kwargs)

    return told


def _tell(
    awaited: tuple[Awaited, ...],
    model: Any,
    /,
    messages: Any = (),
    stop: Any = None,
    run_manager: Any = None,
    *_: Any,
    **given: Any,
) -> None:
    waiting = [call for call in awaited if not call.told]
    run_id = getattr(run_manager, "run_id", None)
    if run_id is None and waiting:
        # Streaming methods are not told whose call it is; mostly one is awaited at a time.
        run_id = next((call for call in reversed(waiting) if _fits(call, messages)), waiting[-1]).run_id
    for call in waiting:
        if call.run_id == run_id:  # several recorders may follow one call
            call.receive(model, messages, stop, given)


def may_be_rewritten(message: Any) -> bool:
    """Whether a message, as callbacks see it, may be another for the model: LangChain spells blocks anew."""
    return isinstance(message.content, list) and any(isinstance(block, dict) for block in message.content)


def _fits(call: Awaited, messages: Any) -> bool:
    """Whether these can be the call's messages."""
    return len(call.traced) == len(messages) and all(
        one is other or may_be_rewritten(one) for one, other in zip(call.traced, messages, strict=True)
    )
