"""Imports that take seconds, made by one thread at a time.

Two threads that import pydantic's or LangGraph's packages at once can each see the other's half-made
modules. Whoever imports them late, inside a function, does it under this lock.
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
