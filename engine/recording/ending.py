"""How a process ends, splits or becomes another, without a loss of what was recorded in it."""

from __future__ import annotations

import atexit
import functools
import os
import weakref
from collections.abc import Callable
from typing import Any

from engine.frames import Unseen
from engine.recording.recorder import Recorder

_recorders: weakref.WeakSet[Recorder] = weakref.WeakSet()
_last_words: list[Callable[[], None]] = []

_AT_EXIT = 10.0  # seconds to finish the record in
_AT_ONCE = 3.0  # the same, where a program means to be gone at once
_GONE = ("_exit", "execv", "execve")
"""Functions of ``os`` after which nothing of ours is called; other ``exec`` functions go through these."""


def look_after(recorder: Recorder) -> None:
    """Finish this recorder's record whatever way the process ends, other than by a signal that kills it."""
    _install()
    _recorders.add(recorder)


def say_at_the_end(words: Callable[[], None]) -> None:
    """Call this when the record is finished."""
    _last_words.append(words)


def finish(seconds: float = _AT_EXIT) -> None:
    """Finish all records. Does not raise."""
    try:
        for recorder in list(_recorders):
            recorder.close(seconds)
        for words in _last_words:
            words()
    except KeyboardInterrupt:  # whoever can't wait need not
        pass


@functools.cache
def _install() -> None:
    atexit.register(finish)
    if hasattr(os, "register_at_fork"):
        # Without a thread of ours and with the file closed, a process can be copied safely.
        os.register_at_fork(before=_before_fork, after_in_child=_in_child)
    for name in _GONE:
        if hasattr(os, name):
            setattr(os, name, _finishing(getattr(os, name)))


def _finishing(leave: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(leave)
    def finished(*args: Any, **kwargs: Any) -> Any:
        finish(_AT_ONCE)
        with Unseen():
            return leave(*args, **kwargs)

    return finished


def _before_fork() -> None:
    for recorder in list(_recorders):
        recorder.close(_AT_ONCE)


def _in_child() -> None:
    for recorder in list(_recorders):
        recorder.forked()
