"""What the window remembers: geometry, columns, selections, choices, and drafts of messages.

Settings are one ini file in the user's configuration folder; drafts are small files in the state
folder, written by jobs, since a pasted message may be megabytes. Nothing here raises into the window:
a folder that cannot be written costs the memory, not the session, and is said once.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import platformdirs
from PySide6.QtCore import QByteArray, QSettings

APP = "context-inspector"
KEPT_SELECTIONS = 300
"""Threads whose selected request is remembered; the longest unused is forgotten first."""


def config_dir() -> Path:
    """The user's configuration folder for this program."""
    return platformdirs.user_config_path(APP)


def state_dir() -> Path:
    """Where drafts and the log of errors are."""
    return platformdirs.user_state_path(APP)


def data_dir() -> Path:
    """Where the default workspace is."""
    return platformdirs.user_data_path(APP)


def log_path() -> Path:
    """The log of errors."""
    return state_dir() / "errors.log"


class Prefs:
    """Settings by name; the values are text, whole numbers, flags and bytes."""

    def __init__(self, folder: Path | None = None, drafts: Path | None = None) -> None:
        self._settings = QSettings(str((folder or config_dir()) / "window.ini"), QSettings.Format.IniFormat)
        self.drafts = Drafts(drafts or state_dir() / "drafts")

    def text(self, name: str, default: str = "") -> str:
        """A text, or ``default`` when none is kept."""
        value = self._settings.value(name)
        return value if isinstance(value, str) else default

    def number(self, name: str, default: int) -> int:
        """A whole number, or ``default``."""
        value = self._settings.value(name)
        try:
            return int(value) if isinstance(value, (int, str)) else default
        except ValueError:
            return default

    def flag(self, name: str, default: bool = False) -> bool:
        """On or off."""
        return str(self._settings.value(name, default)).lower() in ("true", "1")

    def raw(self, name: str) -> QByteArray | None:
        """Bytes that Qt made itself, such as the state of a splitter."""
        value = self._settings.value(name)
        return value if isinstance(value, QByteArray) else None

    def set(self, name: str, value: str | int | bool | QByteArray) -> None:
        """Keep a value."""
        self._settings.setValue(name, value)

    def forget(self, name: str) -> None:
        """Keep it no longer."""
        self._settings.remove(name)

    def names(self, name: str) -> list[str]:
        """A list of texts."""
        found = self._json(name, [])
        return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []

    def set_names(self, name: str, values: list[str]) -> None:
        """Keep a list of texts."""
        self._settings.setValue(name, json.dumps(values))

    def selected_thread(self, source: str) -> str | None:
        """The thread that was selected when this source was left."""
        found = self._json("threads", {})
        value = found.get(_digest(source, "")) if isinstance(found, dict) else None
        return value if isinstance(value, str) else None

    def select_thread(self, source: str, thread_id: str) -> None:
        """Remember the selected thread of a source."""
        self._keep("threads", _digest(source, ""), thread_id)

    def selected_request(self, source: str, thread_id: str) -> int | None:
        """The request that was selected when this thread was left."""
        found = self._json("selections", {})
        value = found.get(_digest(source, thread_id)) if isinstance(found, dict) else None
        return value if isinstance(value, int) else None

    def select_request(self, source: str, thread_id: str, request_id: int) -> None:
        """Remember the selected request of a thread."""
        self._keep("selections", _digest(source, thread_id), request_id)

    def agent(self, source: str) -> str:
        """The agent whose code rebuilt a request of this source last; empty for none."""
        found = self._json("agents", {})
        value = found.get(_digest(source, "")) if isinstance(found, dict) else None
        return value if isinstance(value, str) else ""

    def keep_agent(self, source: str, agent: str) -> None:
        """Remember the agent of a source."""
        self._keep("agents", _digest(source, ""), agent)

    def model_of(self, source: str, thread_id: str) -> str:
        """The model that was chosen for a thread; empty for the thread's own."""
        found = self._json("models_of", {})
        value = found.get(_digest(source, thread_id)) if isinstance(found, dict) else None
        return value if isinstance(value, str) else ""

    def keep_model(self, source: str, thread_id: str, name: str) -> None:
        """Remember the model that was chosen for a thread."""
        if name or self.model_of(source, thread_id):
            self._keep("models_of", _digest(source, thread_id), name)

    def forget_thread(self, source: str, thread_id: str) -> None:
        """Remember nothing of a thread that was deleted."""
        if self.selected_thread(source) == thread_id:
            self._drop("threads", _digest(source, ""))
        for name in ("selections", "models_of"):
            self._drop(name, _digest(source, thread_id))

    def _drop(self, name: str, key: str) -> None:
        found = self._json(name, {})
        if isinstance(found, dict) and found.pop(key, None) is not None:
            self._settings.setValue(name, json.dumps(found))

    def _keep(self, name: str, key: str, value: str | int) -> None:
        found = self._json(name, {})
        kept = found if isinstance(found, dict) else {}
        kept.pop(key, None)
        kept[key] = value
        for oldest in list(kept)[: max(0, len(kept) - KEPT_SELECTIONS)]:
            del kept[oldest]
        self._settings.setValue(name, json.dumps(kept))

    def sync(self) -> bool:
        """Write now; False when the file cannot be written."""
        self._settings.sync()
        return self._settings.status() == QSettings.Status.NoError

    def _json(self, name: str, default: Any) -> Any:
        try:
            return json.loads(self.text(name) or "null") or default
        except ValueError:
            return default


class Drafts:
    """Messages that were typed and not sent, one file a thread. Every method may run in a job."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, source: str, thread_id: str) -> str:
        """The draft of a thread; empty when there is none or it cannot be read."""
        try:
            return self._path(source, thread_id).read_bytes().decode("utf-8", "surrogatepass")
        except (OSError, UnicodeError):
            return ""

    def write(self, source: str, thread_id: str, text: str) -> bool:
        """Keep a draft, or forget it when ``text`` is empty; False when the disk refused."""
        path = self._path(source, thread_id)
        try:
            if not text:
                path.unlink(missing_ok=True)
                return True
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            beside = path.with_suffix(".new")
            beside.write_bytes(text.encode("utf-8", "surrogatepass"))
            os.replace(beside, path)
        except OSError:
            return False
        return True

    def _path(self, source: str, thread_id: str) -> Path:
        return self._folder / f"{_digest(source, thread_id)}.txt"


def _digest(source: str, thread_id: str) -> str:
    joined = f"{source}\0{thread_id}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(joined).hexdigest()[:24]
