"""Middlewares of the engine with settings of ours, which take the place of its default ones by name.

A middleware that takes a place is made as the engine makes its own (``create_deep_agent`` and
``create_summarization_middleware``), so that it differs in what was set and in nothing else.
"""

from __future__ import annotations

import inspect
from typing import Any

from deepagents.backends.protocol import BackendProtocol
from deepagents.middleware.filesystem import FilesystemMiddleware
from deepagents.middleware.summarization import (
    SummarizationMiddleware,
    SummarizationToolMiddleware,
    compute_summarization_defaults,
    create_summarization_middleware,
)
from deepagents.profiles.harness.harness_profiles import _harness_profile_for_model
from langchain_core.language_models import BaseChatModel

from engine.agent.models import resolve_model
from engine.agent.settings import AgentSettings, ArgumentCut
from engine.errors import UsageError


def replacements(
    settings: AgentSettings, model: BaseChatModel, backend: BackendProtocol, *, main: bool = True
) -> list[Any]:
    """What ``create_deep_agent`` gets as ``middleware`` for an agent on ``model``; nothing by default.

    ``main``: the agent has the main agent's conversation, so it may have the tool that compacts it.

    Raises:
        UsageError: the engine refuses a size, or the model that writes summaries can't be used.
    """
    made: list[Any] = []
    limits = _limits(settings)
    if limits:
        descriptions = _harness_profile_for_model(model, None).tool_description_overrides
        made.append(FilesystemMiddleware(backend=backend, custom_tool_descriptions=descriptions, **limits))
    compacts = settings.compact_tool and main
    options = summary_options(settings, model)
    if options or compacts:
        summarization = _summarization(settings, model, backend, options)
        made.append(summarization)
        if compacts:
            made.append(SummarizationToolMiddleware(summarization, system_prompt=settings.compact_prompt))
    return made


def summary_options(settings: AgentSettings, model: BaseChatModel) -> dict[str, Any]:
    """Arguments of the engine's summarization that differ from its own for this model."""
    options: dict[str, Any] = {}
    if settings.summarize != "default":
        options["trigger"] = None if settings.summarize == "off" else _size(settings.summarize)
    if settings.keep is not None:
        options["keep"] = _size(settings.keep)
    if settings.cut_arguments == "off":
        options["truncate_args_settings"] = None
    elif isinstance(settings.cut_arguments, ArgumentCut):
        cut = settings.cut_arguments
        options["truncate_args_settings"] = {
            "trigger": _size(cut.trigger),
            "keep": _size(cut.keep),
            "max_length": cut.max_length,
        }
    if settings.summary_prompt is not None:
        options["summary_prompt"] = settings.summary_prompt
    if settings.summary_model is not None:
        options["summarizer"] = resolve_model(settings.summary_model)
    return options


def default_of(function: Any, name: str) -> Any:
    """The default of one argument of a function of the engine."""
    return inspect.signature(function).parameters[name].default


def summarization_of(settings: AgentSettings, model: BaseChatModel, backend: BackendProtocol) -> Any:
    """The engine's summarization as an agent with these settings has it. Raises as :func:`replacements`."""
    return _summarization(settings, model, backend, summary_options(settings, model))


def _summarization(
    settings: AgentSettings, model: BaseChatModel, backend: BackendProtocol, options: dict[str, Any]
) -> Any:
    engines = {
        name: default_of(create_summarization_middleware, name)
        for name in ("summary_prompt", "trim_tokens_to_summarize", "token_counter", "summarizer")
    }
    try:
        return SummarizationMiddleware(
            model=model, backend=backend, **{**engines, **compute_summarization_defaults(model), **options}
        )
    except ValueError as error:
        raise UsageError(f"The engine refuses the settings of summarization: {error}") from error


def _limits(settings: AgentSettings) -> dict[str, Any]:
    limits: dict[str, Any] = {}
    if settings.offload_results != "default":
        limits["tool_token_limit_before_evict"] = _limit(settings.offload_results)
    if settings.offload_messages != "default":
        limits["human_message_token_limit_before_evict"] = _limit(settings.offload_messages)
    return limits


def _limit(value: Any) -> int | None:
    return None if value == "off" else int(value)


def _size(value: Any) -> tuple[str, int | float]:
    kind, amount = value
    return kind, amount
