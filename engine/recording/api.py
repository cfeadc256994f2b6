"""``record``: one line that records any LangChain or LangGraph agent.

    with record("work.ctx"):                                # everything that is run inside
        agent.invoke({"messages": [...]})

    @record("work.ctx", thread="nightly")                   # each call of a function, also of an async one
    async def main(): ...

    agent.invoke(inputs, {"callbacks": [record("work.ctx").handler]})     # one call

Nothing of what is run changes by it. What could not be recorded is counted in :attr:`Recording.lost`.
"""

from __future__ import annotations

import functools
import inspect
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from engine.errors import UsageError
from engine.frames import Unseen
from engine.recording import active
from engine.recording.imports import when_imported
from engine.workspace import Workspace

if TYPE_CHECKING:
    from engine.recording.recorder import Recorder

log = logging.getLogger(__name__)

DEFAULT = "recording.ctx"
"""Where a recording goes that names no file."""

_F = TypeVar("_F", bound=Callable[..., Any])


def record(path: str | Path = DEFAULT, *, thread: str | None = None) -> Recording:
    """Record model requests into a workspace, which is made if it isn't there.

    Use the result in ``with`` or ``async with``, as a decorator, or take its ``handler`` as a callback.
    A request belongs to the thread that its run's configuration names (``thread_id``), else to ``thread``, else
    to one of its own for each run. Several recordings and processes may write one file at once.
    """
    return Recording(Path(path), thread)


class Recording:
    """Records while it is entered, and whatever its handler is a callback of. May be used any number of times."""

    def __init__(self, path: Path, thread: str | None) -> None:
        self.path = path
        self._thread = thread
        self._shared: _Shared | None = None

    @property
    def handler(self) -> Any:
        """A callback handler for ``config["callbacks"]``: sync and async, for any number of runs at once.

        A run ends when its record is in the file.

        Raises:
            UsageError, WorkspaceError: the file can't be one to record into.
        """
        return self._open().recorder.handler

    @property
    def lost(self) -> int:
        """Entries that could not be recorded into this file so far."""
        known = self._known()
        return known.recorder.losses.count if known is not None else 0

    @property
    def lost_reason(self) -> str:
        """Why the last of them was lost."""
        known = self._known()
        return known.recorder.losses.reason if known is not None else ""

    def flush(self) -> bool:
        """Wait until all that was seen so far is in the file or counted as lost; False when it takes very long."""
        known = self._known()
        return known is None or known.recorder.flush()

    def close(self) -> None:
        """Finish the record and let go of the file, which is done at the end of the process too."""
        known = self._known()
        if known is not None:
            known.finish()

    def __enter__(self) -> Recording:
        """Record what is run from here on: in this context, its tasks, and threads that are started in it.

        Raises: as :attr:`handler`.
        """
        shared = self._open()
        shared.use(1)
        active.enter(shared.recorder.handler)
        return self

    def __exit__(self, *_: object) -> None:
        self._leave().finish_unless_used()

    async def __aenter__(self) -> Recording:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()  # takes milliseconds; a thread for it would be one that the program can see

    def __call__(self, function: _F) -> _F:
        """Decorate a function: what is run during a call of it is recorded."""
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise UsageError(
                f"record can't decorate {function.__qualname__}, which is a generator: its body runs later. "
                "Use it inside: with record(…):"
            )

        if inspect.iscoroutinefunction(function):
            return functools.wraps(function)(self._async_call(function))  # type: ignore[return-value]

        def call(*args: Any, **kwargs: Any) -> Any:
            with self, Unseen():
                return function(*args, **kwargs)

        return functools.wraps(function)(call)  # type: ignore[return-value]

    def _async_call(self, function: Callable[..., Any]) -> Callable[..., Any]:
        async def call(*args: Any, **kwargs: Any) -> Any:
            async with self:
                with Unseen():
                    return await function(*args, **kwargs)

        return call

    def _known(self) -> _Shared | None:
        """What records into this file already."""
        return self._shared or _all.get((self.path.absolute(), self._thread))

    def _open(self) -> _Shared:
        if self._shared is None:
            self._shared = _shared(self.path.absolute(), self._thread)
        return self._shared

    def _leave(self) -> _Shared:
        shared = self._open()
        active.leave(shared.recorder.handler)
        shared.use(-1)
        return shared


class _Shared:
    """The recorder of all recordings into one file under one thread's name."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self._users = self._said = 0

    def use(self, more: int) -> None:
        """So many more blocks are entered. Outside of any there is no better moment to write than at once."""
        with _lock:
            self._users += more
            self.recorder.at_once = not self._users

    def finish_unless_used(self) -> None:
        """Write what is left; the last one out closes the file."""
        if not self._users:
            self.finish()
        else:
            self.recorder.flush()

    def finish(self) -> None:
        """Write what is left, let go of the file, and say what was lost."""
        self.recorder.close()
        losses = self.recorder.losses
        if losses.count > self._said:
            log.warning("%d entries were not recorded: %s", losses.count - self._said, losses.reason)
            self._said = losses.count


_all: dict[tuple[Path, str | None], _Shared] = {}
_lock = threading.Lock()


def _shared(path: Path, thread: str | None) -> _Shared:
    Workspace.ensure(path)
    with _lock:
        if (path, thread) not in _all:
            from engine.recording.ending import look_after  # deferred: LangChain takes a second to import
            from engine.recording.recorder import Recorder

            recorder = Recorder(lambda: Workspace.ensure(path), follow=True, thread=thread, hidden=True)
            recorder.handler.file = path
            look_after(recorder)
            recorder.at_once = True
            _all[path, thread] = _Shared(recorder)
        return _all[path, thread]


def _observe_agents(module: Any) -> None:
    try:
        from engine.recording.assembling import observe_everywhere, put_together_before

        observe_everywhere(from_the_start=not put_together_before())
    except Exception as error:  # an unknown release: requests are recorded, their contributors are not known
        log.debug("Agents are not observed: %s", error)


# Agents are often put together before anything is recorded: whoever imports this will want to see their parts.
when_imported("langchain.agents.factory", _observe_agents)
