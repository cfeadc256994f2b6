"""What happens in jobs before there is anything to show: imports that take seconds, opening, the demo.

Nothing here touches a widget. ``load_views`` imports the views (and with them pyqtgraph) off the GUI
thread; the window then only calls what it got.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from engine.trace.model import ThreadRow
from inspector import prefs
from inspector.jobs import Progress

DEFAULT_NAME = "workspace.sqlite"
VIEWS = {
    "chart": ("inspector.views.chart", "ChartView"),
    "request": ("inspector.views.request", "RequestView"),
    "files": ("inspector.views.files", "FilesView"),
    "summaries": ("inspector.views.summaries", "SummariesView"),
    "memory": ("inspector.views.memory", "MemoryView"),
    "skills": ("inspector.views.skills", "SkillsView"),
}
"""Views that are imported after the window shows: module and class by name."""


@dataclass(frozen=True)
class Opened:
    """A source that is open."""

    path: Path
    reader: Any
    read_only: str
    """Why it can't be written, in words; empty when it can."""
    is_default: bool


def default_path() -> Path:
    """The workspace that opens without an argument."""
    return prefs.data_dir() / DEFAULT_NAME


def open_source(path: Path | None, progress: Progress) -> Opened:
    """Open a file; without a path the default workspace, made first when there is none."""
    import engine

    is_default = path is None
    if path is None:
        path = default_path()
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            progress.report(0, None, "Making the demo workspace")

            def told(what: str, done: int, total: int) -> None:
                progress.report(done, total, f"Making the demo workspace: {what}")

            engine.ensure_default_workspace(path, told, progress.stop)
    reader = engine.Reader(path)
    return Opened(path, reader, getattr(reader, "read_only", "") or "", is_default)


def load_views() -> dict[str, Any]:
    """Classes of the views by name."""
    found = {}
    for name, (module, cls) in VIEWS.items():
        try:
            found[name] = getattr(importlib.import_module(module), cls)
        except ModuleNotFoundError as missing:
            if missing.name != module:
                raise
    return found


def first_summary(reader: Any, threads: list[ThreadRow]) -> tuple[str, int] | None:
    """Thread and request where the first summary shows, the oldest thread first."""
    for row in sorted(threads, key=lambda row: row.created_at or 0)[:8]:
        for summary in reader.summaries(row.thread_id):
            if summary.request is not None:
                return row.thread_id, summary.request
    return None


class Starter:
    """Starts runs on one workspace. It is called, and closed, in jobs: both may take a while."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._runner: Any = None
        self._lock = Lock()

    def __call__(self, thread_id: str, message: str, model: str | None) -> Any:
        """Send a message to a thread; returns the run."""
        with self._lock:
            if self._runner is None:
                import engine

                self._runner = engine.Runner(self._path)
            runner = self._runner
        return runner.start(thread_id, message, model)

    def close(self) -> None:
        """Stop what still runs and finish its record."""
        with self._lock:
            runner, self._runner = self._runner, None
        if runner is not None:
            runner.close()
