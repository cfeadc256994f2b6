"""Threads of workspaces and of other people's LangGraph databases, behind one read interface. Never writes."""

from engine.sources.opening import open_source
from engine.sources.source import Source

__all__ = ["Source", "open_source"]
