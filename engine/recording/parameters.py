"""The Provider area: model, parameters and settings of a call, without secrets."""

from __future__ import annotations

from typing import Any

from engine.recording.handler import OpenRequest
from engine.recording.observers import Call
from engine.wire.secrets import without_secrets


def parameters(
    opened: OpenRequest, stop: Any, given: dict[str, Any], call: Call | None, profile: dict[str, Any]
) -> dict[str, Any]:
    """What the model object was told beside messages and tools.

    ``params`` are LangChain's invocation parameters, ``kwargs`` the keyword arguments that the
    model's method got; tools stand in their own area and are left out of both.
    """
    identity = opened.serialized.get("id") or []
    layer = call.layers[-1] if call is not None and call.layers else None
    return {
        "provider": opened.metadata.get("ls_provider"),
        "model": opened.metadata.get("ls_model_name"),
        "class": ".".join(map(str, identity)) or opened.serialized.get("name"),
        "params": without_secrets(_without_tools(opened.extra.get("invocation_params") or {})),
        "kwargs": without_secrets(_without_tools(given)),
        "stop": stop,
        "model_settings": without_secrets(dict(getattr(layer, "settings", None) or {})),
        "profile": profile,
    }


def _without_tools(params: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in params.items() if name != "tools"}
