"""A request, contributor by contributor: what each of them added, changed or removed, with sizes that sum to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from engine.explain.amounts import Sums, kind_of
from engine.explain.facts import Facts
from engine.explain.model import Amount, Area, Change, Step, Waterfall
from engine.explain.pairing import Pair, pair
from engine.explain.source import Source, lists_of
from engine.kinds import CALLER
from engine.trace.model import Layer, Piece, RequestLists

MODEL = "model"
"""Contributor of what stands in a request and not in its last layer: LangChain, when it bound the model."""

NOT_RECORDED = "The contributors' steps were not recorded with this request."
NOT_AN_AGENTS = "This call was not made by an agent's model node, so no middleware stood before it."


def waterfall_of(source: Source, facts: Facts, request_id: int) -> Waterfall:
    """The steps of a request; a single one where they were not recorded."""
    lists = lists_of(source, request_id)
    if not lists.layers:
        return _single(source, request_id, lists)
    return _Steps(source, facts, request_id, lists).waterfall()


def tool_name(schema: Any) -> str:
    """Name of a tool schema in any provider's form."""
    if not isinstance(schema, dict):
        return ""
    named = schema["function"] if isinstance(schema.get("function"), dict) else schema
    return str(named.get("name") or named.get("type") or "")


@dataclass(frozen=True, slots=True)
class _Block:
    """A system block with whom it comes from."""

    piece: Piece
    by: str


