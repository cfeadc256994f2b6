"""Writing memory and skills into a thread's state, so that its next request carries them, and taking that back.

A thread keeps the copy that it loaded at its first run; this is the only way to give it another one. It is
a checkpoint like any other, made by LangGraph's ``update_state``; taking it back is one more.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.agent.build import Agent, build_agent
from engine.agent.defaults import settings_for
from engine.agent.scripted import ScriptedChat
from engine.agent.settings import AgentSettings
from engine.canonical import to_json
from engine.errors import EditConflict, InspectorError, UsageError
from engine.importing import late
from engine.memory.sources import CACHE
from engine.recording.book import Book
from engine.recording.canon import encode
from engine.trace.book import Book as Record
from engine.trace.rows import alive
from engine.transactions import transaction
from engine.workbench import Applied
from engine.workspace import Workspace

MENU = "skills_metadata"
KINDS = {CACHE: "memory applied", MENU: "skills applied"}
"""State value → kind of the event that says it was written."""

_BRANCH = "branch:to:"


def apply_memory(
    path: str | Path, thread_id: str, paths: Sequence[str] | None = None, settings: AgentSettings | None = None
) -> Applied:
    """Give a thread the memory files as they stand now: those named, or all of its sources.

    Raises:
        UsageError: the thread has not loaded memory yet, or has these contents already.
        InspectorError: it is running, waits for a decision, or a file is not UTF-8. Nothing was written.
    """
    settings = settings or settings_for(thread_id, workspace=path)
    wanted = list(settings.memory) if paths is None else list(paths)
    return _apply(Path(path), thread_id, settings, CACHE, lambda agent, held: _memory(agent, held, wanted))


def apply_skills(path: str | Path, thread_id: str, settings: AgentSettings | None = None) -> Applied:
    """Give a thread the menu of skills as a new one would list it.

    Raises: as :func:`apply_memory`.
    """
    settings = settings or settings_for(thread_id, workspace=path)
    return _apply(Path(path), thread_id, settings, MENU, lambda agent, held: listed_now(agent.backend, settings))


def undo_apply(path: str | Path, event_id: int, settings: AgentSettings | None = None) -> Applied:
    """Give a thread back what it had before it was applied, with another checkpoint.

    Raises:
        EditConflict: the thread's copy is another one by now. Nothing was written.
        UsageError, InspectorError: as :func:`apply_memory`.
    """
    file = Path(path)
    with transaction(file) as db:
        row = db.execute(
            "SELECT t.thread_id, e.kind, e.data FROM events e JOIN threads t ON t.id = e.thread WHERE e.id = ?",
            (event_id,),
        ).fetchone()
    if row is None or row[1] not in KINDS.values():
        raise UsageError(f"Event {event_id} is none that applied memory or skills.")
    thread_id, kind, data = row[0], row[1], json.loads(row[2])
    name = next(name for name, of in KINDS.items() if of == kind)
    with closing(Record(file)) as book:
        texts = book.value(data["part"])

    def earlier(agent: Agent, held: Mapping[str, Any]) -> dict[str, Any]:
        if to_json(held.get(name)) != to_json(texts["after"][name]):
            raise EditConflict(
                f"The thread's {kind.split()[0]} was changed since it was applied. Nothing was written.", None, ""
            )
        return dict(texts["before"])

    undoes = (event_id, data["checkpoint_id"])
    return _apply(file, thread_id, settings or settings_for(thread_id, workspace=file), name, earlier, undoes)


def applied_values(
    backend: Any, settings: AgentSettings, held: Mapping[str, Any], changed: Mapping[str, bytes | None]
) -> dict[str, Any]:
    """State values that a thread would have after these files are saved and applied."""
    values: dict[str, Any] = {}
    memory = [path for path in settings.memory if path in changed]
    if memory and isinstance(held.get(CACHE), dict):
        values[CACHE] = _contents(backend, held[CACHE], memory)
    in_menu = any(path.startswith(source) for path in changed for source in settings.skills)
    if in_menu and held.get(MENU) is not None:
        values |= listed_now(backend, settings)
    return values


def listed_now(backend: Any, settings: AgentSettings) -> dict[str, Any]:
    """The menu of skills that a new thread would load, by the engine's own middleware."""
    middleware = late("deepagents.middleware.skills").SkillsMiddleware(backend=backend, sources=list(settings.skills))
    return dict(middleware.before_agent({}, None, {}))


def _memory(agent: Agent, held: Mapping[str, Any], wanted: Sequence[str]) -> dict[str, Any]:
    return {CACHE: _contents(agent.backend, held[CACHE], wanted)}


