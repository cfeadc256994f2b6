"""The agent that a thread goes on with: the one of the workspace it was given, a demo thread's own, or the default."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.agent.models import HAND, SCRIPTED
from engine.agent.scenarios import demo_scenarios
from engine.agent.settings import AgentSettings
from engine.agent.stored import agent_of
from engine.workspace import Workspace


def settings_for(thread_id: str, model: str | None = None, workspace: str | Path | None = None) -> AgentSettings:
    """Settings that a thread of a workspace goes on with; on another model where one is given.

    Raises:
        UsageError: the thread's agent can't be read.
        WorkspaceError: the file can't be read.
    """
    settings = _of_thread(thread_id, workspace)
    if settings is None:
        return AgentSettings(model=model or _last_model(thread_id, workspace) or SCRIPTED)
    return settings if model is None else with_model(settings, model)


def with_model(settings: AgentSettings, model: str) -> AgentSettings:
    """The same agent on another model, its subagents too; the model's own profile and parameters count."""
    return replace(
        settings,
        model=model,
        profile=None,
        model_parameters={},
        base_url=None,
        subagents=tuple(replace(subagent, model=None) for subagent in settings.subagents),
    )


def _last_model(thread_id: str, workspace: str | Path | None) -> str | None:
    """Name of the model that the thread's last run had, where a name says it all."""
    if workspace is None:
        return None
    with closing(Workspace.open(workspace).connect()) as connection:
        row = connection.execute("SELECT settings FROM threads WHERE thread_id = ?", (thread_id,)).fetchone()
    model = (json.loads(row[0]) if row is not None and row[0] else {}).get("model")
    return model if isinstance(model, str) and (model in {HAND, SCRIPTED} or ":" in model) else None


def _of_thread(thread_id: str, workspace: str | Path | None) -> AgentSettings | None:
    agent = None if workspace is None else agent_of(workspace, thread_id)
    if agent is not None:
        return agent.settings
    for scenario in demo_scenarios():
        for thread in scenario.threads:
            if thread.thread_id == thread_id:
                return thread.settings
    return None
