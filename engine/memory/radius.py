"""Whom an edit of one memory or skill file concerns, and what it costs: from the record, without a model."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

from engine.agent.settings import AgentSettings
from engine.kinds import block_kind
from engine.memory.stored import read_memory
from engine.places import Layout, Located
from engine.trace.book import Book
from engine.trace.files import Files
from engine.trace.layouts import layout_of
from engine.workbench import BlastRadius, Reach

_EVENTS = {"memory": ("memory loaded", "sources"), "skills": ("skill listed", "skills")}


def blast_radius(workspace_path: str | Path, path: str, thread_id: str | None = None) -> BlastRadius:
    """Threads that load this file or list this skill, the ones last used first.

    It is the file of this path that the agent of ``thread_id`` has; an agent that has another one under the
    same path, in another namespace or folder, is left out.

    An edit reaches a thread that holds a copy only when it is applied there; a thread without one, and every
    new thread, loads the file as it then stands.
    """
    default = AgentSettings(model=None)
    skill = any(path.startswith(source) for source in default.skills)
    kind = "skills" if skill else "memory"
    text = read_memory(workspace_path, path, thread_id).text
    with closing(Book(Path(workspace_path))) as book:
        located = layout_of(book.rows, thread_id).locate(path)
        threads = book.rows("SELECT id, thread_id, title, settings FROM threads ORDER BY updated_at DESC, id DESC")
        agents = _agents(book, kind, path)
        reaches = [
            _reach(book, thread, thread_id, title, kind, path, text, agents.get(thread, ()))
            for thread, thread_id, title, settings in threads
            if (thread in agents or _declares(settings, kind, path)) and _has(settings, located, path)
        ]
    new_threads = (skill or path in default.memory) and Layout().locate(path) == located
    return BlastRadius(path, tuple(reaches), new_threads)


def _declares(settings: str | None, kind: str, path: str) -> bool:
    """Whether a thread's agent names the file, though no request of it has carried it."""
    declared = json.loads(settings).get(kind) or [] if settings else []
    return any(path.startswith(source) if kind == "skills" else path == source for source in declared)


def _has(settings: str | None, located: Located, path: str) -> bool:
    """Whether a thread's agent has this path in this place."""
    return Layout.recorded(json.loads(settings) if settings else {}).locate(path) == located


def _agents(book: Book, kind: str, path: str) -> dict[int, tuple[str | None, ...]]:
    """Thread → agents whose system message had the file."""
    event, field = _EVENTS[kind]
    found: dict[int, dict[str | None, None]] = {}
    for thread, agent, data in book.rows(
        "SELECT e.thread, r.agent, e.data FROM events e LEFT JOIN requests r ON r.id = e.request "
        "WHERE e.kind = ? ORDER BY e.id",
        (event,),
    ):
        if any(one.get("path") == path for one in json.loads(data)[field]):
            found.setdefault(thread, {})[agent] = None
    return {thread: tuple(agents) for thread, agents in found.items()}


def _reach(
    book: Book,
    thread: int,
    thread_id: str,
    title: str,
    kind: str,
    path: str,
    text: str | None,
    agents: tuple[str | None, ...],
) -> Reach:
    held = Files(book).state(thread_id)[1]
    loaded, current = _copy(held, kind, path, text)
    carried = _carried(book, thread, kind) if agents else None
    return Reach(
        thread_id=thread_id,
        title=title or thread_id,
        loaded=loaded,
        current=current,
        agents=agents,
        last_request=carried[0] if carried else None,
        block_tokens=carried[1] if carried else 0,
        invalidated_tokens=carried[2] if carried else 0,
        cache_read=carried[3] if carried else None,
    )


def _copy(held: Any, kind: str, path: str, text: str | None) -> tuple[bool, bool]:
    """Whether the thread has loaded, and whether it holds the file as it stands."""
    if kind == "memory":
        contents = held.get("memory_contents")
        return contents is not None, contents is not None and contents.get(path) == text
    menu = held.get("skills_metadata")
    if menu is None:
        return False, False
    from engine.skills.engine_parser import listed_as

    listed = next((skill for skill in menu if skill["path"] == path), None)
    return True, listed == (listed_as(path, text) if text is not None else None)


def _carried(book: Book, thread: int, kind: str) -> tuple[int, int, int, int | None] | None:
    """Number, tokens of the block, tokens from it on, and cached tokens of the last request that had the block."""
    for number, system, messages, origin, cache_read in book.rows(
        "SELECT number, system_node, messages_node, origin_part, cache_read FROM requests "
        "WHERE thread = ? AND purpose = 'agent' ORDER BY number DESC",
        (thread,),
    ):
        contributors = (book.value(origin).get("system") or []) if origin else []
        blocks = book.path_of(system)[1:]
        for at, who in enumerate(contributors[: len(blocks)]):
            if block_kind(who) == kind:
                after = sum(piece[3] for piece in blocks[at:]) + sum(piece[3] for piece in book.path_of(messages))
                return number, blocks[at][3], after, cache_read
    return None
