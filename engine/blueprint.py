"""What is known of an agent before it runs, as plain values: problems, effective values, tools, what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.agent.settings import AgentSettings


@dataclass(frozen=True, slots=True)
class Problem:
    """Something about settings that the user should know."""

    field: str
    """Where: ``model``, ``subagents[0].name``, ``backend.routes[/memories/]`` … as in the settings."""
    sentence: str
    level: Literal["error", "warning"] = "error"
    """An agent with an error can't be built, or would not do what its settings say."""


@dataclass(frozen=True, slots=True)
class EffectiveValue:
    """What a setting comes to when the agent runs."""

    name: str
    """``offload results``, ``summarize``, ``keep``, ``window`` … in words."""
    value: int | float | str | None
    """None: off, or not known."""
    unit: str
    """``tokens``, ``messages``, ``of the window``, ``characters``, or empty for a text."""
    origin: Literal["engine default", "model profile", "you"]
    note: str = ""
    """A sentence on what it means, where the number alone does not say it."""


@dataclass(frozen=True, slots=True)
class ToolSource:
    """The code that loading a tool would run. Finding it out ran nothing."""

    text: str
    """As the settings name it."""
    file: str
    """The Python file, with its whole path and links followed."""
    files: tuple[str, ...]
    """All files that the name itself makes run: a module's packages come first. What these import is not among
    them, and runs too."""
    attribute: str | None
    """What is taken from it; None for all of its tools."""
    module: str | None
    """Dotted name of the module; None for a file that is named by its path."""
    digest: str
    """SHA-256 of the files' bytes."""
    trusted: bool
    """Whether the user has let these very bytes run."""
    changed: bool = False
    """It was trusted with other bytes."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model would be told of it."""

    name: str
    description: str
    schema: Mapping[str, Any]
    """JSON schema of its arguments."""
    file: str | None = None
    """Where it was written, if that can be told."""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class StoredAgent:
    """An agent of a workspace."""

    id: int
    name: str
    settings: AgentSettings
    version: int
    """Rises with every change; a change names the one it was made from."""
    created_at: float
    updated_at: float
    threads: tuple[str, ...] = ()
    """Threads that go on with it."""
    unread: tuple[str, ...] = field(default=())
    """Names of stored settings that this version doesn't understand; they are kept."""
    fault: str | None = None
    """Why the settings can't be read at all; they are then empty, and the stored text is as it was."""
