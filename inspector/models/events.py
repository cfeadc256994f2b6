"""What happened on one request as rows, and the text of a row; reading is for jobs.

An agent's edit of memory is an event with its difference, and with the lines that a tool gave it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject

from engine.trace.model import Event, RequestDetail
from engine.workbench import AgentEdit
from inspector import format
from inspector.jobs import Progress
from inspector.models.happened import requests_of, told
from inspector.models.items import Column, ItemsModel
from inspector.models.marked_text import Marked, marked_difference, marked_whole

EDITED = "memory edited"
_WRITING = ("edit_file", "write_file", "delete")


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened, the edit behind it where it is one."""

    kind: str
    at: float
    data: Mapping[str, Any]
    event: int | None = None
    """Id of the event; None for an edit that made none (of a skill, of a file that no agent loads)."""
    edit: AgentEdit | None = None
    copied: tuple[tuple[int, str], ...] = ()
    """Lines of the edit that stood in a tool's result before: line in its new text, the tool's name."""
    workspace: Path | None = None
    """Where the edit can be taken back; None where it can't."""
    requests: tuple[tuple[str, int], ...] = ()
    """Other requests that it speaks of: what each is to it, with its number, and its id."""

    @property
    def path(self) -> str:
        """The file that it is about; empty without one."""
        return self.edit.path if self.edit is not None else str(self.data.get("path") or "")


def read_events(reader: Any, detail: RequestDetail, progress: Progress) -> list[Happening]:
    """Events of a request in order, and its agent's edits of memory and skills. Runs in a job."""
    edits: list[AgentEdit] = []
    if hasattr(reader, "edits") and _writes(reader, detail):
        edits = [one for one in reader.edits(detail.row.thread_id) if one.request == detail.row.id]
    progress.check()
    workspace = Path(reader.path) if reader.kind == "workspace" and not reader.read_only else None
    found = [_of_event(reader, event, edits, workspace) for event in detail.events]
    known = {(one.edit.tool_call_id, one.edit.path) for one in found if one.edit is not None}
    more = [one for one in edits if (one.tool_call_id, one.path) not in known]
    found += [Happening("file edited", one.at, {}, None, one, _copied(reader, one), workspace) for one in more]
    return sorted(found, key=lambda one: one.at)


def _writes(reader: Any, detail: RequestDetail) -> bool:
    """Whether the answer calls a tool that writes files."""
    if detail.response is None:
        return False
    calls = (reader.message(detail.response).get("data") or {}).get("tool_calls") or ()
    return any(call.get("name") in _WRITING for call in calls)


def _of_event(reader: Any, event: Event, edits: Sequence[AgentEdit], workspace: Path | None) -> Happening:
    edit = None
    if event.kind == EDITED:
        wanted = (event.data.get("tool_call_id"), event.data.get("path"))
        edit = next((one for one in edits if (one.tool_call_id, one.path) == wanted), None)
    copied = _copied(reader, edit) if edit is not None else ()
    others = _others(reader, event)
    return Happening(event.kind, event.at, event.data, event.id, edit, copied, workspace, others)


def _others(reader: Any, event: Event) -> tuple[tuple[str, int], ...]:
    wanted = [(word, id) for word, id in requests_of(event.kind, event.data) if id != event.request]
    numbers = {row.id: row.number for row in reader.request_rows([id for _, id in wanted])} if wanted else {}
    return tuple((f"{word}, request {numbers[id]}", id) for word, id in wanted if id in numbers)


def _copied(reader: Any, edit: AgentEdit) -> tuple[tuple[int, str], ...]:
    return tuple(reader.copied_lines(edit))


def words(one: Happening) -> str:
    """What happened, in a sentence."""
    if one.edit is not None:
        return _edited(one.edit)
    say = _WORDS.get(one.kind)
    if say is not None:
        return say(one.data)
    return told(one.kind, one.data) or str(one.data.get("text") or one.data.get("error") or "")


def event_text(one: Happening, progress: Progress) -> Marked:
    """The difference that an edit made, word by word; of anything else what the record says of it. Runs in a job."""
    edit = one.edit
    if edit is None:
        return marked_whole(json.dumps(one.data, ensure_ascii=False, indent=2, default=str), None)
    from engine.explain.texts import diff_texts

    old, new = (edit.before, edit.after) if edit.after is not None else (edit.old, edit.new)
    return marked_difference(old or "", new or "", diff_texts(old or "", new or "", progress.check))


def about(one: Happening) -> str:
    """What to know of an edit beside its difference; empty for anything else."""
    edit = one.edit
    if edit is None:
        return ""
    says = []
    if not edit.certain:
        says.append("The texts were not kept: this was worked out from the call.")
    if edit.after is None:
        says.append("The whole file is not known; what the call gave is shown.")
    if one.copied:
        lines, tools = {line for line, _tool in one.copied}, dict.fromkeys(tool for _line, tool in one.copied)
        says.append(
            f"{format.count(len(lines), 'new line')} stood word for word in a result of {', '.join(tools)} before: "
            "what an agent takes from there into its memory, it will take for its own."
        )
    return " ".join(says)


def _edited(edit: AgentEdit) -> str:
    who = f"The agent {edit.agent}" if edit.agent else "The agent"
    did = "created" if edit.created else "deleted" if edit.tool == "delete" else "edited"
    return f"{who} {did} {edit.path} with {edit.tool}."


def _paths(found: Sequence[Mapping[str, Any]]) -> str:
    names = [str(one.get("path")) for one in found]
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")


def _skill(data: Mapping[str, Any]) -> str:
    skill = data.get("skill")
    return str(skill.get("path") or skill.get("name")) if isinstance(skill, Mapping) else "A skill"


_WORDS: dict[str, Callable[[Mapping[str, Any]], str]] = {
    EDITED: lambda data: f"The agent changed {data.get('path')} with {data.get('tool')}.",
    "memory loaded": lambda data: f"Memory was loaded into the thread: {_paths(data.get('sources') or ())}.",
    "memory applied": lambda data: f"Memory was applied to the thread: {', '.join(data.get('changed') or ())}.",
    "skills applied": lambda data: f"The menu of skills was applied: {', '.join(data.get('changed') or ())}.",
    "skill listed": lambda data: f"Skills are listed: {_paths(data.get('skills') or ())}.",
    "skill read": lambda data: f"The agent read {data.get('path')}.",
    "skill pinned": lambda data: f"{_skill(data)} was pinned into the messages.",
    "offload": lambda data: f"{data.get('of') or 'A message'} was moved to {data.get('path')}.",
    "summary": lambda data: f"Messages before {data.get('cutoff')} were replaced by a summary.",
}


class EventsModel(ItemsModel[Happening]):
    """A row an event."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Event", lambda one: one.kind, kind=_kind),
                Column("What happened", words, cut_end=True),
                Column("When", lambda one: format.ago(one.at), lambda one: format.absolute(one.at), muted=True),
            ),
            lambda one: (one.event, one.edit.tool_call_id if one.edit is not None else None, one.path),
            parent,
        )


_KINDS = {
    "memory": "memory", "file": "memory", "skill": "skills", "skills": "skills", "offload": "tool",
    "summary": "summary", "compaction": "summary", "warning": "warning", "overflow": "warning", "state": "warning",
    "lost": "error", "failure": "error", "step": "error", "interrupt": "human", "decision": "human", "by": "human",
}  # fmt: skip


def _kind(one: Happening) -> str | None:
    return _KINDS.get(one.kind.split(" ")[0])