class _Steps:
    """Goes through the layers of one request."""

    def __init__(self, source: Source, facts: Facts, request_id: int, lists: RequestLists) -> None:
        self._source, self._facts = source, facts
        self._request, self._lists = request_id, lists
        self._blocks: tuple[_Block, ...] = ()
        self._messages: Sequence[Piece] = ()
        self._messages_by: list[str] = []
        self._tools: Sequence[Piece] = ()
        self._tools_by: list[str] = []
        self._settings: dict[str, Any] = {}
        self._total = Sums()
        self._steps: list[Step] = []

    def waterfall(self) -> Waterfall:
        """All steps: the caller's, each middleware's whether it changed something or not, and the model's."""
        lists = self._lists
        caller, *others = lists.layers
        layers = {layer.by: layer for layer in others}
        registered = self._registered(caller)
        self._step(CALLER, caller, registered.pop(CALLER, ()))
        for name in [*lists.order, *(by for by in layers if by not in lists.order)]:
            if name != CALLER:
                self._step(name, layers.get(name), registered.pop(name, ()))
        for name, left in registered.items():
            self._step(name, None, left)
        last = lists.layers[-1]
        self._step(MODEL, Layer(MODEL, lists.system, lists.tools, lists.messages, last.settings, last.model), ())
        if not self._steps[-1].changes:
            self._steps.pop()
        return Waterfall(
            request=self._request,
            steps=tuple(self._steps),
            total=self._total.amounts(),
            system_by=tuple(block.by for block in self._blocks),
            tools_by=tuple(self._tools_by),
            messages_by=tuple(self._messages_by),
            problem="",
        )

    def _registered(self, caller: Layer) -> dict[str, list[Change]]:
        """Tools that stand in the request from its beginning, by who brought them along."""
        found: dict[str, list[Change]] = {}
        self._tools = caller.tools
        for at, piece in enumerate(caller.tools):
            name = self._tool(piece)
            by = self._lists.tools_by.get(name, CALLER)
            self._tools_by.append(by)
            found.setdefault(by, []).append(_change("tools", "added", at, (piece,), (), name))
        return found

    def _step(self, by: str, layer: Layer | None, brought: Iterable[Change]) -> None:
        changes = list(brought)
        if layer is not None:
            changes += self._system(by, layer.system)
            changes += self._changed_tools(by, layer.tools)
            changes += self._changed_messages(by, layer.messages)
            changes += self._provider(by, layer)
        sums = Sums()
        for change in changes:
            sums.all(change.amounts)
            self._total.all(change.amounts)
        self._steps.append(Step(by, tuple(changes), sums.amounts(), self._total.amounts()))

    def _system(self, by: str, now: Sequence[Piece]) -> list[Change]:
        """Changes of the blocks. One that goes on, perhaps with a cache marker, keeps its contributor."""
        before = self._blocks
        old = [block.piece for block in before]
        if [piece[0] for piece in old] == [piece[0] for piece in now]:
            return []
        pairs = pair(old, now, lambda at: [self._words(old[at])], lambda at: [self._words(now[at])], by_place=True)
        self._blocks = tuple(
            _Block(now[each.new], self._block_by(by, each, before, now)) for each in pairs if each.new is not None
        )
        owners = {at: block.by for at, block in enumerate(self._blocks)}
        changes = []
        for each in pairs:
            if each.what != "same":
                at = each.new if each.new is not None else each.old
                assert at is not None
                new = () if each.new is None else ((now[each.new], owners[each.new]),)
                was = () if each.old is None else ((before[each.old].piece, before[each.old].by),)
                changes.append(_block_change(each.what, at, new, was))
        return changes

    def _block_by(self, by: str, each: Pair, before: tuple[_Block, ...], now: Sequence[Piece]) -> str:
        if each.old is None or each.new is None:
            return by
        goes_on = each.what in {"same", "moved"} or self._words(before[each.old].piece) == self._words(now[each.new])
        return before[each.old].by if goes_on else by

    def _changed_tools(self, by: str, now: Sequence[Piece]) -> list[Change]:
        before, owners = self._tools, self._tools_by
        if before is now or [piece[0] for piece in before] == [piece[0] for piece in now]:
            return []
        pairs = pair(before, now, lambda at: [self._tool(before[at])], lambda at: [self._tool(now[at])])
        self._tools = now
        self._tools_by = [by if each.old is None else owners[each.old] for each in pairs if each.new is not None]
        return [
            _piece_change("tools", each, before, now, self._tool(_either(each, before, now)))
            for each in pairs
            if each.what != "same"
        ]

    def _changed_messages(self, by: str, now: Sequence[Piece]) -> list[Change]:
        before, owners = self._messages, self._messages_by
        if before is now or [piece[0] for piece in before] == [piece[0] for piece in now]:
            return []
        pairs = pair(before, now, self._names(before), self._names(now))
        self._messages = now
        self._messages_by = [
            owners[each.old] if each.what in {"same", "moved"} and each.old is not None else by
            for each in pairs
            if each.new is not None
        ]
        return _runs(pairs, before, now)

    def _provider(self, by: str, layer: Layer) -> list[Change]:
        old, new = self._settings, {**layer.settings, **({} if layer.model is None else {"model": layer.model})}
        self._settings = new
        changes = []
        for name in dict.fromkeys([*old, *new]):
            if old.get(name) != new.get(name) or (name in old) != (name in new):
                what: Any = "removed" if name not in new else "changed" if name in old else "added"
                changes.append(Change("provider", what, 0, (), (), (), name, old.get(name), new.get(name)))
        return changes

    def _names(self, pieces: Sequence[Piece]) -> Any:
        return lambda at: self._facts.of(pieces[at][0]).names

    def _tool(self, piece: Piece) -> str:
        return tool_name(self._source.value(piece[0]))

    def _words(self, piece: Piece) -> str:
        """A block's text: what is left of it without cache markers."""
        value = self._source.value(piece[0])
        if isinstance(value, dict):
            return str(
                value.get("text") if "text" in value else {k: v for k, v in value.items() if k != "cache_control"}
            )
        return str(value)


