"""The agent of a thread that names no settings: a demo thread's own, or the default one."""

from __future__ import annotations

from dataclasses import replace

from engine.agent.scenarios import demo_scenarios
from engine.agent.scripted import ScriptedChat
from engine.agent.settings import AgentSettings

OFFLINE_WINDOW = 128_000


def settings_for(thread_id: str, model: str | None = None) -> AgentSettings:
    """Settings of the demo thread of this id, else of the default agent; with another model where one is given."""
    for scenario in demo_scenarios():
        for thread in scenario.threads:
            if thread.thread_id == thread_id:
                return thread.settings if model is None else with_model(thread.settings, model)
    if model is not None:
        return AgentSettings(model=model)
    return AgentSettings(model=ScriptedChat(), profile={"max_input_tokens": OFFLINE_WINDOW})


def with_model(settings: AgentSettings, model: str) -> AgentSettings:
    """The same agent on another model, its subagents too; the model's own profile counts."""
    return replace(
        settings,
        model=model,
        profile=None,
        subagents=tuple(replace(subagent, model=None) for subagent in settings.subagents),
    )
