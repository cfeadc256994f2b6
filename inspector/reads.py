"""What a session asks of a reader: plain functions, called in jobs, and the values they bring."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from engine.trace.model import RequestDetail, RequestRow, ThreadRow


CHUNK = 400
"""Rows asked for at once while a thread is read to the end."""
KEPT_DETAILS = 24


class ReaderLike(Protocol):
    """The part of ``engine.Reader`` that the session uses; called in jobs only."""

    def data_version(self) -> int: ...
    def threads(self) -> list[ThreadRow]: ...
    def load(self, thread_id: str, stop: Any = None, progress: Any = ...) -> bool: ...
    def loaded(self, thread_id: str) -> list[int]: ...
    def request_ids(self, thread_id: str) -> list[int]: ...
    def request_rows(self, ids: Sequence[int]) -> list[RequestRow]: ...
    def request(self, request_id: int) -> RequestDetail: ...


@dataclass(frozen=True)
class News:
    """What somebody committed since the last look."""

    version: int
    threads: list[ThreadRow] | None
    """None when nobody committed anything."""
    thread_id: str | None
    ids: list[int]
    rows: list[RequestRow]


@dataclass(frozen=True)
class Found:
    """Requests of a thread."""

    ids: list[int]
    """Of all that are known."""
    rows: list[RequestRow]
    """Some of them."""
    whole: bool
    """Whether the thread has been read to its end."""


class Details:
    """The last requests that were read, by id; one that still runs is not kept."""

    def __init__(self) -> None:
        self._kept: OrderedDict[int, RequestDetail] = OrderedDict()

    def __contains__(self, request_id: int) -> bool:
        return request_id in self._kept

    def get(self, request_id: int) -> RequestDetail | None:
        """A request's detail when it is at hand."""
        found = self._kept.get(request_id)
        if found is not None:
            self._kept.move_to_end(request_id)
        return found

    def keep(self, details: Sequence[RequestDetail]) -> None:
        """Keep these, and let the longest unused ones go."""
        for detail in details:
            if detail.row.status != "running":
                self._kept[detail.row.id] = detail
                self._kept.move_to_end(detail.row.id)
        while len(self._kept) > KEPT_DETAILS:
            self._kept.popitem(last=False)

    def forget(self, request_id: int) -> None:
        """It is another one now."""
        self._kept.pop(request_id, None)


def first_look(reader: ReaderLike) -> tuple[int, list[ThreadRow]]:
    """Version of the data, and the threads."""
    version = reader.data_version()
    return version, reader.threads()


def open_thread(reader: ReaderLike, thread_id: str, wanted: int | None, whole: bool = True) -> Found:
    """Ids of all requests that are known, and the rows around the one that is wanted, else the last ones."""
    ids = reader.request_ids(thread_id) if whole else reader.loaded(thread_id)
    middle = ids.index(wanted) if wanted in ids else len(ids) - 1
    start = max(0, min(middle - CHUNK // 2, len(ids) - CHUNK))
    return Found(ids, reader.request_rows(ids[start : start + CHUNK]), whole)


def read_details(reader: ReaderLike, ids: list[int]) -> list[RequestDetail]:
    """Several requests."""
    return [reader.request(id) for id in ids]


def look_again(reader: ReaderLike, version: int, thread_id: str | None, known: int, again: list[int]) -> News:
    """What is new since ``version``: requests after the first ``known`` ones, and those to be read again."""
    now = reader.data_version()
    if now == version:
        return News(now, None, None, [], [])
    threads = reader.threads()
    if thread_id is None:
        return News(now, threads, None, [], [])
    ids = reader.request_ids(thread_id)
    wanted = ids[known:][:CHUNK] + again
    return News(now, threads, thread_id, ids, reader.request_rows(wanted))
