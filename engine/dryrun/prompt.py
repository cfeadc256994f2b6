"""The system prompt that a thread's agent has by its settings: what a dry run with another one is held against."""

from __future__ import annotations

from pathlib import Path

from engine.agent.defaults import settings_for


def own_prompt(path: str | Path, thread_id: str) -> str:
    """The prompt as it stands in the settings; empty where the agent has none of its own.

    Raises: as :func:`engine.dryrun.next_request`.
    """
    return settings_for(thread_id, workspace=path).system_prompt or ""
