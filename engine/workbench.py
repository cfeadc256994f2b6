"""Plain values of the memory and skills workbench: what views, scripts and tests get.

No LangChain, no SQL and no Qt here. Sizes are bytes where a field says so, else characters; tokens are
estimates (4 characters a token). Times are seconds since the epoch, UTC; ``None`` means "not known".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Author = Literal["user", "agent", "outside"]
"""Who wrote a text: a save from here, an agent's tool call, or anything else."""

Level = Literal["note", "warning", "stops"]
"""How bad a finding is; ``stops`` is what a run fails on, or what keeps a skill from being listed."""


@dataclass(frozen=True, slots=True)
class FileVersion:
    """One text that a memory or skill file has had."""

    id: int
    path: str
    version: str
    """Digest of the bytes; empty where the file was deleted."""
    size: int
    """Bytes."""
    at: float
    author: Author
    note: str
    """What a save said of itself: ``restored``, ``merged`` …; empty without a word."""
    thread_id: str | None
    """Of an agent's edit, as the rest."""
    request: int | None
    request_number: int | None
    tool_call_id: str | None
    current: bool
    """It is how the file stands now."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know about a text before it is saved."""

    kind: str
    """``not utf-8``, ``byte order mark``, ``hidden``, ``secret``, ``instructions``, ``section``, ``long``, … and for
    skills the name of the rule."""
    level: Level
    sentence: str
    line: int | None = None
    """From 1; None for the whole text."""
    start: int | None = None
    """Characters from the text's beginning."""
    length: int = 0


@dataclass(frozen=True, slots=True)
class TextFacts:
    """How a file is written."""

    encoding: str
    """``UTF-8``, ``UTF-16 LE`` …, ``not UTF-8`` where nothing tells, empty for an empty file."""
    line_ends: str
    """``LF``, ``CRLF``, ``CR``, ``mixed``, empty without any."""
    bom: bool
    final_newline: bool
    hidden: int
    """Characters that can't be seen or change how the text reads."""
    fault: int | None
    """Offset of the first byte that is not UTF-8."""


@dataclass(frozen=True, slots=True)
class SentMemory:
    """What the model gets of memory files: the block as the engine writes it."""

    block: str
    tokens: int
    """Of the whole block, the engine's own guidelines included."""
    sections: Mapping[str, str]
    """Path → text as sent, comments removed; files of which nothing is sent are left out."""
    section_tokens: Mapping[str, int]
    removed: Mapping[str, int]
    """Path → characters that are not sent (comments, white space at the end)."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Two edits of one text brought together."""

    text: str
    """With conflict markers where both changed the same lines."""
    conflicts: tuple[tuple[int, int], ...]
    """First and last line of each conflict in ``text``, from 1, markers included; empty when it is clean."""

    @property
    def clean(self) -> bool:
        """Whether nothing has to be decided."""
        return not self.conflicts


@dataclass(frozen=True, slots=True)
class AgentEdit:
    """An edit that an agent made to a memory or skill file, on the request whose answer called the tool."""

    path: str
    thread_id: str
    request: int
    request_number: int
    agent: str | None
    tool: str
    tool_call_id: str | None
    at: float
    before: str | None
    """The whole text before, None where it is not known (or where there was none: see ``created``)."""
    after: str | None
    old: str
    """What the call replaced, empty for a whole file written."""
    new: str
    created: bool
    certain: bool
    """The texts were kept; else they were worked out from the calls."""


@dataclass(frozen=True, slots=True)
class Applied:
    """Memory or skills written into a thread's state."""

    event: int
    thread_id: str
    checkpoint_id: str
    changed: tuple[str, ...]
    """Paths whose contents are other ones now."""
    undoes: int | None = None
    """The event that this one took back."""


@dataclass(frozen=True, slots=True)
class Edits:
    """What is different in a dry run from the workspace as it stands."""

    files: Mapping[str, bytes | None] = field(default_factory=dict)
    """Memory and skill files by path, as they would be saved; None for one that would be deleted."""
    apply: bool = True
    """Whether the thread's own copies are changed too, as applying does; else only new threads see the files."""
    system_prompt: str | None = None
    """The agent's system prompt, where it is another one."""
    state: Mapping[str, Any] = field(default_factory=dict)
    """Other values of the thread's state."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of a request that was not sent: a block, a message or a tool schema."""

    kind: str
    contributor: str
    value: Any
    """As the model would have received it; a message is LangChain's own dict."""
    text: str
    chars: int
    tokens: int


