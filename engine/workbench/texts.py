"""Memory and skill files as texts: how they are written, what is sent of them, who changed them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

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
