"""Agents that are kept in a workspace, and which of them a thread goes on with.

A change names the version that it was made from and is refused when the agent is another one by now.
Keys of providers are never stored here: they belong into the environment or the keyring of the system.
"""

from __future__ import annotations

import json
import sqlite3
import time
import unicodedata
from contextlib import closing
from pathlib import Path

from engine.agent.secret_values import secret_in
from engine.agent.settings import AgentSettings
from engine.agent.written import settings_form, settings_from, unread
from engine.blueprint import StoredAgent
from engine.errors import EditConflict, UsageError, WorkspaceError
from engine.transactions import transaction
from engine.workspace import BUSY_SECONDS, check_workspace

_SELECT = "SELECT id, name, settings, version, created_at, updated_at FROM agents"
_NAMED = 3  # threads that a refusal names


def list_agents(path: str | Path) -> list[StoredAgent]:
    """The agents of a workspace by name. Never writes, and one that can't be read is listed with its fault.

    Raises:
        UsageError, WorkspaceError: the file is not there, or no workspace.
    """
    return _reading(path, f"{_SELECT} ORDER BY name COLLATE NOCASE, id", ())


def agent_named(path: str | Path, name: str) -> StoredAgent:
    """The agent of this name. Raises ``UsageError`` when there is none."""
    found = _reading(path, f"{_SELECT} WHERE name = ?", (name,))
    if not found:
        names = ", ".join(agent.name for agent in list_agents(path)) or "none"
        raise UsageError(f"There is no agent {name!r} in {path}. Its agents: {names}.")
    return found[0]


def agent_of(path: str | Path, thread_id: str) -> StoredAgent | None:
    """The agent that a thread was given; None for a thread that was given none.

    Raises:
        UsageError: its settings can't be read.
    """
    found = _reading(path, f"{_SELECT} WHERE id = (SELECT agent FROM thread_agents WHERE thread_id = ?)", (thread_id,))
    if found and found[0].fault is not None:
        raise UsageError(found[0].fault)
    return found[0] if found else None


def save_agent(
    path: str | Path, name: str, settings: AgentSettings, id: int | None = None, version: int | None = None
) -> StoredAgent:
    """Keep a new agent, or with ``id`` give an agent other settings and this name.

    ``version`` is the one that the settings were made from.

    Raises:
        UsageError: the name is empty or another agent's, a model or tool is an object instead of a name, or a
            value looks like a key. Nothing was written.
        EditConflict: the agent is another one than ``version`` by now, or gone; ``current`` is its JSON form.
    """
    name, form = _name(name), settings_form(settings)
    found = secret_in(form)
    if found is not None:
        raise UsageError(
            f"{found} looks like a key, and a workspace keeps none: it may be given to others. Put it into the "
            "environment or into the keyring of the system."
        )
    body, now = json.dumps(form, ensure_ascii=False), time.time()
    with transaction(path) as db:
        _free(db, name, id)
        if id is None:
            values = (name, body, now, now)
            id = db.execute(
                "INSERT INTO agents(name, settings, version, created_at, updated_at) VALUES (?, ?, 1, ?, ?)", values
            ).lastrowid
        else:
            _seen(db, id, version)
            db.execute(
                "UPDATE agents SET name = ?, settings = ?, version = version + 1, updated_at = ? WHERE id = ?",
                (name, body, now, id),
            )
        return _one(db, id)


def rename_agent(path: str | Path, id: int, name: str, version: int) -> StoredAgent:
    """Give an agent another name; its threads keep it.

    Raises: as :func:`save_agent`.
    """
    name = _name(name)
    with transaction(path) as db:
        _free(db, name, id)
        _seen(db, id, version)
        db.execute(
            "UPDATE agents SET name = ?, version = version + 1, updated_at = ? WHERE id = ?", (name, time.time(), id)
        )
        return _one(db, id)


def duplicate_agent(path: str | Path, id: int, name: str | None = None) -> StoredAgent:
    """A new agent with the settings of another, as they are stored; by default it is called a copy.

    Raises:
        UsageError: there is no such agent, or the name is taken.
    """
    with transaction(path) as db:
        row = db.execute("SELECT name, settings FROM agents WHERE id = ?", (id,)).fetchone()
        if row is None:
            raise UsageError("The agent was deleted meanwhile. Nothing was written.")
        chosen = _copy_of(db, row[0]) if name is None else _name(name)
        _free(db, chosen, None)
        now = time.time()
        made = db.execute(
            "INSERT INTO agents(name, settings, version, created_at, updated_at) VALUES (?, ?, 1, ?, ?)",
            (chosen, row[1], now, now),
        ).lastrowid
        return _one(db, made)


