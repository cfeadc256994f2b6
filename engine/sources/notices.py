"""What context engineering did, told from the states and writes of a line.

The same kinds and data as the record's own events, and some more: a step that rewrote the
state, one that failed, one that waits for an answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.sources.line import Contents, State
from engine.sources.messages import Change, Message
from engine.sources.requests import Made
from engine.sources.rules import Rules
from engine.sources.runs import Task
from engine.sources.shelf import Shelf
from engine.trace.files import content_of

_EDITS = {"edit_file", "write_file"}
_TOOLS = _EDITS | {"read_file"}


@dataclass(frozen=True, slots=True)
class Note:
    """An event, on a request where there is one."""

    kind: str
    request: int | None
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Seen:
    """What a line has already shown."""

    request: int | None = None
    """Its last request."""
    summary: tuple[int, int] | None = None
    """Part and cut of the summary in force at that request."""
    memory: Any = None
    skills: Any = None
    calls: Mapping[str, tuple[str, str, int]] = field(default_factory=dict)
    """File tool calls: call id → tool, path and request."""
    told: frozenset[tuple[str, str]] = frozenset()
    """What is told once only."""
    rewritten: tuple[Mapping[str, Any], ...] = ()
    """Rewritings of the state since the last request."""


def changed(seen: Seen, change: Change, by: str) -> Seen:
    """Remember that a step did more than append."""
    if not change.notable:
        return seen
    data = {
        "by": by,
        "cleared": change.cleared,
        "removed": change.removed,
        "replaced": change.replaced,
        "unknown": list(change.unknown),
    }
    return replace(seen, rewritten=(*seen.rewritten, data))


def notes_of(
    made: Sequence[Made], tasks: Sequence[Task], state: State, seen: Seen, contents: Contents, rules: Rules
) -> tuple[list[Note], Seen]:
    """Events at one checkpoint, and what the line has shown after it."""
    shelf, notes = contents.shelf, []
    new = state.messages.items[state.messages.kept :]
    for note, key in _tools_done(new, seen):
        if key not in seen.told:
            notes.append(note)
            seen = replace(seen, told=seen.told | {key})
    if made:
        first = made[0]
        notes += [Note("state rewritten", first.id, data) for data in seen.rewritten]
        notes += _loaded(first, state, seen)
        for each in made:
            notes += _summarized(each, state, seen, shelf)
        for note, key in _in_messages(first, [*new, *first.changed], state, shelf, rules):
            if key not in seen.told:
                notes.append(note)
                seen = replace(seen, told=seen.told | {key})
        calls = {**seen.calls, **{id: call for each in made for id, call in _calls(each)}}
        last = made[-1]
        seen = replace(
            seen,
            request=last.id,
            summary=(last.event.part, last.cutoff or 0) if last.event is not None else seen.summary,
            memory=state.values.get("memory_contents"),
            skills=state.values.get("skills_metadata"),
            calls=calls if len(calls) > len(seen.calls) else seen.calls,
            rewritten=(),
        )
    notes += _stopped(tasks, seen.request)
    return notes, seen


def _loaded(made: Made, state: State, seen: Seen) -> Iterator[Note]:
    memory, skills = state.values.get("memory_contents"), state.values.get("skills_metadata")
    if isinstance(memory, dict) and memory != seen.memory:
        sources = [{"path": str(path), "chars": len(text)} for path, text in memory.items() if isinstance(text, str)]
        yield Note("memory loaded", made.id, {"sources": sources})
    if isinstance(skills, list) and skills != seen.skills:
        listed = [{"name": each.get("name"), "path": each.get("path")} for each in skills if isinstance(each, dict)]
        yield Note("skill listed", made.id, {"skills": listed})


def _summarized(made: Made, state: State, seen: Seen, shelf: Shelf) -> Iterator[Note]:
    event = made.event
    if event is None or made.cutoff is None or (event.part, made.cutoff) == seen.summary:
        return
    old = seen.summary
    evicted_from = min(old[1] if old else 0, made.cutoff)
    parts = [item.part for item in state.messages.items[evicted_from:]] + ([old[0]] if old else [])
    problem = ""
    if event.path is not None and not isinstance(event.path, str):
        problem = f"the path of the saved history is damaged: {event.path!r}"
    yield Note(
        "summary",
        made.id,
        {
            "cutoff": made.cutoff,
            "evicted_from": evicted_from,
            "path": event.path if isinstance(event.path, str) else None,
            "chained": old is not None,
            "tokens_before": sum(shelf.piece(part)[3] for part in parts),
            "tokens_after": sum(shelf.sizes(made.sent.node).values()),
            "calls": [],
            "raw_messages": made.raw_count or 0,
            "part": event.part,
            **({"problem": problem} if problem else {}),
        },
    )


def _in_messages(
    made: Made, new: Sequence[Message], state: State, shelf: Shelf, rules: Rules
) -> Iterator[tuple[Note, tuple[str, str]]]:
    """Offloads and pinned skills that show for the first time."""
    for item in new:
        path = item.stub or item.evicted
        if path is not None:
            chars = _whole(item, path, state, shelf)
            data: dict[str, Any] = {"path": path, "of": "result", "tool_call_id": item.call, "chars": chars}
            left = item.part
            if item.evicted is not None:
                data = {"path": path, "of": "message", "message_id": item.id, "chars": shelf.piece(item.part)[2]}
                left = rules.effective(item, False)
            yield Note("offload", made.id, data | {"left": shelf.piece(left)[2]}), (path, str(item.call or item.id))
        if item.source == "pinned_skill":
            fields = shelf.value(item.part)["data"]
            data = {"skill": (fields.get("additional_kwargs") or {}).get("skill"), "message_id": item.id}
            yield Note("skill pinned", made.id, data), ("pinned", str(item.id))


def _whole(item: Message, path: str, state: State, shelf: Shelf) -> int | None:
    """Characters of what was put away: of the file, or of the message as the state still holds it."""
    if path in state.files:
        content = content_of(state.files[path])[0]
        return len(content.decode("utf-8", "replace")) if content is not None else None
    twin = next((each for each in state.messages.items if each.id == item.id and each is not item), None)
    return shelf.piece(twin.part)[2] if twin is not None and item.id is not None else None


def _tools_done(new: Sequence[Message], seen: Seen) -> Iterator[tuple[Note, tuple[str, str]]]:
    """Skills that were read and memory that was edited, told by a tool's result."""
    memory = seen.memory if isinstance(seen.memory, dict) else {}
    skills = {
        each["path"]: each.get("name")
        for each in (seen.skills if isinstance(seen.skills, list) else ())
        if isinstance(each, dict) and isinstance(each.get("path"), str)
    }
    for item in new:
        if item.call is None or item.failed or item.call not in seen.calls:
            continue
        tool, path, request = seen.calls[item.call]
        if tool in _EDITS and path in memory:
            data: dict[str, Any] = {"path": path, "tool": tool, "tool_call_id": item.call}
            yield Note("memory edited", request, data), ("edited", item.call)
        if tool == "read_file" and path in skills:
            data = {"name": skills[path], "path": path, "tool_call_id": item.call}
            yield Note("skill read", request, data), ("read", item.call)


def _calls(made: Made) -> Iterator[tuple[str, tuple[str, str, int]]]:
    for call in made.fields.get("tool_calls") or ():
        if not isinstance(call, dict) or call.get("name") not in _TOOLS or not isinstance(call.get("args"), dict):
            continue
        path, id = call["args"].get("file_path"), call.get("id")
        if isinstance(path, str) and isinstance(id, str):
            yield id, (call["name"], path, made.id)


def _stopped(tasks: Sequence[Task], request: int | None) -> Iterator[Note]:
    for task in tasks:
        if task.error is not None:
            yield Note("step failed", request, {"node": task.node, "error": task.error})
        if task.interrupts:
            data = {"node": task.node, "values": list(task.interrupts), "answered": task.resumed or bool(task.messages)}
            yield Note("interrupt", request, data)
