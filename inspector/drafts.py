"""Unsaved text, kept on disk while it is typed, so that no crash, kill or power cut loses it.

One draft a window and memory file, in the user's state folder, readable by the user only. A draft
names the workspace, the memory file and the version that the edit was made from, and holds both texts.
The lock of a draft belongs to the process that writes it: a draft whose writer is gone can be adopted,
one that another window is writing can't. No Qt; call ``write`` and ``adopt`` off the GUI thread.
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from secrets import token_hex
from typing import IO, Any

try:
    import fcntl
except ImportError:  # pragma: no cover - no such locks here: every draft can be adopted
    fcntl = None  # type: ignore[assignment]

SUFFIX = ".draft.json"


@dataclass(frozen=True, slots=True)
class Draft:
    """Unsaved text as it was last written."""

    workspace: str
    path: str
    base_version: str
    """Version of the file that the edit was made from; empty for a file to create."""
    base_text: str
    text: str
    """As the editor shows it: every line end is ``\\n``."""
    at: float


class Slot:
    """The draft of one window for one memory file. All methods may be called from any thread."""

    def __init__(self, folder: Path, key: str, file: Path | None = None, lock: IO[Any] | None = None) -> None:
        self._folder = folder
        self._key = key
        self._file = file
        self._lock = lock
        self._guard = threading.Lock()
        self._latest = 0

    def write(self, draft: Draft, turn: int) -> bool:
        """Keep ``draft``; False when a later turn was written or discarded before. Raises ``OSError``."""
        with self._guard:
            if turn < self._latest:
                return False
            self._latest = turn
            if self._file is None or self._lock is None:
                self._take(draft.base_version)
            assert self._file is not None
            _replace(self._file, json.dumps(asdict(draft)).encode("ascii"))
            return True

    def discard(self, turn: int) -> None:
        """Forget the draft (it was saved, or given up), unless a later turn was written."""
        with self._guard:
            if turn < self._latest:
                return
            self._latest = turn
            if self._file is not None:
                self._file.unlink(missing_ok=True)
                _lock_file(self._file).unlink(missing_ok=True)
            self._release()

    def leave(self) -> None:
        """Let go of the draft but keep it on disk, for whoever opens the file next."""
        with self._guard:
            self._release()

    def _take(self, base_version: str) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = f"{self._key}-{base_version[:12] or 'new'}-{token_hex(6)}{SUFFIX}"
        self._file = self._folder / name
        self._lock = _locked(self._file)

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.close()
        self._lock = self._file = None


class Drafts:
    """The folder of drafts."""

    def __init__(self, folder: Path | None = None) -> None:
        self._given = folder

    @property
    def folder(self) -> Path:
        """Where drafts lie."""
        if self._given is None:
            from platformdirs import user_state_path

            self._given = user_state_path("context-inspector", appauthor=False) / "drafts"
        return self._given

    def adopt(self, workspace: str | Path, path: str) -> tuple[Slot, Draft | None, int]:
        """A slot to write to, the latest draft that nobody is writing, and how many more there are.

        The draft, if there is one, belongs to the slot from now on.
        """
        key = _key(workspace, path)
        found: list[tuple[Draft, Path, IO[Any]]] = []
        for file in sorted(self.folder.glob(f"{key}-*{SUFFIX}")) if self.folder.is_dir() else []:
            lock = _locked(file)
            if lock is None:
                continue
            draft = _read(file)
            if draft is None or (draft.workspace, draft.path) != (_whole(workspace), path):
                lock.close()
                continue
            found.append((draft, file, lock))
        found.sort(key=lambda one: one[0].at)
        for _draft, _file, lock in found[:-1]:
            lock.close()
        if not found:
            return Slot(self.folder, key), None, 0
        draft, file, lock = found[-1]
        return Slot(self.folder, key, file, lock), draft, len(found) - 1

    def forget(self, workspace: str | Path, wanted: Callable[[str], bool]) -> list[str]:
        """Delete the drafts of the names that are ``wanted``; gives the names of those that somebody is writing."""
        left: dict[str, None] = {}
        for file in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else []:
            draft = _read(file)
            if draft is None or draft.workspace != _whole(workspace) or not wanted(draft.path):
                continue
            lock = _locked(file)
            if lock is None:
                left[draft.path] = None
                continue
            file.unlink(missing_ok=True)
            _lock_file(file).unlink(missing_ok=True)
            lock.close()
        return list(left)

    def waiting(self, workspace: str | Path) -> list[str]:
        """Names of what has drafts in this workspace that nobody is writing."""
        found: dict[str, None] = {}
        for file in sorted(self.folder.glob(f"*{SUFFIX}")) if self.folder.is_dir() else []:
            draft = _read(file)
            if draft is None or draft.workspace != _whole(workspace) or (lock := _locked(file)) is None:
                continue
            lock.close()
            found[draft.path] = None
        return list(found)


def draft(workspace: str | Path, path: str, base_version: str, base_text: str, text: str) -> Draft:
    """A draft of now."""
    return Draft(_whole(workspace), path, base_version, base_text, text, time.time())


def _whole(workspace: str | Path) -> str:
    return os.path.realpath(workspace)


def _key(workspace: str | Path, path: str) -> str:
    named = f"{_whole(workspace)}\0{path}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(named).hexdigest()[:24]


def _lock_file(file: Path) -> Path:
    return file.with_name(file.name.removesuffix(SUFFIX) + ".lock")


def _locked(file: Path) -> IO[Any] | None:
    """The lock of a draft file, open; None when another window holds it."""
    handle = os.fdopen(os.open(_lock_file(file), os.O_RDWR | os.O_CREAT, 0o600), "rb+")
    if fcntl is not None:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            handle.close()
            return None
    return handle


def _read(file: Path) -> Draft | None:
    try:
        return Draft(**json.loads(file.read_bytes()))
    except (OSError, ValueError, TypeError):
        return None


def _replace(file: Path, data: bytes) -> None:
    """Write whole or not at all, for the user only."""
    part = file.with_name(file.name + ".part")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())
    os.replace(part, file)
