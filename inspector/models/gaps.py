"""Where calls and results stand in whole lists of messages: read only when something has no twin near by.

A call without result or a result without call is a claim about the whole list, so the whole list is read
before it is made. Runs in a job.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.trace.model import PartRow
from inspector.jobs import Progress
from inspector.models.cells import Badge
from inspector.models.heads import PAGE, ReadsHeads
from inspector.models.shown_text import one_line

Places = dict[str, list[int]]


class Gaps:
    """Places of calls and of results by tool call id, in one list, and of calls in the raw one."""

    def __init__(self, calls: Places, results: Places, raw_calls: Places | None = None) -> None:
        self._calls, self._results = calls, results
        self._raw_calls = raw_calls or {}

    def call_badge(self, row: int, call: str | None) -> Badge:
        """For a call that no result right below it answers."""
        later = [n for n in self._results.get(call or "", ()) if n > row]
        if later:
            return Badge(f"result at {later[0]}", "error", "the result does not follow the call directly")
        return Badge("no result", "error", f"no message in this list answers {_named(call)}")

    def result_badge(self, row: int, call: str | None) -> Badge:
        """For a result that the message above it did not ask for."""
        before = [n for n in self._calls.get(call or "", ()) if n < row]
        if before:
            return Badge(f"call at {before[-1]}", "error", "the call does not stand directly above its result")
        raw = self._raw_calls.get(call or "")
        if raw:
            why = f"no message in this list made the call; its call is raw message {raw[-1]}, which was not sent"
            return Badge(f"no call · raw {raw[-1]}", "error", why)
        return Badge("no call", "error", "no message in this list made the call")


def merged(badges: list[Badge]) -> list[Badge]:
    """Equal words once, with how often: ``no result × 2``."""
    words: dict[str, list[Badge]] = {}
    for badge in badges:
        words.setdefault(badge.word, []).append(badge)
    return [
        same[0] if len(same) == 1 else Badge(f"{word} × {len(same)}", same[0].kind, "; ".join(b.why for b in same))
        for word, same in words.items()
    ]


def _named(call: str | None) -> str:
    return f"the call {one_line(call, 60)}" if call else "the call without id"


def look_for_gaps(reader: ReadsHeads, rows: Sequence[PartRow], raw: Sequence[PartRow], progress: Progress) -> Gaps:
    """Read all AI messages and results of a list, and the AI messages of the raw one."""
    total = len(rows) + len(raw)
    calls, results = _places(reader, rows, progress, 0, total)
    raw_calls = _places(reader, raw, progress, len(rows), total)[0] if raw else {}
    return Gaps(calls, results, raw_calls)


def _places(
    reader: ReadsHeads, rows: Sequence[PartRow], progress: Progress, done: int, total: int
) -> tuple[Places, Places]:
    calls: Places = {}
    results: Places = {}
    for start in range(0, len(rows), PAGE):
        progress.report(done + start, total, "Looking for calls and results")
        page = [row for row in rows[start : start + PAGE] if row.kind in ("ai", "tool")]
        heads = reader.heads([row.part for row in page])
        for row in page:
            head = heads.get(row.part)
            if head is None:
                continue
            for call in head.tool_calls:
                if call.id is not None:
                    calls.setdefault(call.id, []).append(row.index)
            if head.tool_call_id is not None:
                results.setdefault(head.tool_call_id, []).append(row.index)
    return calls, results
