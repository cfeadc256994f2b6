"""Files in a folder that nothing leads out of: read, and written so that old or new is there, never half.

A path is what an agent's filesystem backend calls it: beginning with ``/``, which is the folder. Links are
followed as that backend follows them, as long as they stay inside. A name that leads out, something that is
no file (a pipe would never end), and a file over ``LARGEST`` are told of and not read.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.errors import InspectorError

try:
    import fcntl
except ImportError:  # Windows has no such locks; the comparison before the rename is left
    fcntl = None  # type: ignore[assignment]

LARGEST = 64 * 2**20
"""Bytes of a file that is read."""

_MOST_FILES = 20_000
_TRIES = 20
_SUFFIX = ".saving"
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A file as it was found."""

    data: bytes | None
    """None when it is missing or can't be read."""
    problem: str = ""
    """Why it can't be read, as the end of a sentence; empty for one that was read or is missing."""
    missing: bool = False
    size: int = 0
    """Bytes."""
    modified: float | None = None
    """Seconds since the epoch."""

    @property
    def version(self) -> str:
        """Digest of the bytes; empty when there are none."""
        return "" if self.data is None else hashlib.sha256(self.data).hexdigest()


def read(root: Path, key: str, whole: bool = True) -> OnDisk:
    """The file of this name in the folder, or why there is none. Never raises for what the disk says.

    Without ``whole`` its bytes are left, and only looked whether they could be read.
    """
    for _ in range(_TRIES):
        found = _read(root, key, whole)
        if found is not None:
            return found
    return OnDisk(None, "it is exchanged again and again")


def _read(root: Path, key: str, whole: bool) -> OnDisk | None:
    """None where another file took its place between looking where it lies and opening it."""
    try:
        path = resolved(root, key)
        handle = os.open(path, _READ)
    except FileNotFoundError:
        return OnDisk(None, missing=True)
    except OSError as error:
        return OnDisk(None, _why(error))
    except InspectorError as error:
        return OnDisk(None, str(error))
    try:
        with os.fdopen(handle, "rb") as file:
            about = os.fstat(file.fileno())
            if problem := _unreadable(about):
                return OnDisk(None, problem, size=about.st_size, modified=about.st_mtime)
            if not os.path.samestat(about, os.stat(resolved(root, key))):
                return None
            if not whole:
                return OnDisk(None, size=about.st_size, modified=about.st_mtime)
            data = file.read(LARGEST + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        return OnDisk(None, _why(error))
    except InspectorError as error:
        return OnDisk(None, str(error))
    return OnDisk(data, size=len(data), modified=about.st_mtime)


def write(root: Path, key: str, data: bytes, base_version: str) -> OnDisk | None:
    """Put the bytes in place of the version that was seen; None when it was put.

    ``base_version`` is the digest of what was seen, empty to create the file. Where another version is there by
    now, that one is given back and nothing is written. The mode of a file that is there stays. Between the last
    comparison and the rename a program that takes no lock may still come; the lock is one on the folder, and
    every save of ours takes it.

    Raises:
        InspectorError: the name leads out of the folder, or the disk refuses. What was there is there still.
    """
    path = _for_writing(root, key, bool(base_version))
    try:
        with _locked(path.parent):
            found = read(root, key)
            if found.problem or found.version != base_version:
                return found
            _clear(path)
            temporary = _beside(path, data, _mode_of(path))
            try:
                found = read(root, key)
                if found.problem or found.version != base_version:
                    return found
                if base_version:
                    os.replace(temporary, path)
                else:
                    os.link(temporary, path)  # fails where something is there by now
            except FileExistsError:
                return read(root, key)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(temporary)
            _flush_folder(path.parent)
    except OSError as error:
        raise InspectorError(f"{path} was not saved: {_why(error)}. What was there is there still.") from error
    return None


def delete(root: Path, key: str, base_version: str) -> OnDisk | None:
    """Remove the version that was seen; as :func:`write`."""
    path = _for_writing(root, key, True)
    try:
        with _locked(path.parent):
            found = read(root, key)
            if found.problem or found.version != base_version or found.missing:
                return found
            os.unlink(path)
            _flush_folder(path.parent)
    except OSError as error:
        raise InspectorError(f"{path} was not deleted: {_why(error)}.") from error
    return None


def names(root: Path, folder: str = "/") -> Iterator[tuple[str, int]]:
    """Files below a folder: name from the root, and bytes. Links are not entered; no more than 20,000 are told."""
    try:
        start = resolved(root, folder)
    except (OSError, InspectorError):
        return
    told = 0
    for at, folders, files in os.walk(start, followlinks=False):
        folders.sort()
        for name in sorted(files):
            if told == _MOST_FILES:
                return
            told += 1
            path = Path(at) / name
            with suppress(OSError):
                yield "/" + path.relative_to(root).as_posix(), path.lstat().st_size


def resolved(root: Path, key: str) -> Path:
    """The real path of a name in the folder.

    Raises:
        InspectorError: it leads out of the folder.
        OSError: links go in a circle, or a name is too long.
    """
    if ".." in key or "\0" in key or key.startswith("~"):
        raise InspectorError("its name may lead out of the folder")
    try:
        path = (root / key.lstrip("/")).resolve()
    except RuntimeError as error:  # how Python before 3.13 says that links go in a circle
        raise InspectorError("its links go in a circle") from error
    if not path.is_relative_to(root):
        raise InspectorError("it is a link that leads out of the folder")
    return path


def _for_writing(root: Path, key: str, exists: bool) -> Path:
    try:
        path = resolved(root, key)
        if not exists:
            path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InspectorError(f"{root}{key} was not written: {_why(error)}.") from error
    except InspectorError as error:
        raise InspectorError(f"{root}{key} was not written: {error}.") from None
    return path


def _beside(path: Path, data: bytes, mode: int) -> str:
    """A file with these bytes in the same folder, on the disk for certain."""
    handle, name = tempfile.mkstemp(prefix=_prefix(path), suffix=_SUFFIX, dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, mode)
    except BaseException:
        os.unlink(name)
        raise
    return name


def _clear(path: Path) -> None:
    """Remove what a killed save of this file left; under the folder's lock no other save is on its way."""
    if fcntl is not None:
        for name in os.listdir(path.parent):
            if name.startswith(_prefix(path)) and name.endswith(_SUFFIX):
                with suppress(FileNotFoundError):
                    os.unlink(path.parent / name)


def _prefix(path: Path) -> str:
    return f".{path.name[:40]}."


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return 0o644


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _flush_folder(folder: Path) -> None:
    if fcntl is not None:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _unreadable(about: os.stat_result) -> str:
    if stat.S_ISDIR(about.st_mode):
        return "it is a folder"
    if not stat.S_ISREG(about.st_mode):
        return "it is no file but a pipe, a socket or a device"
    if about.st_size > LARGEST:
        return f"it has {about.st_size:,} bytes; up to {LARGEST:,} are read"
    return ""


def _why(error: OSError) -> str:
    if isinstance(error, PermissionError):
        return "this user has no permission"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    if isinstance(error, NotADirectoryError):
        return "a folder on the way to it is a file"
    return (error.strerror or str(error)).lower()