def delete_agent(path: str | Path, id: int, version: int, let_threads_go: bool = False) -> None:
    """Delete an agent. Threads that had it go on with the default one, if ``let_threads_go`` says that they may.

    Raises:
        UsageError: threads go on with it, and may not be let go. Nothing was deleted.
        EditConflict: it is another one than ``version`` by now. Nothing was deleted.
    """
    with transaction(path) as db:
        if db.execute("SELECT 1 FROM agents WHERE id = ?", (id,)).fetchone() is None:
            return
        _seen(db, id, version)
        agent = _one(db, id)
        if agent.threads and not let_threads_go:
            more = len(agent.threads) - _NAMED
            names = ", ".join(agent.threads[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
            raise UsageError(f"Threads go on with the agent {agent.name!r}: {names}. Give them another one first.")
        db.execute("DELETE FROM thread_agents WHERE agent = ?", (id,))
        db.execute("DELETE FROM agents WHERE id = ?", (id,))


def assign_agent(path: str | Path, thread_id: str, id: int | None) -> None:
    """Let a thread go on with an agent from its next run; None for a demo thread's own, or the default one.

    Raises:
        UsageError: there is no such agent.
    """
    with transaction(path) as db:
        if id is None:
            db.execute("DELETE FROM thread_agents WHERE thread_id = ?", (thread_id,))
            return
        _one(db, id)
        db.execute("INSERT OR REPLACE INTO thread_agents(thread_id, agent) VALUES (?, ?)", (thread_id, id))


def _reading(path: str | Path, query: str, values: tuple[object, ...]) -> list[StoredAgent]:
    file = Path(path)
    check_workspace(file)
    try:
        uri = f"{file.resolve().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS)) as db:
            if not db.execute("SELECT 1 FROM sqlite_master WHERE name = 'thread_agents'").fetchone():
                return []  # a workspace that only older versions have written to
            return [_agent(db, row) for row in db.execute(query, values).fetchall()]
    except sqlite3.Error as error:
        raise WorkspaceError(f"{file} can't be read: {error}.") from error


def _one(db: sqlite3.Connection, id: int | None) -> StoredAgent:
    row = db.execute(f"{_SELECT} WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise UsageError("There is no such agent; it may have been deleted meanwhile.")
    return _agent(db, row)


def _agent(db: sqlite3.Connection, row: tuple[int, str, str, int, float, float]) -> StoredAgent:
    id, name, body, version, created_at, updated_at = row
    threads = db.execute("SELECT thread_id FROM thread_agents WHERE agent = ? ORDER BY thread_id", (id,)).fetchall()
    fault = None
    try:
        form = json.loads(body)
        settings = settings_from(form)
    except (ValueError, TypeError, AttributeError, RecursionError):
        settings, fault = AgentSettings(model=""), f"The stored settings of the agent {name!r} are damaged."
    names = tuple(thread for (thread,) in threads)
    return StoredAgent(id, name, settings, version, created_at, updated_at, names, unread(settings), fault)


def _seen(db: sqlite3.Connection, id: int, version: int | None) -> None:
    row = db.execute("SELECT version, settings FROM agents WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise EditConflict("The agent was deleted meanwhile. Nothing was written.", None, "")
    if row[0] != version:
        raise EditConflict("The agent was changed after it was opened here. Nothing was written.", row[1], str(row[0]))


def _free(db: sqlite3.Connection, name: str, id: int | None) -> None:
    if db.execute("SELECT 1 FROM agents WHERE name = ? AND id IS NOT ?", (name, id)).fetchone():
        raise UsageError(f"There is an agent {name!r} already. Choose another name.")


def _copy_of(db: sqlite3.Connection, name: str) -> str:
    taken = {row[0] for row in db.execute("SELECT name FROM agents")}
    wanted = [f"{name} copy", *(f"{name} copy {number}" for number in range(2, len(taken) + 3))]
    return next(each for each in wanted if each not in taken)


def _name(name: str) -> str:
    name = name.strip()
    if not name or any(unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} for char in name):
        raise UsageError("An agent needs a name of one line.")
    return name
