"""Bringing an index up to date with a workspace: what is new goes in, what is gone goes out.

Works in short steps, so that it can be stopped at any moment and goes on from there, and reads the
workspace only: no writer waits for it.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any

from engine.canonical import from_json
from engine.folding import fold
from engine.packing import unpack
from engine.places import ROUTES
from engine.search.index import Index, Unit
from engine.search.texts import KINDS, texts_of, tools_of
from engine.trace.book import Book
from engine.trace.files import Files, content_of

Progress = Callable[[int, int, str], None]
"""Told how many texts are done, how many there are, and of what kind."""

PART, FILE, STORED, EARLIER = "part", "file", "stored", "earlier"
"""Sources of units. Files of the store, and the texts that they had before, are two."""

_STEP = 400_000  # characters that go in with one transaction
_CHUNK = 500
_ROWS = 64  # parts read at once; one may be of megabytes
_MARK = "checkpoint "
"""Begins a note in the index: the checkpoint of a thread whose files are in."""


class Update:
    """One bringing up to date."""

    def __init__(self, book: Book, index: Index, progress: Progress, stop: threading.Event) -> None:
        self._book, self._index, self._progress, self._stop = book, index, progress, stop
        self._files = Files(book)

    def run(self) -> bool:
        """Do what there is to do; False when it was stopped before the end."""
        return self._parts() and self._thread_files() and self._stored()

    def _parts(self) -> bool:
        held = {int(ref): version for ref, version in self._index.versions(PART).items()}
        kinds = ",".join(f"'{kind}'" for kind in sorted(KINDS))
        there: dict[int, bytes] = dict(self._book.rows(f"SELECT id, digest FROM parts WHERE kind IN ({kinds})"))
        gone = [id for id, version in held.items() if there.get(id) != version]
        new = sorted(id for id, digest in there.items() if held.get(id) != digest)
        if not self._remove(PART, map(str, gone)):
            return False
        return self._add(self._read(new), len(new), "texts of requests")

    def _read(self, ids: Sequence[int]) -> Iterator[Unit]:
        # Not by way of the book's memory: going over everything would leave nothing else in it, and an id that
        # became free may be another part's by now.
        for start in range(0, len(ids), _ROWS):
            some = ids[start : start + _ROWS]
            marks = ",".join("?" * len(some))
            query = f"SELECT id, kind, digest, packed, body FROM parts WHERE id IN ({marks}) ORDER BY id"
            for id, kind, digest, packed, body in self._book.rows(query, some):
                try:
                    value = from_json(unpack(packed, body))
                    fields = [(field, text) for field, text in texts_of(kind, value) if text]
                    tools = fold("\n".join(tools_of(kind, value)))
                except ValueError:
                    fields, tools = [], ""  # a damaged part has no text, and spoils no other one
                yield Unit(PART, str(id), digest, kind, tools, None, fields)

    def _thread_files(self) -> bool:
        seen = {
            name.removeprefix(_MARK): value for name, value in self._index.notes().items() if name.startswith(_MARK)
        }
        newest: dict[str, str] = {}
        if self._book.one("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'"):
            newest = dict(
                self._book.rows(
                    "SELECT thread_id, max(checkpoint_id) FROM checkpoints WHERE checkpoint_ns = '' GROUP BY thread_id"
                )
            )
        for thread in seen.keys() | newest.keys():
            if self._stop.is_set():
                return False
            if seen.get(thread) == newest.get(thread):
                continue
            files = self._files.state(thread)[0] if thread in newest else {}
            units = [_file(FILE, file_ref(thread, path), path, data) for path, data in files.items()]
            if not self._replace(FILE, units, file_ref(thread, ""), "files of threads"):
                return False
            self._index.note(_MARK + thread, newest.get(thread))
        return True

    def _stored(self) -> bool:
        tables = {row[0] for row in self._book.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        units: list[Unit] = []
        current: dict[tuple[str, str], bytes] = {}
        if "store" in tables:
            for prefix, key, raw in self._book.rows("SELECT prefix, key, value FROM store"):
                current[prefix, key] = _bytes(raw)
                units.append(_file(STORED, stored_ref(prefix, key), path_in_store(prefix, key), _json(raw)))
        if not self._replace(STORED, units, "", "files of the store"):
            return False
        units = []
        if "file_versions" in tables:
            # The newest version of a file that stands is the file itself.
            for id, prefix, key, raw, at in self._book.rows(
                "SELECT id, place, key, value, at FROM file_versions WHERE value IS NOT NULL ORDER BY id DESC"
            ):
                if current.pop((prefix, key), None) != _bytes(raw):
                    ref = stored_ref(prefix, key, id)
                    units.append(_file(EARLIER, ref, path_in_store(prefix, key), _json(raw), at))
        return self._replace(EARLIER, units, "", "earlier versions of memory")

    def _replace(self, source: str, units: Iterable[Unit], prefix: str, what: str) -> bool:
        """Make the units of a source whose names begin so these ones."""
        wanted = {unit.ref: unit for unit in units}
        held = {ref: version for ref, version in self._index.versions(source).items() if ref.startswith(prefix)}
        if not self._remove(source, [ref for ref in held if ref not in wanted]):
            return False
        new = [unit for ref, unit in wanted.items() if held.get(ref) != unit.version]
        return self._add(iter(new), len(new), what)

    def _remove(self, source: str, refs: Iterable[str]) -> bool:
        gone = list(refs)
        for start in range(0, len(gone), _CHUNK):
            if self._stop.is_set():
                return False
            self._index.remove(source, gone[start : start + _CHUNK])
        return True

    def _add(self, units: Iterator[Unit], count: int, what: str) -> bool:
        done, waiting, chars = 0, [], 0
        for unit in units:
            waiting.append(unit)
            chars += unit.chars
            if chars >= _STEP or len(waiting) >= _CHUNK:
                if self._stop.is_set():
                    return False
                self._index.add(waiting)
                done += len(waiting)
                self._progress(done, count, what)
                waiting, chars = [], 0
        if self._stop.is_set():
            return False
        if waiting:
            self._index.add(waiting)
            self._progress(count, count, what)
        return True


def path_in_store(prefix: str, key: str) -> str:
    """A store file's path as an agent sees it; outside its routes, its namespace and key."""
    route = next((route for route, namespace in ROUTES.items() if namespace == prefix), None)
    return route.rstrip("/") + key if route else f"{prefix}:{key}"


