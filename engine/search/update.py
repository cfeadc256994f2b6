"""Bringing an index up to date with a corpus: what is new goes in, what is gone goes out.

Works in short steps, so that it can be stopped at any moment and goes on from there, and only reads what is
searched: no writer waits for it.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any

from engine.folding import fold
from engine.search.corpus import EARLIER, FILE, STORED, Corpus, Stored, file_ref
from engine.search.index import Index, Unit
from engine.search.texts import texts_of, tools_of
from engine.trace.files import content_of

Progress = Callable[[int, int, str], None]
"""Told how many texts are done, how many there are, and of what kind."""

PART = "part"
"""Source of units that are recorded parts; each is named by its digest."""

_STEP = 400_000  # characters that go in with one transaction
_CHUNK = 500
_MARK = "state "
"""Begins a note in the index: which state of a thread's files is in."""


class Update:
    """One bringing up to date."""

    def __init__(self, corpus: Corpus, index: Index, progress: Progress, stop: threading.Event) -> None:
        self._corpus, self._index, self._progress, self._stop = corpus, index, progress, stop

    def run(self) -> bool:
        """Do what there is to do; False when it was stopped before the end."""
        return self._corpus.load(self._stop) and self._parts() and self._thread_files() and self._stored()

    def _parts(self) -> bool:
        held = self._index.versions(PART)
        there = {name.hex(): part for name, part in self._corpus.parts().items()}
        if not self._remove(PART, [ref for ref in held if ref not in there]):
            return False
        new = sorted(part for ref, part in there.items() if ref not in held)
        return self._add(map(_part, self._corpus.read(new)), len(new), "texts of requests")

    def _thread_files(self) -> bool:
        seen = {
            name.removeprefix(_MARK): value for name, value in self._index.notes().items() if name.startswith(_MARK)
        }
        newest = self._corpus.states()
        for thread in seen.keys() | newest.keys():
            if self._stop.is_set():
                return False
            if seen.get(thread) == newest.get(thread):
                continue
            files = self._corpus.state_files(thread) if thread in newest else []
            if not self._replace(FILE, map(_file, files), file_ref(thread, ""), "files of threads"):
                return False
            self._index.note(_MARK + thread, newest.get(thread))
        return True

    def _stored(self) -> bool:
        units = [_file(stored) for stored in self._corpus.stored()]
        for source, what in ((STORED, "files of the store"), (EARLIER, "earlier versions of memory")):
            if not self._replace(source, (unit for unit in units if unit.source == source), "", what):
                return False
        return True

    def _replace(self, source: str, units: Iterable[Unit], prefix: str, what: str) -> bool:
        """Make the units of a source whose names begin so these ones."""
        wanted = {unit.ref: unit for unit in units}
        held = {ref: version for ref, version in self._index.versions(source).items() if ref.startswith(prefix)}
        if not self._remove(source, [ref for ref in held if ref not in wanted]):
            return False
        new = [unit for ref, unit in wanted.items() if held.get(ref) != unit.version]
        return self._add(iter(new), len(new), what)

    def _remove(self, source: str, gone: list[str]) -> bool:
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


def _part(told: tuple[bytes, str, Any]) -> Unit:
    name, kind, value = told
    fields = [] if value is None else [(field, text) for field, text in texts_of(kind, value) if text]
    return Unit(PART, name.hex(), b"", kind, fold("\n".join(tools_of(kind, value))), None, fields)


def _file(stored: Stored) -> Unit:
    data = stored.data
    content = data if isinstance(data, bytes) else content_of(data)[0]
    fields = [("path", stored.path)]
    try:
        text = (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        text = ""  # a picture or an archive is found by its path
    if text:
        fields.append(("text", text))
    at = stored.at if stored.at is not None else _seconds(data)
    version = hashlib.sha256(content or b"").digest()
    return Unit(stored.source, stored.ref, version, "file", "", at, fields)


def _seconds(data: Any) -> float | None:
    try:
        return datetime.fromisoformat(data["modified_at"]).timestamp()
    except (TypeError, KeyError, ValueError, OverflowError):
        return None
