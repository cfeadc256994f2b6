"""An agent over a workspace, made by the engine's own ``create_deep_agent``.

Nothing of the engine is reimplemented: where a setting differs from the engine's default,
an instance of its own middleware with that setting takes the default's place by name.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends.protocol import BackendProtocol
from deepagents.middleware.filesystem import FilesystemPermission
from langchain_core.language_models import BaseChatModel

from engine.agent.backends import make_backend
from engine.agent.loading import load_tools
from engine.agent.models import resolve_model
from engine.agent.noted import noting
from engine.agent.settings import AgentSettings, SubagentSettings
from engine.agent.stack import replacements
from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.errors import UsageError
from engine.places import BackendSettings, Identity
from engine.recording import Recorder
from engine.workspace import Workspace


@dataclass(frozen=True)
class Agent:
    """A compiled agent and what it stands on. Run it with ``context=settings.identity``; close it afterwards."""

    graph: Any
    saver: WorkspaceSaver
    store: WorkspaceStore
    settings: AgentSettings
    backend: BackendProtocol

    def close(self) -> None:
        """Close the connections of its saver and store."""
        self.saver.conn.close()
        self.store.conn.close()


def backend_over(store: WorkspaceStore) -> BackendProtocol:
    """The backend of an agent that sets none: thread state, with memory and skills in the store."""
    return make_backend(BackendSettings(), store)


def build_agent(
    workspace: Workspace,
    settings: AgentSettings,
    recorder: Recorder | None = None,
    saver: WorkspaceSaver | None = None,
    store: WorkspaceStore | None = None,
    backend: BackendProtocol | None = None,
) -> Agent:
    """Make the agent that ``settings`` describe; with a recorder, observers go between its middlewares.

    ``saver``, ``store`` and ``backend`` take the place of the agent's own (a dry run keeps nothing). Tools that are
    named are loaded, which runs their code; the user has trusted it before (:mod:`engine.agent.trust`).

    Raises:
        UsageError: a model or a tool can't be had, the code of a tool is not trusted, or the engine refuses
            a setting.
    """
    _refuse_unread(settings)
    model = resolve_model(settings.model, settings.profile, settings.model_parameters, settings.base_url)
    tools = load_tools(settings.tools)
    saver = WorkspaceSaver(workspace) if saver is None else saver
    store = WorkspaceStore(workspace) if store is None else store
    observed: AbstractContextManager[None] = recorder.observing() if recorder is not None else nullcontext()
    if backend is None:
        backend = make_backend(settings.backend, store, settings.identity, noting(workspace, settings))
    subagents = [_subagent(item, settings, model, backend) for item in settings.subagents]
    middleware = replacements(settings, model, backend)
    with observed:
        try:
            graph = create_deep_agent(
                model=model,
                name=settings.name,
                tools=tools,
                system_prompt=settings.system_prompt,
                subagents=subagents,
                memory=list(settings.memory) or None,
                skills=list(settings.skills) or None,
                permissions=[_permission(rule) for rule in settings.permissions] or None,
                interrupt_on=_interrupts(settings) or None,
                backend=backend,
                middleware=middleware,
                context_schema=None if settings.identity is None else Identity,
                checkpointer=saver,
                store=store,
            )
        except (ValueError, NotImplementedError) as error:
            raise UsageError(f"The engine refuses the settings of this agent: {error}") from error
    return Agent(graph, saver, store, settings, backend)


def _subagent(item: SubagentSettings, settings: AgentSettings, model: BaseChatModel, backend: BackendProtocol) -> Any:
    own = None if item.model is None else resolve_model(item.model)
    spec: dict[str, Any] = {
        "name": item.name,
        "description": item.description,
        "system_prompt": item.system_prompt,
        "middleware": replacements(settings, own or model, backend, main=item.mode == "fork"),
    }
    if item.mode != "isolated":
        spec["mode"] = item.mode
    if item.tools is not None:
        spec["tools"] = load_tools(item.tools)
    if item.skills:
        spec["skills"] = list(item.skills)
    if own is not None:
        spec["model"] = own
    return spec


def _permission(rule: Any) -> FilesystemPermission:
    try:
        return FilesystemPermission(list(rule.operations), list(rule.paths), rule.mode)
    except (ValueError, NotImplementedError) as error:
        raise UsageError(f"The engine refuses a permission: {error}.") from error


def _interrupts(settings: AgentSettings) -> dict[str, Any]:
    return {
        tool: {"allowed_decisions": list(decisions)} if decisions else True
        for tool, decisions in settings.interrupts.items()
    }


def _refuse_unread(settings: AgentSettings) -> None:
    """A setting that can't be read may be a rule that forbids something, so the agent doesn't run without it."""
    value: Any
    for value in (settings, *settings.subagents):
        for name in sorted(value.other.keys() & {each.name for each in fields(value)}):
            raise UsageError(
                f"The setting {name!r} was stored by another version of the program and can't be read by this one. "
                "Set it again, or update the program."
            )
