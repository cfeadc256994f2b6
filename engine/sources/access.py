"""Ways to read a stranger's SQLite file that leave it, and its folder, as they are.

SQLite itself writes when it reads: opening a WAL file makes ``-wal`` and ``-shm`` beside it,
and an unfinished transaction is rolled back into it. So such files are read through a
private copy, and only a file that is at rest, or locks properly, is read in place.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import time
from pathlib import Path

from engine import raw_bytes
from engine.errors import WorkspaceError

_LOCKED_SECONDS = 2.0
_TRIES = 40
_PAUSE = 0.05  # seconds between two tries to copy a file that is being written
_SETTLED = 20_000_000  # nanoseconds; a younger time stamp could hide a second write

Stamp = tuple[int, int, int] | None
"""Inode, size, time of change of a file; None where there is none."""


class Access:
    """Read access to one SQLite file that belongs to somebody else.

    ``how`` says in words how it is read. Not thread-safe.

    Raises:
        WorkspaceError: it can't be read, or is written to without a pause.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.how = ""
        self.file = path
        """The file that is really read: this one, or the private copy."""
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._connection: sqlite3.Connection | None = None
        self._copied: Stamp = None
        self._copies = 0
        self._locked = False
        self._seen = self._stamps()
        self._open()

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection; another one after :meth:`refresh` said True."""
        if self._connection is None:  # a refresh failed; it may go now
            self._open()
        assert self._connection is not None
        return self._connection

    @property
    def has_wal(self) -> bool:
        """Whether pages of what is read lie in a WAL."""
        return _size(beside(self.file, "-wal")) > 0

    def refresh(self) -> bool:
        """Whether the file has changed since it was looked at; what is read from now on is then the new state."""
        now = self._stamps()
        if now == self._seen:
            return False
        self._seen = now
        self._locked = False
        self._open()
        return True

    def avoid_lock(self) -> None:
        """Go on with a private copy: another program holds the file locked."""
        if not self._locked:
            self._locked = True
            self._open()

    def close(self) -> None:
        """Close the file and remove the private copy."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _open(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        try:
            reason = self._reason_to_copy()
            if reason:
                self.how = f"read through a private copy, because {reason}"
                self.file = copy = self._copy()
                # An unfinished transaction is rolled back in the copy, which is ours to write.
                self._connection = _connect(copy, "mode=rw" if _size(beside(copy, "-journal")) else "mode=ro")
            else:
                self.how = "read in place; nothing is written to it"
                self.file = self.path
                self._connection = _connect(self.path)
        except (OSError, sqlite3.Error) as error:
            words = error.strerror if isinstance(error, OSError) else str(error)
            raise WorkspaceError(f"{self.path} can't be read: {words}.") from error

    def _reason_to_copy(self) -> str:
        if self._locked:
            return "another program has it locked"
        header = raw_bytes.first_bytes(self.path, 20)
        if _size(beside(self.path, "-wal")) or header[18:20] != b"\x01\x01":
            return "it is in WAL mode"
        if _size(beside(self.path, "-journal")):
            return "a transaction in it is not finished"
        return ""

    def _stamps(self) -> tuple[Stamp, Stamp, Stamp]:
        return (
            _stamp(self.path),
            _stamp(beside(self.path, "-wal")),
            _stamp(beside(self.path, "-journal")),
        )

    def _copy(self) -> Path:
        """A consistent copy of the file and of what belongs to it, in a folder that only the user can read."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="context-inspector-")
        for _ in range(_TRIES):
            copied = self._try_copy(Path(self._folder.name))
            if copied is not None:
                return copied
            time.sleep(_PAUSE)
        raise WorkspaceError(f"{self.path} is being written to without a pause. Try again in a moment.")

    def _try_copy(self, folder: Path) -> Path | None:
        """One try; None when the file was written meanwhile.

        The main file of a WAL database changes only when its WAL is folded back, and a WAL that
        grew while it was copied is one that ends earlier: SQLite ignores what is behind the last
        whole transaction.
        """
        before, wal, journal = _stamp(self.path), _wal_header(self.path), _stamp(beside(self.path, "-journal"))
        if before is None or 0 <= time.time_ns() - before[2] < _SETTLED:
            return None
        target = folder / f"{self._copies}.db"
        if before != self._copied or not target.exists():
            self._remove_copy(folder)
            self._copies += 1
            target = folder / f"{self._copies}.db"
            raw_bytes.copy(self.path, target)
        for suffix in ("-wal", "-shm", "-journal"):
            beside(target, suffix).unlink(missing_ok=True)
        for suffix in ("-wal", "-journal"):
            if _size(beside(self.path, suffix)):
                shutil.copyfile(beside(self.path, suffix), beside(target, suffix))
        after = _stamp(self.path), _wal_header(self.path), _stamp(beside(self.path, "-journal"))
        if after != (before, wal, journal):
            self._copied = None
            return None
        self._copied = before
        return target

    def _remove_copy(self, folder: Path) -> None:
        for path in folder.glob(f"{self._copies}.db*"):
            path.unlink()


def look(path: Path) -> sqlite3.Connection:
    """A connection to what the main file holds, for a short look: its WAL is not read, nothing is locked."""
    return _connect(path, "immutable=1")


def _connect(path: Path, how: str = "mode=ro") -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?{how}", uri=True, timeout=_LOCKED_SECONDS, check_same_thread=False
    )
    # Without it SQLite refuses a file that is shorter than its header says; nothing is written either way.
    connection.execute("PRAGMA writable_schema=ON")
    connection.text_factory = lambda text: text.decode("utf-8", "replace")
    return connection


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _stamp(path: Path) -> Stamp:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _size(path: Path) -> int:
    stamp = _stamp(path)
    return stamp[1] if stamp else 0


def _wal_header(path: Path) -> bytes:
    try:
        with beside(path, "-wal").open("rb") as file:
            return file.read(32)
    except FileNotFoundError:
        return b""
