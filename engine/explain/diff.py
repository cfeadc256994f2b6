"""Two requests: which pieces both have, which moved, changed, came and went, and what changed inside a piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from engine.errors import UsageError
from engine.explain.amounts import kind_of
from engine.explain.facts import Facts
from engine.explain.lines import line_of, predecessors
from engine.explain.model import Area, AreaDiff, PartDiff, RequestDiff, TextDiff
from engine.explain.pairing import Pair, pair
from engine.explain.sequence import Tick, no_tick
from engine.explain.source import Source, lists_of
from engine.explain.texts import diff_texts
from engine.explain.waterfall import tool_name
from engine.trace.content import text_of
from engine.trace.model import Piece, RequestLists, RequestRow

_AREAS: tuple[Area, ...] = ("system", "tools", "messages")


def predecessor(source: Source, request_id: int) -> RequestRow | None:
    """The same agent's request before; None for its first."""
    row = _row(source, request_id)
    return predecessors(source.request_rows(source.request_ids(row.thread_id)))[row.id]


def diff_requests(
    source: Source, facts: Facts, request_id: int, other_id: int | None = None, tick: Tick = no_tick
) -> RequestDiff:
    """From ``other_id``, by default the same agent's request before, to ``request_id``.

    Raises:
        UsageError: there is no such request, or none before it.
    """
    new = _row(source, request_id)
    old = _row(source, other_id) if other_id is not None else predecessor(source, request_id)
    if old is None:
        raise UsageError(f"Request {request_id} is the first of its agent; name another one to compare it with.")
    sides = lists_of(source, old.id), lists_of(source, new.id)
    # Within one run, messages have ids: two at one place are not the same message.
    apart = old.thread_id != new.thread_id or line_of(old) != line_of(new)
    areas = [_area(source, facts, area, *sides, apart or area != "messages", tick) for area in _AREAS]
    return RequestDiff(old, new, (*areas, _provider(source, old, new)))


def text_diff(source: Source, area: Area, old_part: int, new_part: int, tick: Tick = no_tick) -> TextDiff:
    """What changed inside a piece, over the texts that :func:`texts` gives."""
    return diff_texts(*texts(source, area, old_part, new_part), tick)


def texts(source: Source, area: Area, old_part: int, new_part: int) -> tuple[str, str]:
    """Both pieces as they are compared: readable text, or all that is recorded where that is equal."""
    old, new = (source.message(p) if area == "messages" else source.value(p) for p in (old_part, new_part))
    readable = _readable(old, area), _readable(new, area)
    return readable if readable[0] != readable[1] else (_json(old), _json(new))


def provider_texts(source: Source, old_id: int, new_id: int) -> tuple[str, str]:
    """Both Provider areas as JSON."""
    return _json(_parameters(source, old_id)), _json(_parameters(source, new_id))


def _row(source: Source, request_id: int) -> RequestRow:
    rows = source.request_rows([request_id])
    if not rows:
        raise UsageError(f"There is no request {request_id}.")
    return rows[0]


def _area(
    source: Source, facts: Facts, area: Area, old: RequestLists, new: RequestLists, by_place: bool, tick: Tick
) -> AreaDiff:
    before, after = _pieces(old, area), _pieces(new, area)
    pairs = pair(
        before, after, _names(source, facts, area, before), _names(source, facts, area, after), tick, by_place=by_place
    )
    prefix = _common(before, after)
    rest = min(len(before), len(after)) - prefix
    suffix = min(rest, _common(before[::-1], after[::-1]))
    parts: list[PartDiff] = []
    for each in pairs:
        one = _part(source, area, each, before, after, old, new)
        last = parts[-1] if parts else None
        if last is not None and last.what == one.what == "same" and _follows(last, one):
            parts[-1] = PartDiff(
                "same", last.old_index, last.new_index, last.count + 1, last.old_part, last.new_part, last.kind, "", 0
            )
        else:
            parts.append(one)
    return AreaDiff(area, tuple(parts), prefix, suffix)


def _pieces(lists: RequestLists, area: Area) -> Sequence[Piece]:
    return {"system": lists.system, "tools": lists.tools, "messages": lists.messages}[area]


def _names(source: Source, facts: Facts, area: Area, pieces: Sequence[Piece]) -> Any:
    def names(at: int) -> Iterable[Any]:
        if area == "messages":
            return facts.of(pieces[at][0]).names
        value = source.value(pieces[at][0])
        return [tool_name(value)] if area == "tools" else [_readable(value, area)]

    return names


def _common(one: Sequence[Piece], other: Sequence[Piece]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a[0] != b[0]), min(len(one), len(other))
    )


def _follows(last: PartDiff, one: PartDiff) -> bool:
    assert last.old_index is not None and last.new_index is not None
    return (last.old_index + last.count, last.new_index + last.count) == (one.old_index, one.new_index)


def _part(
    source: Source,
    area: Area,
    each: Pair,
    before: Sequence[Piece],
    after: Sequence[Piece],
    old: RequestLists,
    new: RequestLists,
) -> PartDiff:
    was = before[each.old] if each.old is not None else None
    now = after[each.new] if each.new is not None else None
    piece, lists, at = (now, new, each.new) if now is not None else (was, old, each.old)
    assert piece is not None and at is not None
    by = lists.system_by[at] if area == "system" and at < len(lists.system_by) else ""
    tokens = (now[3] if now is not None else 0) - (was[3] if was is not None else 0)
    name = tool_name(source.value(piece[0])) if area == "tools" and each.what != "same" else ""
    return PartDiff(
        what=each.what,
        old_index=each.old,
        new_index=each.new,
        count=1,
        old_part=was[0] if was is not None else None,
        new_part=now[0] if now is not None else None,
        kind=kind_of(area, piece, by),
        name=name,
        tokens=tokens,
    )


def _provider(source: Source, old: RequestRow, new: RequestRow) -> AreaDiff:
    """The parameters that differ, by name; they are no pieces of their own."""
    was, now = _parameters(source, old.id), _parameters(source, new.id)
    parts = []
    for name in dict.fromkeys([*was, *now]):
        if (name in was) != (name in now) or was.get(name) != now.get(name):
            what: Any = "added" if name not in was else "removed" if name not in now else "changed"
            parts.append(PartDiff(what, None, None, 1, None, None, "other", name, 0))
    return AreaDiff("provider", tuple(parts), 0, 0)


def _parameters(source: Source, request_id: int) -> dict[str, Any]:
    """Parameters without what is derived from other areas or went over the wire."""
    provider = dict(source.request(request_id).provider)
    return {name: value for name, value in provider.items() if name not in {"cache_markers", "wire"}}


def _readable(value: Any, area: Area) -> str:
    if area == "messages" and isinstance(value, dict):
        data = value.get("data") or {}
        calls = [
            f"→ {call.get('name')}({json.dumps(call.get('args'), ensure_ascii=False, indent=2)})"
            for call in data.get("tool_calls") or ()
        ]
        return "\n".join(filter(None, [text_of(data.get("content")), *calls]))
    if area == "system":
        return text_of([value])
    return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
