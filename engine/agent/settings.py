"""What an agent is made of: a plain value that the builder turns into a running agent.

It knows nothing of workspaces, recording or Qt. Every field left at its default keeps
the engine's own default. A value whose models and tools are all strings can be stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

ContextSize = tuple[Literal["tokens", "messages", "fraction"], float]
"""A size as LangChain's summarization middleware takes it: tokens, messages, or a fraction of the window."""

Tool = Callable[..., Any] | Any
"""A function, a LangChain tool, or a string that names where tools are loaded from: a Python file
(``tools.py``, or ``tools.py:name`` for one of them) or ``module:attribute``. Loading runs that code."""

Decision = Literal["approve", "edit", "reject"]


@dataclass(frozen=True)
class Place:
    """Where files lie: in the thread's state, in the workspace's store, or in a folder."""

    kind: Literal["state", "store", "filesystem"] = "state"
    root: str | None = None
    """Of ``filesystem``: the folder. Nothing outside it can be reached."""
    namespace: Sequence[str] = ()
    """Of ``store``: its parts; ``{tenant}`` and ``{user}`` stand for the identity of the run."""


DEFAULT_ROUTES: Mapping[str, Place] = {
    "/memories/": Place("store", namespace=("memories",)),
    "/skills/": Place("store", namespace=("skills",)),
}


@dataclass(frozen=True)
class BackendSettings:
    """Where the files of an agent lie, by the beginning of their path; the longest route that fits counts."""

    default: Place = Place()
    routes: Mapping[str, Place] = field(default_factory=lambda: dict(DEFAULT_ROUTES))
    """Prefix, ``/…/`` → place. The prefix is no part of a file's name there."""
    artifacts_root: str = "/"
    """Folder under which offloaded results and saved histories are put."""


@dataclass(frozen=True)
class Identity:
    """For whom an agent runs: its runtime context. The model never sees it, and no tool takes it as an argument."""

    tenant: str
    user: str


@dataclass(frozen=True)
class Permission:
    """A rule for the file tools; the first that fits counts, and what none fits is allowed."""

    operations: Sequence[Literal["read", "write"]]
    paths: Sequence[str]
    """Patterns that begin with ``/``; ``**`` crosses folders."""
    mode: Literal["allow", "deny", "interrupt"] = "allow"


@dataclass(frozen=True)
class ArgumentCut:
    """When arguments of old tool calls are cut; less drastic than a summary, and earlier."""

    trigger: ContextSize
    keep: ContextSize
    """Messages at the end that are left whole."""
    max_length: int = 2_000
    """Characters of one argument that are left."""


@dataclass(frozen=True)
class SubagentSettings:
    """One subagent that the main agent can start with its ``task`` tool."""

    name: str
    description: str
    system_prompt: str
    tools: Sequence[Tool] = ()
    model: Any | None = None
    """``provider:model``, a chat model, or None for the main agent's model."""
    mode: Literal["isolated", "fork"] = "isolated"
    """``isolated`` gets the task alone; ``fork`` goes on with the parent's conversation (experimental)."""


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
    tags: Mapping[str, str] = field(default_factory=dict)
    """Free labels shown with the thread."""
