"""Names that the record and its readers share."""

from __future__ import annotations

CALLER = "caller"
"""Contributor of what was passed to the agent, not added by a middleware."""

_BLOCK_KINDS = {"MemoryMiddleware": "memory", "SkillsMiddleware": "skills"}


def block_kind(contributor: str) -> str:
    """Kind of a system block: ``memory``, ``skills`` or ``system``."""
    return _BLOCK_KINDS.get(contributor, "system")
