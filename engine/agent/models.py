"""Chat models by the names that settings use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from deepagents.profiles.provider.provider_profiles import apply_provider_profile
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel

from engine.agent.hand import HandChat
from engine.agent.scripted import ScriptedChat
from engine.agent.secrets import key_arguments
from engine.errors import UsageError
from engine.wire.secrets import without_keys

SCRIPTED = "scripted"
"""The offline model, which answers by a script or says honestly that it can't."""
HAND = "hand"
"""The user answers; only a runner has somebody to ask."""
OFFLINE_WINDOW = 128_000
"""Tokens that the offline model takes."""


def resolve_model(
    model: Any,
    profile: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    base_url: str | None = None,
) -> BaseChatModel:
    """A chat model object from its name, or the one that is there already.

    A name is made a model just as the engine makes it: with its provider profile (Responses API for OpenAI),
    over which ``parameters`` count. ``profile`` takes the place of the integration's model profile.

    Raises:
        UsageError: there is no such provider, or its package or key is missing, or a parameter is refused.
    """
    if isinstance(model, str):
        model = _named(model, {**(parameters or {}), **({} if base_url is None else {"base_url": base_url})})
    if profile is not None:
        model = model.model_copy(update={"profile": dict(profile)})
    return model


def _named(name: str, parameters: dict[str, Any]) -> BaseChatModel:
    if name == SCRIPTED:
        return ScriptedChat(profile={"max_input_tokens": OFFLINE_WINDOW})
    if name == HAND:
        return HandChat()
    parameters = {**parameters, **key_arguments(name, parameters)}
    try:
        return init_chat_model(name, **apply_provider_profile(name, parameters))
    except ImportError as error:
        raise UsageError(f"The package for the model {name!r} is not installed: {error}") from error
    except Exception as error:  # each integration raises its own kinds for a missing key or a bad name
        raise UsageError(f"The model {name!r} can't be used: {without_keys(_first_line(error))}") from error


def _first_line(error: Exception) -> str:
    return next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
