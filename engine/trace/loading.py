"""How the reading of a thread tells how far it is, and how it is asked to stop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

Progress = Callable[[int, int], None]
"""Told how many checkpoints have been read, and how many there are."""


class Stop(Protocol):
    """Asked after each checkpoint whether to stop: an ``Event``, or what looks at a clock."""

    def is_set(self) -> bool: ...


def nobody(_done: int, _total: int) -> None:
    """Progress that nobody wants to know of."""
