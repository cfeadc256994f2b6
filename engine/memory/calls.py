"""Tool calls that write files, as the record holds them, and whether one explains a change of a file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from engine.places import Layout, Located
from engine.trace.book import Book
from engine.trace.layouts import layout_of

EDIT, WRITE, DELETE = "edit_file", "write_file", "delete"


@dataclass(frozen=True, slots=True)
class FileCall:
    """A call of ``edit_file``, ``write_file`` or ``delete`` in a response."""

    thread_id: str
    request: int
    number: int
    agent: str | None
    at: float
    """When the response was there."""
    tool: str
    id: str | None
    path: str
    old: str
    """Of an edit: what is to be replaced."""
    new: str
    """Of an edit, or the whole of a file that is written."""
    everywhere: bool

    def explains(self, before: str | None, after: str | None) -> bool:
        """Whether this call makes ``after`` of ``before``; None is a file that isn't there."""
        if self.tool == DELETE:
            return after is None
        if self.tool == WRITE:
            return after == self.new
        return before is not None and after is not None and self.applied_to(before) == after

    def applied_to(self, before: str) -> str | None:
        """The text that this edit makes, None where the engine refuses it."""
        times = before.count(self.old) if self.old else 0
        if times == 0 or (times > 1 and not self.everywhere):
            return None
        return before.replace(self.old, self.new)


def calls_at(book: Book, located: Located, path: str) -> list[FileCall]:
    """Calls that write this path, of threads whose agent has it in this place."""
    layouts: dict[str, Layout] = {}
    found = []
    for call in calls_on(book, path):
        if call.thread_id not in layouts:
            layouts[call.thread_id] = layout_of(book.rows, call.thread_id)
        if layouts[call.thread_id].locate(path) == located:
            found.append(call)
    return found


def calls_on(book: Book, path: str | None = None, thread_id: str | None = None) -> list[FileCall]:
    """Calls that write this file (or any), in the order of their requests; of one thread or of all."""
    wanted = " OR ".join(f"r.calls LIKE '%\"{tool}\"%'" for tool in (EDIT, WRITE, DELETE))
    rows = book.rows(
        "SELECT t.thread_id, r.id, r.number, r.agent, coalesce(r.ended_at, r.started_at), r.response_part "
        f"FROM requests r JOIN threads t ON t.id = r.thread WHERE r.response_part IS NOT NULL AND ({wanted}) "
        "AND (?1 IS NULL OR t.thread_id = ?1) ORDER BY 5, r.id",
        (thread_id,),
    )
    found = []
    for thread, request, number, agent, at, part in rows:
        for call in (book.value(part).get("data") or {}).get("tool_calls") or ():
            args = call.get("args") if isinstance(call.get("args"), dict) else {}
            target = args.get("file_path")
            if call.get("name") in {EDIT, WRITE, DELETE} and isinstance(target, str) and path in {None, target}:
                found.append(_call(thread, request, number, agent, at, call, target, args))
    return found


def _call(
    thread: str, request: int, number: int, agent: str | None, at: float, call: Any, path: str, args: dict[str, Any]
) -> FileCall:
    new = args.get("content") if call["name"] == WRITE else args.get("new_string")
    return FileCall(
        thread, request, number, agent, at, call["name"], call.get("id"), path, _text(args.get("old_string")),
        _text(new), bool(args.get("replace_all")),
    )  # fmt: skip


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
