"""A database file read as bytes, without letting go of SQLite's locks on it.

POSIX drops every lock that a process has on a file as soon as the process closes any descriptor of it, whoever
opened that. Another program that leaves the file then takes it for unused and deletes its WAL, and what this process
writes afterwards is lost (sqlite.org/howtocorrupt.html, 2.2). So there is one descriptor for all that is read here, and
it stays open while this process has others of the same file.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHUNK = 1 << 20
_Key = tuple[int, int]

_handles: dict[_Key, tuple[int, int]] = {}
"""Device and inode → descriptor, and how many read by it now."""
_guard = threading.Lock()


def first_bytes(path: Path, count: int) -> bytes:
    """At most ``count`` bytes from the beginning of a file.

    Raises:
        OSError: it can't be read.
    """
    with _opened(path) as handle:
        return os.pread(handle, count, 0)


def chunks(path: Path, overlap: int = 0) -> Iterator[bytes]:
    """A whole file in pieces; each begins with the last ``overlap`` bytes of the one before.

    Raises:
        OSError: it can't be read.
    """
    with _opened(path) as handle:
        at = 0
        while piece := os.pread(handle, CHUNK + overlap, at):
            yield piece
            if len(piece) <= overlap:
                return
            at += len(piece) - overlap


def copy(path: Path, target: Path) -> None:
    """Copy a file's bytes; what was at ``target`` is replaced, and keeps who may read it.

    Raises:
        OSError: it can't be read or written.
    """
    with target.open("wb") as written:
        for piece in chunks(path):
            written.write(piece)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    with _guard:
        about = path.stat()
        key = about.st_dev, about.st_ino
        handle, readers = _handles.get(key, (-1, 0))
        if handle < 0:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            about = os.fstat(handle)
            key = about.st_dev, about.st_ino  # another file may have come in between; what is known of it stays open
            handle, readers = _handles.get(key, (handle, 0))
        _handles[key] = handle, readers + 1
    try:
        yield handle
    finally:
        with _guard:
            readers = _handles[key][1] - 1
            if readers or _is_open_elsewhere(key, handle):
                _handles[key] = handle, readers
            else:
                del _handles[key]
                os.close(handle)


def _is_open_elsewhere(key: _Key, handle: int) -> bool:
    """Whether this process has another descriptor of the file; also where that can't be found out."""
    try:
        names = os.listdir("/dev/fd")
    except OSError:
        return True
    for name in names:
        try:
            about = os.fstat(int(name))
        except (OSError, ValueError):
            continue
        if int(name) != handle and (about.st_dev, about.st_ino) == key:
            return True
    return False
