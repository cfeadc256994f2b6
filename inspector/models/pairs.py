"""Which tool result answers which call, by place: ids repeat and are missing, so place comes first.

A result belongs to the AI message before it with nothing but results between. What that rule leaves
open (a call without result, a result without call) is only said after the whole list has been looked at.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.trace.model import MessageHead, PartRow, ToolCall

HeadOf = Callable[[int], MessageHead | None]


@dataclass(frozen=True, slots=True)
class Pair:
    """How one row hangs together with its neighbours."""

    from_above: bool = False
    """The line in the gutter comes in from above."""
    to_below: bool = False
    ends_here: bool = False
    """The row is one end: the AI message, or a result of it."""
    open_calls: tuple[str | None, ...] = ()
    """Ids of calls that none of the results right below answers."""
    no_call: bool = False
    """A result that the message above did not ask for."""
    call: int | None = None
    """Which of the AI message's calls it answers."""


NONE = Pair()


class Pairs:
    """Pairs in one list of messages, worked out group by group as rows are shown."""

    def __init__(self, rows: Sequence[PartRow], head: HeadOf) -> None:
        self._rows, self._head = rows, head
        self._groups: dict[int, range] = {}
        self._pairs: dict[int, list[Pair]] = {}

    def group(self, row: int) -> range:
        """An AI message with the results right below it; a row that is neither stands alone."""
        known = self._groups.get(row)
        if known is not None:
            return known
        first = row
        while first > 0 and self._rows[first].kind == "tool":
            first -= 1
        if first != row and self._rows[first].kind not in ("ai", "tool"):
            first += 1
        end = first + 1
        if self._rows[first].kind in ("ai", "tool"):
            while end < len(self._rows) and self._rows[end].kind == "tool":
                end += 1
        group = range(first, end)
        self._groups.update(dict.fromkeys(group, group))
        return group

    def missing(self, row: int) -> list[int]:
        """Parts of the group whose heads are needed and not known."""
        if self._rows[row].kind not in ("ai", "tool") or self.group(row).start in self._pairs:
            return []
        return [self._rows[n].part for n in self.group(row) if self._head(self._rows[n].part) is None]

    def pair(self, row: int) -> Pair | None:
        """How a row hangs together; None while heads are missing."""
        if self._rows[row].kind not in ("ai", "tool"):
            return NONE
        group = self.group(row)
        if group.start not in self._pairs:
            heads = [head for n in group if (head := self._head(self._rows[n].part)) is not None]
            if len(heads) < len(group):
                return None
            self._pairs[group.start] = _pairs(heads, self._rows[group.start].kind == "ai")
        return self._pairs[group.start][row - group.start]


def _pairs(heads: Sequence[MessageHead], called: bool) -> list[Pair]:
    """Of one group; ``called`` when an AI message stands first."""
    calls = heads[0].tool_calls if called else ()
    answers = _answers(calls, heads[1:] if called else heads)
    last = max((n for n, call in enumerate(answers) if call is not None), default=-1)
    made = []
    if called:
        unanswered = (call.id for n, call in enumerate(calls) if n not in answers and call.error is None)
        made.append(Pair(to_below=last >= 0, ends_here=last >= 0, open_calls=tuple(unanswered)))
    for n, call in enumerate(answers):
        made.append(Pair(n <= last, n < last, call is not None, no_call=call is None, call=call))
    return made


def _answers(calls: Sequence[ToolCall], results: Sequence[MessageHead]) -> list[int | None]:
    """For each result the number of the call it answers; each call is answered once, in order."""
    free: dict[str, list[int]] = {}
    for n, call in enumerate(calls):
        if call.id is not None:
            free.setdefault(call.id, []).append(n)
    return [waiting.pop(0) if (waiting := free.get(result.tool_call_id or "")) else None for result in results]
