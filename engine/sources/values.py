"""Stored values of a LangGraph database as plain data. Nothing that the file names is imported or called.

LangGraph's own serializer makes objects of the classes that a value names, drops what it
may not make, and gives secrets back as plain text. Here each MessagePack extension, and
each constructor in older JSON, becomes data marked with its type's name; messages become
:class:`Message`, secrets ``(secret)``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import ormsgpack

from engine.sources.messages import LEGACY_TYPES, Message, is_message_class

TYPE = "__type__"
"""Key of a marked value's type: a class's name, or ``unknown type`` and its name."""
VALUE = "value"
SECRET = "(secret)"

DAMAGED = "damaged"
"""Type of what the file could not give."""

Keep = Callable[[bytes | None, Callable[[], dict[str, Any]]], Message]
"""Keeps a message: its stored bytes, by which an equal one is known, and how to read its fields."""

_OPTIONS = ormsgpack.OPT_NON_STR_KEYS
_KNOWN = ("langgraph.", "langchain", "deepagents.")
_LISTS = {"set", "frozenset", "deque", "tuple"}
_AS_TEXT = {
    "uuid.UUID", "decimal.Decimal", "datetime.datetime", "zoneinfo.ZoneInfo",
    "ipaddress.IPv4Address", "ipaddress.IPv4Interface", "ipaddress.IPv4Network",
    "ipaddress.IPv6Address", "ipaddress.IPv6Interface", "ipaddress.IPv6Network",
}  # fmt: skip


class UnreadableError(Exception):
    """A stored value that can't be read; ``str(error)`` says why, in words."""


class EncryptedError(UnreadableError):
    """A stored value that its program encrypted."""

    def __init__(self, cipher: str) -> None:
        super().__init__(f"encrypted with {cipher}, not readable here")
        self.cipher = cipher


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The whole value of a delta channel."""

    value: Any


class Decoder:
    """Reads stored values; messages are handed to ``keep``."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep

    def load(self, kind: Any, data: Any) -> Any:
        """A value from its two columns.

        Raises:
            UnreadableError: with the reason; EncryptedError where that is one.
        """
        if isinstance(kind, str) and "+" in kind:
            raise EncryptedError(kind.partition("+")[2])
        if kind == DAMAGED:
            raise UnreadableError("damaged")
        if kind == "null" or (data is None and kind is None):
            return None
        if isinstance(data, str) and kind not in {None, "json"}:
            raise UnreadableError("damaged: text where bytes should be")
        if not isinstance(data, (bytes, str)):
            raise UnreadableError(f"damaged: {type(data).__name__} where bytes should be")
        if kind in {"bytes", "bytearray"}:
            return data
        if kind is None:  # releases of 2024 did not say
            kind = "pickle" if data[:1] == b"\x80" else "json"
        try:
            if kind == "json":
                return json.loads(data, object_hook=self._constructor)
            if kind == "msgpack" and isinstance(data, bytes):
                return ormsgpack.unpackb(data, ext_hook=self._extension, option=_OPTIONS)
        except (ValueError, RecursionError) as error:
            raise UnreadableError(f"damaged: {_first_line(error)}") from error
        raise UnreadableError(f"stored as {kind}, which is not read here")

    def _extension(self, code: int, data: bytes) -> Any:
        if code == 7:
            return Snapshot(self._unpack(data))
        if code == 5 or code == 4:
            return self._model(data)
        parts = self._unpack(data) if code in {0, 1, 2, 3, 6} else None
        if code == 6 and isinstance(parts, (list, tuple)) and len(parts) == 4:
            return {TYPE: "numpy.ndarray", "dtype": parts[0], "shape": parts[1], "bytes": len(parts[3])}
        if isinstance(parts, (list, tuple)) and len(parts) >= 3:
            return constructed(str(parts[0]), str(parts[1]), parts[2])
        return {TYPE: f"unknown type (MessagePack extension {code})", "bytes": len(data)}

    def _model(self, data: bytes) -> Any:
        """A pydantic model; a message is known by its bytes before anything in it is read."""
        head = data[:80]
        if (b"langchain" in head and b".messages." in head) or b"langchain.schema" in head:
            return self._keep(data, lambda: self._message_fields(data))
        parts = self._unpack(data)
        if isinstance(parts, (list, tuple)) and len(parts) >= 3:
            if is_message_class(str(parts[0]), str(parts[1])) or _looks_like_message(parts[2]):
                return self._keep(data, lambda: self._message_fields(data))
            return constructed(str(parts[0]), str(parts[1]), parts[2])
        return {TYPE: "unknown type (damaged model)", VALUE: parts}

    def _message_fields(self, data: bytes) -> dict[str, Any]:
        parts = self._unpack(data)
        if not isinstance(parts, (list, tuple)) or len(parts) < 3 or not isinstance(parts[2], dict):
            raise UnreadableError("damaged: a message without fields")
        fields = parts[2]
        if not is_message_class(str(parts[0]), str(parts[1])):
            fields = {**fields, TYPE: type_name(str(parts[0]), str(parts[1]))}
        return fields

    def _unpack(self, data: bytes) -> Any:
        return ormsgpack.unpackb(data, ext_hook=self._extension, option=_OPTIONS)

    def _constructor(self, value: dict[str, Any]) -> Any:
        """LangChain's and LangGraph's JSON of objects (``lc`` 1 and 2)."""
        if value.get("lc") not in {1, 2} or not isinstance(value.get("id"), list):
            return value
        *module, name = [str(part) for part in value["id"]] or [""]
        if value.get("type") == "secret":
            return SECRET
        if value.get("type") == "not_implemented":
            return {TYPE: f"unknown type {'.'.join([*module, name])}", "repr": value.get("repr")}
        kwargs, args = value.get("kwargs"), value.get("args")
        if name in LEGACY_TYPES and isinstance(kwargs, dict):
            fields = {"type": LEGACY_TYPES[name], **kwargs}
            return self._keep(None, lambda: fields)
        if isinstance(kwargs, dict) and kwargs:
            return constructed(".".join(module), name, kwargs)
        simple = args[0] if isinstance(args, list) and len(args) == 1 else args
        return constructed(".".join(module), name, simple)


