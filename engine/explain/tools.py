"""What a thread's tools cost: their schemas in every request, and what they returned."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.explain.facts import Facts
from engine.explain.lines import Line, line_of
from engine.explain.model import ToolCost, ToolReport
from engine.explain.sequence import Tick, no_tick
from engine.explain.source import Source, lists_of
from engine.explain.waterfall import tool_name
from engine.kinds import CALLER
from engine.trace.model import Piece, RequestLists


@dataclass(slots=True)
class _Result:
    """What one call returned."""

    chars: int
    tokens: int
    error: bool
    offloaded: bool


@dataclass(slots=True)
class _Sum:
    contributor: str = ""
    tokens: int = 0
    requests: int = 0
    tokens_sent: int = 0
    calls: int = 0
    results: dict[tuple[Line, str], _Result] = field(default_factory=dict)


def tool_report(source: Source, facts: Facts, thread_id: str, tick: Tick = no_tick) -> ToolReport:
    """The tools of a thread over all its agents, the dearest first."""
    return _Report(source, facts, thread_id).made(tick)


class _Report:
    def __init__(self, source: Source, facts: Facts, thread_id: str) -> None:
        self._source, self._facts, self._thread = source, facts, thread_id
        self._sums: dict[str, _Sum] = {}
        self._names: dict[int, str] = {}
        self._whole = {
            event.data["path"]: event.data.get("chars")
            for event in source.events(thread_id)
            if event.kind == "offload" and event.data.get("of") == "result"
        }
        self._callers: dict[tuple[Line, str], str] = {}
        self._seen: dict[Line, list[Piece]] = {}

    def made(self, tick: Tick) -> ToolReport:
        """Go over all requests."""
        for row in self._source.request_rows(self._source.request_ids(self._thread)):
            tick()
            lists = lists_of(self._source, row.id)
            for piece in lists.tools:
                name = self._name(piece)
                one = self._sums.setdefault(name, _Sum())
                one.contributor = lists.tools_by.get(name, CALLER)
                one.tokens = piece[3]
                one.requests += 1
                one.tokens_sent += piece[3]
            self._results(line_of(row), lists)
            for _, name, _ in self._facts.of(lists.response).calls if lists.response is not None else ():
                self._sums.setdefault(name, _Sum()).calls += 1
        tools = [self._cost(name, one) for name, one in self._sums.items()]
        tools.sort(key=lambda tool: (-(tool.tokens_sent + tool.result_tokens), tool.name))
        return ToolReport(self._thread, tuple(tools))

    def _results(self, line: Line, lists: RequestLists) -> None:
        """Note the results that are new in the state since the line's request before."""
        known = self._seen.get(line, [])
        raw = list(lists.raw)
        new = raw[len(known) :] if raw[: len(known)] == known else raw
        self._seen[line] = raw
        for piece in new:
            facts = self._facts.of(piece[0])
            for id, name, _ in facts.calls:
                self._callers[line, id] = name
            if facts.answers is not None:
                name = self._callers.get((line, facts.answers), "")
                results = self._sums.setdefault(name, _Sum()).results
                whole = self._whole.get(facts.stub) if facts.stub is not None else None
                before = results.get((line, facts.answers))
                results[line, facts.answers] = _Result(
                    chars=max(piece[2], whole or 0, before.chars if before else 0),
                    tokens=piece[3],
                    error=facts.error,
                    offloaded=facts.stub is not None,
                )

    def _name(self, piece: Piece) -> str:
        if piece[0] not in self._names:
            self._names[piece[0]] = tool_name(self._source.value(piece[0]))
        return self._names[piece[0]]

    def _cost(self, name: str, one: _Sum) -> ToolCost:
        results = one.results.values()
        return ToolCost(
            name=name,
            contributor=one.contributor,
            tokens=one.tokens,
            requests=one.requests,
            tokens_sent=one.tokens_sent,
            calls=one.calls,
            results=len(results),
            result_chars=sum(result.chars for result in results),
            result_tokens=sum(result.tokens for result in results),
            largest=max((result.chars for result in results), default=0),
            errors=sum(result.error for result in results),
            offloaded=sum(result.offloaded for result in results),
        )
