"""The Provider area as it is shown: parameters, and where cache markers stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.trace.book import Book
from engine.trace.model import PartRow


def provider_of(
    book: Book,
    params: dict[str, Any],
    system: Sequence[PartRow],
    tools: Sequence[PartRow],
    messages: Sequence[PartRow],
) -> dict[str, Any]:
    """The recorded parameters, with ``cache_markers`` and ``wire`` (None: not recorded).

    A marker is ``{"area", "index", "marker"}``, plus ``block`` inside a message.
    """
    markers: list[dict[str, Any]] = []
    for area, rows in (("system", system), ("tools", tools)):
        for row in rows:
            value = book.value(row.part)
            marker = _marker(value)
            if marker is not None:
                markers.append({"area": area, "index": row.index, "marker": marker})
    # Integrations put markers on the last messages; older ones keep theirs, so a few more are looked at.
    for row in list(messages)[-8:]:
        data = book.value(row.part).get("data") or {}
        content = data.get("content")
        for at, block in enumerate(content if isinstance(content, list) else ()):
            marker = _marker(block)
            if marker is not None:
                markers.append({"area": "messages", "index": row.index, "block": at, "marker": marker})
    for name in ("model_settings", "kwargs"):
        marker = (params.get(name) or {}).get("cache_control")
        if marker is not None:
            markers.append({"area": "provider", "index": 0, "in": name, "marker": marker})
    return {**params, "cache_markers": markers, "wire": None}


def _marker(value: Any) -> Any:
    if not isinstance(value, dict):
        return None
    extras = value.get("extras")
    return value.get("cache_control") or (extras.get("cache_control") if isinstance(extras, dict) else None)
