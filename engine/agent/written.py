"""Settings of an agent as JSON, and back.

What is written holds every field, so a stored agent stays what it was when our defaults change. What another
version of the program wrote is read as far as it is understood, and the rest is carried along unchanged.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from typing import Any, get_type_hints

from engine import importing
from engine.agent.settings import AgentSettings, SubagentSettings
from engine.errors import UsageError
from engine.places import Identity, backend_from
from engine.wire.secrets import without_secrets

_OTHER = "other"


def settings_form(settings: AgentSettings) -> dict[str, Any]:
    """The JSON form of settings that can be stored: models and tools are all named.

    Raises:
        UsageError: a value is an object that has no JSON form, or a text that UTF-8 can't hold.
    """
    form: dict[str, Any] = _form(settings, "", strict=True)
    return form


def described(settings: AgentSettings) -> dict[str, Any]:
    """What a record keeps of the settings that a run has: tags, and their JSON form, objects by their names."""
    form: dict[str, Any] = without_secrets(_form(settings, "", strict=False))
    return {**settings.tags, **form}


def settings_from(form: Mapping[str, Any]) -> AgentSettings:
    """Settings from their JSON form. Fields that it lacks have their defaults; see ``AgentSettings.other``."""
    settings: AgentSettings = _read(AgentSettings, form)
    return settings


def unread(settings: AgentSettings) -> tuple[str, ...]:
    """Names of what settings carry along without understanding it."""
    names = list(settings.other)
    for at, item in enumerate(settings.subagents):
        names += [f"subagents[{at}].{name}" for name in item.other]
    return tuple(names)


def _form(value: Any, where: str, *, strict: bool) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.name != _OTHER]
        form = {
            name: _form(getattr(value, name), f"{where}.{name}" if where else name, strict=strict) for name in names
        }
        for name, kept in getattr(value, _OTHER, {}).items():
            if name not in form or form[name] == _default_form(value.__class__, name):
                form[name] = kept
        return form
    if isinstance(value, Mapping):
        return {str(key): _form(item, f"{where}[{key}]", strict=strict) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_form(item, f"{where}[{at}]", strict=strict) for at, item in enumerate(value)]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            if strict:
                raise UsageError(f"{where} holds half of a character, which can't be stored. Type it again.") from None
        return value
    if strict:
        raise UsageError(
            f"{where} is a {type(value).__name__}, which can't be stored. Name a model as provider:model, and a "
            "tool by its file or module."
        )
    return getattr(value, "name", None) or getattr(value, "__name__", None) or type(value).__name__


def _read(cls: type[Any], form: Mapping[str, Any]) -> Any:
    given: dict[str, Any] = {}
    other: dict[str, Any] = {}
    known = {each.name for each in fields(cls)} - {_OTHER}
    for name, value in form.items():
        if name not in known:
            other[name] = value
            continue
        try:
            given[name] = _value(cls, name, value)
        except (ValueError, TypeError, AttributeError):  # written by another version: kept as it is
            other[name] = value
    required = [each.name for each in fields(cls) if each.default is each.default_factory is MISSING]
    return cls(**{**dict.fromkeys(required, ""), **given}, other=other)


def _value(cls: Any, name: str, value: Any) -> Any:
    """One field from its JSON form, which it must have again exactly when it is written.

    Raises:
        ValueError, TypeError, AttributeError: it is not understood, wholly or in part.
    """
    if name == "subagents":
        return tuple(_read(SubagentSettings, item) for item in value)
    if name == "backend":
        found: Any = backend_from(value)
    elif name == "identity":
        found = None if value is None else Identity(**value)
    else:
        found = _adapter(cls, name).validate_json(json.dumps(value), strict=True)
    if _exactly(_form(found, name, strict=True)) != _exactly(value):
        raise ValueError(name)
    return found


def _exactly(value: Any) -> str:
    """The value as a text in which 1, 1.0 and True differ."""
    return json.dumps(value, sort_keys=True)


@cache
def _adapter(cls: Any, name: str) -> Any:
    with importing.lock:  # deferred: it takes long to import
        from pydantic import TypeAdapter

    return TypeAdapter(get_type_hints(cls)[name])


@cache
def _default_form(cls: Any, name: str) -> Any:
    return _form(_default_of(next(each for each in fields(cls) if each.name == name)), name, strict=False)


def _default_of(each: Any) -> Any:
    if each.default is not MISSING:
        return each.default
    return "" if each.default_factory is MISSING else each.default_factory()
