"""Why a request is what it is, ready for lists: contributors in turn, fates of its messages, prompt cache.

``read_why`` and ``thread_use`` are for jobs; the item models are for views.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject

from engine.explain.model import Amount, Area, CacheTotals, CacheUse, Change, MessageFate, Remembered, Step, Waterfall
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Progress
from inspector.models.items import Column, ItemsModel

AREAS: tuple[Area, ...] = ("system", "messages", "tools")
"""Areas that hold pieces with sizes; the provider's settings have none."""
THE_REQUEST = "The request"


@dataclass(frozen=True, slots=True)
class Turn:
    """One contributor's turn, or the sum of all."""

    place: int
    contributor: str
    step: Step | None
    """None for the sum."""
    amounts: tuple[Amount, ...]
    total: tuple[Amount, ...]
    unknown: frozenset[str] = frozenset()
    """Of the sum: areas that the source does not tell."""

    def tokens(self, area: Area | None = None) -> int:
        """What it added to an area, or in all."""
        return tokens_of(self.amounts, area)


@dataclass(frozen=True, slots=True)
class Why:
    """Everything that the view shows of one request."""

    request: int
    waterfall: Waterfall
    turns: tuple[Turn, ...]
    fates: tuple[MessageFate, ...]
    """Those with something to say: not sent as they are in the state, or with a rule in words."""
    counts: tuple[tuple[str, int], ...]
    """Messages by fate, the most frequent first."""
    fates_problem: str
    cache: CacheUse
    predecessor: int | None
    """Number of the request that the cache is compared with."""
    remembered: tuple[Remembered, ...] = ()


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """The prompt cache over a thread."""

    thread_id: str
    uses: tuple[CacheUse, ...]
    totals: CacheTotals


def read_why(explaining: Explaining, request_id: int, progress: Progress) -> Why:
    """Work it out."""
    explainer = explaining()
    waterfall: Waterfall = explainer.waterfall(request_id)
    progress.check()
    fates = explainer.fates(request_id)
    told: list[MessageFate] = list(fates.made)
    counts: Counter[str] = Counter(fate.fate for fate in fates.made)
    for n, fate in enumerate(fates.raw):
        if n % 500 == 0:
            progress.report(n, len(fates.raw), "messages")
        counts[fate.fate] += 1
        if fate.words or fate.fate != "sent":
            told.append(fate)
    cache = explainer.cache(request_id, progress.check)
    before = explaining.reader.request_rows([cache.predecessor]) if cache.predecessor is not None else ()
    number = before[0].number if before else None
    turns = [Turn(n, step.contributor, step, step.amounts, step.total) for n, step in enumerate(waterfall.steps)]
    turns.append(Turn(len(turns), THE_REQUEST, None, waterfall.total, waterfall.total))
    return Why(
        request_id, waterfall, tuple(turns), tuple(told), tuple(counts.most_common()), fates.problem, cache, number,
        explainer.remembered(request_id),
    )  # fmt: skip


def thread_use(explaining: Explaining, thread_id: str, progress: Progress) -> ThreadUse:
    """The cache use of every request of a thread, and their sum."""
    uses, totals = explaining().thread_cache(thread_id, progress.check)
    return ThreadUse(thread_id, tuple(uses), totals)


def tokens_of(amounts: Iterable[Amount], area: Area | None = None) -> int:
    """Tokens in an area, or in all."""
    return sum(each.tokens for each in amounts if area is None or each.area == area)


def signed(n: int) -> str:
    """``+1.2k``; nothing for nothing."""
    return format.change(n) if n else ""


_NOUNS: dict[Area, str] = {"system": "block", "messages": "message", "tools": "tool", "provider": "setting"}


def place_of(change: Change) -> str:
    """What a change is about: ``Tool grep``, ``Messages 3 to 38``."""
    many = len(change.parts)
    if change.area == "provider":
        return f"Setting {change.name}"
    if change.area == "tools":
        return f"Tool {change.name}" if many <= 1 else f"{format.exact(many)} tools"
    word = "Block" if change.area == "system" else "Message"
    if many <= 1:
        return f"{word} {format.exact(change.index + 1)}"
    first, last = format.exact(change.index + 1), format.exact(change.index + many)
    return f"{word}s {first} to {last}"


def did(step: Step) -> str:
    """What a contributor did: ``added 1 block and 10 tools, removed 68 messages``."""
    counts: dict[str, Counter[Area]] = {}
    for change in step.changes:
        counts.setdefault(change.what, Counter())[change.area] += max(1, len(change.parts))
    told = []
    for what, areas in counts.items():
        things = [format.count(many, _NOUNS[area]) for area, many in areas.items()]
        told.append(f"{what} {', '.join(things[:-1]) + ' and ' if len(things) > 1 else ''}{things[-1]}")
    return ", ".join(told) or "passed the request on as it was"


