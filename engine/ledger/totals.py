"""A thread's rows added up, reported and estimated tokens kept apart."""

from __future__ import annotations

from collections.abc import Sequence

from engine.ledger.model import LedgerRow, LedgerTotals, TokenSource


def totals_of(rows: Sequence[LedgerRow]) -> LedgerTotals:
    """Totals over all requests, summarizing calls and subagents included."""
    reported = [row.received_tokens or 0 for row in rows if row.tokens == "reported"]
    estimated = [row.received_tokens or 0 for row in rows if row.tokens == "estimated"]
    source: TokenSource = "unknown"
    if reported or estimated:
        source = "mixed" if reported and estimated else "reported" if reported else "estimated"
    known = [row for row in rows if row.original_chars is not None]
    original = sum(row.original_chars or 0 for row in known)
    last = next((row for row in reversed(rows) if row.purpose == "agent"), None)
    return LedgerTotals(
        requests=len(rows),
        received_chars=sum(row.received_chars for row in rows),
        received_tokens=None if source in {"mixed", "unknown"} else sum(reported or estimated),
        tokens=source,
        reported_tokens=sum(reported),
        estimated_tokens=sum(estimated),
        tool_returned_chars=sum(row.tool_returned_chars for row in rows),
        offloaded_chars=sum(row.offloaded_chars for row in rows),
        left_chars=sum(row.left_chars for row in rows),
        summarized_chars=sum(row.summarized_chars for row in rows),
        original_chars=original,
        share=sum(row.received_chars for row in known) / original if original else None,
        last_received_chars=last.received_chars if last else 0,
        last_original_chars=last.original_chars if last else None,
        last_share=last.share if last else None,
        history_chars=last.history_chars if last else None,
    )
