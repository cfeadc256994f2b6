"""Memory and skill files of a workspace: saving, versions, what a model gets of them, and what edits reach.

Knows nothing of Qt. What needs deepagents or an agent is in modules of its own, loaded when first used.
"""

from engine.memory.stored import StoredMemory, delete_memory, read_memory, save_memory, version_of
from engine.memory.versions import EarlierMemory, earlier_versions

__all__ = [
    "EarlierMemory",
    "StoredMemory",
    "delete_memory",
    "earlier_versions",
    "read_memory",
    "save_memory",
    "version_of",
]
