"""A scenario: threads to run with scripted models, and the files they start from. A plain value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.agent.settings import AgentSettings


@dataclass(frozen=True)
class ScenarioThread:
    """One thread: an agent and what the user writes to it, in order."""

    thread_id: str
    title: str
    settings: AgentSettings
    turns: tuple[str, ...]


@dataclass(frozen=True)
class Scenario:
    """Threads run one after another over one store."""

    name: str
    title: str
    threads: tuple[ScenarioThread, ...]
    seed_files: Mapping[str, str] = field(default_factory=dict)
    """Virtual path → text, put under ``/memories/`` or ``/skills/`` before the run unless there already."""
