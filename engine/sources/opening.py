"""Opening a file of threads, whoever wrote it."""

from __future__ import annotations

from pathlib import Path

from engine.sources.source import Source
from engine.workspace import check_file


def open_source(path: str | Path) -> Source:
    """A workspace, or another program's LangGraph database, to read from.

    Raises:
        UsageError: there is no such file, or it is a folder.
        WorkspaceError: it is neither, or can't be read.
    """
    path = Path(path)
    if check_file(path) == "workspace":
        from engine.trace import Reader

        return Reader(path)
    from engine.sources.reader import ForeignReader  # deferred: a workspace doesn't need it

    return ForeignReader(path)
