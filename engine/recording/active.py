"""Which recorders follow what is run in this context, and how LangChain finds them.

LangChain asks its *configure hooks* for a handler whenever something is run. Each hook here stands for one of
the recorders that are active, outermost first. Imports nothing of LangChain, which a program may never use.
"""

from __future__ import annotations

import threading
from contextvars import ContextVar

from engine.frames import Unseen

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_ATTRIBUTE = f"_{__name__.replace('.', '_')}"

_here: ContextVar[tuple[Any, ...] | None] = ContextVar("context_inspector_active", default=None)
_make: Callable[[], Any] | None = None
_everything: tuple[Any, ...] = ()
_lock = threading.RLock()
_slots = 0


def enter(handler: Any) -> None:
    """What is run in this context, and in threads started in it, is followed by this handler too."""
    _carry_into_threads()
    now = (*handlers(), handler)
    _here.set(now)
    _offer(len(now))


def leave(handler: Any) -> None:
    """The last :func:`enter` of this handler is over."""
    now = list(_here.get() or ())
    for index in range(len(now) - 1, -1, -1):
        if now[index] is handler:
            del now[index]
            break
    _here.set(tuple(now))


def follow_everything(make: Callable[[], Any]) -> None:
    """All that is run in this process is followed by the handler that ``make`` gives when it is first needed."""
    global _make
    _make = make


def handlers() -> tuple[Any, ...]:
    """Handlers that are active here, outermost first; of those that write one file only the innermost."""
    here = _here.get()
    if here is None:
        # A thread begins with an empty context; the one who started it left a note.
        thread = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
        here = getattr(thread, _ATTRIBUTE, None) or _of_the_process()
    if len(here) > 1:
        here = tuple({handler.file: handler for handler in here}.values())
    return here


def _of_the_process() -> tuple[Any, ...]:
    global _make, _everything
    if _make is not None:
        with _lock:  # whoever runs something meanwhile waits, and is followed
            make = _make
            if make is not None and not _everything:
                _everything = (None,)  # nor does what is run to make it wait for itself
                made = make()
                _everything = () if made is None else (made,)
                _make = None
    return _everything if _everything != (None,) else ()


class Slot:
    """Stands where LangChain expects a context variable that may hold a handler."""

    def __init__(self, index: int) -> None:
        self._index = index

    def get(self) -> Any:
        """The handler of this place, or None. Never raises."""
        try:
            found = handlers()
            return found[self._index] if self._index < len(found) else None
        except Exception:  # the run must not notice
            return None


def offer_to(context: Any) -> None:
    """Add one more slot to ``langchain_core.tracers.context``."""
    global _slots
    context.register_configure_hook(Slot(_slots), True)
    _slots += 1


def _offer(count: int) -> None:
    from langchain_core.tracers import context

    while _slots < count:
        offer_to(context)


def _carry_into_threads() -> None:
    start = threading.Thread.start
    if hasattr(start, _ATTRIBUTE):
        return

    def carrying(self: threading.Thread) -> None:
        here = _here.get()
        if here:
            setattr(self, _ATTRIBUTE, here)
        with Unseen():
            start(self)

    carrying.__name__, carrying.__qualname__, carrying.__doc__ = start.__name__, start.__qualname__, start.__doc__
    setattr(carrying, _ATTRIBUTE, True)
    threading.Thread.start = carrying  # type: ignore[method-assign]