def constructed(module: str, name: str, value: Any) -> Any:
    """An object's data: as it is for plain types of Python's own library, marked with its type for all others."""
    if "Secret" in name and not isinstance(value, dict):
        return SECRET
    full = f"{module}.{name}"
    if full == "uuid.UUID" and isinstance(value, str) and len(value) == 32:
        return "-".join((value[:8], value[8:12], value[12:16], value[16:20], value[20:]))
    if full in _AS_TEXT and isinstance(value, str):
        return value
    if module in {"builtins", "collections"} and name in _LISTS and isinstance(value, (list, tuple)):
        return list(value)
    if module.startswith("pathlib") and isinstance(value, (list, tuple)):
        return "/".join(str(part) for part in value).replace("//", "/", 1)
    if full == "langgraph.types.Send" and isinstance(value, (list, tuple)) and len(value) >= 2:
        return {TYPE: full, "node": value[0], "arg": value[1]}
    if isinstance(value, dict) and TYPE not in value:
        return {TYPE: type_name(module, name), **value}
    return {TYPE: type_name(module, name), VALUE: value}


def type_name(module: str, name: str) -> str:
    """A type's name as it is shown: one that neither Python nor LangChain defines is an unknown type."""
    known = module.startswith(_KNOWN) or module in {"builtins", "collections", "datetime", "re", "uuid", "decimal"}
    return f"{module}.{name}" if known else f"unknown type {module}.{name}"


def plain(value: Any, message: Callable[[Message], Any]) -> Any:
    """The value as JSON can hold it: names of keys as text, bytes by their number, messages by ``message``."""
    if isinstance(value, Message):
        return message(value)
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): plain(item, message) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, message) for item in value]
    if isinstance(value, Snapshot):
        return plain(value.value, message)
    if isinstance(value, (bytes, bytearray)):
        return {TYPE: "bytes", "bytes": len(value)}
    return value


def _looks_like_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") in LEGACY_TYPES.values() and "content" in value


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]
