"""What a document holds of the store and of the thread's state, put back so that the thread can be gone on with."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from engine import importing
from engine.places import Layout, without_folders
from engine.share.format import Document, State


def restore_store(db: sqlite3.Connection, found: Document) -> tuple[list[str], list[str]]:
    """Put in the store's files that aren't here; those that are another text here stay as they are."""
    added, left = [], []
    layout = Layout.recorded(without_folders(found.thread.settings or {}))
    for stored in found.store:
        located = layout.locate(stored.path)
        if located.kind != "store":
            left.append(stored.path)
            continue
        place = (located.within, located.key)
        row = db.execute("SELECT value FROM store WHERE prefix = ? AND key = ?", place).fetchone()
        if row is None:
            db.execute(
                "INSERT INTO store(prefix, key, value, created_at, updated_at) "
                "VALUES (?, ?, ?, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)",
                (*place, json.dumps(stored.value).encode()),
            )
            added.append(stored.path)
        elif json.loads(row[0]).get("content") != stored.value.get("content"):
            left.append(stored.path)
    return added, left


def restore_states(db: sqlite3.Connection, thread_id: str, found: Document) -> str:
    """Checkpoints that the thread can go on from; the reason where its messages can't be one."""
    problem = ""
    for state in found.states:
        values: dict[str, Any] = {"files": state.files} if state.files else {}
        if not state.namespace:
            try:
                values |= _loaded(state) | {"messages": _messages(found)}
            except Exception as error:  # LangChain's own classes refuse what they don't know in many ways
                problem = f"its messages can't be loaded ({type(error).__name__}), so it can't be run on"
        _checkpoint(db, thread_id, state.namespace, values)
    return problem


def _messages(found: Document) -> list[Any]:
    """The thread's messages: those of the main agent's last request and its answer."""
    with importing.lock:
        from langchain_core.messages import messages_from_dict

    own = [request for request in found.requests if request.purpose == "agent" and not request.depth]
    if not own:
        return []
    last = own[-1]
    node = last.lists.messages if last.lists.raw is None else last.lists.raw
    parts = [last.response] if last.response else []
    while node:
        node, part = found.nodes[node - 1]
        parts.append(part)
    return messages_from_dict([found.parts[part - 1].told for part in reversed(parts)])


def _checkpoint(db: sqlite3.Connection, thread_id: str, namespace: str, values: dict[str, Any]) -> None:
    with importing.lock:
        from langgraph.checkpoint.base import empty_checkpoint

    saver = _saver(db)
    checkpoint = empty_checkpoint()
    checkpoint["channel_values"] = values
    versions = {name: saver.get_next_version(None, None) for name in values}
    checkpoint["channel_versions"] = dict(versions)
    config: Any = {"configurable": {"thread_id": thread_id, "checkpoint_ns": namespace}}
    saver.put(config, checkpoint, {"source": "update", "step": 0, "parents": {}}, versions)


def _saver(db: sqlite3.Connection) -> Any:
    """LangGraph's saver inside the transaction: its own would end it."""
    with importing.lock:
        from engine.checkpoints import WorkspaceSaver

    class Within(WorkspaceSaver):
        @contextmanager
        def cursor(self, transaction: bool = True) -> Iterator[sqlite3.Cursor]:
            cursor = self.conn.cursor()
            try:
                yield cursor
            finally:
                cursor.close()

    return Within.reading(db)


def _loaded(state: State) -> dict[str, Any]:
    """The values of a state, its messages as LangChain's classes."""
    with importing.lock:
        from langchain_core.messages import messages_from_dict

    values = dict(state.values)
    event = values.get("_summarization_event")
    if event is not None:
        (message,) = messages_from_dict([event["summary_message"]])
        values["_summarization_event"] = event | {"summary_message": message}
    return values
