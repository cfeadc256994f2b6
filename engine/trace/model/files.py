"""Files of a thread: artifacts, skills and memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.workbench import Finding, TextFacts


@dataclass(frozen=True, slots=True)
class Artifact:
    """A file of a thread: offloaded result, saved history, memory, skill or the agent's own."""

    path: str
    size: int
    """Bytes as UTF-8."""
    place: str
    """``thread state``, ``store`` or ``folder``."""
    lifetime: str
    """How long it lives, in words."""
    kind: Literal["offloaded result", "offloaded message", "history", "memory", "skill", "file"]
    request: int | None
    """The request in which it was first seen."""
    tool_call_id: str | None
    """The call whose result it holds."""
    modified_at: str | None
    problem: str | None = None
    """Why it can't be shown, or what is odd about it."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""


SkillDrift = Literal["none", "not-loaded", "file-newer", "file-gone", "file-new"]
"""The thread's menu against a new thread's: the same; the thread has loaded none; the skill is listed otherwise
by now; it is no more; it is listed by now."""


@dataclass(frozen=True, slots=True)
class SkillRow:
    """A skill as the thread's agent sees it."""

    name: str
    path: str
    description: str
    """As listed to the model."""
    menu_tokens: int
    full_tokens: int | None
    listed_in: int
    """Requests whose system message listed it."""
    read_in: tuple[int, ...]
    """Numbers of the requests that read its SKILL.md."""
    problem: str | None = None
    listed: bool | None = None
    """Whether the thread's menu has it; where the thread has loaded none, whether a new one's would."""
    line: int | None = None
    """Of its SKILL.md, where it is not listed for what stands there."""
    menu: str = ""
    """What the model sees of it, as the engine writes it; empty when it is not listed."""
    menu_now: str = ""
    """What a new thread would see of it."""
    overridden_by: str | None = None
    """The file that is listed under its name instead."""
    findings: tuple[Finding, ...] = ()
    drift: SkillDrift | None = None
    listed_requests: tuple[int, ...] = ()
    """Numbers of the requests whose system message listed it."""
    pinned_in: tuple[int, ...] = ()
    """Numbers of the requests into which it was pinned."""
    helpers: tuple[tuple[str, int], ...] = ()
    """Other files of its folder: path and bytes."""
    tools: tuple[str, ...] = ()
    """Tools that it discloses once it is read (``metadata.include_tools``)."""
    disclosed: tuple[str, ...] = ()
    """Tools that it had disclosed in the thread's last request."""
    allowed_tools: tuple[str, ...] = ()
    """Tools that it recommends."""
    place: str = ""
    """Where its file lies."""
    version: str = ""
    """Digest of the bytes; an edit names the one it was made from."""
    text: str | None = None
    """The whole SKILL.md; None when it is gone or not UTF-8."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""


Drift = Literal["none", "not-loaded", "file-newer", "file-gone", "request-older", "thread-differs", "all-differ"]
"""File, thread's copy and last request: all one; the thread has loaded nothing; the file was changed since the
thread loaded it; it was removed; the thread's copy was changed since the request; only the thread's copy is
another; three texts."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One memory source of a thread, as it stands on its backend now."""

    path: str
    text: str | None
    """None when missing or not UTF-8."""
    version: str
    """Digest of the bytes; an edit names the one it was made from."""
    size: int
    place: str
    modified_at: str | None
    in_thread: str | None
    """The copy cached in the thread's state; None when the thread has not loaded it."""
    problem: str | None = None
    state: Literal["loaded", "missing", "stops"] | None = None
    """What an agent that loads it does: uses it, skips it, or stops on it."""
    tokens: int | None = None
    """Estimate of what is sent of it; None when it is missing or not UTF-8."""
    facts: TextFacts | None = None
    in_request: str | None = None
    """What the main agent's last request carried of it, as sent; None where no request tells or it carried nothing."""
    request_number: int | None = None
    """That request."""
    drift: Drift | None = None
    changed_at: float | None = None
    changed_by: str | None = None
    """``you, here``, ``outside``, or the agent's call, in words."""
    read_only: str = ""
    """Why it can't be edited from here; empty when it can."""
    within: str = ""
    """The namespace of the store, its parts joined by dots, or the folder on the disk."""
