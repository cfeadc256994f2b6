"""The layout of a thread's files, from what the record keeps of its agent's settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from engine.places import Layout

Query = Callable[[str, tuple[Any, ...]], Iterable[tuple[Any, ...]]]


def settings_of(query: Query, thread_id: str) -> dict[str, Any]:
    """What the record keeps of the settings of a thread's agent; empty where it knows none."""
    row = next(iter(query("SELECT settings FROM threads WHERE thread_id = ?", (thread_id,))), None)
    return json.loads(row[0]) if row and row[0] else {}


def layout_of(query: Query, thread_id: str | None) -> Layout:
    """Where the files of a thread's agent lie; the default layout without a thread, and for one that names none.

    Raises:
        UsageError: the settings don't hold together, or lack an identity.
    """
    return Layout() if thread_id is None else Layout.recorded(settings_of(query, thread_id))
