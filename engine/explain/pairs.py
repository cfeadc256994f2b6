"""One step on the way of the messages, message by message: which rules made each of the one before."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engine.explain.facts import Facts
from engine.explain.pairing import pair
from engine.explain.source import Source
from engine.explain.trail import Found, Made, Trail, What
from engine.explain.transform import CUT, Place, Transforms, differing
from engine.trace.model import Piece, RequestLists

Profile = Callable[[], Mapping[str, Any] | None]
"""The profile of the request's model; asked for only where a rule goes by it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One contributor's step, and the rules that may be at work in it."""

    by: str
    rules: tuple[str, ...] = ()
    must: Collection[int] = ()
    """Parts that some of the rules change whenever they are at work."""
    reached: int = 0
    """Raw index up to which messages were kept across a summary."""
    sure: bool = True
    """Whether ``reached`` is known."""
    offset: int = 0
    """Messages that stand before the list, for places that are told."""


class Pairs:
    """The list of messages as it now stands, with its trail; goes from it to the list after a stage."""

    def __init__(
        self,
        source: Source,
        facts: Facts,
        transforms: Transforms,
        known: dict[Any, tuple[str, ...] | None],
        lists: RequestLists,
        profile: Profile,
    ) -> None:
        self.facts, self.lists = facts, lists
        self.now: Sequence[Piece] = lists.raw
        self.trail = Trail(where=list(range(len(lists.raw))))
        self._source, self._transforms, self._known, self._profile = source, transforms, known, profile
        self._calls: dict[str, tuple[str, Any]] | None = None

    def go(self, stage: Stage, after: Sequence[Piece]) -> None:
        """To the list after the stage, whose messages correspond one by one; what doesn't is noted."""
        before = self.now
        alike = after is before or (len(after) == len(before) and all(map(_same_part, before, after)))
        if alike and (not stage.must or set(stage.must).isdisjoint(piece[0] for piece in after)):
            self.now = after
        elif len(after) == len(before):
            for at, (old, new) in enumerate(zip(before, after, strict=True)):
                if old[0] != new[0] or old[0] in stage.must:
                    self._explain(stage, at, old, new, at)
            if CUT in stage.rules:
                self._check_cut(stage, before)
            self.now = after
        else:
            self._mismatch(stage, after)

    def put_down(self, by: str, after: Sequence[Piece]) -> None:
        """To the list after a step that can't be worked out: what changed is put down to its contributor."""
        before, where, now = self.now, self.trail.where, []
        for each in pair(before, after, self._names(before), self._names(after)):
            if each.new is None:
                self._leave(where[each.old or 0], by)
            elif each.old is None:
                now.append(self.make(after[each.new][0], by, "inserted"))
            else:
                now.append(where[each.old])
                if each.what == "changed":
                    self._ruled(where[each.old], "replaced", by)
        self.now, self.trail.where = after, now

    def make(self, part: int, by: str, what: Any) -> int:
        """A message that no raw one became; its number for ``Trail.where``."""
        self.trail.made.append(Made(part, by, what))
        return -len(self.trail.made)

    def note(self, by: str, index: int | None, raw: int | None, what: What, words: str) -> None:
        """Something that no rule explains."""
        known = raw if raw is not None and raw >= 0 else None
        self.trail.found.append(Found(by, index, known, what, words))

    def _mismatch(self, stage: Stage, after: Sequence[Piece]) -> None:
        before, where, now = self.now, self.trail.where, []
        for each in pair(before, after, self._names(before), self._names(after)):
            if each.new is None:
                raw = where[each.old or 0]
                self.note(stage.by, None, raw, "missing", "It was there before this step and no rule takes it out.")
                self._leave(raw, stage.by)
            elif each.old is None:
                words = "No rule puts this message here."
                self.note(stage.by, each.new + stage.offset, None, "unexpected", words)
                now.append(self.make(after[each.new][0], stage.by, "inserted"))
            else:
                now.append(where[each.old])
                if each.what == "changed":
                    self._explain(stage, each.old, before[each.old], after[each.new], each.new)
        self.now, self.trail.where = after, now

    def _explain(self, stage: Stage, at: int, old: Piece, new: Piece, index: int) -> None:
        raw = self.trail.where[at]
        names = self._rules(stage, old[0], new[0], raw)
        told = index + stage.offset
        if names is None and old[0] == new[0]:
            words = "It was sent as it was, although a rule changes such a message."
            self.note(stage.by, told, raw, "not changed", words)
        elif names is None:
            fields = ", ".join(differing(self._source.message(old[0]), self._source.message(new[0])))
            words = f"No rule makes it of the message before; it differs in: {fields or 'nothing that can be named'}."
            self.note(stage.by, told, raw, "changed", words)
            self._ruled(raw, "replaced", stage.by)
        for name in names or ():
            self._ruled(raw, name, stage.by)

    def _rules(self, stage: Stage, old: int, new: int, raw: int) -> tuple[str, ...] | None:
        """Rules that lead from one part to the other; the same pair comes again with every request."""
        place = self._place(stage, old, raw)
        key = (old, new, stage.rules, replace(place, profile=None), str(place.profile))
        if key not in self._known:
            messages = self._source.message(old), self._source.message(new)
            self._known[key] = self._transforms.explain(*messages, stage.rules, place)
        return self._known[key]

    def _place(self, stage: Stage, part: int, raw: int) -> Place:
        rules = self.lists.rules
        cut = rules.get("cut_arguments") or {}
        before = 0 <= raw < stage.reached
        return Place(
            kept=before and stage.sure,
            kept_perhaps=before and not stage.sure,
            read_path=self._read_path(self.facts.of(part).answers),
            longest=cut.get("longest"),
            cut_text=cut.get("text") or "",
            offloads=rules.get("offload_messages", True) is not None,
            profile=self._profile() if part in self.facts.with_media else None,
            release=rules.get("deepagents"),
        )

    def _read_path(self, call: str | None) -> str | None:
        """The file that a result was read from."""
        if call is None:
            return None
        if self._calls is None:
            raw = [self.facts.of(piece[0]).calls for piece in self.lists.raw]
            self._calls = {id: (name, path) for calls in raw for id, name, path in calls}
        name, path = self._calls.get(call, ("", None))
        return path if name == "read_file" and isinstance(path, str) and path else None

    def _check_cut(self, stage: Stage, before: Sequence[Piece]) -> None:
        """Arguments are cut in all messages older than a certain place, and in none after it."""
        settings, where = self.lists.rules.get("cut_arguments") or {}, self.trail.where
        longest = settings.get("longest") or sys.maxsize
        long = [at for at, piece in enumerate(before) if self.facts.of(piece[0]).longest_argument > longest]
        cut = {at for at in long if any(rule == CUT for rule, _ in self.trail.rules.get(where[at], ()))}
        unit, keep = settings.get("keep") or (None, 0)
        place = len(before) - int(keep) if unit == "messages" else max(cut, default=-1) + 1
        for at in long if cut else ():
            if at in cut and at >= place:
                words = "Its long arguments were cut, though it is one of the newest messages."
                self.note(stage.by, at + stage.offset, where[at], "changed", words)
            elif at not in cut and at < place:
                words = "Its long arguments were not cut, and those of another message were."
                self.note(stage.by, at + stage.offset, where[at], "not changed", words)

    def _names(self, pieces: Sequence[Piece]) -> Any:
        return lambda at: self.facts.of(pieces[at][0]).names

    def _ruled(self, raw: int, rule: str, by: str) -> None:
        if raw >= 0:
            self.trail.rules.setdefault(raw, []).append((rule, by))

    def _leave(self, raw: int, by: str) -> None:
        if raw >= 0:
            self.trail.gone[raw] = by


def _same_part(one: Piece, other: Piece) -> bool:
    return one[0] == other[0]
