"""What context engineering did, seen from the state, the layers and the tools of a run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage

from engine.record.canon import encode_message, text_chars
from engine.record.lanes import Lane
from engine.record.observers import Call
from engine.record.operations import EventNote

SUMMARY_STATE = "_summarization_event"
_OFFLOADED = re.compile(r"was saved in the filesystem at this path: (\S+)")
_HISTORY = re.compile(r"The full conversation history has been saved to (\S+) should you need")


def offload_path(text: str) -> str | None:
    """Path named by the stub that the engine leaves for an offloaded tool result."""
    found = _OFFLOADED.search(text[:600])
    return found.group(1) if found else None


def history_path(text: str) -> str | None:
    """Path of the saved history named by a summary message; None when saving failed."""
    found = _HISTORY.search(text[:1000])
    return found.group(1) if found else None


def is_summary(message: Any) -> bool:
    """Whether a message is one that the summarizing middleware made."""
    return isinstance(message, BaseMessage) and message.additional_kwargs.get("lc_source") == "summarization"


def loaded(lane: Lane, state: Mapping[str, Any], token: str, at: float) -> Iterable[EventNote]:
    """Memory that is now in the thread's state, and skills that are listed, when they are new there."""
    memory = state.get("memory_contents")
    if memory is not None and memory != lane.seen.get("memory"):
        lane.seen["memory"] = dict(memory)
        sources = [{"path": path, "chars": len(text)} for path, text in memory.items()]
        yield EventNote("memory loaded", at, token, {"sources": sources}, once=("sources",))
    skills = state.get("skills_metadata")
    if skills is not None and skills != lane.seen.get("skills"):
        lane.seen["skills"] = list(skills)
        listed = [{"name": skill["name"], "path": skill["path"]} for skill in skills]
        yield EventNote("skill listed", at, token, {"skills": listed}, once=("skills",))


def in_messages(messages: Iterable[BaseMessage], token: str, at: float, lane: Lane) -> Iterable[EventNote]:
    """Offloads and pinned skills that show in messages new to the raw list."""
    sizes: dict[str, int] = lane.seen.setdefault("offloaded", {})
    for message in messages:
        evicted = message.additional_kwargs.get("lc_evicted_to")
        if isinstance(evicted, str):
            data = {"path": evicted, "of": "message", "message_id": message.id, "chars": text_chars(message.content)}
            yield EventNote("offload", at, token, data, once=("path",), ever=True)
        elif isinstance(message, ToolMessage) and message.tool_call_id in sizes:
            path = offload_path(message.text)
            if path:
                yield EventNote(
                    "offload",
                    at,
                    token,
                    {
                        "path": path,
                        "of": "result",
                        "tool_call_id": message.tool_call_id,
                        "chars": sizes.pop(message.tool_call_id),
                        "left": text_chars(message.content),
                    },
                )
        elif message.additional_kwargs.get("lc_source") == "pinned_skill":
            data = {"skill": message.additional_kwargs.get("skill"), "message_id": message.id}
            yield EventNote("skill pinned", at, token, data, once=("message_id",), ever=True)


def summarized(
    call: Call, lane: Lane, token: str, at: float, children: Iterable[str]
) -> tuple[int | None, list[EventNote]]:
    """The cut in force in this request, and the event when it came about here.

    The event's exact fields reach the state only after the request; they follow from the
    lists: the new cut lies where the messages kept after the summary begin.
    """
    event = call.state.get(SUMMARY_STATE) if isinstance(call.state, Mapping) else None
    event = event if isinstance(event, Mapping) else None
    raw = call.state.get("messages") or []
    cutoff = event.get("cutoff_index") if event else None
    in_force = event.get("summary_message") if event else None
    before = lane.seen.get("cutoff") or 0
    previous = lane.seen.get("summary")
    made = _made_here(call, in_force)
    if made is None:
        if in_force is not None and cutoff is not None and not _same(in_force, previous):
            # Made outside a request we saw: by the compaction tool, or before recording began.
            note = _note(
                in_force,
                cutoff,
                before,
                raw,
                token,
                at,
                (),
                previous is not None,
                event and event.get("file_path"),
            )
            lane.seen |= {"summary": in_force, "cutoff": cutoff}
            return cutoff, [note]
        return cutoff, []
    chained = in_force is not None
    evicted_from = cutoff or 0
    cutoff = len(raw) - (len(made) - 1)
    note = _note(made[0], cutoff, evicted_from, raw, token, at, children, chained, history_path(made[0].text))
    old = lane.raw.tokens(evicted_from) + (encode_message(in_force).tokens if in_force is not None else 0)
    note.data |= {
        "tokens_before": old,
        "tokens_after": sum(encode_message(message).tokens for message in made),
    }
    lane.seen |= {"summary": made[0], "cutoff": cutoff}
    return cutoff, [note]


def _made_here(call: Call, in_force: Any) -> list[Any] | None:
    """Messages right inside the middleware that put a new summary before them; None where none did."""
    for layer in call.layers:
        if layer is not None and layer.messages and is_summary(layer.messages[0]):
            return None if _same(layer.messages[0], in_force) else list(layer.messages)
    return None


def _same(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and one.content == other.content)


def _note(
    message: BaseMessage,
    cutoff: int,
    evicted_from: int,
    raw: Any,
    token: str,
    at: float,
    children: Iterable[str],
    chained: bool,
    path: str | None,
) -> EventNote:
    data: dict[str, Any] = {
        "cutoff": cutoff,
        "evicted_from": min(evicted_from, cutoff),
        "path": path,
        "chained": chained,
        "calls": list(children),
        "raw_messages": len(raw),
    }
    return EventNote("summary", at, token, data, once=("cutoff", "part"), parts={"part": encode_message(message)})
