"""Any source of threads as something to be searched: read through its own doors, and kept in memory."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.canonical import digest, to_json
from engine.errors import InspectorError
from engine.notes import Note
from engine.search.corpus import FILE, Stored, file_ref, paths_in
from engine.search.places import Places, of_lists
from engine.sources.source import Source
from engine.trace.model import RequestRow, ThreadRow


class SourceCorpus:
    """Any other source: what its requests say, read through its own doors and kept in memory."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._digests: dict[int, bytes] = {}
        self._kinds: dict[int, str] = {}
        self._lists: dict[int, dict[str, Sequence[int]]] = {}
        self._threads: list[ThreadRow] = []
        self._of: dict[int, int] = {}
        self._version: int | None = None

    @property
    def path(self) -> Path:
        return self._source.path

    def close(self) -> None:
        pass  # the source is somebody else's

    def load(self, stop: threading.Event) -> bool:
        version = self._source.data_version()
        if version == self._version:
            return not stop.is_set()
        threads, lists, of = self._source.threads(), {}, {}
        for number, thread in enumerate(threads):
            read = getattr(self._source, "load", None)
            if read is not None and not read(thread.thread_id, stop):
                return False
            for request in self._source.request_ids(thread.thread_id):
                if stop.is_set():
                    return False
                of[request] = number
                lists[request] = self._request(request)
        self._threads, self._lists, self._of, self._version = threads, lists, of, version
        return True

    def _request(self, request: int) -> dict[str, Sequence[int]]:
        found = self._source.lists(request)
        told: dict[str, Sequence[int]] = {}
        for area in ("system", "tools", "messages", "raw"):
            pieces = getattr(found, area)
            told[area] = tuple(piece[0] for piece in pieces)
            for part, kind, *_ in pieces:
                self._kinds[part] = kind
        if found.response is not None:
            told["response"] = (found.response,)
            self._kinds.setdefault(found.response, "ai")
        return told

    def parts(self) -> dict[bytes, int]:
        for part, kind in self._kinds.items():
            if part not in self._digests:
                self._digests[part] = digest(kind, to_json(self._source.value(part)))
        return {name: part for part, name in self._digests.items()}

    def newer(self, part: int) -> int:
        return sum(1 for known in self._kinds if known > part)

    def read(self, parts: Sequence[int]) -> Iterator[tuple[bytes, str, Any]]:
        for part in parts:
            yield self._digests[part], self._kinds[part], self._source.value(part)

    def places(self) -> Places:
        return of_lists(self._lists, self._of)

    def threads(self) -> list[ThreadRow]:
        return self._threads

    def thread_numbers(self) -> dict[int, str]:
        return {number: thread.thread_id for number, thread in enumerate(self._threads)}

    def rows(self, ids: Sequence[int]) -> list[RequestRow]:
        return self._source.request_rows(ids)

    def calls(self) -> dict[int, list[str]]:
        found = {}
        for request, lists in self._lists.items():
            heads = self._source.heads(lists.get("response", ()))
            found[request] = [call.name for head in heads.values() for call in head.tool_calls if call.name]
        return found

    def named(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for thread in self._threads:
            for event in self._source.events(thread.thread_id):
                if event.request is not None:
                    found.setdefault(event.request, []).extend(paths_in(event.data))
        return found

    def contributor(self, request: int, index: int) -> str:
        return ""

    def notes(self) -> list[Note]:
        return []

    def states(self) -> dict[str, str]:
        return {thread.thread_id: f"{self._version}" for thread in self._threads}

    def state_files(self, thread_id: str) -> list[Stored]:
        found = []
        for artifact in self._source.files(thread_id):
            try:
                data: Any = self._source.file(thread_id, artifact.path)
            except InspectorError:
                data = None
            found.append(Stored(FILE, file_ref(thread_id, artifact.path), artifact.path, data))
        return found

    def stored(self) -> Iterator[Stored]:
        return iter(())
