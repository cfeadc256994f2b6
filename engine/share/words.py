"""Words that every format of a page says at its top."""

from __future__ import annotations

from datetime import UTC, datetime

from engine.share.page import Outline


def head_words(outline: Outline) -> list[tuple[str, str]]:
    """What the page is of, and what it leaves out."""
    thread = outline.thread
    words = [("thread", thread.thread_id), ("agent", thread.agent or "main")]
    if thread.updated_at is not None:
        words.append(("last changed", f"{datetime.fromtimestamp(thread.updated_at, UTC):%Y-%m-%d %H:%M} UTC"))
    words.append(("requests", f"{len(outline.sections)} of {'?' if thread.requests is None else thread.requests}"))
    files = f"{len(outline.files)}, {outline.file_bytes:,} bytes"
    words.append(("artifacts", f"{files}, {'included' if outline.with_files else 'listed without their contents'}"))
    words.append(("secrets", masked_words(outline)))
    return words


def masked_words(outline: Outline) -> str:
    """How many likely secrets were masked, by rule."""
    counts = outline.masker.counts
    if not outline.masker.on:
        return "not masked"
    if not counts:
        return "none found"
    return f"{counts.total()} masked: " + ", ".join(f"{rule} {count}" for rule, count in counts.most_common())
