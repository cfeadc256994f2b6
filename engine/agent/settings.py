"""What an agent is made of: a plain value that the builder turns into a running agent.

It knows nothing of workspaces, recording or Qt. Every field left at its default keeps
the engine's own default. A value whose models and tools are all strings can be stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from engine.places import DEFAULT_ROUTES, BackendSettings, Identity, Place

__all__ = [
    "DEFAULT_ROUTES",
    "AgentSettings",
    "ArgumentCut",
    "BackendSettings",
    "ContextSize",
    "Decision",
    "Identity",
    "Permission",
    "Place",
    "SubagentSettings",
    "Tool",
]

ContextSize = tuple[Literal["tokens", "messages", "fraction"], int | float]
"""A size as LangChain's summarization middleware takes it: tokens, messages, or a fraction of the window."""

Tool = Callable[..., Any] | Any
"""A function, a LangChain tool, or a string that names where tools are loaded from: a Python file
(``tools.py``, or ``tools.py:name`` for one of them) or ``module:attribute``. Loading runs that code."""

Decision = Literal["approve", "edit", "reject", "respond"]
"""What may be done with a tool call that waits: let it run, change it, refuse it, or answer in the tool's place."""


@dataclass(frozen=True)
class Permission:
    """A rule for the file tools; the first that fits counts, and what none fits is allowed."""

    operations: Sequence[Literal["read", "write"]]
    paths: Sequence[str]
    """Patterns that begin with ``/``; ``**`` crosses folders."""
    mode: Literal["allow", "deny", "interrupt"] = "allow"

    def __post_init__(self) -> None:
        _fix_lists(self)


@dataclass(frozen=True)
class ArgumentCut:
    """When arguments of old tool calls are cut; less drastic than a summary, and earlier."""

    trigger: ContextSize
    keep: ContextSize
    """Messages at the end that are left whole."""
    max_length: int = 2_000
    """Characters above which one argument is cut; its first 20 are left."""

    def __post_init__(self) -> None:
        _fix_lists(self)


@dataclass(frozen=True)
class SubagentSettings:
    """One subagent that the main agent can start with its ``task`` tool."""

    name: str
    description: str
    system_prompt: str
    """Of a ``fork``: added to the main agent's."""
    tools: Sequence[Tool] | None = None
    """None for the main agent's tools; empty for none but the file tools."""
    model: Any | None = None
    """``provider:model``, a chat model, or None for the main agent's model."""
    mode: Literal["isolated", "fork"] = "isolated"
    """``isolated`` gets the task alone; ``fork`` goes on with the parent's conversation (experimental)."""
    skills: Sequence[str] = ()
    """Folders of skills; a ``fork`` has the main agent's and can't have its own."""
    other: Mapping[str, Any] = field(default_factory=dict)
    """As in :class:`AgentSettings`."""

    def __post_init__(self) -> None:
        _fix_lists(self)


@dataclass(frozen=True)
class AgentSettings:
    """Everything the builder needs to make one agent over a workspace."""

    model: Any
    """``provider:model``, a LangChain chat model object, ``scripted`` (offline) or ``hand`` (you answer)."""
    name: str | None = None
    model_parameters: Mapping[str, Any] = field(default_factory=dict)
    """Passed to the integration: ``temperature``, ``max_tokens`` … Never a key."""
    base_url: str | None = None
    """Of a server that speaks the provider's protocol; None for the provider's own."""
    profile: Mapping[str, Any] | None = None
    """Model profile (``max_input_tokens`` in tokens) where the integration has none."""
    system_prompt: str | None = None
    tools: Sequence[Tool] = ()
    subagents: Sequence[SubagentSettings] = ()
    memory: Sequence[str] = ("/memories/AGENTS.md",)
    """Memory files, loaded in this order into the system message."""
    skills: Sequence[str] = ("/skills/",)
    """Folders searched for ``*/SKILL.md``; the last of two equal names wins."""
    backend: BackendSettings = field(default_factory=BackendSettings)
    identity: Identity | None = None
    permissions: Sequence[Permission] = ()
    interrupts: Mapping[str, Sequence[Decision]] = field(default_factory=dict)
    """Tool → what the user may decide before it runs; empty for every decision."""
    offload_results: int | Literal["default", "off"] = "default"
    """Tokens (4 characters each) above which a tool result becomes a file; the engine's default is 20,000."""
    offload_messages: int | Literal["default", "off"] = "default"
    """Tokens above which a pasted user message becomes a file; the engine's default is 50,000."""
    summarize: Literal["default", "off"] | ContextSize = "default"
    """When older messages are summarized; by default 85 % of the window, or 170,000 tokens without a profile."""
    keep: ContextSize | None = None
    """How much stays after a summary; by default 10 % of the window, or 6 messages without a profile."""
    cut_arguments: Literal["default", "off"] | ArgumentCut = "default"
    """When arguments of old tool calls are cut."""
    summary_prompt: str | None = None
    """Template with ``{messages}``; None for the engine's own."""
    summary_model: Any | None = None
    """Who writes summaries; None for the agent's own model."""
    compact_tool: bool = False
    """Whether the model may ask for a summary itself (``compact_conversation``)."""
    compact_prompt: str | None = None
    """Words in the system message that tell the model of that tool; None for none."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Free labels shown with the thread."""
    other: Mapping[str, Any] = field(default_factory=dict)
    """Settings that another version of the program stored and this one doesn't understand: kept, without effect."""

    def __post_init__(self) -> None:
        _fix_lists(self)
        interrupts = {tool: tuple(decisions) for tool, decisions in self.interrupts.items()}
        object.__setattr__(self, "interrupts", interrupts)


def _fix_lists(value: Any) -> None:
    """Lists become tuples, so that settings that say the same are equal however they were written."""
    for name, held in vars(value).items():
        if isinstance(held, list):
            object.__setattr__(value, name, tuple(held))
