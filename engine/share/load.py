"""Reading a document of a thread back into a workspace: all of it, in one transaction, or nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from engine import importing
from engine.errors import InspectorError, UsageError
from engine.share.format import FormatError
from engine.share.outline import Progress
from engine.share.parsing import parse
from engine.share.way import Way
from engine.share.writing import Imported, Writing
from engine.transactions import transaction
from engine.workspace import Workspace


def import_thread(
    path: str | Path,
    file: str | Path,
    progress: Progress = lambda done, total, what: None,
    stop: threading.Event | None = None,
) -> Imported:
    """Bring the thread in a JSON file into a workspace, which is made when it isn't there.

    Raises:
        UsageError: there is no such file.
        FormatError: it is no document of a thread, or a damaged one.
        InspectorError: the workspace can't be written, or ``stop`` was set: then nothing was.
    """
    workspace, source = Path(path), Path(file)
    progress(0, 0, f"Reading {source.name}")
    found = parse(_text(source), str(source))
    way = Way(found, progress, stop or threading.Event())
    way.check()
    if not workspace.exists():
        Workspace.create(workspace)
    try:
        _prepare(Workspace.open(workspace))
        with transaction(workspace) as db:
            done = Writing(db, found, way).write()
            way.check()  # the last moment at which nothing was written
            return done
    except (UnicodeEncodeError, OverflowError) as error:
        raise FormatError(f"{source} holds what no record can: {error}. Nothing was imported.") from None


def _text(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise UsageError(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise UsageError(f"{file} is a folder. Name a JSON file that the program exported.") from None
    except UnicodeDecodeError as error:
        raise FormatError(f"{file} is no text: byte {error.start} is not UTF-8. Nothing was imported.") from None
    except OSError as error:
        raise InspectorError(f"{file} can't be read: {error.strerror}.") from error


def _prepare(workspace: Workspace) -> None:
    """LangGraph's own tables, which its classes make outside any transaction."""
    with importing.lock:  # deferred: LangGraph takes a second to import
        from engine.checkpoints import WorkspaceSaver, WorkspaceStore

    saver = WorkspaceSaver(workspace)
    try:
        saver.setup()
    finally:
        saver.conn.close()
    WorkspaceStore(workspace).conn.close()
