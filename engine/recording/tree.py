"""Where a model call stands in the tree of runs that one invocation makes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID


@dataclass(slots=True)
class Tree:
    """One invocation of an agent, a chain or a bare model: all runs under one root."""

    root: UUID
    """The topmost run that was seen."""
    started_at: float = field(default_factory=time.time)
    runs: dict[str, str] = field(default_factory=dict)
    """Tokens of the runs in the record, by thread; empty until a model is called."""
    calls: dict[str, str] = field(default_factory=dict)
    """Tokens of the requests that asked for a tool, by tool call id."""
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """What stands around a model call. LangChain hands it down from run to run."""

    tree: Tree | None = None
    node: str | None = None
    """Node of a graph that is running, unless a tool in it is."""
    state: Mapping[str, Any] | None = None
    """What the node was given."""
    tool_call: str | None = None
    """Id of the innermost tool call that is being answered."""


NOWHERE = Place()
