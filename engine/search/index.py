"""The index: a file of its own in the user's cache folder, one for each searched file.

The workspace stays as small as its record, writers never wait for a search, and what can only be read can be
searched too. Texts are kept in pieces, compressed, beside two FTS5 tables without contents or positions:
``grams`` (trigrams, which find inside identifiers and inside scripts without spaces; a shorter word is looked up
among their beginnings) and ``pairs`` (single characters and pairs of those scripts). Both only name candidates;
what is found is always seen in the text itself. Deleting the file costs nothing but the time to make it again.
"""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

import numpy
import zstandard

from engine.folding import fold

FORMAT = 2
PIECE = 8_192
"""Characters of a piece."""
OVERLAP = 256
"""Characters that a piece shares with the one before, so that no shorter term is cut in two."""

_SHORT = re.compile("[\u0e00-\u109f\u2e80-\U0010ffff]+")
"""Scripts whose words are short or not set apart: Thai to Myanmar, and from CJK radicals on."""
_END = "\x02\x02"
"""Stands behind a piece in its trigrams, so that its last two characters begin some too."""
_BEGINNINGS = 64
"""Trigrams that a short term may begin before it says nothing about where it stands."""
_TABLES = """
    CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;
    CREATE TABLE units (
        id INTEGER PRIMARY KEY AUTOINCREMENT, source TEXT NOT NULL, ref TEXT NOT NULL, version BLOB NOT NULL,
        kind TEXT NOT NULL, tools TEXT NOT NULL, at REAL, UNIQUE(source, ref));
    CREATE TABLE pieces (
        id INTEGER PRIMARY KEY AUTOINCREMENT, unit INTEGER NOT NULL, field TEXT NOT NULL, start INTEGER NOT NULL,
        last INTEGER NOT NULL, body BLOB NOT NULL);
    CREATE INDEX pieces_unit ON pieces(unit);
    CREATE VIRTUAL TABLE grams USING fts5(
        body, content='', columnsize=0, detail=none, tokenize='trigram case_sensitive 1');
    CREATE VIRTUAL TABLE gram_names USING fts5vocab(grams, row);
    CREATE VIRTUAL TABLE pairs USING fts5(body, content='', columnsize=0, detail=none, tokenize='ascii');
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """One text with all its fields, as it goes into the index."""

    source: str
    ref: str
    """Names it within its source."""
    version: bytes
    """Another one when the text is another one."""
    kind: str
    tools: str
    """Names of the tools that it is about, folded, a line each."""
    at: float | None
    fields: Sequence[tuple[str, str]]

    @property
    def chars(self) -> int:
        """Characters of all fields."""
        return sum(len(text) for _, text in self.fields)


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one field's text."""

    field: str
    start: int
    """Characters of the field before it."""
    last: bool
    """The field ends with it."""
    body: bytes
    """UTF-8, half surrogate pairs kept."""

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "surrogatepass")


def index_path(folder: Path, workspace: Path) -> Path:
    """Where the index of a file lies in the cache folder."""
    name = hashlib.blake2b(os.fsencode(workspace.resolve()), digest_size=12).hexdigest()
    return folder / f"{name}.sqlite"


