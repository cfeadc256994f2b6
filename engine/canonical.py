"""Canonical JSON: a value as the bytes that the record keeps and hashes.

The order of keys, lone surrogates and NaN stay as they were given. What JSON can't hold is
replaced by a marked stand-in that names its type, and never by a guess.
"""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

UNSERIALIZABLE = "__unserializable__"
"""Key of the stand-in for a value that JSON can't hold; its value is the type's name."""


def to_json(value: Any) -> bytes:
    """Canonical JSON of any value, UTF-8 with lone surrogates kept."""
    return _encode(value).encode("utf-8", "surrogatepass")


def from_json(body: bytes) -> Any:
    """The value that :func:`to_json` wrote."""
    return json.loads(body.decode("utf-8", "surrogatepass"))


def json_text(value: Any) -> str:
    """Canonical JSON as text that a column can hold: half a surrogate pair stands in it as its JSON escape."""
    return _LONE.sub(lambda half: f"\\u{ord(half[0]):04x}", _encode(value))


def column_text(text: str) -> str:
    """A text as a column can hold it: SQLite has no form for half a surrogate pair, so that one is escaped."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def digest(kind: str, body: bytes) -> bytes:
    """What a part of the record is known by: its kind and its bytes."""
    return hashlib.blake2b(body, digest_size=16, person=kind.encode()[:16]).digest()


def stand_in(value: Any) -> Any:
    """What JSON can't hold: a model's own dump where it has one, else a marked stand-in."""
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        try:
            return dump()
        except Exception:  # a stranger's class: whatever it raises, the type can still be named
            pass
    return {UNSERIALIZABLE: f"{type(value).__module__}.{type(value).__qualname__}"}


_LONE = re.compile("[\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=stand_in).encode
