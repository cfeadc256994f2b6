"""How long a file of an agent lives, by the place where it lies: the one table that the window and README show.

Each row is what was seen with a real agent that writes a file with its tool and reads it back
(``tests/contract/test_lifetimes.py`` runs every one).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

THREAD_STATE = "thread state"
STORE = "store"
FOLDER = "folder"
WITHOUT_CHECKPOINTER = "thread state, no checkpointer"

PLACE_OF_KIND = {"state": THREAD_STATE, "store": STORE, "filesystem": FOLDER}


@dataclass(frozen=True, slots=True)
class Lifetime:
    """What a file that lies in one place survives."""

    place: str
    """``thread state, no checkpointer``, ``thread state``, ``folder`` or ``store``."""
    next_turn: bool
    """The same thread goes on."""
    other_thread: bool
    """Another thread of the same agent reads it."""
    new_process: bool
    """The program was closed and the workspace opened by another one."""
    thread_deleted: bool
    """The thread that wrote it was deleted."""

    @property
    def words(self) -> str:
        """How long it lives, in a few words."""
        if not self.next_turn:
            return "until the run ends"
        if not self.other_thread:
            return "as long as this thread; no other thread sees it"
        return "across threads, until it is deleted"

    @property
    def survives(self) -> tuple[str, ...]:
        """What a file here survives, in words."""
        return tuple(word for name, word in SURVIVED.items() if getattr(self, name))

    @property
    def lost_by(self) -> tuple[str, ...]:
        """What a file here does not survive."""
        return tuple(word for name, word in SURVIVED.items() if not getattr(self, name))


@dataclass(frozen=True, slots=True)
class RoutedPlace:
    """Where the files of an agent lie whose path begins in one way."""

    prefix: str
    """``/`` for all that no other one takes."""
    place: str
    """``thread state``, ``folder`` or ``store``."""
    within: str
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""


SURVIVED = {
    "next_turn": "another turn",
    "other_thread": "another thread",
    "new_process": "a new process",
    "thread_deleted": "deletion of the thread",
}
"""Field of :class:`Lifetime` → what may happen, in words."""

_TABLE = (
    Lifetime(WITHOUT_CHECKPOINTER, next_turn=False, other_thread=False, new_process=False, thread_deleted=False),
    Lifetime(THREAD_STATE, next_turn=True, other_thread=False, new_process=True, thread_deleted=False),
    Lifetime(FOLDER, next_turn=True, other_thread=True, new_process=True, thread_deleted=True),
    Lifetime(STORE, next_turn=True, other_thread=True, new_process=True, thread_deleted=True),
)

LIFETIMES = {lifetime.place: lifetime.words for lifetime in _TABLE}
"""Place → how long a file there lives, in words."""


def lifetime_table() -> Sequence[Lifetime]:
    """Every place, from what lives shortest to what lives longest."""
    return _TABLE
