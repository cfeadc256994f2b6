"""Reported tokens told apart, so that nothing is counted twice and nothing is made up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.wire.model import TokenSplit

_TIERS = ("", "priority_", "flex_")
"""Prefixes that LangChain puts before the details of OpenAI's service tiers."""


def split(usage: Mapping[str, Any] | None) -> TokenSplit:
    """Tell LangChain's ``usage_metadata`` apart; its input holds cache reads and creations already."""
    if not usage:
        return TokenSplit(False)
    details, out = _details(usage, "input_token_details"), _details(usage, "output_token_details")
    given, answered = _number(usage, "input_tokens"), _number(usage, "output_tokens")
    read = _tiered(details, "cache_read")
    five, hour = _number(details, "ephemeral_5m_input_tokens"), _number(details, "ephemeral_1h_input_tokens")
    created, lifetimes = _tiered(details, "cache_creation"), (five or 0) + (hour or 0)
    if lifetimes and created != lifetimes:  # LangChain moves the total into its parts; never both
        created = (created or 0) + lifetimes
    cached = (read or 0) + (created or 0)
    problem = None
    if given is not None and cached > given:
        problem = f"{cached:,} tokens from and to the cache are more than the {given:,} of all input"
    total = _number(usage, "total_tokens")
    if problem is None and None not in (total, given, answered) and total != (given or 0) + (answered or 0):
        problem = f"the total of {total:,} is not the {given:,} of input and the {answered:,} of output"
    return TokenSplit(
        reported=True,
        input=given,
        fresh=None if given is None or cached > given else given - cached,
        cache_read=read,
        cache_creation=created,
        cache_creation_5m=five,
        cache_creation_1h=hour,
        output=answered,
        reasoning=_tiered(out, "reasoning"),
        problem=problem,
    )


def _details(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = usage.get(name)
    return found if isinstance(found, Mapping) else {}


def _tiered(details: Mapping[str, Any], name: str) -> int | None:
    return next((found for tier in _TIERS if (found := _number(details, f"{tier}{name}")) is not None), None)


def _number(values: Mapping[str, Any], name: str) -> int | None:
    value = values.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
