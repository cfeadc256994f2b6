"""What observing an agent's middlewares gives: who added what, and the raw state.

:mod:`engine.recording.assembling` observes agents when they are put together; here is what their middlewares
tell, and who may listen.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(slots=True)
class Layer:
    """A model request as it stood between two middlewares."""

    system: Any
    messages: Any
    tools: Any
    settings: Any
    model: Any


@dataclass(slots=True)
class Call:
    """One pass of a model node through its middlewares."""

    assembly: Assembly
    state: Any
    layers: list[Layer | None] = field(default_factory=list)
    """As the caller gave it, then after each middleware; None after one that wraps no calls."""
    inside: bool = False
    """Whether the innermost middleware has handed over to the model."""
    children: list[str] = field(default_factory=list)
    """Tokens of requests that a middleware made meanwhile."""
    rejected: str | None = None
    """Token of the request that the model's window did not hold; the engine then summarizes and tries again."""


@dataclass(slots=True)
class Assembly:
    """What is known of one agent when it is put together."""

    names: list[str]
    """Middlewares, outermost first."""
    tools: dict[str, str]
    """Contributor of each tool by name."""
    summarizer: Any = None
    rules: dict[str, Any] = field(default_factory=dict)
    """See :mod:`engine.recording.rules`."""


class Listener(Protocol):
    """What is told of tools. Its methods never raise."""

    def tool_called(self, request: Any) -> None: ...

    def tool_changed(self, request: Any, given: Any, left: Any) -> None: ...

    def tool_answered(self, request: Any, result: Any) -> None: ...


class Follower:
    """A callback handler of ours: whoever follows a run is told of its tools."""

    listener: Listener | None = None


current: ContextVar[Call | None] = ContextVar("context_inspector_call", default=None)


def tool_name(tool: Any) -> str:
    """Name of a tool, a callable, or a schema in any provider's form."""
    if isinstance(tool, dict):
        return str(tool.get("name") or (tool.get("function") or {}).get("name") or tool.get("type") or "")
    return str(getattr(tool, "name", None) or getattr(tool, "__name__", ""))