def file_ref(thread_id: str, path: str) -> str:
    """Name of a thread's file; that of an empty path begins the names of them all, and of no others."""
    return f"{len(thread_id)} {thread_id}{path}"


def file_of(ref: str) -> tuple[str, str]:
    """Thread and path of a thread's file."""
    length, _, rest = ref.partition(" ")
    return rest[: int(length)], rest[int(length) :]


def stored_ref(prefix: str, key: str, version: int = 0) -> str:
    """Name of a file of the store; with its number in ``file_versions``, of a text that it had before."""
    return f"{version} {len(prefix)} {prefix}{key}"


def stored_of(ref: str) -> str:
    """Path of a file of the store."""
    return path_in_store(*file_of(ref.partition(" ")[2]))


def _file(source: str, ref: str, path: str, data: Any, at: float | None = None) -> Unit:
    content, _ = content_of(data)
    fields = [("path", path)]
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        text = ""  # a picture or an archive is found by its path
    if text:
        fields.append(("text", text))
    version = hashlib.blake2b(content or b"", digest_size=16).digest()
    moment = data.get("modified_at") if isinstance(data, dict) else None
    return Unit(source, ref, version, "file", "", at if at is not None else _seconds(moment), fields)


def _seconds(moment: Any) -> float | None:
    try:
        return datetime.fromisoformat(moment).timestamp()
    except (TypeError, ValueError, OverflowError):
        return None


def _bytes(raw: bytes | str) -> bytes:
    return raw.encode("utf-8", "surrogatepass") if isinstance(raw, str) else bytes(raw)


def _json(raw: bytes | str) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        return None
