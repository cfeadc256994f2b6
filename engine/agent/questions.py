"""Questions that a run stopped at, read from the thread's checkpoint."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.arguments import schema_of
from engine.canonical import from_json, to_json
from engine.checkpoints import WorkspaceSaver
from engine.running import DecisionKind, PendingCall, Question
from engine.trace import Reader
from engine.trace.model import RequestRow
from engine.workspace import Workspace

_ALL: tuple[DecisionKind, ...] = ("approve", "edit", "reject", "respond")
"""Decisions that the engine knows."""
_WAITING = ("__start__", "__pregel_tasks")


@dataclass(frozen=True, slots=True)
class _Pending:
    id: str
    value: Any
    namespace: str
    agent: str | None
    at: float | None


def pending_questions(path: str | Path, thread_id: str) -> tuple[Question, ...]:
    """What a thread waits for, of the main agent and of its subagents; empty when it waits for nothing.

    Raises:
        UsageError, WorkspaceError: the file is not there, or not a workspace.
    """
    workspace = Workspace.open(path)
    with closing(workspace.connect()) as connection, closing(Reader(path)) as reader:
        if not _has_tables(connection):
            return ()
        found = list(_pending(WorkspaceSaver.reading(connection), thread_id))
        rows = reader.requests(thread_id) if found else []
        return tuple(_question(reader, rows, thread_id, item) for item in found)


def can_go_on(path: str | Path, thread_id: str) -> bool:
    """Whether a thread stands before a step that was not done: its last run failed or was stopped.

    Raises:
        UsageError, WorkspaceError: the file is not there, or not a workspace.
    """
    values = _values(path, thread_id) or {}
    return any(values.get(name) for name in _WAITING) or any(name.startswith("branch:to:") for name in values)


def has_state(path: str | Path, thread_id: str) -> bool:
    """Whether a thread has a checkpoint at all. Raises as :func:`can_go_on`."""
    return _values(path, thread_id) is not None


def _values(path: str | Path, thread_id: str) -> Mapping[str, Any] | None:
    """Channels of a thread's latest checkpoint; None where there is none."""
    workspace = Workspace.open(path)
    with closing(workspace.connect()) as connection:
        if not _has_tables(connection):
            return None
        latest = WorkspaceSaver.reading(connection).get_tuple({"configurable": {"thread_id": thread_id}})
        return None if latest is None else latest.checkpoint["channel_values"]


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'checkpoints'").fetchone() is not None


def _pending(saver: WorkspaceSaver, thread_id: str) -> Iterator[_Pending]:
    """Interrupts of the thread's latest checkpoint that were not answered, in order."""
    latest = saver.get_tuple({"configurable": {"thread_id": thread_id}})
    writes = (latest.pending_writes if latest is not None else None) or []
    done = {task for task, channel, _ in writes if not channel.startswith("__") or channel == "__return__"}
    rows = _rows(saver, thread_id) if any(channel == "__interrupt__" for _, channel, _ in writes) else []
    for task, channel, value in writes:
        if channel == "__interrupt__" and task not in done:
            for interrupt in value if isinstance(value, (list, tuple)) else [value]:
                where = _deepest(rows, interrupt.id)
                if where is not None and not where.answered:
                    agent, at = _made(saver, thread_id, where.namespace, where.checkpoint)
                    yield _Pending(interrupt.id, interrupt.value, where.namespace, agent, at)


@dataclass(frozen=True, slots=True)
class _Row:
    namespace: str
    checkpoint: str
    ids: frozenset[str]
    answered: bool
    """Whether its task got an answer after it had asked."""


