"""What must not be kept: values under a secret's name, and the keys that this process was seen to send.

Keys are known only in memory, from the headers that carry them, so that a provider's error that
quotes one can be kept without it.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

REMOVED = "(secret removed)"

_NAMES = (
    r"api[_-]?key|secret|cookie|password|passwd|authorization|"
    r"(?:auth|authorization|access|refresh|bearer|session|security)[_-]?token"
)
_SECRET = re.compile(rf"(?:{_NAMES})$", re.I)
_SUSPECT = re.compile(rf'(?:{_NAMES})"\s*:\s*"|"headers"\s*:\s*\{{', re.I)
_CARRIERS = ("authorization", "x-api-key", "api-key", "x-goog-api-key", "proxy-authorization", "cookie")
_SHORTEST = 6  # characters; "EMPTY" and the like stand for no key at all
_SURE = 16  # from here on a value is a key and no word of a text
_KEPT = 64

_seen: OrderedDict[str, None] = OrderedDict()


def without_secrets(value: Any) -> Any:
    """The same value, with what stands under a secret's name replaced."""
    if isinstance(value, dict):
        return {
            key: REMOVED if isinstance(key, str) and _SECRET.search(key) and item else without_secrets(item)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [without_secrets(item) for item in value]
    return value


@lru_cache(maxsize=512)  # tools are the same from request to request
def suspicious(text: str) -> bool:
    """Whether a JSON text may hold a string under a secret's name, or headers."""
    return _SUSPECT.search(text) is not None


def mask(value: Any, path: str, masked: list[str], *, headers: bool = False) -> Any:
    """The same value without strings under a secret's name or in ``headers``; their places go to ``masked``.

    A schema that describes a secret is none, so only strings are replaced.
    """
    if isinstance(value, dict):
        return {
            key: mask(item, f"{path}.{key}" if path else key, masked, headers=headers or key == "headers")
            if not (isinstance(item, str) and item and (headers or _SECRET.search(key)))
            else _masked_at(f"{path}.{key}" if path else key, masked)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [mask(item, f"{path}[{index}]", masked, headers=headers) for index, item in enumerate(value)]
    return value


def _masked_at(place: str, masked: list[str]) -> str:
    masked.append(place)
    return REMOVED


def note_keys(headers: Mapping[str, str]) -> None:
    """Remember, in memory alone, the keys that these request headers carry."""
    for name in _CARRIERS:
        value = headers.get(name)
        if value:
            for key in (value.strip(), value.strip().rpartition(" ")[2]):
                if len(key) >= _SHORTEST:
                    _seen[key] = None
                    _seen.move_to_end(key)
    while len(_seen) > _KEPT:
        _seen.popitem(last=False)


def without_keys(text: str, *, sure: bool = False) -> str:
    """The text without any key that was seen; with ``sure``, short ones that may be words are left."""
    for key in list(_seen):
        if len(key) >= (_SURE if sure else _SHORTEST) and key in text:
            text = text.replace(key, REMOVED)
    return text