class Index:
    """One index file. Reads from any thread; writes one at a time.

    A file that is damaged, or of another format, is made anew.
    """

    def __init__(self, path: Path, workspace: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._all: list[sqlite3.Connection] = []
        self._writing = threading.RLock()
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            self._prepare(workspace)
        except sqlite3.DatabaseError:
            self.close()
            remove(path)
            self._prepare(workspace)

    def close(self) -> None:
        """Close every connection."""
        while self._all:
            self._all.pop().close()
        self._local = threading.local()

    # Writing

    def add(self, units: Iterable[Unit]) -> None:
        """Put units in, each in place of an older one of its name; all of them or, on a fault, none."""
        pack = zstandard.ZstdCompressor(level=3).compress
        with self._transaction() as db:
            for unit in units:
                self._remove(db, unit.source, [unit.ref])
                row = db.execute(
                    "INSERT INTO units(source, ref, version, kind, tools, at) VALUES (?, ?, ?, ?, ?, ?)",
                    (unit.source, unit.ref, unit.version, unit.kind, unit.tools, unit.at),
                ).lastrowid
                for field, text in unit.fields:
                    for start in range(0, len(text), PIECE - OVERLAP) if len(text) > PIECE else (0,):
                        if start and start + OVERLAP >= len(text):
                            break
                        piece = text[start : start + PIECE]
                        last = start + PIECE >= len(text)
                        body = pack(piece.encode("utf-8", "surrogatepass"))
                        id = db.execute(
                            "INSERT INTO pieces(unit, field, start, last, body) VALUES (?, ?, ?, ?, ?)",
                            (row, field, start, last, body),
                        ).lastrowid
                        _enter(db, "INSERT INTO {table}(rowid, body) VALUES (?, ?)", id, piece)

    def remove(self, source: str, refs: Sequence[str]) -> None:
        """Take units out; their texts are gone from the file when this returns."""
        with self._transaction() as db:
            self._remove(db, source, refs)

    def note(self, name: str, value: str | None) -> None:
        """Remember a word about what is indexed; None forgets it."""
        with self._transaction() as db:
            if value is None:
                db.execute("DELETE FROM meta WHERE name = ?", (name,))
            else:
                db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (name, value))

    def _remove(self, db: sqlite3.Connection, source: str, refs: Sequence[str]) -> None:
        for ref in refs:
            row = db.execute("SELECT id FROM units WHERE source = ? AND ref = ?", (source, ref)).fetchone()
            if row is None:
                continue
            for id, body in db.execute("SELECT id, body FROM pieces WHERE unit = ?", row).fetchall():
                text = zstandard.decompress(body).decode("utf-8", "surrogatepass")
                _enter(db, "INSERT INTO {table}({table}, rowid, body) VALUES ('delete', ?, ?)", id, text)
            db.execute("DELETE FROM pieces WHERE unit = ?", row)
            db.execute("DELETE FROM units WHERE id = ?", row)

    # Reading

    def notes(self) -> dict[str, str]:
        """What was remembered."""
        return dict(self.rows("SELECT name, value FROM meta"))

    def versions(self, source: str) -> dict[str, bytes]:
        """Version by name of all units of a source."""
        return dict(self.rows("SELECT ref, version FROM units WHERE source = ?", (source,)))

    def candidates(self, term: str) -> Any:
        """Ids of the pieces that may hold a folded term, an array; None for all of them."""
        match, table = self._match(term)
        if match is None:
            return None
        if not match:
            return numpy.array([], numpy.int64)
        rows = self.connection().execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (match,))
        return numpy.fromiter(chain.from_iterable(rows), numpy.int64)

    def piece(self, id: int) -> Piece | None:
        """One piece; None when it was taken out meanwhile."""
        row = self.connection().execute("SELECT field, start, last, body FROM pieces WHERE id = ?", (id,)).fetchone()
        return Piece(row[0], row[1], bool(row[2]), self._unpacker().decompress(row[3])) if row else None

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.connection().execute(query, values).fetchall()

    def connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        found = getattr(self._local, "connection", None)
        if found is None:
            found = sqlite3.connect(self.path, timeout=10.0, isolation_level=None, check_same_thread=False)
            found.execute("PRAGMA synchronous=OFF")  # what a crash of the machine spoils is made again
            self._local.connection = found
            self._all.append(found)
        return found

    def _match(self, term: str) -> tuple[str | None, str]:
        """An FTS5 expression for a folded term, and its table; None where all pieces may hold it, empty where none."""
        if len(term) > 2:
            return " AND ".join(map(_quoted, dict.fromkeys(_grams(term)))), "grams"
        runs = _SHORT.findall(term)
        if runs:
            return '"' + "x".join(f"{ord(char):x}" for char in max(runs, key=len)) + '"', "pairs"
        names = self.rows(
            "SELECT term FROM gram_names WHERE term >= ? AND term < ? LIMIT ?",
            (term, term + chr(0x10FFFF), _BEGINNINGS + 1),
        )
        return (None if len(names) > _BEGINNINGS else " OR ".join(_quoted(name) for (name,) in names)), "grams"

    def _unpacker(self) -> zstandard.ZstdDecompressor:
        """This thread's; making one costs as much as unpacking a piece."""
        found = getattr(self._local, "unpacker", None)
        if found is None:
            found = self._local.unpacker = zstandard.ZstdDecompressor()
        return found

    @contextmanager
    def _transaction(self) -> Any:
        with self._writing:
            db = self.connection()
            db.execute("BEGIN IMMEDIATE")
            try:
                yield db
                db.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):
                    db.execute("ROLLBACK")
                raise

    def _prepare(self, workspace: Path) -> None:
        with suppress(FileExistsError):
            os.close(os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        db = self.connection()
        db.execute("PRAGMA journal_mode=WAL")
        with self._transaction():
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                for statement in _TABLES.split(";\n"):
                    if statement.strip():
                        db.execute(statement)
                db.execute("INSERT INTO meta VALUES ('workspace', ?)", (str(workspace.resolve()),))
                db.execute(f"PRAGMA user_version = {FORMAT}")
            elif version != FORMAT:
                raise sqlite3.DatabaseError("of another format")


def remove(path: Path) -> None:
    """Delete an index file."""
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)


def _enter(db: sqlite3.Connection, statement: str, id: Any, text: str) -> None:
    folded = fold(text)
    db.execute(statement.format(table="grams"), (id, folded + _END))
    short = " ".join(_pairs(folded))
    if short:
        db.execute(statement.format(table="pairs"), (id, short))


def _pairs(text: str) -> Iterable[str]:
    """Names of the characters, and of the pairs, of scripts with short words."""
    found: dict[str, None] = {}
    for run in set(_SHORT.findall(text)):
        found.update(dict.fromkeys(f"{ord(char):x}" for char in run))
        found.update(dict.fromkeys(f"{ord(one):x}x{ord(two):x}" for one, two in pairwise(run)))
    return sorted(found)


def _grams(term: str) -> Iterable[str]:
    return (term[at : at + 3] for at in range(min(len(term), OVERLAP) - 2))


def _quoted(gram: str) -> str:
    return '"' + gram.replace('"', '""') + '"'
