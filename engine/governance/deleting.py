"""Deleting what a plan names, and proof that it is gone: rows counted again, bytes looked for in the file."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.errors import EditConflict, InspectorError
from engine.governance.planning import Target, count, targets
from engine.raw_bytes import chunks
from engine.trace.rows import alive
from engine.transactions import in_words
from engine.workbench import DeletionPlan, DeletionProof
from engine.workspace import Workspace

_FEW = 24  # samples of each kind
_SLICE = 24  # bytes


def delete_for_good(workspace_path: str | Path, plan: DeletionPlan, vacuum: bool = True) -> DeletionProof:
    """Delete what was planned, overwrite its pages, and look for it afterwards.

    ``vacuum`` rewrites the file, so that what earlier changes left in free pages goes too; it takes as
    long as copying the file.

    Raises:
        EditConflict: there is something else by now than was planned. Nothing was deleted.
        InspectorError: a thread of it is running, or the file can't be written.
    """
    file = Path(workspace_path)
    workspace = Workspace.open(file)
    before = _size(file)
    try:
        with closing(workspace.connect(autocommit=True)) as db:
            db.execute("PRAGMA secure_delete = ON")
            db.execute("BEGIN IMMEDIATE")
            _refuse_running(db, plan.threads)
            items, seal = count(db, plan.threads, plan.namespace)
            if seal != plan.seal:
                raise EditConflict(
                    "There is something else by now than was shown. Look at it again; nothing was deleted.", None, seal
                )
            going = targets(db, plan.threads, plan.namespace)
            samples = list(dict.fromkeys(_samples(db, going)))
            _hold_ids(db)
            for target in going:
                db.execute(f"DELETE FROM {target.table} WHERE {target.where}", target.values)
            db.execute(
                "INSERT INTO deletions(at, kind, rows, bytes) VALUES (?, ?, ?, ?)",
                (
                    time.time(),
                    "thread" if plan.namespace is None else "namespace",
                    sum(item.count for item in items),
                    sum(item.bytes for item in items),
                ),
            )
            db.execute("COMMIT")
            note = _overwrite(db, vacuum)
            left, _ = count(db, plan.threads, plan.namespace)
    except sqlite3.Error as error:
        raise in_words(file, error) from error
    _forget_search(file)
    found = sum(1 for sample in samples if _in_file(file, sample))
    return DeletionProof(items, left, len(samples), found, before, _size(file), note)


def _refuse_running(db: sqlite3.Connection, threads: Sequence[str]) -> None:
    marks = ",".join("?" * len(threads))
    for thread, pid in db.execute(
        "SELECT t.thread_id, r.pid FROM runs r JOIN threads t ON t.id = r.thread "
        f"WHERE r.status = 'running' AND t.thread_id IN ({marks})",
        threads,
    ):
        if alive(pid):
            raise InspectorError(f"Thread {thread} is running. Stop it, or wait until it is done; nothing was deleted.")


def _hold_ids(db: sqlite3.Connection) -> None:
    """Empty rows that keep ids from being given again: who reads the file remembers bodies by them."""
    db.execute(
        "INSERT INTO parts(digest, kind, packed, chars, tokens, body) VALUES (randomblob(16), 'gone', 0, 0, 0, x'')"
    )
    part = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    db.execute("INSERT INTO chain(parent, part, depth) VALUES (-1, ?, 0)", (part,))
    node = db.execute("SELECT last_insert_rowid()").fetchone()[0]
    db.execute("DELETE FROM chain WHERE parent = -1 AND id < ?", (node,))
    db.execute("DELETE FROM parts WHERE kind = 'gone' AND id < ?", (part,))


def _overwrite(db: sqlite3.Connection, vacuum: bool) -> str:
    """Fold the log back, so that old pages are nowhere; a sentence where somebody keeps them."""
    if vacuum:
        db.execute("VACUUM")
    busy, *_ = db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    if busy:
        return (
            "Another program is reading the file and keeps old pages beside it. They go when it closes the file; "
            "run the deletion's check again then."
        )
    return ""


def _samples(db: sqlite3.Connection, going: Iterable[Target]) -> Iterator[bytes]:
    """Byte strings that stand nowhere else: ids drawn by chance, and the middle of packed bodies."""
    columns = {
        "checkpoints": ("checkpoint_id",),
        "requests": ("token",),
        "runs": ("token",),
        "store": ("value",),
        "file_versions": ("value",),
        "parts": ("body",),
    }
    for target in going:
        for column in columns.get(target.table, ()):
            where = f"({target.where})" + (" AND packed > 0" if target.table == "parts" else "")
            rows = db.execute(
                f"SELECT {column} FROM {target.table} WHERE {where} ORDER BY rowid DESC LIMIT {_FEW}", target.values
            )
            for (value,) in rows:
                sample = _distinct(value)
                if len(sample) >= _SLICE:
                    yield sample


def _distinct(value: Any) -> bytes:
    data = value.encode() if isinstance(value, str) else bytes(value or b"")
    stamp = data.find(b'"modified_at":"')
    if stamp >= 0:  # a moment, to the microsecond
        return data[stamp + 15 : stamp + 15 + 32]
    middle = max(0, len(data) // 2 - _SLICE)
    return data[middle : middle + _SLICE] if len(data) > 2 * _SLICE else data


def _in_file(file: Path, sample: bytes) -> bool:
    for name in (file, file.with_name(f"{file.name}-wal"), file.with_name(f"{file.name}-journal")):
        if name.exists() and any(sample in piece for piece in chunks(name, len(sample) - 1)):
            return True
    return False


def _forget_search(file: Path) -> None:
    from engine.search import forget  # deferred: it imports what searching needs

    forget(file)


def _size(file: Path) -> int:
    return file.stat().st_size
