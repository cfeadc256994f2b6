"""LangGraph's SQLite saver and store over a workspace, made fit for long threads.

``SqliteSaver`` rebuilds a delta channel by walking to its last snapshot and deserializing
every checkpoint on the way; ``files`` is hardly ever snapshotted, so the state of a long
thread takes many seconds. Here the walk reads ids only: which checkpoints hold a snapshot
is noted when they are written, and writes are found by channel through an index.
Results are the same; a contract test compares them with the original's.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
    writes_sort_key,
)
from langgraph.checkpoint.serde.types import ERROR, _DeltaSnapshot
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.base import Op, Result
from langgraph.store.sqlite import SqliteStore

from engine.file_history import install
from engine.wire.secrets import without_keys
from engine.workspace import Workspace

_ANCESTORS = """
    WITH RECURSIVE up(id, parent) AS (
        SELECT checkpoint_id, parent_checkpoint_id FROM checkpoints
        WHERE thread_id = ?1 AND checkpoint_ns = ?2 AND checkpoint_id = ?3
        UNION
        SELECT c.checkpoint_id, c.parent_checkpoint_id FROM up CROSS JOIN checkpoints c
        ON c.thread_id = ?1 AND c.checkpoint_ns = ?2 AND c.checkpoint_id = up.parent)
    SELECT id FROM up
