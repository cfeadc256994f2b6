"""Whether a record explains itself: every request from its state by the engine's rules, every file still there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from engine.explain.facts import Facts
from engine.explain.model import Integrity, IntegrityDifference, MissingArtifact
from engine.explain.source import Source, branches_of, lists_of, run_files_of
from engine.explain.trace import Tracer
from engine.trace.model import Branch, Event, RequestLists, RequestRow

Progress = Callable[[int, int, str], None]
"""Requests looked at, requests in all, the thread; whatever it raises ends the work."""


def check(
    source: Source, facts: Facts, threads: Iterable[str] | None = None, progress: Progress = lambda *_: None
) -> Integrity:
    """Check these threads, or all of them."""
    names = list(threads) if threads is not None else [row.thread_id for row in source.threads()]
    ids = {name: source.request_ids(name) for name in names}
    total, done = sum(map(len, ids.values())), 0
    tracer = Tracer(source, facts)
    differences: list[IntegrityDifference] = []
    missing: list[MissingArtifact] = []
    notes: list[str] = []
    unchecked = 0
    for name in names:
        files = _Files(source, facts, name)
        summaries = [event for event in source.events(name) if event.kind == "summary"]
        for row in source.request_rows(ids[name]):
            progress(done, total, name)
            done += 1
            lists = lists_of(source, row.id)
            files.look(row, lists)
            if row.raw_messages is None:
                unchecked += 1
                continue
            trail = tracer.trace(lists, summaries, partial(_profile, source, row))
            unchecked += trail.unknown
            differences += [
                IntegrityDifference(name, row.id, row.number, one.by, one.index, one.raw_index, one.what, one.words)
                for one in trail.found
            ]
        missing += files.missing()
        notes += [*files.elsewhere(), *_unsaved(name, summaries)]
    return Integrity(total, unchecked, tuple(differences), tuple(missing), tuple(notes))


def _profile(source: Source, row: RequestRow) -> Mapping[str, Any] | None:
    profile = source.request(row.id).provider.get("profile")
    return profile if isinstance(profile, Mapping) else None


def _unsaved(thread_id: str, summaries: Sequence[Event]) -> list[str]:
    return [
        f"Thread {thread_id}: the messages that the summary at request {event.request_number} evicted were not saved; "
        "they stand in the thread's state alone."
        for event in summaries
        if event.data.get("path") is None
    ]


class _Files:
    """The files that a thread's messages speak of, and whether the agent can still read them."""

    def __init__(self, source: Source, facts: Facts, thread_id: str) -> None:
        self._source, self._facts, self._thread = source, facts, thread_id
        self._branches: list[Branch] = branches_of(source, thread_id)
        self._spoken: dict[str, tuple[Any, list[RequestRow]]] = {}
        self._seen: set[int] = set()

    def look(self, row: RequestRow, lists: RequestLists) -> None:
        """Note the files that a request's messages speak of.

        Of a request that failed only those of the state: what was put away for it may never have been kept.
        """
        kept = row.status not in {"failed", "stopped"}
        new = [piece for piece in (*lists.raw, *(lists.messages if kept else ())) if piece[0] not in self._seen]
        self._seen.update(piece[0] for piece in new)
        for piece in new:
            facts = self._facts.of(piece[0])
            if facts.stub is not None:
                self._speaks(facts.stub, "offloaded result", row)
            elif facts.evicted is not None:
                self._speaks(facts.evicted, "offloaded message", row)
            elif facts.history is not None:
                self._speaks(facts.history, "history", row)

    def missing(self) -> list[MissingArtifact]:
        """Files that are gone from every branch that goes on from the requests that speak of them."""
        found: list[MissingArtifact] = []
        if not self._branches:
            return found
        for path, (kind, rows) in self._spoken.items():
            gone = [row for row in rows if not self._readable(path, row)]
            if gone:
                row = gone[0]
                words = f"Request {row.number} speaks of it, and the thread's agent can't read it any more."
                found.append(MissingArtifact(self._thread, path, kind, row.id, row.number, words))
        return found

    def elsewhere(self) -> list[str]:
        """Files that can't be looked for: the thread's agent keeps them outside of this file."""
        if self._branches:
            return []
        return [
            f"Thread {self._thread}: its agent's files are not kept in this file, so {path} was not looked for."
            for path in self._spoken
        ]

    def _speaks(self, path: str, kind: Any, row: RequestRow) -> None:
        self._spoken.setdefault(path, (kind, []))[1].append(row)

    def _readable(self, path: str, row: RequestRow) -> bool:
        """Whether the agent that made a request can still read a file, should it go on."""
        if any(path in branch.files for branch in self._onward(row)):
            return True
        namespace = row.checkpoint_ns.rpartition("|")[0]
        return bool(namespace) and path in run_files_of(self._source, self._thread, namespace)

    def _onward(self, row: RequestRow) -> list[Branch]:
        """Branches that the request's checkpoint belongs to; all where that isn't known, as for a subagent's."""
        known = [branch for branch in self._branches if row.checkpoint_id in branch.checkpoints]
        return known or self._branches
