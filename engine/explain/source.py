"""What explaining asks of a record: a part of the read interface, which any source of threads can offer.

``lists``, ``branches`` and ``run_files`` are optional: without them, lists come from the request's rows,
contributors are not known, and a thread has one line of checkpoints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from engine.trace.model import (
    Artifact,
    Branch,
    Event,
    Piece,
    RawRow,
    RequestDetail,
    RequestLists,
    RequestRow,
    Summary,
    ThreadRow,
)

WORKSPACE = "workspace"
"""``ThreadRow.source`` of threads whose agents may keep their state in the file."""


class Source(Protocol):
    """A record of threads, as :class:`engine.trace.Reader` offers it."""

    def threads(self) -> list[ThreadRow]: ...

    def request_ids(self, thread_id: str) -> list[int]: ...

    def request_rows(self, ids: Iterable[int]) -> list[RequestRow]: ...

    def request(self, request_id: int) -> RequestDetail: ...

    def message(self, part: int) -> dict[str, Any]: ...

    def value(self, part: int) -> Any: ...

    def events(self, thread_id: str) -> list[Event]: ...

    def summaries(self, thread_id: str) -> list[Summary]: ...

    def evicted(self, event_id: int) -> list[RawRow]: ...

    def files(self, thread_id: str) -> list[Artifact]: ...


@runtime_checkable
class _HasLists(Protocol):
    def lists(self, request_id: int) -> RequestLists: ...


@runtime_checkable
class _HasBranches(Protocol):
    def branches(self, thread_id: str) -> list[Branch]: ...


@runtime_checkable
class _HasRunFiles(Protocol):
    def run_files(self, thread_id: str, namespace: str) -> frozenset[str]: ...


def lists_of(source: Source, request_id: int) -> RequestLists:
    """The lists of a request, with what is known of how they came about."""
    if isinstance(source, _HasLists):
        return source.lists(request_id)
    detail = source.request(request_id)
    return RequestLists(
        system=_pieces(detail.system),
        tools=_pieces(detail.tools),
        messages=_pieces(detail.messages),
        raw=_pieces(detail.raw),
        cutoff=detail.cutoff,
        response=detail.response,
        system_by=tuple(block.contributor for block in detail.system),
        tools_by={tool.name: tool.contributor for tool in detail.tools},
        messages_by=(),
        order=(),
        rules={},
        layers=(),
    )


def branches_of(source: Source, thread_id: str) -> list[Branch]:
    """A thread's lines of checkpoints with the files at the end of each.

    None where they do not show what is gone: of a thread whose agent keeps its state, or its files, elsewhere.
    """
    kind = next((row.source for row in source.threads() if row.thread_id == thread_id), None)
    if kind != WORKSPACE:
        return []
    if isinstance(source, _HasBranches):
        return source.branches(thread_id)
    return [Branch("", frozenset(), frozenset(file.path for file in source.files(thread_id)))]


def run_files_of(source: Source, thread_id: str, namespace: str) -> frozenset[str]:
    """Files in a subagent's own state."""
    return source.run_files(thread_id, namespace) if isinstance(source, _HasRunFiles) else frozenset()


def _pieces(rows: Sequence[Any]) -> tuple[Piece, ...]:
    return tuple((row.part, row.kind, row.chars, row.tokens) for row in rows)
