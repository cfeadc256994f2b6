"""What a step did to the state, why it stopped, and what is in doubt of a request, in sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """Sentences for the events that no other part of the request's head tells."""
    decided = {event.data.get("id") for event in events if event.kind == "decision"}
    found: list[str] = []
    for event in events:
        if event.kind in TOLD and event.kind not in ("failure", "purpose guessed"):
            known = {"answered": True} if event.kind == "interrupt" and event.data.get("id") in decided else {}
            found += TOLD[event.kind]({"answered": False, **event.data, **known})
    return found


def _rewritten(data: Mapping[str, Any]) -> Iterator[str]:
    did = []
    if data.get("cleared"):
        did.append("all messages before were removed")
    if removed := data.get("removed"):
        did.append(f"{format.count(removed, 'message')} removed")
    if replaced := data.get("replaced"):
        did.append(f"{format.count(replaced, 'message')} replaced")
    by = f" by {data['by']}" if data.get("by") else ""
    unknown = data.get("unknown")
    if did or not unknown:
        how = f": {', '.join(did)}" if did else ""
        yield f"The list of messages was rewritten{by} before this request{how}."
    if unknown:
        names = ", ".join(f"“{id}”" for id in unknown)
        yield f"A removal{by} named no message that was there: {names}. Nothing was removed by it."


def _step_failed(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"The step {data.get('node') or 'after this request'} failed: {data.get('error')}"


def _interrupt(data: Mapping[str, Any]) -> Iterator[str]:
    where = f" in {data['node']}" if data.get("node") else ""
    who = f" of the agent {data['agent']}" if data.get("agent") else ""
    tools = [str(call.get("name")) for value in data.get("values") or () for call in _calls(value)]
    about = f" whether to call {', '.join(dict.fromkeys(tools))}" if tools else ""
    end = {True: ": it was answered", False: ": no answer came yet", None: ""}[data.get("answered")]
    yield f"The run{who} stopped{where} to ask{about}{end}."


def _calls(value: Any) -> list[Mapping[str, Any]]:
    """Calls that a question waits for, as the engine's own approval asks."""
    asked = value.get("action_requests") if isinstance(value, Mapping) else None
    return [call for call in asked if isinstance(call, Mapping)] if isinstance(asked, Sequence) else []


_DECIDED = {"approve": "approved", "edit": "edited", "reject": "rejected", "respond": "answered in its place"}


def _decision(data: Mapping[str, Any]) -> Iterator[str]:
    if "answer" in data:
        yield f"The question was answered: {_short(data['answer'])}"
        return
    words = []
    for one in data.get("decisions") or ():
        after = one.get("after") or {}
        instead = f" to {after['tool']}" if after.get("tool") not in (None, one.get("tool")) else ""
        said = f" (“{_short(one['message'])}”)" if one.get("message") else ""
        words.append(f"{one.get('tool')} was {_DECIDED.get(one.get('decision'), one.get('decision'))}{instead}{said}")
    yield f"It was decided: {', '.join(words)}."


def _by_hand(data: Mapping[str, Any]) -> Iterator[str]:
    model = data.get("answered_by")
    yield f"This request was given to {model} to answer; its own call is recorded beside it."


def _failure(data: Mapping[str, Any]) -> Iterator[str]:
    yield f"{_FAILURES.get(str(data.get('kind')), 'The call failed')}{_where(data)}: {data.get('message')}"
    if wait := data.get("retry_after"):
        yield f"The provider asks to wait {wait:g} seconds."


_FAILURES = {
    "overflow": "The request was longer than the model's window", "key": "The key was not accepted",
    "refused": "The provider refused it", "unknown model": "The provider does not know the model",
    "rate limit": "The provider takes no more requests for now", "server": "The provider failed on its side",
    "timeout": "No answer came in time", "connection": "The provider could not be reached",
    "broken off": "The connection broke off before the answer was whole", "bad request": "The request was refused",
}  # fmt: skip


def _where(data: Mapping[str, Any]) -> str:
    known = [str(data[name]) for name in ("status", "class", "host") if data.get(name)]
    return f" ({', '.join(known)})" if known else ""


def _overflow(data: Mapping[str, Any]) -> Iterator[str]:
    made = len(data.get("summaries") or ())
    how = f"{format.count(made, 'summarizing call')} made room" if made else "its messages were shortened"
    yield f"The model's window did not hold a request: {how}, and it was sent again."


def _guessed(_data: Mapping[str, Any]) -> Iterator[str]:
    yield "It is taken for a summarizing call by the shape of its prompt alone: the call carries no mark."


def _short(value: Any) -> str:
    return format.one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), 200)


TOLD: dict[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "state rewritten": _rewritten, "step failed": _step_failed, "interrupt": _interrupt, "decision": _decision,
    "by hand": _by_hand, "failure": _failure, "overflow": _overflow, "purpose guessed": _guessed,
}  # fmt: skip
"""Sentences for an event, by its kind."""


def told(kind: str, data: Mapping[str, Any]) -> str:
    """One event in sentences; empty for a kind that is told elsewhere."""
    return " ".join(TOLD[kind](data)) if kind in TOLD else ""


def requests_of(kind: str, data: Mapping[str, Any]) -> list[tuple[str, int]]:
    """Other requests that an event speaks of: what each is to it, and its id."""
    if kind != "overflow":
        return []
    summaries = [("the summarizing call", id) for id in data.get("summaries") or ()]
    pairs = [("the one that was too long", data.get("rejected")), *summaries, ("the one sent again", data.get("retry"))]
    return [(word, id) for word, id in pairs if isinstance(id, int)]
