"""What context engineering did, seen from the state, the layers and the tools of a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage

from engine.recording.canon import encode_message, message_tokens, text_chars, text_of
from engine.recording.lanes import Lane
from engine.recording.observers import Call
from engine.recording.operations import EventNote
from engine.stubs import history_path, offload_path

SUMMARY_STATE = "_summarization_event"


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


def in_messages(
    raw: Sequence[BaseMessage], new_raw: int, sent: Iterable[BaseMessage], token: str, at: float, lane: Lane
) -> Iterable[EventNote]:
    """Offloads and pinned skills that show for the first time.

    ``raw[new_raw:]`` and ``sent`` are the messages that are new in the two lists. An offload
    shows in what is sent: the state may learn of it only with the answer, or hold the whole.
    """
    sizes: dict[str, int] = lane.seen.setdefault("offloaded", {})
    for message in sent:
        path, of, chars = message.additional_kwargs.get("lc_evicted_to"), "message", None
        if isinstance(path, str) and isinstance(message, HumanMessage):
            twin = next((item for item in reversed(raw) if item.id == message.id), message)
            chars = text_chars(twin.content)
        elif isinstance(message, ToolMessage) and (path := offload_path(text_of(message))):
            of, chars = "result", sizes.pop(message.tool_call_id, None)
            if chars is None:
                # Clipped on the way, after an overflow: the state still holds the whole.
                twin = next((item for item in reversed(raw) if item.id == message.id), message)
                chars = text_chars(twin.content) if twin.content != message.content else None
        if isinstance(path, str) and chars is not None:
            name = "tool_call_id" if of == "result" else "message_id"
            data = {"path": path, "of": of, name: getattr(message, "tool_call_id", message.id), "chars": chars}
            data["left"] = text_chars(message.content)
            yield EventNote("offload", at, token, data, once=("path", name), ever=True)
    for message in raw[new_raw:]:
        if message.additional_kwargs.get("lc_source") == "pinned_skill":
            data = {"skill": message.additional_kwargs.get("skill"), "message_id": message.id}
            yield EventNote("skill pinned", at, token, data, once=("message_id",), ever=True)


def summarized(call: Call, lane: Lane, token: str, at: float) -> tuple[int | None, list[EventNote]]:
    """The cut in force in this request, and the event when the summary came about here.

    The event's own fields reach the state only after the request, but they follow from the
    lists: the new cut lies where the messages kept after the summary begin.
    """
    event = call.state.get(SUMMARY_STATE) if isinstance(call.state, Mapping) else None
    event = event if isinstance(event, Mapping) else {}
    raw = call.state.get("messages") or []
    in_force, cutoff = event.get("summary_message"), event.get("cutoff_index")
    # LangChain may have put answers to calls that it could not parse between the raw messages: cuts count them.
    given = len(call.layers[0].messages) if call.layers and call.layers[0] is not None else len(raw)
    made = _made_here(call, in_force, cutoff, given)
    data: dict[str, Any]
    if made is not None:
        evicted_from = cutoff or 0
        cutoff = given - (len(made) - 1)
        before = lane.raw.tokens(evicted_from) + (message_tokens(in_force) if in_force is not None else 0)
        data = {
            "evicted_from": min(evicted_from, cutoff),
            "path": history_path(text_of(made[0])),
            "chained": in_force is not None,
            "tokens_before": before,
            "tokens_after": sum(map(message_tokens, made)),
        }
        in_force = made[0]
    elif (
        in_force is not None
        and cutoff is not None
        and not (cutoff == lane.seen.get("cutoff") and _same(in_force, lane.seen.get("summary")))
    ):
        # Made outside a request that was seen: by the compaction tool, or before recording began.
        evicted_from = min(lane.seen.get("cutoff") or 0, cutoff)
        data = {
            "evicted_from": evicted_from,
            "path": event.get("file_path"),
            "chained": lane.seen.get("summary") is not None,
            "tokens_before": lane.raw.tokens(evicted_from),
            "tokens_after": lane.raw.tokens(cutoff) + message_tokens(in_force),
        }
    else:
        return cutoff, []
    lane.seen |= {"summary": in_force, "cutoff": cutoff}
    data |= {"cutoff": cutoff, "calls": list(call.children), "raw_messages": len(raw)}
    parts = {"part": encode_message(in_force)}
    return cutoff, [EventNote("summary", at, token, data, once=("cutoff", "part"), parts=parts)]


def compacted(
    lane: Lane, raw: Sequence[BaseMessage], before: Any, after: Any, calls: Sequence[str], at: float
) -> EventNote:
    """The event of a summary that was made on demand, on the summarizing call; the next request repeats it not."""
    evicted_from, cutoff = (before or {}).get("cutoff_index") or 0, after["cutoff_index"]
    old = (before or {}).get("summary_message")
    summary = after["summary_message"]
    lane.seen |= {"summary": summary, "cutoff": cutoff}
    data = {
        "evicted_from": min(evicted_from, cutoff),
        "path": after.get("file_path"),
        "chained": old is not None,
        "tokens_before": sum(map(message_tokens, [*([old] if old is not None else []), *raw[evicted_from:]])),
        "tokens_after": sum(map(message_tokens, [summary, *raw[cutoff:]])),
        "cutoff": cutoff,
        "calls": list(calls),
        "raw_messages": len(raw),
    }
    token = calls[-1] if calls else None
    return EventNote("summary", at, token, data, once=("cutoff", "part"), parts={"part": encode_message(summary)})


def _made_here(call: Call, in_force: Any, cutoff: int | None, given: int) -> list[Any] | None:
    """Messages right inside the middleware that put a new summary before them; None where none did.

    Two summaries may have the same words; then the cut tells them apart.
    """
    for layer in call.layers:
        if layer is not None and layer.messages and is_summary(layer.messages[0]):
            old = layer.messages[0] is in_force or (
                _same(layer.messages[0], in_force) and given - (len(layer.messages) - 1) == cutoff
            )
            return None if old else list(layer.messages)
    return None


def _same(one: Any, other: Any) -> bool:
    return one is other or (one is not None and other is not None and one.content == other.content)
