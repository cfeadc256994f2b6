"""The first bytes of a database file, read without letting go of SQLite's locks on it.

POSIX drops every lock that a process has on a file as soon as the process closes any descriptor of it, whoever
opened that. Another program that leaves the file then takes it for unused and deletes its WAL, and what this process
writes afterwards is lost (sqlite.org/howtocorrupt.html, 2.2). So a descriptor stays open while this process has
others of the same file.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

_kept: dict[tuple[int, int], int] = {}
_guard = threading.Lock()


def first_bytes(path: Path, count: int) -> bytes:
    """At most ``count`` bytes from the beginning of a file.

    Raises:
        OSError: it can't be read.
    """
    if os.name == "nt":  # locks belong to a handle there
        with path.open("rb") as file:
            return file.read(count)
    with _guard:
        found = path.stat()
        key = found.st_dev, found.st_ino
        handle = _kept.pop(key, None)
        if handle is None:
            handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            about = os.fstat(handle)
            key = about.st_dev, about.st_ino
        try:
            return os.pread(handle, count, 0)
        finally:
            if key not in _kept and _is_open_elsewhere(key, handle):
                _kept[key] = handle
            else:
                os.close(handle)


def _is_open_elsewhere(key: tuple[int, int], handle: int) -> bool:
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
