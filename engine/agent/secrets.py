"""Keys of providers: from the environment or the system's keyring, never from the workspace.

A key from the keyring goes to the model's constructor as a ``SecretStr``; the environment of this program and
of those that it starts stays as it is. Every key that is used is known to what keeps keys out of errors and
records (:mod:`engine.wire.secrets`), before anything is sent.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from typing import Any

from pydantic import SecretStr

from engine.errors import InspectorError, UsageError
from engine.importing import late
from engine.keys import KeyState
from engine.wire.secrets import note_keys

SERVICE = "context-inspector"
"""Name under which keys lie in the keyring; the user's name there is the variable's."""

_CHOOSING = "langchain.chat_models.base"
_KEYLESS = {"scripted", "hand", "ollama", "huggingface"}


def key_state(provider: str) -> KeyState:
    """Which variable a provider's models read their key from, and whether one is set.

    ``provider`` is LangChain's name (``openai``) or a whole model name (``openai:gpt-5.5``).
    """
    provider = provider_of(provider)
    variable = _named(provider)[1]
    if not variable or os.environ.get(variable):
        return KeyState(provider, variable, "environment" if variable else "")
    key, problem = _in_keyring(variable)
    return KeyState(provider, variable, "keyring" if key else "", problem)


def remember_key(provider: str, value: str) -> KeyState:
    """Put a provider's key into the system's keyring.

    Raises:
        UsageError: it is empty, or the provider needs none.
        InspectorError: this system has no keyring, or it refused.
    """
    variable = _variable(provider)
    if not value.strip():
        raise UsageError("The key is empty. Paste it whole.")
    note_keys({"x-api-key": value.strip()})
    _asking(lambda keyring: keyring.set_password(SERVICE, variable, value.strip()), "keep the key")
    return key_state(provider)


def forget_key(provider: str) -> KeyState:
    """Take a provider's key out of the system's keyring; raises as :func:`remember_key`."""
    variable = _variable(provider)
    if _in_keyring(variable)[0]:
        _asking(lambda keyring: keyring.delete_password(SERVICE, variable), "forget the key")
    return key_state(provider)


def key_arguments(model: str, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """What the constructor of this model is given besides ``parameters``: its key, where the keyring has it.

    Raises:
        UsageError: ``parameters`` hold a key, which settings must not.
    """
    argument, variable = _named(provider_of(model))
    for name in {"api_key", argument} & parameters.keys():
        raise UsageError(
            f"The parameters of {model} hold a key ({name}). Settings are stored, so keys don't belong there: set "
            f"{variable or 'the provider’s variable'} in the environment, or remember the key in the keyring."
        )
    if not variable:
        return {}
    if value := os.environ.get(variable):
        note_keys({"x-api-key": value})
        return {}
    key = _in_keyring(variable)[0]
    if not key:
        return {}
    note_keys({"x-api-key": key})
    return {argument: SecretStr(key)}


def provider_of(model: str) -> str:
    """LangChain's name of the provider of a model's name; the name itself where it can't be told."""
    base = late(_CHOOSING)
    provider, colon, _ = model.partition(":")
    if colon or model in base._BUILTIN_PROVIDERS:
        return provider.replace("-", "_").lower()
    return base._attempt_infer_model_provider(model) or model


@functools.cache
def _named(provider: str) -> tuple[str, str]:
    """The constructor's argument for a key, and its variable, as the provider's integration says; else by custom."""
    if provider in _KEYLESS:
        return "", ""
    known = late(_CHOOSING)._BUILTIN_PROVIDERS.get(provider)
    if known is not None:
        try:
            told = getattr(late(known[0]), known[1]).model_construct().lc_secrets
        except Exception:  # not installed, or one whose secrets hang on how it is made
            told = {}
        for argument, variable in told.items():
            if "api_key" in argument:
                return argument, variable
    return "api_key", f"{provider.upper()}_API_KEY"


def _variable(provider: str) -> str:
    variable = _named(provider_of(provider))[1]
    if not variable:
        raise UsageError(f"{provider} needs no key.")
    return variable


def _in_keyring(variable: str) -> tuple[str | None, str]:
    """The key, and why the keyring can't be asked."""
    try:
        return _asking(lambda keyring: keyring.get_password(SERVICE, variable), "be asked for the key"), ""
    except InspectorError as error:
        return None, str(error)


def _asking(ask: Any, what: str) -> Any:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ImportError:
        raise InspectorError(
            "The system's keyring can't be used: the package keyring is not installed. Set the variable instead."
        ) from None
    try:
        return ask(keyring)
    except (
        KeyringError,
        OSError,
        RuntimeError,
    ) as error:  # backends raise their own kinds, and may quote what they got
        raise InspectorError(
            f"The system's keyring could not {what} ({type(error).__name__}). Set the variable in the environment "
            "instead."
        ) from None