def amounts_in_words(amounts: Sequence[Amount], area: Area | None = None) -> str:
    """Pieces, characters and tokens by kind, a line each."""
    lines = [
        f"{each.area}, {each.kind}: {each.count:+,} pieces, {each.chars:+,} characters, "
        f"{each.tokens:+,} tokens, estimated"
        for each in amounts
        if area is None or each.area == area
    ]
    return "\n".join(lines).replace(",", format.THIN).replace(f"{format.THIN} ", ", ") or "Nothing."


def _area(title: str, area: Area) -> Column[Turn]:
    return Column(
        title,
        lambda turn: signed(turn.tokens(area)) if turn.step is not None else _summed(turn, area),
        lambda turn: "not recorded" if area in turn.unknown else amounts_in_words(turn.amounts, area),
        right=True,
        said=lambda turn: "not recorded" if area in turn.unknown else f"{turn.tokens(area):+} tokens, estimated",
        hint="Estimated tokens that it added to this area.",
    )


def _summed(turn: Turn, area: Area) -> str:
    return format.UNKNOWN if area in turn.unknown else format.size(turn.tokens(area))


class TurnModel(ItemsModel[Turn]):
    """A row a contributor, and the sum."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column(
                    "Contributor", lambda turn: turn.contributor,
                    lambda turn: turn.contributor if turn.step is None else f"{turn.contributor} {did(turn.step)}.",
                    cut_end=True,
                ),
                _area("~System", "system"), _area("~Messages", "messages"), _area("~Tools", "tools"),
                Column(
                    "~Change", lambda turn: signed(turn.tokens()) if turn.step is not None else "",
                    lambda turn: amounts_in_words(turn.amounts), right=True,
                    hint="Estimated tokens that it added in all.",
                ),
                Column(
                    "~Total", lambda turn: format.size(tokens_of(turn.total)),
                    lambda turn: format.exact_tokens(tokens_of(turn.total)), right=True,
                    hint="Estimated tokens of the request after it.",
                ),
            ),
            lambda turn: (turn.contributor, turn.place if turn.step is not None else -1),
            parent,
        )  # fmt: skip


class ChangeModel(ItemsModel[Change]):
    """What one contributor did."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Did", lambda each: each.what, kind=kind_of_change),
                Column("To", place_of),
                Column(
                    "~Tokens", lambda each: signed(tokens_of(each.amounts)),
                    lambda each: amounts_in_words(each.amounts), right=True, hint="What it adds, estimated.",
                ),
            ),
            lambda each: (each.area, each.what, each.index, each.name, each.parts),
            parent,
        )  # fmt: skip


def kind_of_change(change: Any) -> str | None:
    """Green for what came, red for what went; the word stands there too."""
    return {"added": "ai", "removed": "error", "changed": "human"}.get(change.what)


class FateModel(ItemsModel[MessageFate]):
    """A row a message with something to say."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Raw", lambda fate: _place(fate.raw_index), _raw_tip, right=True,
                       hint="Place among the messages in the thread's state."),
                Column("Sent", lambda fate: _place(fate.sent_index), _sent_tip, right=True,
                       hint="Place among the messages that the model received."),
                Column("Fate", lambda fate: fate.fate, kind=_fate_kind),
                Column("Why", lambda fate: fate.words or "no rule is known", cut_end=True),
                Column("By", lambda fate: fate.contributor or format.UNKNOWN, muted=True),
            ),
            lambda fate: (fate.raw_index, fate.sent_index if fate.raw_index is None else None),
            parent,
        )  # fmt: skip


def _place(index: int | None) -> str:
    return format.UNKNOWN if index is None else format.exact(index + 1)


def _raw_tip(fate: MessageFate) -> str:
    return "It stands for no single message in the state." if fate.raw_index is None else _place(fate.raw_index)


def _sent_tip(fate: MessageFate) -> str:
    return "It was not sent." if fate.sent_index is None else _place(fate.sent_index)


def _fate_kind(fate: MessageFate) -> str | None:
    return {"summary": "summary", "summarized": "summary", "not sent": "error", "inserted": "ai"}.get(fate.fate)


class UseModel(ItemsModel[CacheUse]):
    """Requests whose prefix leaves their predecessor's."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("#", lambda use: format.exact(use.number), right=True, link=True),
                Column("Cause", lambda use: use.cause, lambda use: use.reason),
                Column("~Read again", lambda use: format.size(use.reread),
                       lambda use: format.exact_tokens(use.reread), right=True,
                       hint="Estimated tokens that stood in the request before too, and come after the break."),
                Column("Avoidable", lambda use: "yes" if use.avoidable else "no", muted=True,
                       hint="Whether the break could have been avoided without losing anything."),
            ),
            lambda use: use.request,
            parent,
        )  # fmt: skip
