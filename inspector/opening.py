"""What happens in jobs before there is anything to show: imports that take seconds, opening, the demo.

Nothing here touches a widget. ``load_views`` and ``load_chart`` import off the GUI thread; the window
then only calls what it got.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from inspector import format, prefs
from inspector.jobs import Jobs, Progress

if TYPE_CHECKING:
    from engine.trace.model import ThreadRow

DEFAULT_NAME = "workspace.sqlite"
VIEWS = {
    "request": ("inspector.views.request", "RequestView"),
    "files": ("inspector.views.files", "FilesView"),
    "summaries": ("inspector.views.summaries", "SummariesView"),
    "memory": ("inspector.views.memory", "MemoryView"),
    "skills": ("inspector.views.skills", "SkillsView"),
    "store": ("inspector.views.store", "StoreView"),
    "ledger": ("inspector.views.ledger", "LedgerView"),
    "find": ("inspector.views.find", "FindView"),
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


class Opener(QObject):
    """Opens a source and imports the views, and tells when both are there."""

    ready = Signal(object, object)
    """The ``Opened`` source and the classes of the views."""
    failed = Signal(str)
    """It was not opened: a sentence."""
    progressed = Signal(int, object, str)
    """How far the making of the demo workspace is: done, total, what."""
    chart_ready = Signal(object)
    """The class of the chart."""

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._opened: Opened | None = None
        self._views: dict[str, Any] | None = None
        self._importing = False
        self._chart_asked = False
        jobs.changed.connect(self._look_at_progress)

    def open(self, path: Path | None) -> None:
        """Open a file, or the default workspace; one that is still being opened is dropped."""
        self._opened = None
        self._jobs.run(f"Opening {called(path)}", open_source, path, done=self._source_opened,
                       failed=self.failed.emit, key="open")  # fmt: skip
        if self._views is None and not self._importing:
            self._importing = True
            self._jobs.run("Loading the views", load_views, done=self._views_loaded, quiet=True, lane="imports")

    def cancel(self) -> None:
        """Open nothing after all."""
        self._jobs.cancel("open")

    def load_chart(self) -> None:
        """Import the chart, once. Not earlier than needed: an import elsewhere slows the GUI thread down."""
        if not self._chart_asked:
            self._chart_asked = True
            self._jobs.run("Loading the chart", load_chart, done=self.chart_ready.emit, quiet=True, lane="imports")
            self._jobs.run("Loading what explains a request", load_engine, quiet=True, lane="imports")

    def _source_opened(self, opened: Opened) -> None:
        self._opened = opened
        self._tell()

    def _views_loaded(self, views: dict[str, Any]) -> None:
        self._views = views
        self._tell()

    def _tell(self) -> None:
        if self._opened is not None and self._views is not None:
            opened, self._opened = self._opened, None
            self.ready.emit(opened, self._views)

    def _look_at_progress(self) -> None:
        for job in self._jobs.active():
            if job.key == "open" and job.text:
                self.progressed.emit(job.done_so_far, job.total, job.text)


def called(path: Path | None) -> str:
    """What a source is called while it is opened."""
    return format.one_line(str(path)) if path else "your workspace"


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
    reader = engine.open_source(path)
    return Opened(path, reader, getattr(reader, "read_only", "") or "", is_default)


def load_views() -> dict[str, Any]:
    """Classes of the views by name."""
    return {name: getattr(importlib.import_module(module), cls) for name, (module, cls) in VIEWS.items()}


def load_engine() -> None:
    """Import what the first look into Why would otherwise wait for."""
    importlib.import_module("engine.importing").load_all()


def load_chart() -> Any:
    """The class of the chart: pyqtgraph takes half a second, and nothing else waits for it."""
    return importlib.import_module("inspector.views.chart").ChartView


def first_summary(reader: Any, threads: list[ThreadRow]) -> tuple[str, int] | None:
    """Thread and request where the first summary shows, the oldest thread first."""
    for row in sorted(threads, key=lambda row: row.created_at or 0)[:8]:
        for summary in reader.summaries(row.thread_id):
            if summary.request is not None:
                return row.thread_id, summary.request
    return None