def _single(source: Source, request_id: int, lists: RequestLists) -> Waterfall:
    """Everything in one step, of a call whose steps are not known."""
    row = source.request_rows([request_id])[0]
    system_by = [*lists.system_by, *([""] * (len(lists.system) - len(lists.system_by)))]
    tools_by = [lists.tools_by.get(tool_name(source.value(piece[0])), CALLER) for piece in lists.tools]
    changes = [
        _block_change("added", at, ((piece, by),), ())
        for at, (piece, by) in enumerate(zip(lists.system, system_by, strict=True))
    ]
    changes += [
        _change("tools", "added", at, (piece,), (), tool_name(source.value(piece[0])))
        for at, piece in enumerate(lists.tools)
    ]
    if lists.messages:
        changes.append(_change("messages", "added", 0, tuple(lists.messages), (), ""))
    sums = Sums()
    for change in changes:
        sums.all(change.amounts)
    by = {"summary": "SummarizationMiddleware"}.get(row.purpose, CALLER)
    return Waterfall(
        request=request_id,
        steps=(Step(by, tuple(changes), sums.amounts(), sums.amounts()),),
        total=sums.amounts(),
        system_by=tuple(system_by),
        tools_by=tuple(tools_by),
        messages_by=(by,) * len(lists.messages),
        problem=NOT_RECORDED if row.purpose in {"agent", "subagent"} else NOT_AN_AGENTS,
    )


def _either(each: Pair, before: Sequence[Piece], now: Sequence[Piece]) -> Piece:
    return now[each.new] if each.new is not None else before[each.old or 0]


def _piece_change(area: Area, each: Pair, before: Sequence[Piece], now: Sequence[Piece], name: str) -> Change:
    new = () if each.new is None else (now[each.new],)
    was = () if each.old is None else (before[each.old],)
    at = each.new if each.new is not None else each.old
    assert at is not None
    return _change(area, each.what, at, new, was, name)


def _change(area: Area, what: Any, at: int, new: tuple[Piece, ...], was: tuple[Piece, ...], name: str) -> Change:
    sums = Sums()
    for piece in new:
        sums.add(area, kind_of(area, piece), piece)
    for piece in was:
        sums.add(area, kind_of(area, piece), piece, -1)
    return _told(area, what, at, new, was, sums.amounts(), name)


def _block_change(what: Any, at: int, new: tuple[tuple[Piece, str], ...], was: tuple[tuple[Piece, str], ...]) -> Change:
    sums = Sums()
    for piece, by in new:
        sums.add("system", kind_of("system", piece, by), piece)
    for piece, by in was:
        sums.add("system", kind_of("system", piece, by), piece, -1)
    return _told("system", what, at, tuple(p for p, _ in new), tuple(p for p, _ in was), sums.amounts(), "")


def _told(
    area: Area,
    what: Any,
    at: int,
    new: tuple[Piece, ...],
    was: tuple[Piece, ...],
    amounts: tuple[Amount, ...],
    name: str,
) -> Change:
    parts = tuple(piece[0] for piece in (was if what == "removed" else new))
    return Change(area, what, at, parts, () if what == "removed" else tuple(p[0] for p in was), amounts, name)


def _runs(pairs: Sequence[Pair], before: Sequence[Piece], now: Sequence[Piece]) -> list[Change]:
    """Changes of messages; neighbours that were added or removed together are one change."""
    changes: list[Change] = []
    start = 0
    while start < len(pairs):
        first, end = pairs[start], start + 1
        if first.what in {"added", "removed"}:
            while end < len(pairs) and pairs[end].what == first.what and _next_to(pairs[end - 1], pairs[end]):
                end += 1
        run = pairs[start:end]
        if first.what != "same":
            new = tuple(now[each.new] for each in run if each.new is not None)
            was = tuple(before[each.old] for each in run if each.old is not None)
            at = first.new if first.new is not None else first.old
            assert at is not None
            changes.append(_change("messages", first.what, at, new, was, ""))
        start = end
    return changes


def _next_to(one: Pair, other: Pair) -> bool:
    return (one.old, one.new) == (
        None if other.old is None else other.old - 1,
        None if other.new is None else other.new - 1,
    )
