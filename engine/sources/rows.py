"""Rows of a LangGraph database, as far as they were asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class DamagedError(Exception):
    """SQLite can't read what was asked for."""


@dataclass(frozen=True, slots=True)
class Key:
    """A checkpoint, without its contents."""

    row: int
    thread_id: str
    namespace: str
    id: str
    parent: str | None


@dataclass(frozen=True, slots=True)
class Stored:
    """A checkpoint's contents as they are stored; ``problem`` says why they are not there."""

    type: Any = None
    checkpoint: Any = None
    metadata: Any = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Write:
    """One write of a task to a channel, as it is stored."""

    row: int
    task: str
    path: str
    """``task_path``: how the task came about, with its node's name; empty where the release didn't store it."""
    index: int
    channel: str
    type: Any
    value: Any

    @property
    def order(self) -> tuple[str, str, int]:
        """Place among a checkpoint's writes in which LangGraph applies them."""
        return self.path, self.task, self.index

    @property
    def node(self) -> str | None:
        """Name of the node that wrote; None where it isn't stored."""
        kind, _, name = self.path.partition(", ")
        return name if kind == "~__pregel_pull" and name else None

    @property
    def send(self) -> int | None:
        """Place of its task among those asked for by name; None for a task that its channels started."""
        kind, *rest = self.path.split(", ")
        return int(rest[0]) if kind == "~__pregel_push" and rest and rest[0].isdigit() else None


@dataclass(frozen=True, slots=True)
class Outline:
    """A checkpoint's columns that can be read without its blob."""

    row: int
    parent: str | None
    type: str
    size: int
    """Bytes of the blob."""


@dataclass(frozen=True, slots=True)
class Group:
    """A thread's checkpoints in one namespace, counted."""

    thread_id: str
    namespace: str
    count: int
    first: str
    last: str
