"""What explaining gives: plain frozen values, as the read model's (:mod:`engine.trace.model`) are.

``chars`` are characters of text, ``tokens`` estimates of 4 characters each unless a field says that the provider
reported them. ``part`` and ``parts`` ask the reader for bodies. None means "not known".
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from engine.trace.model import Fate, Kind, RequestRow, Summary

Area = Literal["system", "tools", "messages", "provider"]


@dataclass(frozen=True, slots=True)
class Amount:
    """How much of one kind stands in one area, or came to it; negative where it went."""

    area: Area
    kind: Kind
    count: int
    """Pieces."""
    chars: int
    tokens: int


# Waterfall


@dataclass(frozen=True, slots=True)
class Change:
    """Something that a contributor added, changed or removed: one piece, or a run of messages."""

    area: Area
    what: Literal["added", "changed", "removed", "moved"]
    index: int
    """Place of the first piece in the list after the step; of a removed one, in the list before."""
    parts: tuple[int, ...]
    """The pieces after the step; of removed ones, as they were."""
    was: tuple[int, ...]
    """Of changed ones, the pieces before."""
    amounts: tuple[Amount, ...]
    """What it adds to the request, by kind."""
    name: str
    """Of a tool, or of a provider setting; else empty."""
    old: Any = None
    """Of a provider setting, its value before."""
    new: Any = None


@dataclass(frozen=True, slots=True)
class Step:
    """One contributor's turn at the request."""

    contributor: str
    """Class of the middleware; ``caller``; ``model`` for what LangChain did when it bound the model."""
    changes: tuple[Change, ...]
    """Empty for one that passed the request on as it was."""
    amounts: tuple[Amount, ...]
    """What it added in all: the sum of its changes."""
    total: tuple[Amount, ...]
    """The request after it."""


@dataclass(frozen=True, slots=True)
class Waterfall:
    """A request, contributor by contributor. The steps' amounts sum to ``total``, which is the request."""

    request: int
    steps: tuple[Step, ...]
    total: tuple[Amount, ...]
    system_by: tuple[str, ...]
    """Contributor of each system block of the request."""
    tools_by: tuple[str, ...]
    messages_by: tuple[str, ...]
    """Who put each effective message there as it is; ``caller`` for one that is as in the state."""
    problem: str
    """Why the steps could not be told apart; empty where they are."""


# Fates


@dataclass(frozen=True, slots=True)
class MessageFate:
    """What became of one message, and by which rule."""

    raw_index: int | None
    """None for an effective message that stands for no raw one."""
    sent_index: int | None
    """None for a raw message that was not sent."""
    part: int
    """The raw message; of one without a raw twin, the effective one."""
    fate: Fate | Literal["summary", "inserted"]
    rules: tuple[str, ...]
    """Names of the rules that changed it, in the order of their working; empty for one sent as it is."""
    words: str
    """The rule with its figures, in a sentence or two; empty where there is nothing to say."""
    contributor: str
    event: int | None = None
    """The event that decided it."""
    path: str | None = None
    """Where the whole of it lies."""


@dataclass(frozen=True, slots=True)
class Fates:
    """The fates of all messages of a request."""

    request: int
    raw: Sequence[MessageFate]
    """One a raw message, in order; made when looked at. Empty where raw state was not recorded."""
    made: tuple[MessageFate, ...]
    """Effective messages without a raw twin."""
    problem: str
    """Why there are none."""


# Integrity


@dataclass(frozen=True, slots=True)
class IntegrityDifference:
    """A place where a request is not what the engine's rules make of its state."""

    thread_id: str
    request: int
    number: int
    """Of the request, in its thread."""
    contributor: str
    """Whose step it is; empty where steps were not recorded."""
    index: int | None
    """Of the effective message; None for one that is missing."""
    raw_index: int | None
    what: Literal["missing", "unexpected", "changed", "not changed", "summary"]
    words: str


@dataclass(frozen=True, slots=True)
class MissingArtifact:
    """A file that messages or a summary speak of and that is not there any more."""

    thread_id: str
    path: str
    kind: Literal["offloaded result", "offloaded message", "history"]
    request: int | None
    """The first request that speaks of it."""
    number: int | None
    words: str


@dataclass(frozen=True, slots=True)
class Integrity:
    """Whether the record of a file, or of a thread, explains itself."""

    requests: int
    """Looked at."""
    unchecked: int
    """Of them, those without raw state, such as summarizing calls, and those whose program changed messages unseen."""
    differences: tuple[IntegrityDifference, ...]
    missing_artifacts: tuple[MissingArtifact, ...]
    notes: tuple[str, ...]
    """What could not be checked, and oddities that the engine itself left."""

    @property
    def clean(self) -> bool:
        """Nothing differs and nothing is missing."""
        return not self.differences and not self.missing_artifacts


