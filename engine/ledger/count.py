"""Counting a thread: its requests in order, each against the same agent run's request before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine.ledger.model import Ledger, LedgerRow
from engine.ledger.published import published_for
from engine.ledger.readback import Reads, read_back
from engine.ledger.totals import totals_of
from engine.trace.model import Artifact, Event, MessageHead, Piece, RequestLists, RequestRow


class Source(Protocol):
    """What the ledger asks of a reader."""

    def requests(self, thread_id: str) -> list[RequestRow]: ...

    def lists(self, request_id: int) -> RequestLists: ...

    def heads(self, parts: Sequence[int]) -> dict[int, MessageHead]: ...

    def text(self, part: int) -> str: ...

    def events(self, thread_id: str) -> list[Event]: ...

    def files(self, thread_id: str) -> list[Artifact]: ...

    def file(self, thread_id: str, path: str) -> bytes: ...


@dataclass(slots=True)
class _Lane:
    """What is known of one agent run's list of messages."""

    pieces: Sequence[Piece] = ()
    chars: int = 0
    whole: int = 0
    """The same with every text that was put away counted in full."""
    cut: tuple[int, int] = (0, 0)
    """The cut last in force, and the characters before it."""
    of: dict[int, int] = field(default_factory=dict)
    """Whole length by part, where it is another than the part's own."""


def ledger_of(
    source: Source, thread_id: str, progress: Callable[[int, int], None] = lambda done, total: None
) -> Ledger:
    """The ledger of a thread; empty for one without requests. Grows with the thread: for a job.

    ``progress`` is told of requests done and in all, and may raise to stop.
    """
    events = source.events(thread_id)
    by_request: dict[int | None, list[Event]] = {}
    for event in events:
        by_request.setdefault(event.request, []).append(event)
    offloaded = {
        event.data["tool_call_id"]: _whole(event.data)
        for event in events
        if event.kind == "offload" and event.data.get("tool_call_id") is not None
    }
    lanes: dict[tuple[str, str], _Lane] = {}
    reads = Reads(source)
    rows, found = [], source.requests(thread_id)
    page_chars: dict[str, int | None] = {}
    for done, row in enumerate(found):
        progress(done, len(found))
        lists = source.lists(row.id)
        lane = lanes.setdefault((row.purpose, row.checkpoint_ns.rpartition("|")[0]), _Lane())
        raw = lists.raw or (lists.messages if row.raw_messages is None and row.purpose in {"agent", "subagent"} else ())
        new = _moved_on(source, lane, raw, offloaded)
        reads.see(new)
        if "offload_results" in lists.rules:
            page_chars["limit"] = lists.rules["offload_results"]
        rows.append(_row(row, lists, lane, new, by_request.get(row.id, ())))
    progress(len(found), len(found))
    artifacts = read_back(source, thread_id, events, reads, page_chars)
    totals = totals_of(rows)
    return Ledger(thread_id, tuple(rows), totals, artifacts, published_for(thread_id, rows, artifacts))


def _moved_on(source: Source, lane: _Lane, raw: Sequence[Piece], offloaded: Mapping[str, int]) -> Sequence[Piece]:
    """Bring a lane to this list; the pieces that are new in it."""
    before = len(lane.pieces)
    if len(raw) >= before and tuple(raw[:before]) == tuple(lane.pieces):
        new = raw[before:]
    else:  # messages were removed or rewritten
        same = 0
        while same < min(len(raw), before) and raw[same] == lane.pieces[same]:
            same += 1
        new = raw[same:]
        lane.cut = (0, 0)
        lane.chars = sum(piece[2] for piece in raw[:same])
        lane.whole = sum(lane.of.get(piece[0], piece[2]) for piece in raw[:same])
    lane.pieces = raw
    tools = [piece[0] for piece in new if piece[1] == "tool"] if offloaded else []
    for part, head in source.heads(tools).items():
        whole = offloaded.get(head.tool_call_id or "")
        if whole is not None:
            lane.of[part] = whole
    for piece in new:
        lane.chars += piece[2]
        lane.whole += max(piece[2], lane.of.get(piece[0], 0))
    return new


def _row(row: RequestRow, lists: RequestLists, lane: _Lane, new: Sequence[Piece], events: Sequence[Event]) -> LedgerRow:
    known = bool(lane.pieces) and row.raw_messages is not None
    offloads = [event.data for event in events if event.kind == "offload"]
    summarized = sum(
        sum(piece[2] for piece in lists.raw[event.data["evicted_from"] : event.data["cutoff"]])
        for event in events
        if event.kind == "summary"
    )
    summary = sum(piece[2] for piece in lists.messages if piece[1] == "summary") if known else 0
    if known and (lists.cutoff or 0) != lane.cut[0]:
        lane.cut = (lists.cutoff or 0, sum(piece[2] for piece in lists.raw[: lists.cutoff or 0]))
    return LedgerRow(
        id=row.id,
        number=row.number,
        purpose=row.purpose,
        agent=row.agent,
        received_chars=row.chars,
        system_chars=sum(piece[2] for piece in lists.system),
        tools_chars=sum(piece[2] for piece in lists.tools),
        received_tokens=row.input_tokens,
        tokens=row.tokens,
        tool_returned_chars=sum(max(piece[2], lane.of.get(piece[0], 0)) for piece in new if piece[1] == "tool"),
        offloaded_chars=sum(_whole(data) for data in offloads),
        left_chars=sum(int(data.get("left") or 0) for data in offloads),
        summarized_chars=summarized,
        summary_chars=summary,
        history_chars=lane.chars if known else None,
        original_chars=lane.whole if known else None,
        other_chars=row.chars - (lane.chars - lane.cut[1] + summary) if known else None,
    )


def _whole(data: Mapping[str, Any]) -> int:
    """Whole length of a text that was put away; at least what was left of it, where a database doesn't tell."""
    return int(data["chars"] if data["chars"] is not None else data.get("left") or 0)
