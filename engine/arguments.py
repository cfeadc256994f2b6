"""Arguments of tools, typed as JSON texts, checked against the schemas that the model was given."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engine.errors import UsageError


def arguments(tool: str, text: str, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments that a text holds.

    Raises:
        UsageError: it is no JSON object, or does not fit the schema; the sentence says where and why.
    """
    try:
        value = json.loads(text or "{}")
    except ValueError as error:
        where = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise UsageError(f"The arguments of {tool} are not JSON{where}. Write an object, {{…}}.") from None
    if not isinstance(value, dict):
        raise UsageError(f"The arguments of {tool} must be a JSON object, {{…}}, by name.")
    if schema:
        fault = _fault(value, schema)
        if fault is not None:
            raise UsageError(f"The arguments of {tool} don't fit its schema: {fault}.")
    return value


def schema_of(tool: Mapping[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Name, description and arguments' schema of a tool in any provider's form."""
    inner = tool.get("function") if isinstance(tool.get("function"), Mapping) else tool
    found = inner if isinstance(inner, Mapping) else tool
    schema = found.get("parameters") or found.get("input_schema") or {}
    return str(found.get("name") or ""), str(found.get("description") or ""), dict(schema)


def _fault(value: dict[str, Any], schema: Mapping[str, Any]) -> str | None:
    """The first thing that is wrong, in words; None when all is well, or the schema itself can't be read."""
    from jsonschema.validators import validator_for  # deferred: takes 0.1 s to import
    from referencing import Registry

    known = schema.get("properties")
    if isinstance(known, Mapping):
        unknown = [name for name in value if name not in known]
        if unknown and not schema.get("additionalProperties"):
            names = ", ".join(known) or "none"
            return f"there is no argument {unknown[0]!r} (it has {names})"
    try:
        # An empty registry: a schema that refers to an address on the network is not followed there.
        checker = validator_for(dict(schema))(dict(schema), registry=Registry())
        found = min(checker.iter_errors(value), key=lambda each: list(map(str, each.path)), default=None)
    except Exception:  # a schema of the user's own making may be anything
        return None
    if found is None:
        return None
    place = ".".join(map(str, found.absolute_path))
    words = found.message if len(found.message) <= 300 else found.message[:299] + "…"
    return f"{place}: {words}" if place else words
