"""What tools cost."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolCost:
    """One tool over a thread, or over one of its agents."""

    name: str
    contributor: str
    tokens: int
    """Of its schema, as last sent."""
    requests: int
    """That carried it."""
    tokens_sent: int
    """Of its schema over all of them."""
    calls: int
    results: int
    result_chars: int
    """As the tool returned them, offloaded ones whole where that is known."""
    result_tokens: int
    """As they stand in the state."""
    largest: int
    """Characters of its largest result."""
    errors: int
    offloaded: int


@dataclass(frozen=True, slots=True)
class ToolReport:
    """The tools of a thread, the dearest first."""

    thread_id: str
    tools: tuple[ToolCost, ...]

    @property
    def never_called(self) -> tuple[ToolCost, ...]:
        """Tools that were sent and not called once."""
        return tuple(tool for tool in self.tools if tool.requests and not tool.calls)
