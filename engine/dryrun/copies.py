"""A saver and a store over a workspace that is only read: what a run would write stays in memory or is dropped.

The thread's state is read from the file in one transaction, the store is copied; so a dry run of a long
thread costs no more than reading its state, and the file stays as it is, to the byte.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.store.sqlite import SqliteStore

from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.memory.rows import reading
from engine.workspace import BUSY_SECONDS


class DrySaver(WorkspaceSaver):
    """Reads checkpoints from a connection that can't write, and keeps nothing of what is put.

    ``changed`` holds state values that are other ones than in the checkpoint.
    """

    changed: Mapping[str, Any] = MappingProxyType({})

    @classmethod
    def over(cls, path: Path) -> DrySaver:
        """A saver over a workspace as it stands now."""
        connection = sqlite3.connect(
            f"{path.resolve().as_uri()}?mode=ro", uri=True, timeout=BUSY_SECONDS, check_same_thread=False
        )
        saver = cls.reading(connection)
        connection.isolation_level = None
        connection.execute("BEGIN")
        return saver  # type: ignore[return-value]

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The checkpoint, with the changed values."""
        found = super().get_tuple(config)
        if found is not None and not config["configurable"].get("checkpoint_ns") and self.changed:
            values = {**found.checkpoint["channel_values"], **self.changed}
            versions = dict(found.checkpoint["channel_versions"])
            for name in self.changed:
                versions.setdefault(name, next(iter(versions.values()), "1"))
            checkpoint: Checkpoint = {**found.checkpoint, "channel_values": values, "channel_versions": versions}
            return found._replace(checkpoint=checkpoint)
        return found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Give the configuration of the checkpoint, which is not kept."""
        at = config["configurable"]
        kept = {"thread_id": at["thread_id"], "checkpoint_ns": at.get("checkpoint_ns", "")}
        return {"configurable": {**kept, "checkpoint_id": checkpoint["id"]}}

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Drop the writes: the running graph knows them."""


class DryStore(WorkspaceStore):
    """A copy of a workspace's store in memory."""

    def __init__(self, path: Path) -> None:
        connection = sqlite3.connect(":memory:", check_same_thread=False, isolation_level=None)
        SqliteStore.__init__(self, connection)
        self.setup()
        with reading(path) as source:
            if source.execute("SELECT 1 FROM sqlite_master WHERE name = 'store'").fetchone():
                columns = ", ".join(row[1] for row in source.execute("PRAGMA table_info(store)"))
                rows = source.execute(f"SELECT {columns} FROM store").fetchall()
                marks = ", ".join("?" * (columns.count(",") + 1))
                connection.executemany(f"INSERT INTO store ({columns}) VALUES ({marks})", rows)
