"""The texts that a memory or skill file has had: who wrote each, and how to have one back."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import orjson

from engine.errors import InspectorError, UsageError
from engine.memory.calls import FileCall, calls_at
from engine.memory.rows import bytes_of, reading
from engine.memory.stored import StoredMemory, located_of, save_at, version_of
from engine.places import Located, path_in
from engine.trace.book import Book
from engine.trace.layouts import layout_of
from engine.workbench import Author, FileVersion

RESTORED = "restored"


@dataclass(frozen=True, slots=True)
class EarlierMemory:
    """A text that another one replaced."""

    path: str
    data: bytes
    version: str
    modified_at: str | None
    replaced_at: str


@dataclass(frozen=True, slots=True)
class Text:
    """One text of a file, as it was noted."""

    id: int
    at: float
    data: bytes | None
    """None: the file was deleted."""
    author: str | None
    note: str
    modified_at: str | None

    @property
    def text(self) -> str | None:
        """None for a deleted file, and for one that isn't UTF-8."""
        try:
            return None if self.data is None else self.data.decode("utf-8")
        except UnicodeDecodeError:
            return None


def earlier_versions(workspace_path: str | Path, path: str, thread_id: str | None = None) -> list[EarlierMemory]:
    """Texts of this file that were replaced, the latest first."""
    with reading(workspace_path) as db:
        texts = _texts(path, _rows(db.execute, located_of(db, path, thread_id)))
    found = [
        EarlierMemory(path, text.data, version_of(text.data), text.modified_at, _iso(following.at))
        for text, following in pairwise(texts)
        if text.data is not None
    ]
    return found[::-1]


def file_versions(book: Book, path: str, thread_id: str | None = None) -> list[FileVersion]:
    """Every text of this file of a thread's agent, the latest first, each with who wrote it."""
    located = layout_of(book.rows, thread_id).locate(path)
    texts = texts_of(book, located, path)
    authors = attributed(book, located, path, texts)
    return [_version(path, text, call, at == len(texts) - 1) for at, (text, call) in enumerate(authors)][::-1]


def texts_of(book: Book, located: Located, path: str) -> list[Text]:
    """Every text of this file, the first one first; without those that only repeat the one before."""
    return _texts(path, _rows(book.rows, located))


def attributed(book: Book, located: Located, path: str, texts: list[Text]) -> list[tuple[Text, FileCall | None]]:
    """Each text with the tool call that made it: the latest before it that makes it of the text before."""
    waiting = calls_at(book, located, path)
    found: list[tuple[Text, FileCall | None]] = []
    before: str | None = None
    for text in texts:
        call = None
        if text.author is None:
            earlier = (one for one in reversed(waiting) if one.at <= text.at + _CLOCK)
            call = next((one for one in earlier if one.explains(before, text.text)), None)
        if call is not None:
            waiting.remove(call)
        found.append((text, call))
        before = text.text
    return found


def version_bytes(book: Book, id: int) -> bytes:
    """The bytes of one version; raises ``UsageError`` where there is none of this id."""
    return _one(book, id)[1]


def restore_version(workspace_path: str | Path, id: int, base_version: str) -> StoredMemory:
    """Save an earlier text again where it lay, over the version that was seen. Raises as ``save_memory``."""
    with closing(Book(Path(workspace_path))) as book:
        located, data = _one(book, id)
    path = path_in(located.within, located.key) if located.kind == "store" else f"{located.within}{located.key}"
    return save_at(workspace_path, located, path, data, base_version, RESTORED)


_CLOCK = 1.0  # seconds; SQLite's clock and Python's are read apart


def _one(book: Book, id: int) -> tuple[Located, bytes]:
    rows = book.rows("SELECT place, key, value FROM file_versions WHERE id = ?", (id,)) if _known(book.rows) else []
    if not rows or rows[0][2] is None:
        raise UsageError(f"There is no version {id} of a file in this workspace.")
    located = Located.named(rows[0][0], rows[0][1])
    return located, bytes_of(located.key, orjson.loads(rows[0][2]))


def _known(query: Any) -> bool:
    return bool(list(query("SELECT 1 FROM sqlite_master WHERE name = 'file_versions'", ())))


def _rows(query: Any, located: Located) -> list[tuple[Any, ...]]:
    if not _known(query):
        return []
    wanted = "SELECT id, at, value, author, note FROM file_versions WHERE place = ? AND key = ? ORDER BY id"
    return list(query(wanted, (located.filed, located.key)))


def _texts(path: str, rows: list[tuple[Any, ...]]) -> list[Text]:
    found: list[Text] = []
    for id, at, raw, author, note in rows:
        data, modified = None, None
        if raw is not None:
            try:
                value = orjson.loads(raw)
                data, modified = bytes_of(path, value), value.get("modified_at")
            except (orjson.JSONDecodeError, InspectorError, AttributeError):
                continue  # a damaged entry was noted too; nothing of it can be shown
        if (found[-1].data if found else None) == data:
            continue
        found.append(Text(id, at, data, author, note or "", modified))
    return found


def _version(path: str, text: Text, call: FileCall | None, current: bool) -> FileVersion:
    author: Author = cast("Author", text.author) if text.author else "agent" if call else "outside"
    return FileVersion(
        id=text.id,
        path=path,
        version=version_of(text.data),
        size=len(text.data or b""),
        at=text.at,
        author=author,
        note=text.note,
        thread_id=call.thread_id if call else None,
        request=call.request if call else None,
        request_number=call.number if call else None,
        tool_call_id=call.id if call else None,
        current=current,
    )


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()
