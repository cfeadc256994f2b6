"""The sentences in which the engine tells the model where a text was put, read back.

Wordings of deepagents 0.7 (``_message_eviction.py``, ``filesystem.py``, ``summarization.py``);
contract tests hold them against the installed release.
"""

from __future__ import annotations

import re

_OFFLOADED = re.compile(
    r"\ATool result too large, the result of this tool call .{0,64}? was saved in the filesystem at this path: "
    r"(.+?)\n\nYou can read the result",
    re.DOTALL,
)
_HISTORY = re.compile(
    r"\AYou are in the middle of a conversation that has been summarized\.\n\n"
    r"The full conversation history has been saved to (.+?) should you need to refer back to it",
    re.DOTALL,
)
_HEAD = 4_000  # characters; a tool call id, and so a path, may be long


def offload_path(text: str) -> str | None:
    """Path of an offloaded tool result, from the stub left in its place; None for any other text."""
    found = _OFFLOADED.match(text[:_HEAD])
    return found.group(1) if found else None


def history_path(text: str) -> str | None:
    """Path of the saved history, from a summary message; None when saving it failed."""
    found = _HISTORY.match(text[:_HEAD])
    return found.group(1) if found else None