def _contents(backend: Any, cached: Mapping[str, str], wanted: Sequence[str]) -> dict[str, str]:
    """The thread's copies, those wanted as the files stand: a file that is gone is left out, as on loading."""
    contents = dict(cached)
    for path, answer in zip(wanted, backend.download_files(list(wanted)), strict=True):
        contents.pop(path, None)
        if answer.content is not None:
            try:
                contents[path] = answer.content.decode("utf-8")
            except UnicodeDecodeError as error:
                raise InspectorError(
                    f"{path} is not UTF-8 (byte {error.start}), so it can't be applied. Nothing was written."
                ) from None
    return contents


def _apply(
    file: Path, thread_id: str, settings: AgentSettings, name: str, make: Any, undoes: tuple[int, str] | None = None
) -> Applied:
    workspace = Workspace.open(file)
    thread = _idle(file, thread_id)
    agent = _agent(workspace, settings)
    try:
        config = {"configurable": {"thread_id": thread_id}}
        snapshot = agent.graph.get_state(config)
        held = snapshot.values
        what = KINDS[name].split()[0]
        if held.get(name) is None:
            raise UsageError(
                f"This thread has not loaded its {what} yet: its first run loads the files as they stand then."
            )
        _refuse_unless_between_requests(agent, snapshot)
        values = make(agent, held)
        changed = _changed(name, held[name], values[name])
        if not changed:
            raise UsageError(f"The thread has its {what} as it stands already. Nothing was written.")
        before = {key: held.get(key) for key in values}
        made = agent.graph.update_state(config, values)["configurable"]["checkpoint_id"]
    finally:
        agent.close()
    return _noted(file, thread, thread_id, name, before, values, made, changed, undoes)


def _agent(workspace: Workspace, settings: AgentSettings) -> Agent:
    """The thread's agent; where its model can't be had here, one with another model, which is never called."""
    try:
        return build_agent(workspace, settings)
    except UsageError:
        plain = tuple(replace(subagent, model=None) for subagent in settings.subagents)
        return build_agent(workspace, replace(settings, model=ScriptedChat(), subagents=plain))


def _idle(file: Path, thread_id: str) -> int:
    """Row id of a thread that is not running."""
    with transaction(file) as db:
        row = db.execute("SELECT id FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
        if row is None:
            raise UsageError(f"There is no thread {thread_id!r} in {file}.")
        _refuse_running(db, row[0])
    return int(row[0])


def _refuse_running(db: Any, thread: int) -> None:
    for (pid,) in db.execute("SELECT pid FROM runs WHERE thread = ? AND status = 'running'", (thread,)):
        if alive(pid):
            raise InspectorError("This thread is running. Stop it, or wait until it is done; nothing was written.")


def _refuse_unless_between_requests(agent: Agent, snapshot: Any) -> None:
    if snapshot.interrupts:
        raise InspectorError("This thread waits for a decision. Take it first, then apply; nothing was written.")
    latest = agent.saver.get_tuple(snapshot.config)
    waiting = latest.checkpoint["channel_values"] if latest is not None else {}
    unknown = [
        channel.removeprefix(_BRANCH)
        for channel in waiting
        if channel.startswith(_BRANCH) and channel.removeprefix(_BRANCH) not in agent.graph.nodes
    ]
    if unknown:
        raise InspectorError(
            f"This thread stands before {unknown[0]}, which this agent has not: it was run by another one. "
            "Nothing was written."
        )


def _changed(name: str, old: Any, new: Any) -> list[str]:
    """Paths whose contents, or whose line in the menu, are other ones."""
    if name == MENU:
        old, new = ({skill["path"]: skill for skill in skills} for skills in (old, new))
    return [path for path in dict.fromkeys((*old, *new)) if old.get(path) != new.get(path)]


def _noted(
    file: Path,
    thread: int,
    thread_id: str,
    name: str,
    before: Mapping[str, Any],
    after: Mapping[str, Any],
    checkpoint_id: str,
    changed: list[str],
    undoes: tuple[int, str] | None,
) -> Applied:
    with transaction(file) as db:
        newest = db.execute(
            "SELECT max(checkpoint_id) FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''", (thread_id,)
        ).fetchone()
        if newest[0] != checkpoint_id:
            raise InspectorError(
                "The thread began to run meanwhile and goes on with what it had. Apply again when it is done."
            )
        book = Book(db)
        data = {
            "changed": changed,
            "checkpoint_id": checkpoint_id,
            "undoes": undoes[1] if undoes else None,
            "part": book.part(encode("memory", {"before": dict(before), "after": dict(after)})),
        }
        event = db.execute(
            "INSERT INTO events(thread, request, lane, kind, at, data) VALUES (?, NULL, '', ?, ?, ?)",
            (thread, KINDS[name], time.time(), json.dumps(data)),
        ).lastrowid
    return Applied(int(event or 0), thread_id, checkpoint_id, tuple(changed), undoes[0] if undoes else None)