def _rows(saver: WorkspaceSaver, thread_id: str) -> list[_Row]:
    """Every interrupt of a thread that its checkpoints hold."""
    with saver.cursor(transaction=False) as cursor:
        found = cursor.execute(
            "SELECT checkpoint_ns, checkpoint_id, task_id, type, value, rowid, (SELECT max(a.rowid) FROM writes a "
            "WHERE a.thread_id = w.thread_id AND a.checkpoint_ns = w.checkpoint_ns AND a.task_id = w.task_id "
            "AND a.checkpoint_id = w.checkpoint_id AND a.channel = '__resume__') FROM writes w "
            "WHERE thread_id = ? AND channel = '__interrupt__' ORDER BY rowid",
            (thread_id,),
        ).fetchall()
    rows = []
    for namespace, checkpoint, _, kind, value, asked_at, answered_at in found:
        held = saver.serde.loads_typed((kind, value))
        ids = frozenset(item.id for item in (held if isinstance(held, (list, tuple)) else [held]))
        rows.append(_Row(namespace, checkpoint, ids, answered_at is not None and answered_at > asked_at))
    return rows


def _deepest(rows: Sequence[_Row], id: str) -> _Row | None:
    """Where an interrupt was raised: its parents hold it too."""
    holding = [row for row in rows if id in row.ids]
    return max(holding, key=lambda row: row.namespace.count("tools:"), default=None)


def _made(saver: WorkspaceSaver, thread_id: str, namespace: str, checkpoint: str) -> tuple[str | None, float | None]:
    """Name of the agent that stands at a checkpoint, and when it was made."""
    at = {"thread_id": thread_id, "checkpoint_ns": namespace, "checkpoint_id": checkpoint}
    found = saver.get_tuple({"configurable": at})
    if found is None:
        return None, None
    agent = found.metadata.get("lc_agent_name")
    return (str(agent) if agent else None), _seconds(found.checkpoint.get("ts"))


def _seconds(stamp: Any) -> float | None:
    try:
        return datetime.fromisoformat(str(stamp)).timestamp()
    except ValueError:
        return None


def _question(reader: Reader, rows: Sequence[RequestRow], thread_id: str, item: _Pending) -> Question:
    asked_in = [
        row for row in rows
        if row.purpose in {"agent", "subagent"} and row.checkpoint_ns.rpartition("|")[0] == item.namespace
        and row.status == "done"
    ]  # fmt: skip
    request = asked_in[-1] if asked_in else None
    calls = _calls(reader, request, item.value)
    return Question(
        id=item.id,
        thread_id=thread_id,
        calls=calls,
        value=_text(item.value),
        agent=item.agent,
        namespace=item.namespace,
        at=item.at,
        request=request.id if request is not None else None,
    )


def _calls(reader: Reader, request: RequestRow | None, value: Any) -> tuple[PendingCall, ...]:
    """The calls that an approval asks about; none for a question of a tool's own."""
    if not isinstance(value, Mapping) or not isinstance(value.get("action_requests"), list):
        return ()
    schemas: dict[str, Any] = {}
    open_calls: list[Any] = []
    if request is not None:
        detail = reader.request(request.id)
        for tool in detail.tools:
            name, _, schema = schema_of(reader.value(tool.part))
            schemas[name] = schema
        response = reader.message(detail.response) if detail.response else {}
        open_calls = list((response.get("data") or {}).get("tool_calls") or ())
    calls = []
    configs = list(value.get("review_configs") or ())
    for index, action in enumerate(value["action_requests"]):
        name, args = str(action.get("name")), action.get("args") or {}
        twin = next((call for call in open_calls if call.get("name") == name and call.get("args") == args), None)
        if twin is not None:
            open_calls.remove(twin)
        config = configs[index] if index < len(configs) else {}
        allowed = tuple(kind for kind in _ALL if kind in (config.get("allowed_decisions") or _ALL))
        about = str(action.get("description") or "")
        calls.append(
            PendingCall(name, _text(args), about, twin.get("id") if twin else None, allowed, schemas.get(name))
        )
    return tuple(calls)


def _text(value: Any) -> str:
    """JSON text of what a checkpoint holds; what JSON has no word for stands as text."""
    try:
        return json.dumps(from_json(to_json(value)), ensure_ascii=False, indent=2)
    except (TypeError, ValueError):
        return json.dumps(value, ensure_ascii=False, indent=2, default=str)
