"""The way of every message from the state to the model, rule by rule; where no rule leads is a difference.

Each step takes the list as it stood before a contributor and as it stood after, works out what the engine's
rules make of the first, and notes what became of each message. A step of a middleware that is not the engine's
own can't be worked out: its changes are put down to it. Where steps were not recorded, all rules together have
to lead from the raw messages to those that were sent; where the program's code was not seen at all, they may not.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.explain.facts import Facts
from engine.explain.pairs import Pairs, Profile, Stage
from engine.explain.source import Source
from engine.explain.trail import Trail
from engine.explain.transform import (
    ALL_RULES,
    FILESYSTEM_RULES,
    REWRITTEN,
    SUMMARIZATION_RULES,
    UNSUPPORTED,
    Transforms,
    differing,
)
from engine.explain.waterfall import MODEL
from engine.kinds import CALLER
from engine.trace.model import Event, Piece, RequestLists

FILESYSTEM, SUMMARIZATION = "FilesystemMiddleware", "SummarizationMiddleware"
SKILLS, UNSUPPORTED_BY = "SkillsMiddleware", "UnsupportedContentMiddleware"


class Tracer:
    """Traces requests of one source."""

    def __init__(self, source: Source, facts: Facts) -> None:
        self._source, self._facts = source, facts
        self._transforms = Transforms()
        self._known: dict[object, tuple[str, ...] | None] = {}

    def trace(self, lists: RequestLists, summaries: Iterable[Event], profile: Profile) -> Trail:
        """The way of a request's messages. ``summaries`` are the thread's summary events."""
        self._facts.see(lists.raw)
        self._facts.see(lists.messages)
        pairs = Pairs(self._source, self._facts, self._transforms, self._known, lists, profile)
        return _Walk(self._source, self._transforms, pairs, list(summaries)).walk()


class _Walk:
    """The steps of one request."""

    def __init__(self, source: Source, transforms: Transforms, pairs: Pairs, summaries: list[Event]) -> None:
        self._source, self._transforms, self._pairs = source, transforms, pairs
        self._summaries = summaries
        self._lists, self._facts, self._trail = pairs.lists, pairs.facts, pairs.trail

    def walk(self) -> Trail:
        """Go all steps."""
        if self._lists.layers:
            self._step_by_step()
        else:
            self._repair("", self._lists.messages, whole=False)
            self._reorder()
            must = self._facts.evicted | self._facts.with_blobs
            self._summarize(Stage("", ALL_RULES, must), self._lists.messages)
            if self._trail.found and self._lists.messages_by is None:
                self._trail.unknown = True
                self._trail.found.clear()
        return self._trail

    def _step_by_step(self) -> None:
        lists, rules, pairs, facts = self._lists, self._lists.rules, self._pairs, self._facts
        caller, *others = lists.layers
        layers = {layer.by: layer for layer in others}
        facts.see(caller.messages)
        self._repair(CALLER, caller.messages, whole=True)
        pairs.go(Stage(CALLER), caller.messages)
        for by in [*lists.order, *(name for name in layers if name not in lists.order)]:
            after = layers[by].messages if by in layers else pairs.now
            if after is not pairs.now:
                facts.see(after)
            if by == rules.get("offloads"):
                self._reorder()
                pairs.go(Stage(by, FILESYSTEM_RULES, facts.evicted | facts.with_blobs), after)
            elif by == rules.get("summarizes"):
                self._summarize(Stage(by, SUMMARIZATION_RULES), after)
            elif by == SKILLS:
                self._disclose(by, after)
            elif by == UNSUPPORTED_BY:
                pairs.go(Stage(by, (UNSUPPORTED,), facts.with_media), after)
            elif after is not pairs.now:
                pairs.put_down(by, after)
        pairs.go(Stage(MODEL, (REWRITTEN,)), lists.messages)

    def _repair(self, by: str, after: Sequence[Piece], whole: bool) -> None:
        """LangChain answers calls that could not be parsed; ``whole`` where ``after`` must have every answer."""
        pairs, facts = self._pairs, self._facts
        if facts.with_invalid.isdisjoint(piece[0] for piece in pairs.now):
            return
        answered = {facts.of(piece[0]).answers for piece in pairs.now}
        answers = {facts.of(piece[0]).answers: piece for piece in after}
        now: list[Piece] = []
        where: list[int] = []
        for piece, raw in zip(pairs.now, self._trail.where, strict=True):
            now.append(piece)
            where.append(raw)
            for call in facts.of(piece[0]).invalid:
                answer = answers.get(call["id"])
                if call["id"] in answered:
                    continue
                if answer is not None and self._answers(call, answer):
                    answered.add(call["id"])
                    now.append(answer)
                    where.append(pairs.make(answer[0], by or CALLER, "patched result"))
                elif whole:
                    words = "A call that could not be parsed has no answer, which LangChain puts after it."
                    pairs.note(by, None, raw, "missing", words)
        pairs.now, self._trail.where = now, where

    def _answers(self, call: dict[str, object], answer: Piece) -> bool:
        expected, given = self._transforms.invalid_call_answer(call), self._source.message(answer[0])
        return set(differing(expected, given)) <= {"id"}

    def _reorder(self) -> None:
        """Media that a tool read come after their batch of results."""
        pairs, facts = self._pairs, self._facts
        if not facts.after_results or facts.after_results.isdisjoint(piece[0] for piece in pairs.now):
            return
        order: list[int] = []
        at = 0
        while at < len(pairs.now):
            order.append(at)
            calls = facts.of(pairs.now[at][0]).calls
            at += 1
            start = at
            while calls and at < len(pairs.now) and self._in_batch(at):
                at += 1
            batch = range(start, at)
            order += [n for n in batch if pairs.now[n][0] not in facts.after_results]
            order += [n for n in batch if pairs.now[n][0] in facts.after_results]
        pairs.now, self._trail.where = [pairs.now[n] for n in order], [self._trail.where[n] for n in order]

    def _in_batch(self, at: int) -> bool:
        part = self._pairs.now[at][0]
        return self._facts.of(part).role == "tool" or part in self._facts.after_results

    def _summarize(self, stage: Stage, after: Sequence[Piece]) -> None:
        """Put a summary in place of what it evicted, then change what is kept."""
        pairs, trail, cutoff = self._pairs, self._trail, self._lists.cutoff
        if cutoff is None:
            pairs.go(stage, after)
            return
        if not after or after[0][1] != "summary":
            words = "A summary is in force, and the first message is not one."
            pairs.note(stage.by, 0 if after else None, None, "summary", words)
            pairs.put_down(stage.by, after)
            return
        event = self._event(after[0][0], cutoff)
        if event is None:
            words = f"No event of this thread made this summary of {cutoff:,} messages."
            pairs.note(stage.by, 0, None, "summary", words)
        cut = self._cut(cutoff, len(after))
        trail.cut = max((raw for raw in trail.where[:cut] if raw >= 0), default=-1) + 1
        pairs.now, trail.where = pairs.now[cut:], trail.where[cut:]
        summary = pairs.make(after[0][0], stage.by or SUMMARIZATION, "summary")
        reached = len(self._lists.raw)
        if event is not None:
            reached = int(event.data.get("created_at_index", event.data.get("raw_messages", reached)))
        kept = Stage(
            by=stage.by,
            rules=stage.rules,
            must={*stage.must, *self._reasoning(reached)},
            reached=reached,
            sure=event is not None and bool(event.data.get("calls")),
            offset=1,
        )
        pairs.go(kept, after[1:])
        pairs.now, trail.where = after, [summary, *trail.where]

    def _reasoning(self, reached: int) -> set[int]:
        """Of the messages kept across a summary, those with reasoning blocks."""
        parts = self._facts.with_reasoning
        both = zip(self._pairs.now, self._trail.where, strict=True)
        return {piece[0] for piece, raw in both if piece[0] in parts and raw < reached} if parts else set()

    def _event(self, part: int, cutoff: int) -> Event | None:
        return next((e for e in self._summaries if e.data.get("part") == part and e.data["cutoff"] == cutoff), None)

    def _cut(self, cutoff: int, length: int) -> int:
        """Where the kept messages begin; in older records, messages that LangChain put in had moved the place."""
        now = self._pairs.now
        moved = cutoff + len(now) - len(self._lists.raw)
        return moved if len(now) - moved == length - 1 and len(now) - cutoff != length - 1 else min(cutoff, len(now))

    def _disclose(self, by: str, after: Sequence[Piece]) -> None:
        """Skill tools are disclosed in system messages between the others."""
        pairs, trail = self._pairs, self._trail
        if after is pairs.now:
            return
        inserted = {at for at, piece in enumerate(after) if piece[1] == "system" and self._discloses(piece[0])}
        pairs.go(Stage(by), [piece for at, piece in enumerate(after) if at not in inserted])
        where = iter(trail.where)
        trail.where = [
            pairs.make(piece[0], by, "tools disclosed") if at in inserted else next(where)
            for at, piece in enumerate(after)
        ]
        pairs.now = after

    def _discloses(self, part: int) -> bool:
        content = (self._source.message(part).get("data") or {}).get("content")
        blocks = content if isinstance(content, list) else []
        kinds = {block.get("type") for block in blocks if isinstance(block, dict)}
        return bool(kinds) and kinds <= {"tool_addition", "additional_tools"}