@dataclass(frozen=True, slots=True)
class DryRequest:
    """The request that a thread would send next, or the one that a recorded one was."""

    purpose: Literal["agent", "summary"]
    """``summary``: the next call of the model is the summarizing one; what follows depends on its answer."""
    tools: tuple[Piece, ...]
    system: tuple[Piece, ...]
    messages: tuple[Piece, ...]
    system_message: Mapping[str, Any] | None
    kwargs: Mapping[str, Any]
    stop: Any
    checkpoint_id: str | None
    """The checkpoint that it starts from; None for a new thread."""

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """In the order of a prompt cache's prefix: tools, system, messages."""
        return self.tools + self.system + self.messages

    @property
    def tokens(self) -> int:
        """Estimate over all pieces."""
        return sum(piece.tokens for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class DryRow:
    """One row of two requests side by side."""

    before: Piece | None
    after: Piece | None

    @property
    def same(self) -> bool:
        """Whether both sides are equal."""
        return self.before is not None and self.after is not None and self.before.value == self.after.value


@dataclass(frozen=True, slots=True)
class DryComparison:
    """What an edit changes in the next request."""

    rows: tuple[DryRow, ...]
    kept_tokens: int
    """Of the prefix that both have: what a prompt cache could still reuse."""
    invalidated_tokens: int
    """Of the request before the edit, from the first difference on."""
    tokens_before: int
    tokens_after: int


@dataclass(frozen=True, slots=True)
class Reach:
    """A thread that an edit of one file concerns."""

    thread_id: str
    title: str
    loaded: bool
    """It holds a copy of its own: the edit reaches it when it is applied there."""
    current: bool
    """Its copy is the file as it stands."""
    agents: tuple[str | None, ...]
    """Agents that had the file in their system message; None is the unnamed main agent."""
    last_request: int | None
    """Number of the last request that carried the file."""
    block_tokens: int
    """Of the block that the file stands in."""
    invalidated_tokens: int
    """That block and all that came after it in that request: what a prompt cache loses by the change."""
    cache_read: int | None
    """Cached tokens that the provider reported for that request."""


@dataclass(frozen=True, slots=True)
class BlastRadius:
    """Whom an edit of one file concerns."""

    path: str
    threads: tuple[Reach, ...]
    new_threads: bool
    """A new thread of the default agent loads the file."""

    @property
    def invalidated_tokens(self) -> int:
        """Over all threads that hold a copy."""
        return sum(reach.invalidated_tokens for reach in self.threads if reach.loaded)


@dataclass(frozen=True, slots=True)
class SkillCheck:
    """What the engine makes of one SKILL.md."""

    listed: bool
    metadata: Mapping[str, Any] | None
    """As the engine lists it; None where it doesn't."""
    menu: str | None
    """The lines that the model sees."""
    findings: tuple[Finding, ...]

    @property
    def reason(self) -> Finding | None:
        """Why it is not listed."""
        return next((one for one in self.findings if one.level == "stops"), None)


@dataclass(frozen=True, slots=True)
class SkillCosts:
    """Tokens of skills, estimated."""

    skills: int
    menu_tokens: int
    """In every request, without the engine's words around the list."""
    full_tokens: int
    """If all of them were read."""
    ten_listed: int
    """Of ten average skills like these in the menu."""
    ten_loaded: int
    """Of ten average skills like these, read."""


@dataclass(frozen=True, slots=True)
class DeletionItem:
    """One kind of thing that goes."""

    what: str
    """``checkpoints``, ``requests``, ``parts`` …, in words."""
    count: int
    bytes: int


@dataclass(frozen=True, slots=True)
class DeletionPlan:
    """Everything known about a thread or a namespace, to be looked at before it goes."""

    threads: tuple[str, ...]
    """Thread ids that go."""
    namespace: str | None
    """Namespace of the store that goes, its sub-namespaces too."""
    items: tuple[DeletionItem, ...]
    files: tuple[tuple[str, int], ...]
    """Files that go with it, by path, and their bytes: offloaded results, histories, the thread's own, or memory."""
    copies: tuple[str, ...]
    """Threads that stay and hold copies of these files in their state and requests."""
    kept: tuple[str, ...]
    """What stays although it has to do with it, in words."""
    seal: str
    """Names what was counted; a deletion is refused when there is something else by then."""

    @property
    def bytes(self) -> int:
        """Of all that goes."""
        return sum(item.bytes for item in self.items)


@dataclass(frozen=True, slots=True)
class DeletionProof:
    """What was deleted, and how it was made sure of."""

    deleted: tuple[DeletionItem, ...]
    left: tuple[DeletionItem, ...]
    """Rows that still name it, counted again afterwards; empty when it is gone."""
    searched: int
    """Pieces of what was deleted that were looked for in the bytes of the file and beside it."""
    found: int
    """Of these, found: old pages that another program still keeps, or that are not overwritten yet."""
    size_before: int
    """Bytes of the file."""
    size_after: int
    note: str
    """What has to be done yet, in words; empty when nothing has."""

    @property
    def gone(self) -> bool:
        """Whether nothing of it is left in the file."""
        return not self.left and not self.found
