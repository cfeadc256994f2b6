"""What became of every message of a request, with the rule that decided it, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.explain import transform, words
from engine.explain.facts import Facts
from engine.explain.model import Fates, MessageFate
from engine.explain.source import Source, lists_of
from engine.explain.trace import FILESYSTEM, SUMMARIZATION, Tracer
from engine.explain.trail import Made, Trail
from engine.kinds import CALLER
from engine.trace.content import text_of
from engine.trace.model import Event, Fate, RequestLists, RequestRow
from engine.trace.sequences import Rows

_FATES: dict[str, Fate] = {
    transform.OFFLOADED: "offloaded",
    transform.REASONING: "reasoning dropped",
    transform.CUT: "arguments cut",
    transform.CLIPPED: "clipped",
}
"""Rules that have a fate of their own; the others replace something."""

NO_RAW = "The state's messages were not recorded with this request."

_UNSENT = {
    False: "It is in the state and was not sent; no known rule explains it.",
    True: "It is in the state, and the program's own code did not send it.",
}

_PATCHES = (
    "did not complete - no result was recorded. It may have been cancelled or interrupted.",
    "could not be executed - arguments were malformed or truncated.",
)


def fates_of(source: Source, facts: Facts, request_id: int) -> Fates:
    """The fates of a request's messages."""
    detail = source.request(request_id)
    lists = lists_of(source, request_id)
    if detail.row.raw_messages is None:
        return Fates(request_id, (), (), NO_RAW)
    events = source.events(detail.row.thread_id)
    summaries = [event for event in events if event.kind == "summary"]
    trail = Tracer(source, facts).trace(lists, summaries, lambda: detail.provider.get("profile"))
    return _Telling(source, facts, detail.row, lists, events, trail).fates()


