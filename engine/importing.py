"""Imports that take seconds, made by one thread at a time.

Two threads that import pydantic's or LangGraph's packages at once can each see the other's half-made
modules. Whoever imports them late, inside a function, does it under this lock: with :func:`late`, or where the
names have types worth having with ``with importing.lock:`` around the import statements. A test holds the engine
to it. Recording stands apart: in a program that is recorded, a lock of ours around an import could wait for that
program's own imports while they wait for it. So do terminal commands, which import before they start a thread.
"""

from __future__ import annotations

import threading
from importlib import import_module
from types import ModuleType

lock = threading.RLock()


def late(name: str) -> ModuleType:
    """The module, imported while nobody else imports one of the large ones."""
    with lock:
        return import_module(name)


def load_all() -> None:
    """Import what reading a thread's state and explaining its requests will need."""
    for name in ("engine.checkpoints", "deepagents.middleware.summarization", "engine.explain"):
        late(name)