# Differences


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of two texts: equal, or what stands in place of what. Places are characters."""

    what: Literal["equal", "insert", "delete", "replace"]
    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True, slots=True)
class TextDiff:
    """From one text to another: spans in order that cover both."""

    spans: tuple[Span, ...]

    @property
    def removed(self) -> int:
        """Characters of the old text that are gone."""
        return sum(span.old_end - span.old_start for span in self.spans if span.what != "equal")

    @property
    def added(self) -> int:
        """Characters of the new text that were not there."""
        return sum(span.new_end - span.new_start for span in self.spans if span.what != "equal")


@dataclass(frozen=True, slots=True)
class PartDiff:
    """A piece, or a run of equal ones, on one side or both."""

    what: Literal["same", "moved", "changed", "added", "removed"]
    old_index: int | None
    new_index: int | None
    count: int
    """More than one for a run of equal pieces."""
    old_part: int | None
    new_part: int | None
    kind: Kind
    name: str
    """Of a tool."""
    tokens: int
    """What it adds to the request; negative for what it takes."""


@dataclass(frozen=True, slots=True)
class AreaDiff:
    """One area of two requests. The Provider area is one text each, compared by ``Explainer.text_diff``."""

    area: Area
    parts: tuple[PartDiff, ...]
    prefix: int
    """Pieces that both begin with."""
    suffix: int
    """Pieces that both end with, the prefix not counted again."""

    @property
    def same(self) -> bool:
        """Whether the area is the same in both."""
        return all(part.what == "same" for part in self.parts)


@dataclass(frozen=True, slots=True)
class RequestDiff:
    """Two requests, piece by piece: from ``old`` to ``new``."""

    old: RequestRow
    new: RequestRow
    areas: tuple[AreaDiff, ...]
    """System, tools, messages, provider."""


# Prompt cache


Cause = Literal[
    "extended",
    "first request",
    "other model",
    "new conversation",
    "volatile text",
    "tool order",
    "tools changed",
    "memory edited",
    "skills changed",
    "system changed",
    "summary",
    "offloaded",
    "arguments cut",
    "history changed",
]
"""Why a request's prefix leaves its predecessor's; ``extended`` when it does not."""


@dataclass(frozen=True, slots=True)
class CacheBreak:
    """The first piece that is not the predecessor's."""

    area: Area
    index: int
    part: int | None
    """None where the predecessor went on and this request ends."""
    contributor: str


@dataclass(frozen=True, slots=True)
class CacheUse:
    """What of one request's input a provider could have had cached from the same agent's request before."""

    request: int
    number: int
    predecessor: int | None
    order: tuple[Area, ...]
    """The order in which the provider is taken to read the areas."""
    break_at: CacheBreak | None
    """None for a first request, and for one that only adds at the end."""
    cause: Cause
    reason: str
    """The cause in a sentence."""
    shared: int
    """Estimated tokens of the prefix that both have."""
    reread: int
    """Estimated tokens of pieces that stood in the predecessor too and come after the break."""
    avoidable: bool
    """Whether the break could have been avoided without losing anything."""
    reported: int | None
    """Tokens that the provider says it read from its cache; None where it does not say."""
    input_tokens: int | None
    """As reported."""
    seconds_since: float | None
    """Since the predecessor began."""


@dataclass(frozen=True, slots=True)
class CacheTotals:
    """The prompt cache over a thread. All tokens but ``reported`` are estimates."""

    requests: int
    shared: int
    reread: int
    avoidable: int
    """Of the re-read ones, those whose break could have been avoided."""
    by_cause: Mapping[Cause, int]
    """Re-read tokens by cause."""
    reported: int
    reporting: int
    """Requests whose provider reports cache reads; ``reported`` is their sum."""


# Summaries


@dataclass(frozen=True, slots=True)
class LostFact:
    """Something that stood in the evicted messages, stands not in the summary, and was needed later."""

    text: str
    kind: Literal["path", "url", "identifier", "number", "name"]
    raw_index: int
    """The first evicted message that has it."""
    used_in: tuple[int, ...]
    """Numbers of later requests whose answer uses it."""
    read_back_in: tuple[int, ...]
    """Numbers of requests to which reading the history file had brought it back."""
    unsourced_in: tuple[int, ...]
    """Of ``used_in``, those in which no message that the model was given has it."""


@dataclass(frozen=True, slots=True)
class SummaryReport:
    """One summary in depth."""

    summary: Summary
    number: int
    """1, 2, 3 … within its agent's run."""
    trigger: str
    """Why it was made, in words."""
    evicted: int
    """Messages that it (and none before it) evicted."""
    evicted_tokens: int
    evicted_chars: int
    chain: tuple[int, ...]
    """Events of the summaries that it was made from, oldest first."""
    history: Literal["saved", "gone", "not saved"]
    """``gone`` only where it is known that the agent can't read it any more."""
    lost: Mapping[str, int]
    """How many facts of each kind the summary does not hold."""
    held: Mapping[str, int]
    """How many it does."""
    needed: tuple[LostFact, ...]
    """Lost facts that later answers used or that were read back."""
    read_back_in: tuple[int, ...]
    """Numbers of requests whose answer reads the history file."""


# Tools


@dataclass(frozen=True, slots=True)
class ToolCost:
    """One tool over a thread, or over one of its agents."""

    name: str
    contributor: str
    tokens: int
    """Of its schema, as last sent."""
    requests: int
    """That carried it."""
    tokens_sent: int
    """Of its schema over all of them."""
    calls: int
    results: int
    result_chars: int
    """As the tool returned them, offloaded ones whole where that is known."""
    result_tokens: int
    """As they stand in the state."""
    largest: int
    """Characters of its largest result."""
    errors: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The tools of a thread, the dearest first."""

    thread_id: str
    tools: tuple[ToolCost, ...]

    @property
    def never_called(self) -> tuple[ToolCost, ...]:
        """Tools that were sent and not called once."""
        return tuple(tool for tool in self.tools if tool.requests and not tool.calls)