class _Telling:
    def __init__(
        self,
        source: Source,
        facts: Facts,
        row: RequestRow,
        lists: RequestLists,
        events: Sequence[Event],
        trail: Trail,
    ) -> None:
        self._source, self._facts, self._row, self._lists, self._trail = source, facts, row, lists, trail
        self._offloads = {event.data.get("path"): event for event in reversed(events) if event.kind == "offload"}
        self._summaries = self._chain([event for event in events if event.kind == "summary"])
        self._sent = {raw: at for at, raw in enumerate(trail.where) if raw >= 0}
        self._rows: dict[int | None, RequestRow | None] = {None: None}

    def fates(self) -> Fates:
        """All of them; those of summarized messages are made when they are looked at."""
        cut, raw = self._trail.cut, self._lists.raw
        kept = [self._kept(index) for index in range(cut, len(raw))]
        made = [self._made(self._trail.made[-1 - raw], index) for index, raw in enumerate(self._trail.where) if raw < 0]
        return Fates(self._row.id, Rows(cut, self._summarized, kept), tuple(made), "")

    def _chain(self, summaries: list[Event]) -> list[Event]:
        """The summaries that lead to the one in force, oldest first."""
        part = next((one.part for one in self._trail.made if one.what == "summary"), None)
        chain: list[Event] = []
        cutoff, before = self._lists.cutoff, len(summaries)
        at = next((n for n, event in enumerate(summaries) if event.data.get("part") == part), None)
        while at is not None and at < before:
            event = summaries[at]
            chain.insert(0, event)
            cutoff, before = event.data.get("evicted_from"), at
            at = (
                next((n for n in range(at - 1, -1, -1) if summaries[n].data["cutoff"] == cutoff), None)
                if cutoff
                else None
            )
        return chain

    def _summarized(self, index: int) -> MessageFate:
        number, event = next(
            ((n, event) for n, event in enumerate(self._summaries, 1) if index < event.data["cutoff"]), (0, None)
        )
        sentence = words.summarized(event, number, self._made_for(event), self._lists.rules)
        return MessageFate(
            raw_index=index,
            sent_index=None,
            part=self._lists.raw[index][0],
            fate="summarized",
            rules=("summarized",),
            words=sentence,
            contributor=str(self._lists.rules.get("summarizes") or SUMMARIZATION),
            event=event.id if event is not None else None,
            path=event.data.get("path") if event is not None else None,
        )

    def _made_for(self, event: Event | None) -> RequestRow | None:
        request = event.request if event is not None else None
        if request not in self._rows:
            rows = self._source.request_rows([request] if request is not None else [])
            self._rows[request] = rows[0] if rows else None
        return self._rows[request]

    def _kept(self, index: int) -> MessageFate:
        part = self._lists.raw[index][0]
        ruled, at = self._trail.rules.get(index, []), self._sent.get(index)
        if at is None:
            by = self._trail.gone.get(index, "")
            sentence = f"{by} took it out." if by else _UNSENT[self._trail.unknown]
            return MessageFate(index, None, part, "not sent", (), sentence, by)
        if not ruled:
            return self._as_it_was(index, at, part)
        told = [self._rule(rule, by, index, at) for rule, by in ruled]
        last = ruled[-1]
        fate: Fate = next((_FATES[rule] for rule, _ in ruled if rule in _FATES), "replaced")
        event, path = next(((event, path) for _, event, path in told if path), (None, None))
        return MessageFate(
            raw_index=index,
            sent_index=at,
            part=part,
            fate=fate,
            rules=tuple(rule for rule, _ in ruled),
            words=" ".join(sentence for sentence, _, _ in told),
            contributor=last[1] or _OWNERS.get(last[0], ""),
            event=event,
            path=path,
        )

    def _rule(self, rule: str, by: str, index: int, at: int) -> tuple[str, int | None, str | None]:
        """A rule's sentence, its event, and where the whole lies."""
        raw, sent = self._lists.raw[index], self._lists.messages[at]
        rules = self._lists.rules
        if rule == transform.OFFLOADED:
            path = self._facts.of(sent[0]).evicted or ""
            sentence = words.offloaded_message(raw[2], sent[2], rules.get("offload_messages"), path)
            return sentence, self._event(path), path
        if rule == transform.CLIPPED:
            stub = self._facts.of(sent[0]).stub
            return words.clipped(raw[2], sent[2], stub), self._event(stub), stub
        if rule == transform.CUT:
            names = [name for _, name, _ in self._facts.of(raw[0]).calls if name in {"write_file", "edit_file"}]
            return words.arguments_cut(names, rules, self._row.window), None, None
        if rule in words.SENTENCES:
            return words.SENTENCES[rule], None, None
        return (
            (f"{by} sent other contents in its place." if by else "Other contents were sent in its place."),
            None,
            None,
        )

    def _as_it_was(self, index: int, at: int, part: int) -> MessageFate:
        """Sent as it is; a preview that stands in the state already says where the whole lies."""
        facts = self._facts.of(part)
        sentence, event, path = "", None, facts.stub
        by = CALLER
        if facts.stub is not None:
            found = self._offloads.get(facts.stub)
            chars = found.data.get("chars") if found is not None else None
            sentence = words.offloaded_result(chars, self._lists.rules.get("offload_results"), facts.stub)
            event, by = self._event(facts.stub), str(self._lists.rules.get("offloads") or FILESYSTEM)
        elif facts.error and facts.answers is not None and self._patched(part):
            sentence = "Put into the state in place of a result, so that the call does not stand without one."
            by = "PatchToolCallsMiddleware"
        return MessageFate(index, at, part, "sent", (), sentence, by, event, path)

    def _patched(self, part: int) -> bool:
        text = text_of((self._source.message(part).get("data") or {}).get("content"))
        return text.startswith("Tool call ") and text.endswith(_PATCHES)

    def _event(self, path: str | None) -> int | None:
        event = self._offloads.get(path)
        return event.id if event is not None else None

    def _made(self, made: Made, index: int) -> MessageFate:
        fate: Any = "summary" if made.what == "summary" else "patched" if made.what == "patched result" else "inserted"
        event = self._summaries[-1] if made.what == "summary" and self._summaries else None
        path = event.data.get("path") if event is not None else None
        return MessageFate(
            raw_index=None,
            sent_index=index,
            part=made.part,
            fate=fate,
            rules=(),
            words=self._made_words(made, event),
            contributor=made.by,
            event=event.id if event is not None else None,
            path=path,
        )

    def _made_words(self, made: Made, event: Event | None) -> str:
        if made.what == "summary":
            number = len(self._summaries)
            if event is None:
                return f"Stands for the first {self._trail.cut:,} messages of the state."
            row = self._made_for(event)
            why = words.trigger(event, row, self._lists.rules)
            chained = f"; it was made from summary #{number - 1} and what came after it" if number > 1 else ""
            return f"Summary #{number} stands for the first {self._trail.cut:,} messages of the state ({why}){chained}."
        if made.what == "patched result":
            return "LangChain's answer to a tool call that could not be parsed; the state gets it with the response."
        if made.what == "tools disclosed":
            return "Tells the model of a skill's tools, after the message that read the skill."
        return f"Inserted by {made.by}." if made.by else "Inserted; no such message is in the state."


_OWNERS = {
    **dict.fromkeys(transform.FILESYSTEM_RULES, FILESYSTEM),
    **dict.fromkeys(transform.SUMMARIZATION_RULES, SUMMARIZATION),
    transform.UNSUPPORTED: "UnsupportedContentMiddleware",
    transform.REWRITTEN: "model",
}
"""Whose rule it is, where steps were not recorded."""
