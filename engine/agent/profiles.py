"""What is known of a model by its name, without importing its provider's package or making it.

Providers are those of LangChain's ``init_chat_model``; profiles are the data that an integration ships
(``tests/contract/test_models_by_name.py`` compares both with the real ones).
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

from engine import importing
from engine.agent.models import HAND, OFFLINE_WINDOW, SCRIPTED
from engine.agent.settings import AgentSettings

WINDOW = "max_input_tokens"


def providers() -> Mapping[str, str]:
    """Provider → top-level package that its models need."""
    with importing.lock:
        from langchain.chat_models.base import _BUILTIN_PROVIDERS

    return {name: found[0].partition(".")[0] for name, found in _BUILTIN_PROVIDERS.items()}


def is_installed(package: str) -> bool:
    """Whether a top-level package is there. Imports nothing."""
    return importlib.util.find_spec(package) is not None


def known_models() -> tuple[str, ...]:
    """Models by the names that settings use: the offline ones, then those that installed integrations describe.

    Providers that an integration is named for come before others that use it too (``azure_openai``).
    """
    named = [
        (package != f"langchain_{provider}", f"{provider}:{model}")
        for provider, package in providers().items()
        if is_installed(package)
        for model in _shipped(package)
    ]
    return (HAND, SCRIPTED, *(name for _other, name in sorted(named)))


def profile_of(model: Any) -> Mapping[str, Any] | None:
    """The profile of a model, or of a name, as its integration has it; None where it has none."""
    if not isinstance(model, str):
        return getattr(model, "profile", None)
    if model == SCRIPTED:
        return {WINDOW: OFFLINE_WINDOW}
    provider, _, name = model.partition(":")
    package = providers().get(provider)
    if model == HAND or package is None:
        return None
    return _shipped(package).get(name) or None


def profile_for(settings: AgentSettings) -> Mapping[str, Any] | None:
    """The profile that an agent's own model has when it runs."""
    return settings.profile if settings.profile is not None else profile_of(settings.model)


def window_in(profile: Mapping[str, Any] | None) -> int | None:
    """Tokens that a model takes, by its profile; None where the engine finds none there."""
    window = (profile or {}).get(WINDOW)
    return window if isinstance(window, int) and not isinstance(window, bool) else None


def answer_tokens(settings: AgentSettings) -> int | None:
    """Tokens that a model is told it may answer with; None where it is told nothing.

    Anthropic's integration names the most that the model's own profile allows.
    """
    for name in ("max_tokens", "max_completion_tokens", "max_output_tokens"):
        given = settings.model_parameters.get(name)
        if isinstance(given, int) and not isinstance(given, bool):
            return given
    model = settings.model
    if isinstance(model, str):
        most = (profile_of(model) or {}).get("max_output_tokens") if model.startswith("anthropic:") else None
    else:
        most = getattr(model, "max_tokens", None)
    return most if isinstance(most, int) else None


@cache
def _shipped(package: str) -> Mapping[str, Mapping[str, Any]]:
    """Model → profile, from the data file of an integration."""
    spec = PathFinder.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        file = Path(folder) / "data" / "_profiles.py"
        if file.is_file():
            found = importlib.util.spec_from_file_location(f"_profiles_of_{package}", file)
            if found is not None and found.loader is not None:
                module = importlib.util.module_from_spec(found)
                found.loader.exec_module(module)
                return dict(getattr(module, "_PROFILES", {}))
    return {}
