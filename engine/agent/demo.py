"""The demo workspace: the prepared scenarios, run by the real engine."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from engine import importing
from engine.errors import InspectorError, UsageError
from engine.workspace import Workspace

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many turns are done and how many there are."""


def make_demo(
    path: str | Path, progress: Progress = lambda what, done, total: None, stop: threading.Event | None = None
) -> Workspace:
    """Make a workspace by running the demo scenarios; takes some seconds.

    The file appears whole or not at all: it is built beside its place and moved there.

    Raises:
        UsageError: something is there already, or ``stop`` was set.
        InspectorError: a scenario did not run to its end.
    """
    path = Path(path)
    if path.exists():
        raise UsageError(f"{path} is there already. Name a new file, or delete it first.")
    building = path.with_name(f".{path.name}.{os.getpid()}.building")
    _remove(building)
    try:
        workspace = Workspace.create(building)
        run_scenarios(workspace, progress=progress, stop=stop)
        with contextlib.closing(workspace.connect()) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
        try:
            os.link(building, path)  # unlike a rename, it fails when somebody else was faster
        except FileExistsError:
            raise UsageError(f"{path} was made by another program meanwhile and was left as it is.") from None
    finally:
        _remove(building)
    return Workspace.open(path)


def run_scenarios(
    workspace: Workspace,
    names: Iterable[str] | None = None,
    progress: Progress = lambda what, done, total: None,
    stop: threading.Event | None = None,
) -> None:
    """Run the demo scenarios (those of these names) in a workspace.

    Raises: as :func:`make_demo`.
    """
    from engine.agent.runner import Runner

    with importing.lock:
        from engine.agent.scenarios import demo_scenarios

    wanted = set(names) if names is not None else None
    scenarios = [scenario for scenario in demo_scenarios() if wanted is None or scenario.name in wanted]
    total = sum(len(thread.turns) for scenario in scenarios for thread in scenario.threads)
    done = 0
    runner = Runner(workspace.path)
    try:
        for scenario in scenarios:
            seed(workspace, scenario.seed_files)
            for thread in scenario.threads:
                for turn in thread.turns:
                    progress(thread.title, done, total)
                    run = runner.start(thread.thread_id, turn, settings=thread.settings, title=thread.title)
                    while not run.wait(0.1):
                        if stop is not None and stop.is_set():
                            run.stop()
                    if stop is not None and stop.is_set():
                        raise UsageError("The demo was stopped before it was whole; nothing was left behind.")
                    if run.error or run.lost:
                        words = run.error or f"{run.lost} entries were not recorded: {run.lost_reason}"
                        raise InspectorError(f"The demo thread {thread.title!r} did not run to its end: {words}")
                    done += 1
    finally:
        runner.close()
    progress("", total, total)


def seed(workspace: Workspace, files: Mapping[str, str]) -> None:
    """Put memory and skill files into the store, leaving those that are there as they are."""
    with importing.lock:
        from engine.agent.build import backend_over
        from engine.checkpoints import WorkspaceStore

    store = WorkspaceStore(workspace)
    try:
        backend = backend_over(store)
        for name, text in files.items():
            if backend.download_files([name])[0].content is None:
                backend.upload_files([(name, text.encode())])
    finally:
        store.conn.close()


def ensure_default_workspace(
    path: Path, progress: Progress = lambda what, done, total: None, stop: threading.Event | None = None
) -> Path:
    """The default workspace, made with the demo threads when it isn't there yet."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        make_demo(path, progress, stop)
    return path


def _remove(path: Path) -> None:
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        with contextlib.suppress(FileNotFoundError):
            name.unlink()
