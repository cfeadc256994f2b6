"""The words that a hit of the search stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.search.model import Hit


def words_of(hit: Hit) -> str:
    """The words of the first match, as the text has them; empty for a hit of filters alone."""
    if not hit.marks or not hit.length:
        return ""
    start, length = hit.marks[0]
    return hit.snippet[start : start + length]
