"""In the recorded program: waits until LangChain is used, then records what it runs.

Nothing is imported before that, and a fault is one line at the end of the process at most.
"""

from __future__ import annotations

import atexit
import os
import sys

from engine.recording import active
from engine.recording.imports import when_imported

TYPE_CHECKING = False  # as in typing, which takes longer to import than all of this
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    from engine.recording.recorder import Recorder

_problem = ""
_recorder: Recorder | None = None


def start(into: str) -> None:
    """Record all that this process runs through LangChain into this file."""
    atexit.register(_at_exit)  # the first to be registered is the last to be called
    active.follow_everything(lambda: _handler(into))
    when_imported("langchain_core.tracers.context", _offer)
    when_imported("langchain.agents.factory", _observe_agents)


def _offer(context: ModuleType) -> None:
    try:
        active.offer_to(context)
    except Exception as error:  # another LangChain than we know
        _fault(error)


def _observe_agents(_: ModuleType) -> None:
    try:
        from engine.recording.assembling import observe_everywhere

        observe_everywhere(from_the_start=True)
    except Exception as error:  # requests are recorded all the same; who contributed what is not known
        _fault(error)


def _handler(into: str) -> Any:
    """The handler of everything; made at the first run."""
    global _recorder
    try:
        from engine import schema  # noqa: F401  # a thread must not import while the process ends
        from engine.recording import ending
        from engine.recording.recorder import Recorder
        from engine.workspace import Workspace

        _recorder = Recorder(lambda: Workspace.ensure(into), follow=True, hidden=True)
        ending.look_after(_recorder)
        ending.say_at_the_end(_last_words)
        return _recorder.handler
    except Exception as error:  # another LangChain, no SQLite: the program runs as it would have
        _fault(error)
        return None


def _fault(error: Exception) -> None:
    global _problem
    _problem = _problem or f"{type(error).__name__}: {error}"


def _at_exit() -> None:
    if _recorder is not None:
        _recorder.close()
    _last_words()


def _last_words() -> None:
    """One line on standard error, and only where something was lost."""
    global _problem
    losses = _recorder.losses if _recorder is not None else None
    line = ""
    if losses is not None and losses.count:
        line = f"{losses.count} entries were not recorded: {losses.reason}"
        losses.count = 0
    elif _problem:
        line = f"this program was not recorded as it should be: {_problem}"
    _problem = ""
    if line and sys.stderr is not None:
        try:
            text = " ".join(line.split())
            os.write(sys.stderr.fileno(), f"context-inspector: {text}\n".encode(errors="backslashreplace"))
        except (OSError, ValueError):  # nobody listens
            pass