"""
_TRIES = 40
_setting_up = threading.Lock()
_CHUNK = 500  # ids in one IN list
_LISTS = {"messages", "files"}
"""Delta channels of some agents and plain ones of others, such as subagents; a plain value is a seed too."""


class WorkspaceSaver(SqliteSaver):
    """The saver of a workspace. Its async methods run in place: each is a short local transaction."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.connect())

    @classmethod
    def reading(cls, connection: sqlite3.Connection) -> WorkspaceSaver:
        """A saver over a read-only connection to a file whose tables are there."""
        saver = cls.__new__(cls)
        SqliteSaver.__init__(saver, connection)
        saver.is_setup = True
        return saver

    def setup(self) -> None:
        """Make LangGraph's tables and our index over them."""
        if not self.is_setup:
            super().setup()
            self.conn.execute(
                "CREATE INDEX IF NOT EXISTS writes_channel ON writes(thread_id, checkpoint_ns, channel, checkpoint_id)"
            )
            self.conn.commit()

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint, and note which channels it holds a snapshot of."""
        saved = super().put(config, checkpoint, metadata, new_versions)
        held = [
            name
            for name, value in checkpoint["channel_values"].items()
            if isinstance(value, _DeltaSnapshot) or name in _LISTS
        ]
        at = saved["configurable"]
        key = (str(at["thread_id"]), at["checkpoint_ns"], at["checkpoint_id"])
        with self.cursor() as cursor:
            cursor.execute("DELETE FROM snapshots WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?", key)
            cursor.executemany("INSERT INTO snapshots VALUES (?, ?, ?, ?)", [(*key, name) for name in held])
        return saved

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save writes. An error is kept as its words, and so without a key that a provider may quote."""
        kept = [(name, without_keys(repr(value)) if name == ERROR else value) for name, value in writes]
        super().put_writes(config, kept, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete all checkpoints, writes and snapshot notes of a thread."""
        super().delete_thread(thread_id)
        with self.cursor() as cursor:
            cursor.execute("DELETE FROM snapshots WHERE thread_id = ?", (str(thread_id),))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Seed and writes of each channel, oldest first, as ``SqliteSaver`` gives them."""
        thread, namespace = (
            str(config["configurable"]["thread_id"]),
            config["configurable"].get("checkpoint_ns", ""),
        )
        target = get_checkpoint_id(config)
        if not target:
            latest = self.get_tuple(config)
            if latest is None:
                return {name: {"writes": []} for name in channels}
            target = latest.config["configurable"]["checkpoint_id"]
        with self.cursor(transaction=False) as cursor:
            snapshots: dict[str, set[str]] = {}
            for checkpoint_id, name in cursor.execute(
                "SELECT checkpoint_id, channel FROM snapshots WHERE thread_id = ? AND checkpoint_ns = ?",
                (thread, namespace),
            ):
                snapshots.setdefault(checkpoint_id, set()).add(name)
            seeking, chains, seeds = set(channels), {name: [] for name in channels}, {}  # type: ignore[var-annotated]
            for (checkpoint_id,) in cursor.execute(_ANCESTORS, (thread, namespace, target)):
                if checkpoint_id == target:
                    continue
                for name in seeking:
                    chains[name].append(checkpoint_id)
                for name in seeking & snapshots.get(checkpoint_id, set()):
                    seeds[name] = checkpoint_id
                seeking -= seeds.keys()
                if not seeking:
                    break
            result: dict[str, DeltaChannelHistory] = {}
            for name in channels:
                entry: DeltaChannelHistory = {
                    "writes": [
                        (task, name, self.serde.loads_typed((kind, value)))
                        for task, kind, value in self._writes(cursor, thread, namespace, name, chains[name])
                    ]
                }
                if name in seeds:
                    entry["seed"] = self._seed(cursor, thread, namespace, seeds[name], name)
                result[name] = entry
        return result

    def _seed(self, cursor: Any, thread: str, namespace: str, checkpoint_id: str, channel: str) -> Any:
        row = cursor.execute(
            "SELECT type, checkpoint FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ? AND checkpoint_id = ?",
            (thread, namespace, checkpoint_id),
        ).fetchone()
        return self.serde.loads_typed(row)["channel_values"][channel]

    def _writes(
        self, cursor: Any, thread: str, namespace: str, channel: str, newest_first: list[str]
    ) -> list[tuple[str, str, bytes]]:
        """(task, type, value) of a channel's writes on these checkpoints, oldest first."""
        if len(newest_first) > _CHUNK:
            written = {
                row[0]
                for row in cursor.execute(
                    "SELECT DISTINCT checkpoint_id FROM writes "
                    "WHERE thread_id = ? AND checkpoint_ns = ? AND channel = ?",
                    (thread, namespace, channel),
                )
            }
            newest_first = [checkpoint_id for checkpoint_id in newest_first if checkpoint_id in written]
        found: dict[str, list[tuple[Any, str, str, bytes]]] = {}
        for start in range(0, len(newest_first), _CHUNK):
            ids = newest_first[start : start + _CHUNK]
            for checkpoint_id, task, index, kind, value, path in cursor.execute(
                "SELECT checkpoint_id, task_id, idx, type, value, task_path FROM writes WHERE thread_id = ? "
                f"AND checkpoint_ns = ? AND channel = ? AND checkpoint_id IN ({','.join('?' * len(ids))})",
                (thread, namespace, channel, *ids),
            ):
                found.setdefault(checkpoint_id, []).append((writes_sort_key(path, task, index), task, kind, value))
        return [
            (task, kind, value)
            for checkpoint_id in reversed(newest_first)
            for _, task, kind, value in sorted(found.get(checkpoint_id, []), key=lambda write: write[0])
        ]

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        return self.get_tuple(config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        for item in list(self.list(config, filter=filter, before=before, limit=limit)):
            yield item

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        return self.put(config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        self.put_writes(config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        self.delete_thread(thread_id)

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        return self.get_delta_channel_history(config=config, channels=channels)


class WorkspaceStore(SqliteStore):
    """The store of a workspace: LangGraph's, with the async door that it lacks."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace.connect(autocommit=True))
        with _setting_up:
            self._set_up()

    def _set_up(self) -> None:
        """LangGraph's set-up adds columns one by one and fails when another process does so meanwhile."""
        for attempt in range(_TRIES):
            try:
                self.setup()
                install(self.conn)
                return
            except sqlite3.OperationalError as error:
                if "duplicate column" not in str(error) or attempt == _TRIES - 1:
                    raise
                time.sleep(0.05)

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Run the batch in place: it is a short local transaction."""
        return self.batch(ops)
