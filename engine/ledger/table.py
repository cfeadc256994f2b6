"""The ledger as CSV: a row a request for a chart or a spreadsheet, and a row an artifact."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from engine.ledger.model import Ledger

REQUEST_COLUMNS = (
    "number",
    "purpose",
    "agent",
    "received_chars",
    "received_tokens",
    "tokens",
    "tool_returned_chars",
    "offloaded_chars",
    "left_chars",
    "summarized_chars",
    "summary_chars",
    "history_chars",
    "original_chars",
    "share",
    "system_chars",
    "tools_chars",
    "other_chars",
)
ARTIFACT_COLUMNS = (
    "path",
    "kind",
    "request",
    "chars",
    "lines",
    "reads_needed",
    "read_chars",
    "read_tokens",
    "unreachable_chars",
    "reads_made",
    "lines_read",
    "read_percent",
    "problem",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def request_values(ledger: Ledger) -> list[dict[str, Any]]:
    """Rows by column, ``id`` first."""
    return [{"id": row.id, **{name: getattr(row, name) for name in REQUEST_COLUMNS}} for row in ledger.rows]


def total_values(ledger: Ledger) -> dict[str, Any]:
    """The totals by name."""
    return asdict(ledger.totals)


def requests_csv(ledger: Ledger) -> str:
    """A row a request, then one whose number is ``total``. Shares have four digits, what is not known is empty."""
    totals = total_values(ledger)
    rows = [[row[name] for name in REQUEST_COLUMNS] for row in request_values(ledger)]
    rows.append(["total", *(totals.get(name) for name in REQUEST_COLUMNS[1:])])
    return _csv(REQUEST_COLUMNS, rows)


def artifacts_csv(ledger: Ledger) -> str:
    """A row an offloaded text or saved history."""
    return _csv(ARTIFACT_COLUMNS, [[getattr(item, name) for name in ARTIFACT_COLUMNS] for item in ledger.artifacts])


def _csv(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A cell that a spreadsheet shows and does not run: names come from the thread."""
    if isinstance(value, float):
        return f"{value:.4f}"
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
