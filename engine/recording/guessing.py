"""A summarizing call of an older release carries no mark: it is told by the shape of its prompt, and called a guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import HumanMessage

GUESSED = "purpose guessed"
"""Kind of the event on a request whose purpose is a guess."""
_OPENING = "<role>\nContext Extraction Assistant\n</role>"
_HISTORY = "<messages>\nMessages to summarize:\n"


def looks_like_summary(received: Sequence[Any], given: Mapping[str, Any]) -> bool:
    """Whether a call has the form that LangChain and deepagents give a summarizing one.

    One human message that opens and ends as their default prompts do, and no tools. A prompt of
    somebody's own is not recognized.
    """
    if given.get("tools") or len(received) != 1 or not isinstance(received[0], HumanMessage):
        return False
    content = received[0].content
    if not isinstance(content, str):
        return False
    return content.startswith(_OPENING) and _HISTORY in content and content.endswith("</messages>")
