"""The settings that a recorded run had."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from engine.agent.settings import AgentSettings
from engine.agent.written import settings_from
from engine.errors import WorkspaceError
from engine.workspace import BUSY_SECONDS, check_workspace

_SELECT = (
    "SELECT s.body FROM requests r JOIN runs u ON u.id = r.run JOIN run_settings s ON s.id = u.settings WHERE r.id = ?"
)


def settings_of_request(path: str | Path, request_id: int) -> AgentSettings | None:
    """Settings of the run in which a request was made; None where the record keeps none. Never writes.

    Models and tools that were objects are names of them, which stand for nothing that could be run.

    Raises:
        UsageError, WorkspaceError: the file is not there, or no workspace.
    """
    file = Path(path)
    check_workspace(file)
    try:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'run_settings'").fetchone():
                return None  # a workspace that only older versions have written to
            row = db.execute(_SELECT, (request_id,)).fetchone()
    except sqlite3.Error as error:
        raise WorkspaceError(f"{file} can't be read: {error}.") from error
    return None if row is None else settings_from(json.loads(row[0]))
