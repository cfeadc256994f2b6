"""What there is in a store that can be deleted by its namespace."""

from __future__ import annotations

from pathlib import Path

from engine.memory.rows import reading


def namespaces(workspace_path: str | Path) -> list[str]:
    """Namespaces of the store, dots between their parts, that hold something or once did: each can be deleted.

    So can what is kept of the texts of a folder on the disk, by ``file:`` and the folder; its files stay.
    """
    with reading(Path(workspace_path)) as db:
        tables = {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        wanted = [("store", "prefix"), ("file_versions", "place")]
        found = {
            row[0]
            for table, column in wanted
            if table in tables
            for row in db.execute(f"SELECT DISTINCT {column} FROM {table}")
        }
    return sorted(found)
