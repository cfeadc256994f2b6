"""What happened in a thread that has been read: its events, its summaries, its lines of history."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from engine.sources.notices import Note
from engine.sources.requests import Made
from engine.sources.shelf import Shelf
from engine.sources.steps import Step
from engine.sources.thread import Thread
from engine.trace.fate import REASONS
from engine.trace.model import Branch, Event, RawRow, Summary


class History:
    """Events of one thread, as values of the read model. Not thread-safe."""

    def __init__(self, thread: Thread, shelf: Shelf) -> None:
        self.thread, self._shelf = thread, shelf
        self.events: list[Event] = []
        self.event_ids: dict[int, Event] = {}
        self.kinds: dict[int, tuple[str, ...]] = {}
        """Kinds of a request's events, each once."""
        self._known: dict[tuple[Any, ...], int] = {}
        self._raw: dict[int, int] = {}

    def tell(self, steps: Iterable[Step], found: Mapping[int, tuple[Step, Made]], numbers: Mapping[int, int]) -> None:
        """Bring the events into the order of their requests, after the thread was read."""
        notes = [(step, note) for step in steps for note in step.notes]
        notes.sort(key=lambda pair: numbers.get(pair[1].request or 0, 0))
        self._raw = {id: made.raw for id, (_, made) in found.items()}
        self.events = [self._event(step, note, found, numbers) for step, note in notes]
        self.event_ids = {event.id: event for event in self.events}
        kinds: dict[int, dict[str, None]] = {}
        for event in self.events:
            if event.request is not None:
                kinds.setdefault(event.request, {})[event.kind] = None
        self.kinds = {id: tuple(each) for id, each in kinds.items()}

    def _event(
        self, step: Step, note: Note, found: Mapping[int, tuple[Step, Made]], numbers: Mapping[int, int]
    ) -> Event:
        """The event of a note; the same one has the same id however often the thread is read."""
        request = note.request
        at = found[request][0].at if request is not None and request in found else step.at
        name = (request, note.kind, step.key.row, repr(sorted(note.data.items(), key=lambda item: item[0])))
        id = self._known.setdefault(name, len(self._known) + 1)
        return Event(id, request, numbers.get(request or 0), note.kind, at or 0.0, note.data)

    def newest_files(self) -> Mapping[str, Any]:
        """Files of the newest state, as they are stored."""
        found = self.thread.newest()
        return found[1].state.files if found is not None else {}

    def run_files(self, namespace: str) -> frozenset[str]:
        """Paths of the files in a subagent's newest state."""
        found = self.thread.newest(namespace)
        return frozenset(found[1].state.files) if found is not None else frozenset()

    def summaries(self) -> list[Summary]:
        """Every summary, in order."""
        return [self._summary(event) for event in self.events if event.kind == "summary"]

    def _summary(self, event: Event) -> Summary:
        data = event.data
        path = data["path"]
        problem = data.get("problem")
        if problem is None and path is not None and path not in self.newest_files():
            problem = "not found: the saved history is not in this database"
        return Summary(
            event=event.id,
            request=event.request,
            request_number=event.request_number,
            summary_request=None,
            at=event.at,
            cutoff=data["cutoff"],
            evicted_from=data["evicted_from"],
            tokens_before=data["tokens_before"],
            tokens_after=data["tokens_after"],
            path=path,
            part=data["part"],
            chained=data["chained"],
            problem=problem,
        )

    def evicted(self, event_id: int) -> list[RawRow]:
        """Raw messages that a summary evicted, and none before it had."""
        event = self.event_ids[event_id]
        if event.kind != "summary" or event.request not in self._raw:
            return []
        pieces = self._shelf.path(self._raw[event.request])
        chosen = enumerate(pieces[event.data["evicted_from"] : event.data["cutoff"]], start=event.data["evicted_from"])
        return [
            RawRow(index, part, kind, chars, tokens, "summarized", REASONS["summarized"])  # type: ignore[arg-type]
            for index, (part, kind, chars, tokens) in chosen
        ]

    def branches(self) -> list[Branch]:
        """The thread's lines of checkpoints, the newest last."""
        parents = {step.key.id: step.key.parent for step in self.thread.steps.values() if not step.key.namespace}
        found = []
        for place, line in sorted(self.thread.lines.items(), key=lambda item: item[0][1]):
            if place[0]:
                continue
            at: str | None = place[1]
            ids = set()
            while at is not None and at not in ids:
                ids.add(at)
                at = parents.get(at)
            found.append(Branch(place[1], frozenset(ids), frozenset(line.state.files)))
        return found
