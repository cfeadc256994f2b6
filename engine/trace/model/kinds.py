"""Words of the read model: purposes, kinds, fates."""

from __future__ import annotations

from typing import Literal

Purpose = Literal["agent", "subagent", "summary", "other"]
TokenSource = Literal["reported", "estimated", "unknown"]
Kind = Literal["system", "memory", "skills", "tools", "human", "ai", "tool", "summary", "other"]
"""One colour and one letter each in the window: S M K T H A R Σ ·"""

Fate = Literal[
    "sent",
    "summarized",
    "arguments cut",
    "clipped",
    "offloaded",
    "reasoning dropped",
    "patched",
    "replaced",
    "not sent",
]
"""What became of a raw message in a request; ``not sent`` is one that no known rule explains."""

Piece = tuple[int, str, int, int]
"""A part without its body: its id, kind, characters and estimated tokens."""

Origin = Literal["raw", "summary", "inserted"]
"""Where an effective message comes from: a raw one, the summary in force, or added by a middleware."""
