"""What an agent is made of: a plain value that the builder turns into a running agent.

It knows nothing of workspaces, recording or Qt. Every field left at its default keeps
the engine's own default.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ContextSize = tuple[Literal["tokens", "messages", "fraction"], float]
"""A size as LangChain's summarization middleware takes it: tokens, messages, or a fraction of the window."""


@dataclass(frozen=True)
class SubagentSettings:
    """One subagent that the main agent can start with its ``task`` tool."""

    name: str
    description: str
    system_prompt: str
    tools: Sequence[Callable[..., Any] | Any] = ()
    model: Any | None = None
    """``provider:model``, a chat model, or None for the main agent's model."""


@dataclass(frozen=True)
class AgentSettings:
    """Everything the builder needs to make one agent over a workspace."""

    model: Any
    """``provider:model`` or a LangChain chat model object."""
    name: str | None = None
    profile: Mapping[str, Any] | None = None
    """Model profile (``max_input_tokens`` in tokens) where the integration has none."""
    system_prompt: str | None = None
    tools: Sequence[Callable[..., Any] | Any] = ()
    subagents: Sequence[SubagentSettings] = ()
    memory: Sequence[str] = ("/memories/AGENTS.md",)
    """Memory files, loaded in this order into the system message."""
    skills: Sequence[str] = ("/skills/",)
    """Folders searched for ``*/SKILL.md``; the last of two equal names wins."""
    offload_results: int | Literal["default", "off"] = "default"
    """Tokens (4 characters each) above which a tool result becomes a file; the engine's default is 20,000."""
    offload_messages: int | Literal["default", "off"] = "default"
    """Tokens above which a pasted user message becomes a file; the engine's default is 50,000."""
    summarize: Literal["default", "off"] | ContextSize = "default"
    """When older messages are summarized; by default 85 % of the window, or 170,000 tokens without a profile."""
    keep: ContextSize | None = None
    """How much stays after a summary; by default 10 % of the window, or 6 messages without a profile."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Free labels shown with the thread."""
