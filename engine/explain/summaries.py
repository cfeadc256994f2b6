"""Summaries in depth: what each one evicted, what it lost of it, and what of that was needed later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Literal

from engine.explain import words
from engine.explain.facts import Facts
from engine.explain.lines import Line, line_of
from engine.explain.mentions import KINDS, Mention, comparable, mentioned, mentions
from engine.explain.model import LostFact, SummaryReport
from engine.explain.sequence import Tick, no_tick
from engine.explain.source import Source, branches_of, lists_of
from engine.trace.content import text_of
from engine.trace.model import Event, Piece, RequestRow, Summary

_MOST = 200  # needed facts told of one summary
_READING = {"read_file", "grep"}


def summary_reports(source: Source, facts: Facts, thread_id: str, tick: Tick = no_tick) -> list[SummaryReport]:
    """Every summary of a thread, in order."""
    return _Reports(source, facts, thread_id, tick).all()


class _Reports:
    def __init__(self, source: Source, facts: Facts, thread_id: str, tick: Tick) -> None:
        self._source, self._facts, self._tick = source, facts, tick
        self._thread = thread_id
        self._rows = source.request_rows(source.request_ids(thread_id))
        self._by_id = {row.id: row for row in self._rows}
        self._events = {event.id: event for event in source.events(thread_id) if event.kind == "summary"}
        self._texts: dict[int, str] = {}
        self._named: dict[int, frozenset[Mention]] = {}
        self._sent: dict[int, tuple[Sequence[Piece], int | None]] = {}

    def all(self) -> list[SummaryReport]:
        """All reports."""
        branches = branches_of(self._source, self._thread)
        kept = frozenset().union(*(branch.files for branch in branches)) if branches else None
        lines: dict[Line, list[Summary]] = {}
        reports = []
        for summary in self._source.summaries(self._thread):
            row = self._by_id.get(summary.request or 0)
            before = lines.setdefault(line_of(row) if row else ("other", None, ""), [])
            reports.append(self._report(summary, row, before, kept))
            before.append(summary)
        return reports

    def _report(
        self, summary: Summary, row: RequestRow | None, before: Sequence[Summary], kept: frozenset[str] | None
    ) -> SummaryReport:
        self._tick()
        event = self._events[summary.event]
        evicted = self._source.evicted(summary.event)
        first: dict[Mention, int] = {}
        for message in evicted:
            for found in mentions(self._text(message.part)):
                first.setdefault(found, message.index)
            self._tick()
        left = "\n".join([self._text(summary.part), *self._standing(row)])
        lost = {found: index for found, index in first.items() if found[1] not in left}
        later = [each for each in self._rows if row and line_of(each) == line_of(row) and each.number >= row.number]
        history: Literal["saved", "gone", "not saved"] = "not saved"
        if summary.path is not None:
            history = "saved" if kept is None or summary.path in kept else "gone"
        reads = self._reads(later, summary.path)
        lost_kinds, all_kinds = (Counter(kind for kind, _ in found) for found in (lost, first))
        return SummaryReport(
            summary=summary,
            number=len(before) + 1,
            trigger=self._trigger(event, row),
            evicted=len(evicted),
            evicted_tokens=sum(message.tokens for message in evicted),
            evicted_chars=sum(message.chars for message in evicted),
            chain=_chain(summary, before),
            history=history,
            lost={kind: lost_kinds[kind] for kind in KINDS if lost_kinds[kind]},
            held={kind: all_kinds[kind] - lost_kinds[kind] for kind in KINDS if all_kinds[kind] > lost_kinds[kind]},
            needed=self._needed(lost, later, reads),
            read_back_in=tuple(sorted(set(reads.values()))),
        )

    def _trigger(self, event: Event, row: RequestRow | None) -> str:
        return words.trigger(event, row, lists_of(self._source, row.id).rules if row is not None else {})

    def _reads(self, later: Iterable[RequestRow], path: str | None) -> dict[str, int]:
        """Calls that read the history file, with the number of the request whose answer makes them."""
        reads: dict[str, int] = {}
        for row in later if path is not None else ():
            response = self._lists(row)[1]
            answer = (self._source.message(response).get("data") or {}) if response is not None else None
            for call in (answer.get("tool_calls") or ()) if answer else ():
                args = call.get("args") if isinstance(call.get("args"), dict) else {}
                if call.get("name") in _READING and path in {args.get("file_path"), args.get("path")}:
                    reads[str(call.get("id"))] = row.number
        return reads

    def _needed(
        self, lost: dict[Mention, int], later: Sequence[RequestRow], reads: dict[str, int]
    ) -> tuple[LostFact, ...]:
        """Lost facts that later answers use, and those that reading the history brought back."""
        used: dict[Mention, list[int]] = {}
        for row in later:
            self._tick()
            response = self._lists(row)[1]
            if response is not None:
                for found in self._mentioned(response) & lost.keys():
                    used.setdefault(found, []).append(row.number)
        back: dict[Mention, list[int]] = {}
        unsourced: dict[Mention, list[int]] = {}
        seen: set[int] = set()
        for row in later:
            pieces = self._lists(row)[0]
            for piece in pieces:
                if piece[1] == "tool" and piece[0] not in seen and self._facts.of(piece[0]).answers in reads:
                    seen.add(piece[0])
                    for found in self._mentioned(piece[0]) & lost.keys():
                        back.setdefault(found, []).append(row.number)
            for found, numbers in used.items():
                if row.number in numbers and not any(found[1] in self._text(piece[0]) for piece in pieces):
                    unsourced.setdefault(found, []).append(row.number)
            self._tick()
        chosen = sorted({*used, *back}, key=lambda found: (found not in used, -len(used.get(found, ())), lost[found]))
        return tuple(
            LostFact(
                text=found[1],
                kind=found[0],
                raw_index=lost[found],
                used_in=tuple(used.get(found, ())),
                read_back_in=tuple(back.get(found, ())),
                unsourced_in=tuple(unsourced.get(found, ())),
            )
            for found in chosen[:_MOST]
        )

    def _lists(self, row: RequestRow) -> tuple[Sequence[Piece], int | None]:
        """What a request sent, and its answer."""
        if row.id not in self._sent:
            lists = lists_of(self._source, row.id)
            self._sent[row.id] = lists.messages, lists.response
        return self._sent[row.id]

    def _mentioned(self, part: int) -> frozenset[Mention]:
        if part not in self._named:
            self._named[part] = frozenset(mentioned(self._text(part)))
        return self._named[part]

    def _standing(self, row: RequestRow | None) -> list[str]:
        """Texts of the system prompt, which no summary needs to hold."""
        blocks = lists_of(self._source, row.id).system if row is not None else ()
        return [comparable(text_of([self._source.value(piece[0])])) for piece in blocks]

    def _text(self, part: int) -> str:
        """What a message says, arguments of its calls included."""
        if part not in self._texts:
            self._texts[part] = comparable(_said(self._source.message(part).get("data") or {}))
        return self._texts[part]


def _said(data: dict[str, Any]) -> str:
    """Text and the values of the calls' arguments; the arguments' names are the tools', not the conversation's."""
    values = [value for call in data.get("tool_calls") or () for value in _values(call.get("args"))]
    return "\n".join([text_of(data.get("content")), *values])


def _values(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _values(item)
    elif isinstance(value, list):
        for item in value:
            yield from _values(item)
    elif value is not None:
        yield str(value)


def _chain(summary: Summary, before: Sequence[Summary]) -> tuple[int, ...]:
    """Events of the summaries that this one was made from, oldest first."""
    chain: list[int] = []
    start = summary.evicted_from if summary.chained else 0
    for one in reversed(before):
        if start and one.cutoff == start:
            chain.insert(0, one.event)
            start = one.evicted_from if one.chained else 0
    return tuple(chain)
