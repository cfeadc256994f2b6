"""What is kept of a walk through a thread: the lines of history, and the checkpoints that were reached."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.sources.line import State
from engine.sources.notices import Note, Seen
from engine.sources.requests import Made, Sent
from engine.sources.rows import Key
from engine.sources.runs import Send, Task

Place = tuple[str, str]
"""Namespace and id of a checkpoint."""


@dataclass(slots=True)
class Line:
    """One line of history in one namespace, as it stands at its last checkpoint."""

    namespace: str
    branch: int
    state: State
    seen: Seen = field(default_factory=Seen)
    sent: Sent = field(default_factory=Sent)
    metadata: Mapping[str, Any] = field(default_factory=dict)

    def fork(self, branch: int) -> Line:
        """A line that goes on from here by itself."""
        return Line(self.namespace, branch, self.state.fork(), self.seen, self.sent, self.metadata)


@dataclass(slots=True)
class Step:
    """A checkpoint that was reached, and what ran from it."""

    key: Key
    number: int | None
    source: str
    at: float | None
    above: Place | None
    """The checkpoint of the graph around this one's, from which this one's task ran."""
    metadata: Mapping[str, Any]
    """What the writing program noted, without LangGraph's own fields."""
    branch: int
    request: int | None
    """The last request of its line before it."""
    raw: int
    """Chain node of the messages in the state that its tasks ran from."""
    problem: str
    cipher: str
    sends: Sequence[Send]
    calls: Mapping[str, Send]
    """Task id → what it was asked to do."""
    next_at: float | None = None
    """When the checkpoint that the run made next was written."""
    tasks: Sequence[Task] = ()
    made: Sequence[Made] = ()
    notes: Sequence[Note] = ()


def requests_in(steps: Iterable[Step]) -> list[tuple[Step, Made]]:
    """All requests with their checkpoints, in the order in which they were made."""
    found = [(step, made) for step in steps for made in step.made]
    return sorted(found, key=lambda pair: (pair[0].at or 0.0, pair[1].id))
