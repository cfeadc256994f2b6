"""A workspace as something to be searched: asked of its tables, so that any size of record is told in seconds."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.canonical import from_json
from engine.notes import Note, list_notes
from engine.packing import unpack
from engine.search.corpus import EARLIER, FILE, STORED, Stored, file_ref, path_in_store, paths_in, stored_ref
from engine.search.places import Places, of_record
from engine.search.texts import KINDS
from engine.sources.source import Source
from engine.trace.book import Book
from engine.trace.files import Files
from engine.trace.model import RequestRow, ThreadRow

_ROWS = 64  # parts read at once; one may be of megabytes


class WorkspaceCorpus:
    """A workspace."""

    def __init__(self, source: Source) -> None:
        self._source, self._book = source, Book(source.path)
        self._files = Files(self._book)
        self._kinds = ",".join(f"'{kind}'" for kind in sorted(KINDS))

    @property
    def path(self) -> Path:
        return self._book.path

    def close(self) -> None:
        self._book.close()

    def load(self, stop: threading.Event) -> bool:
        return not stop.is_set()

    def parts(self) -> dict[bytes, int]:
        return dict(self._book.rows(f"SELECT digest, id FROM parts WHERE kind IN ({self._kinds})"))

    def newer(self, part: int) -> int:
        row = self._book.one(f"SELECT count(*) FROM parts WHERE id > ? AND kind IN ({self._kinds})", (part,))
        return int(row[0]) if row else 0

    def read(self, parts: Sequence[int]) -> Iterator[tuple[bytes, str, Any]]:
        # Not by way of the book's memory: going over everything would leave nothing else in it, and an id that
        # became free may be another part's by now.
        for start in range(0, len(parts), _ROWS):
            some = parts[start : start + _ROWS]
            marks = ",".join("?" * len(some))
            query = f"SELECT digest, kind, packed, body FROM parts WHERE id IN ({marks}) ORDER BY id"
            for name, kind, packed, body in self._book.rows(query, some):
                try:
                    yield name, kind, from_json(unpack(packed, body))
                except ValueError:
                    yield name, kind, None  # a damaged part spoils no other one

    def places(self) -> Places:
        return of_record(self._book)

    def threads(self) -> list[ThreadRow]:
        return self._source.threads()

    def thread_numbers(self) -> dict[int, str]:
        return dict(self._book.rows("SELECT id, thread_id FROM threads"))

    def rows(self, ids: Sequence[int]) -> list[RequestRow]:
        return self._source.request_rows(ids)

    def calls(self) -> dict[int, list[str]]:
        rows = self._book.rows("SELECT id, calls FROM requests WHERE calls IS NOT NULL")
        return {request: json.loads(names) for request, names in rows}

    def named(self) -> dict[int, list[str]]:
        found: dict[int, list[str]] = {}
        for request, data in self._book.rows("SELECT request, data FROM events WHERE request IS NOT NULL"):
            found.setdefault(request, []).extend(paths_in(json.loads(data)))
        return found

    def contributor(self, request: int, index: int) -> str:
        row = self._book.one("SELECT origin_part FROM requests WHERE id = ?", (request,))
        contributors = (self._book.value(row[0]) or {}).get("system") if row and row[0] else None
        return str(contributors[index]) if contributors and index < len(contributors) else ""

    def notes(self) -> list[Note]:
        return list_notes(self._book.path)

    def states(self) -> dict[str, str]:
        if not self._has("checkpoints"):
            return {}
        return dict(
            self._book.rows(
                "SELECT thread_id, max(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id"
            )
        )

    def state_files(self, thread_id: str) -> list[Stored]:
        files = self._files.state(thread_id)[0]
        return [Stored(FILE, file_ref(thread_id, path), path, data) for path, data in files.items()]

    def stored(self) -> Iterator[Stored]:
        current: dict[tuple[str, str], bytes] = {}
        if self._has("store"):
            for prefix, key, raw in self._book.rows("SELECT prefix, key, value FROM store"):
                current[prefix, key] = _bytes(raw)
                yield Stored(STORED, stored_ref(prefix, key), path_in_store(prefix, key), _json(raw))
        if self._has("file_versions"):
            query = "SELECT id, place, key, value, at FROM file_versions WHERE value IS NOT NULL ORDER BY id DESC"
            for id, prefix, key, raw, at in self._book.rows(query):
                # The newest version of a file that stands is the file itself.
                if current.pop((prefix, key), None) != _bytes(raw):
                    yield Stored(EARLIER, stored_ref(prefix, key, id), path_in_store(prefix, key), _json(raw), at)

    def _has(self, table: str) -> bool:
        return bool(self._book.one("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (table,)))


def _bytes(raw: bytes | str) -> bytes:
    return raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else bytes(raw)


def _json(raw: bytes | str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None
