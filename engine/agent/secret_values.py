"""Values of settings that look like keys: a workspace may be given to others, so it keeps none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from engine.memory.secrets import secrets_in
from engine.wire.secrets import without_secrets

_FIELDS = ("model_parameters", "base_url", "profile", "tags", "tools", "other")


def secret_in(form: Mapping[str, Any]) -> str | None:
    """Where settings, in their JSON form, hold what looks like a key; None where nothing does."""
    for name in _FIELDS:
        found = next(_found(form.get(name), name), None)
        if found is not None:
            return found
    return None


def _found(value: Any, where: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            if without_secrets({key: item}) != {key: item} and isinstance(item, (str, Mapping)):
                yield from [f"{where}.{key}"] if isinstance(item, str) else _found(item, f"{where}.{key}")
            else:
                yield from _found(item, f"{where}.{key}")
    elif isinstance(value, (list, tuple)):
        for at, item in enumerate(value):
            yield from _found(item, f"{where}[{at}]")
    elif isinstance(value, str) and (secrets_in(value) or _in_address(value)):
        yield where


def _in_address(text: str) -> bool:
    """A password in the address of a server, or a key in its query."""
    if "://" not in text:
        return False
    try:
        address = urlsplit(text)
        query = dict(parse_qsl(address.query))
    except ValueError:
        return False
    return bool(address.password) or without_secrets({**query}) != query or "key" in query
