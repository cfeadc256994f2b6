"""Prompt cache: how far a request begins as the same agent's request before, and what broke the prefix.

A provider reads the areas in one row, and can reuse what it has read of a row that begins alike. Anthropic reads
tools, then the system prompt, then messages; OpenAI the system prompt with the tools after it. Of others the
order is taken to be Anthropic's.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.explain.facts import Facts
from engine.explain.lines import line_of, predecessors
from engine.explain.model import Area, CacheBreak, CacheTotals, CacheUse, Cause
from engine.explain.sequence import Tick, no_tick
from engine.explain.source import Source, lists_of
from engine.explain.volatile import volatile_change
from engine.explain.waterfall import tool_name, waterfall_of
from engine.kinds import CALLER, block_kind
from engine.trace.content import text_of
from engine.trace.model import Piece, RequestLists, RequestRow

_ORDERS: dict[str, tuple[Area, ...]] = {
    "openai": ("system", "tools", "messages"),
    "azure": ("system", "tools", "messages"),
}
_ANTHROPICS: tuple[Area, ...] = ("tools", "system", "messages")
_AVOIDABLE = {"volatile text", "tool order"}


@dataclass(frozen=True, slots=True)
class _Item:
    area: Area
    index: int
    piece: Piece


class Cache:
    """Works out cache use for the requests of a source."""

    def __init__(self, source: Source, facts: Facts) -> None:
        self._source, self._facts = source, facts
        self._wires: dict[int, str] = {}
        self._orders: dict[str | None, tuple[Area, ...]] = {}

    def use(self, request_id: int, tick: Tick = no_tick) -> CacheUse:
        """Of one request, with the contributor of what broke the prefix."""
        row = self._source.request_rows([request_id])[0]
        rows = self._source.request_rows(self._source.request_ids(row.thread_id))
        return self._use(row, predecessors(rows, answered=True)[row.id], True, tick)

    def thread(self, thread_id: str, tick: Tick = no_tick) -> list[CacheUse]:
        """Of all requests of a thread. Contributors of messages are left out."""
        rows = self._source.request_rows(self._source.request_ids(thread_id))
        before = predecessors(rows, answered=True)
        return [self._use(row, before[row.id], False, tick) for row in rows]

    def _use(self, row: RequestRow, before: RequestRow | None, whole: bool, tick: Tick) -> CacheUse:
        tick()
        order = self._order(row)
        lists = lists_of(self._source, row.id)
        shared = reread = 0
        where: CacheBreak | None = None
        cause: Cause = "first request"
        reason = "The agent made no request before it."
        if before is not None:
            old, new = _row(lists_of(self._source, before.id), order), _row(lists, order)
            at = next((n for n, pair in enumerate(zip(old, new, strict=False)) if not self._same(*pair)), None)
            at = min(len(old), len(new)) if at is None else at
            shared = sum(item.piece[3] for item in new[:at])
            cause, reason = "extended", "It begins with all that the request before it held."
            if at < len(old):
                reread = self._reread(old[at:], new[at:])
                broken = new[at] if at < len(new) else None
                where = CacheBreak(
                    broken.area if broken else old[at].area,
                    broken.index if broken else old[at].index,
                    broken.piece[0] if broken else None,
                    self._contributor(row, lists, broken, whole) if broken else "",
                )
                cause, reason = self._why(old, new, at, lists, tick)
                if cause == "history changed" and (row.purpose == "summary" or line_of(row) != line_of(before)):
                    cause, reason = "new conversation", "It begins a conversation of its own."
            if before.model != row.model:
                shared, reread, cause = 0, 0, "other model"
                reason = f"The request before it went to {before.model}, and caches are kept by model."
        return CacheUse(
            request=row.id,
            number=row.number,
            predecessor=before.id if before is not None else None,
            order=order,
            break_at=where,
            cause=cause,
            reason=reason,
            shared=shared,
            reread=reread,
            avoidable=cause in _AVOIDABLE and reread > 0,
            reported=row.usage.cache_read,
            input_tokens=row.usage.input_tokens,
            seconds_since=row.started_at - before.started_at if before is not None else None,
        )

    def _order(self, row: RequestRow) -> tuple[Area, ...]:
        if row.model not in self._orders:
            provider = str(self._source.request(row.id).provider.get("provider") or "")
            self._orders[row.model] = _ORDERS.get(provider.split("_")[0], _ANTHROPICS)
        return self._orders[row.model]

    def _same(self, one: _Item, other: _Item) -> bool:
        if one.area != other.area:
            return False
        return one.piece[0] == other.piece[0] or self._wire(one) == self._wire(other)

    def _wire(self, item: _Item) -> str:
        """What of a piece reaches the provider, as text; markers and ids of ours do not change a prefix."""
        part = item.piece[0]
        if part not in self._wires:
            value = self._source.message(part) if item.area == "messages" else self._source.value(part)
            self._wires[part] = json.dumps(_sent(value, item.area), sort_keys=True)
        return self._wires[part]

    def _reread(self, old: list[_Item], new: list[_Item]) -> int:
        """Tokens of pieces after the break that the predecessor held too."""
        held = Counter(item.piece[0] for item in old)
        tokens = 0
        for item in new:
            if held[item.piece[0]]:
                held[item.piece[0]] -= 1
                tokens += item.piece[3]
        return tokens

    def _contributor(self, row: RequestRow, lists: RequestLists, item: _Item, whole: bool) -> str:
        if item.area == "system":
            return lists.system_by[item.index] if item.index < len(lists.system_by) else ""
        if item.area == "tools":
            return lists.tools_by.get(tool_name(self._source.value(item.piece[0])), CALLER)
        return waterfall_of(self._source, self._facts, row.id).messages_by[item.index] if whole else ""

    # Causes

    def _why(self, old: list[_Item], new: list[_Item], at: int, lists: RequestLists, tick: Tick) -> tuple[Cause, str]:
        was, now = old[at], new[at] if at < len(new) else None
        area = now.area if now is not None and now.area == was.area else min(was, now or was, key=_place(old, new)).area
        if area == "tools":
            return self._why_tools(old, new, tick)
        if area == "system":
            return self._why_system(was, now, lists, tick)
        if now is None:
            return "history changed", "It ends where the request before it went on: the thread was taken up earlier."
        return self._why_messages(was, now, old[at:], tick)

    def _why_tools(self, old: list[_Item], new: list[_Item], tick: Tick) -> tuple[Cause, str]:
        olds, news = ({self._tool(i): self._wire(i) for i in items if i.area == "tools"} for items in (old, new))
        if olds == news:
            return "tool order", "The same tools stand in another order."
        came, went = [name for name in news if name not in olds], [name for name in olds if name not in news]
        changed = [name for name in news if name in olds and news[name] != olds[name]]
        if changed and not came and not went:
            kinds = {volatile_change(olds[name], news[name], tick) for name in changed}
            if None not in kinds:
                return "volatile text", f"The schema of {_names(changed)} holds {kinds.pop()}, which changes by itself."
        told = [
            f"{word} {_names(names)}"
            for word, names in (("added", came), ("removed", went), ("changed", changed))
            if names
        ]
        return "tools changed", f"Tools were {', '.join(told)}."

    def _why_system(self, was: _Item, now: _Item | None, lists: RequestLists, tick: Tick) -> tuple[Cause, str]:
        if now is None or now.area != "system" or was.area != "system":
            return "system changed", "The system prompt has more blocks or fewer than before."
        by = lists.system_by[now.index] if now.index < len(lists.system_by) else ""
        kind = block_kind(by)
        if kind == "memory":
            return "memory edited", "The memory in the system prompt is another text than before."
        if kind == "skills":
            return "skills changed", "The menu of skills is another one than before."
        found = volatile_change(self._text(was), self._text(now), tick)
        if found is not None:
            return (
                "volatile text",
                f"Block {now.index + 1} of the system prompt holds {found}, which changes by itself.",
            )
        return "system changed", f"Block {now.index + 1} of the system prompt is another text than before."

    def _why_messages(self, was: _Item, now: _Item, rest: list[_Item], tick: Tick) -> tuple[Cause, str]:
        place = f"Message {now.index + 1}"
        if now.piece[1] == "summary":
            return "summary", "A summary took the place of older messages."
        names = set(self._facts.of(now.piece[0]).names)
        twin = next((item for item in rest if names & set(self._facts.of(item.piece[0]).names)), None)
        if twin is None:
            return "history changed", f"{place} is another one than before."
        old, new = (self._source.message(item.piece[0]).get("data") or {} for item in (twin, now))
        facts = self._facts.of(now.piece[0])
        if facts.stub is not None or facts.evicted is not None:
            return "offloaded", f"{place} is now a preview of what lies at {facts.stub or facts.evicted}."
        if old.get("tool_calls") != new.get("tool_calls") and _ids(old) == _ids(new):
            return "arguments cut", f"{place} had its long arguments cut."
        found = volatile_change(text_of(old.get("content")), text_of(new.get("content")), tick)
        if found is not None:
            return "volatile text", f"{place} holds {found}, which changes by itself."
        return "history changed", f"{place} has other contents than before."

    def _tool(self, item: _Item) -> str:
        return tool_name(self._source.value(item.piece[0]))

    def _text(self, item: _Item) -> str:
        value = self._source.value(item.piece[0])
        return text_of([value])


def totals(uses: list[CacheUse]) -> CacheTotals:
    """The sum over a thread's requests."""
    by_cause: dict[Cause, int] = {}
    for use in uses:
        if use.reread:
            by_cause[use.cause] = by_cause.get(use.cause, 0) + use.reread
    reported = [use.reported for use in uses if use.reported is not None]
    return CacheTotals(
        requests=len(uses),
        shared=sum(use.shared for use in uses),
        reread=sum(use.reread for use in uses),
        avoidable=sum(use.reread for use in uses if use.avoidable),
        by_cause=by_cause,
        reported=sum(reported),
        reporting=len(reported),
    )


def _row(lists: RequestLists, order: tuple[Area, ...]) -> list[_Item]:
    areas: Mapping[Area, Any] = {"system": lists.system, "tools": lists.tools, "messages": lists.messages}
    return [_Item(area, index, piece) for area in order for index, piece in enumerate(areas[area])]


def _place(old: list[_Item], new: list[_Item]) -> Any:
    """Orders items of two rows by the area that comes first."""
    areas = list(dict.fromkeys(item.area for item in (*old, *new)))
    return lambda item: areas.index(item.area)


def _sent(value: Any, area: Area) -> Any:
    if isinstance(value, dict):
        if area == "messages" and isinstance(value.get("data"), dict):
            data = value["data"]
            kept = {
                name: data.get(name) for name in ("content", "tool_calls", "invalid_tool_calls", "tool_call_id", "name")
            }
            return [str(value.get("type")).removesuffix("MessageChunk").lower(), _sent(kept, "system")]
        return {name: _sent(item, "system") for name, item in value.items() if name != "cache_control"}
    if isinstance(value, list):
        return [_sent(item, "system") for item in value]
    return value


def _ids(data: dict[str, Any]) -> list[Any]:
    return [call.get("id") for call in data.get("tool_calls") or ()]


def _names(names: list[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
