"""LangGraph databases for the tests: written by LangGraph's own saver, and looked at without this project's code."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from langchain_core.messages import BaseMessage
from langgraph.checkpoint.base import empty_checkpoint
from langgraph.checkpoint.sqlite import SqliteSaver

from engine import Source
from engine.trace.model import RequestRow
from tests.contract.models import Given


@contextmanager
def saver_over(file: Path, *, wal: bool = False, serde: Any = None) -> Iterator[SqliteSaver]:
    """LangGraph's saver; at the end the file rests, as a rollback-journal file unless ``wal``."""
    connection = sqlite3.connect(file, check_same_thread=False)
    try:
        saver = SqliteSaver(connection, serde=serde)
        saver.setup()
        yield saver
        connection.commit()
        if not wal:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.execute("PRAGMA journal_mode=DELETE")
    finally:
        connection.close()


def put_state(
    saver: SqliteSaver,
    thread_id: str,
    values: Mapping[str, Any],
    step: int = 1,
    after: Mapping[str, Any] | None = None,
    **metadata: Any,
) -> dict[str, Any]:
    """Store a checkpoint that holds these channels whole; gives its config."""
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = dict(values)
    checkpoint["channel_versions"] = dict.fromkeys(values, str(step))
    config: Any = after or {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    noted: Any = {"source": "loop", "step": step, **metadata}
    return dict(saver.put(config, checkpoint, noted, checkpoint["channel_versions"]))


def as_dict(message: BaseMessage) -> dict[str, Any]:
    """A message as the read model shows it."""
    return {"type": message.type, "data": message.model_dump()}


def effective(source: Source, row: RequestRow) -> list[dict[str, Any]]:
    """The effective messages of a request."""
    return [source.message(item.part) for item in source.request(row.id).messages]


def raw(source: Source, row: RequestRow) -> list[dict[str, Any]]:
    """The raw messages of a request."""
    return [source.message(item.part) for item in source.request(row.id).raw]


def received(given: Given) -> list[dict[str, Any]]:
    """The messages that a model got, without the system message."""
    return [as_dict(message) for message in given.conversation]


def everything(folder: Path) -> dict[str, tuple[str, int, int, int]]:
    """Digest, size, mode and time of change of every file in a folder."""
    return {
        path.name: (
            hashlib.sha256(path.read_bytes()).hexdigest(),
            path.stat().st_size,
            path.stat().st_mode,
            path.stat().st_mtime_ns,
        )
        for path in folder.iterdir()
    }
