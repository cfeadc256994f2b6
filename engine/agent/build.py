"""An agent over a workspace, made by the engine's own ``create_deep_agent``.

Nothing of the engine is reimplemented: where a setting differs from the engine's default,
an instance of its own middleware with that setting takes the default's place by name.
Thread files live in the checkpoint; ``/memories/`` and ``/skills/`` in the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

from deepagents import create_deep_agent
from deepagents.backends import CompositeBackend, StateBackend, StoreBackend
from deepagents.backends.protocol import BackendProtocol
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import SummarizationMiddleware, compute_summarization_defaults
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from engine.agent.settings import AgentSettings
from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.errors import UsageError
from engine.places import ROUTES
from engine.recording import Recorder
from engine.workspace import Workspace


@dataclass(frozen=True)
class Agent:
    """A compiled agent and what it stands on. Close it when its run is over."""

    graph: Any
    saver: WorkspaceSaver
    store: WorkspaceStore
    settings: AgentSettings

    def close(self) -> None:
        """Close the connections of its saver and store."""
        self.saver.conn.close()
        self.store.conn.close()


def backend_over(store: WorkspaceStore) -> CompositeBackend:
    """The backend of every agent here: thread state, with memory and skills in the store."""
    routes: dict[str, BackendProtocol] = {
        prefix: StoreBackend(store=store, namespace=_always(name)) for prefix, name in ROUTES.items()
    }
    return CompositeBackend(default=StateBackend(), routes=routes)


def build_agent(
    workspace: Workspace,
    settings: AgentSettings,
    recorder: Recorder | None = None,
    saver: WorkspaceSaver | None = None,
    store: WorkspaceStore | None = None,
) -> Agent:
    """Make the agent that ``settings`` describe; with a recorder, observers go between its middlewares.

    ``saver`` and ``store`` take the place of the workspace's own (a dry run keeps nothing).

    Raises:
        UsageError: the model's name is not one that LangChain knows, or its package is missing.
    """
    saver = WorkspaceSaver(workspace) if saver is None else saver
    store = WorkspaceStore(workspace) if store is None else store
    backend = backend_over(store)
    model = resolve_model(settings.model, settings.profile)
    observed: AbstractContextManager[None] = recorder.observing() if recorder is not None else nullcontext()
    with observed:
        graph = create_deep_agent(
            model=model,
            name=settings.name,
            tools=list(settings.tools),
            system_prompt=settings.system_prompt,
            subagents=[_subagent(item, settings, model, backend) for item in settings.subagents],
            memory=list(settings.memory) or None,
            skills=list(settings.skills) or None,
            backend=backend,
            middleware=_replacements(settings, model, backend),
            checkpointer=saver,
            store=store,
        )
    return Agent(graph, saver, store, settings)


def resolve_model(model: Any, profile: Mapping[str, Any] | None = None) -> BaseChatModel:
    """A chat model object from ``provider:model`` or from one that is there already.

    Raises:
        UsageError: there is no such provider, or its package or key is missing.
    """
    if isinstance(model, str):
        try:
            model = init_chat_model(model)
        except ImportError as error:
            raise UsageError(f"The package for the model {model!r} is not installed: {error}") from error
        except Exception as error:  # each integration raises its own kinds for a missing key or a bad name
            raise UsageError(f"The model {model!r} can't be used: {_first_line(error)}") from error
    if profile is not None:
        model = model.model_copy(update={"profile": dict(profile)})
    return model


def _always(name: str) -> Any:
    return lambda *_: (name,)


def _subagent(item: Any, settings: AgentSettings, model: BaseChatModel, backend: CompositeBackend) -> Any:
    own = resolve_model(item.model) if item.model is not None else None
    spec: dict[str, Any] = {
        "name": item.name,
        "description": item.description,
        "system_prompt": item.system_prompt,
        "tools": list(item.tools),
        "middleware": _replacements(settings, own or model, backend),
    }
    return spec if own is None else {**spec, "model": own}


def _replacements(settings: AgentSettings, model: BaseChatModel, backend: CompositeBackend) -> list[Any]:
    """Instances of the engine's middlewares that take the place of its defaults."""
    result: list[Any] = []
    limits: dict[str, Any] = {}
    if settings.offload_results != "default":
        limits["tool_token_limit_before_evict"] = _limit(settings.offload_results)
    if settings.offload_messages != "default":
        limits["human_message_token_limit_before_evict"] = _limit(settings.offload_messages)
    if limits:
        result.append(FilesystemMiddleware(backend=backend, **limits))
    if settings.summarize == "off":
        result.append(SummarizationMiddleware(model=model, backend=backend, trigger=None))
    elif settings.summarize != "default" or settings.keep is not None:
        sizes: dict[str, Any] = {**compute_summarization_defaults(model), "trim_tokens_to_summarize": None}
        if settings.summarize != "default":
            sizes["trigger"] = settings.summarize
        if settings.keep is not None:
            sizes["keep"] = settings.keep
        result.append(SummarizationMiddleware(model=model, backend=backend, **sizes))
    return result


def _limit(value: Any) -> int | None:
    return None if value == "off" else int(value)


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
