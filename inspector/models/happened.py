"""What a step did to the state, why it stopped, and what is in doubt of a request, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from inspector import format

if TYPE_CHECKING:
    from engine.trace.model import Event, RequestDetail, RequestRow


def problem_words(row: RequestRow) -> list[str]:
    """Why it failed, and what of it can't be read or is in doubt."""
    found = []
    if row.status == "failed" or row.error is not None:
        found.append(row.error or "It failed; the record does not say why.")
    if row.problem and row.problem != row.error:
        found.append(row.problem[:1].upper() + row.problem[1:])
    return found


def unread(detail: RequestDetail) -> str:
    """Why its messages can't be read, in words; empty when they were read, all none of them."""
    lost = not detail.messages and detail.row.raw_messages is None
    return (detail.row.problem or "") if lost else ""


def branch_words(row: RequestRow, follows: RequestRow | None) -> str:
    """Which line of the thread's history a request is on; empty for the first one."""
    if not row.branch:
        return ""
    after = f", after request {follows.number}" if follows is not None else ""
    return f"branch {row.branch + 1}{after}"


def happened(events: Sequence[Event]) -> list[str]:
    """Sentences for the events that no other part of the window tells."""
    tell = {"state rewritten": _rewritten, "step failed": _failed, "interrupt": _interrupt}
    return [sentence for event in events if event.kind in tell for sentence in tell[event.kind](event.data)]


def _rewritten(data: Mapping[str, Any]) -> Iterator[str]:
    did = []
    if data.get("cleared"):
        did.append("all messages before were removed")
    if removed := data.get("removed"):
        did.append(f"{format.count(removed, 'message')} removed")
    if replaced := data.get("replaced"):
        did.append(f"{format.count(replaced, 'message')} replaced")
    by = f" by {data['by']}" if data.get("by") else ""
    if did:
        yield f"The list of messages was rewritten{by} before this request: {', '.join(did)}."
    if unknown := data.get("unknown"):
        names = ", ".join(f"“{id}”" for id in unknown)
        yield f"A removal{by} named no message that was there: {names}. Nothing was removed by it."


def _failed(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"The step {data.get('node') or 'after this request'} failed: {data.get('error')}"


def _interrupt(data: Mapping[str, Any]) -> Iterator[str]:
    where = f" in {data['node']}" if data.get("node") else ""
    yield f"The run stopped{where} to ask: {'it was answered' if data.get('answered') else 'no answer came yet'}."
