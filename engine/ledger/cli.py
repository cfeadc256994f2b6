"""The terminal command ``ledger``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from engine.tables import table

if TYPE_CHECKING:
    from engine.ledger.model import Ledger

_SHOWN = (
    "number",
    "purpose",
    "received_chars",
    "received_tokens",
    "tokens",
    "tool_returned_chars",
    "offloaded_chars",
    "summarized_chars",
    "history_chars",
    "original_chars",
)
_ARTIFACTS = ("path", "chars", "lines", "reads_needed", "read_tokens", "reads_made", "read_percent")


class Adding(Protocol):
    """Adds a command that takes a file, and returns its parser."""

    def __call__(self, name: str, run: Callable[[argparse.Namespace], Any], words: str) -> argparse.ArgumentParser: ...


def add_command(
    command: Adding,
    open_file: Callable[[argparse.Namespace], Any],
    thread_of: Callable[[Any, argparse.Namespace], str],
    to_json: Callable[[Any], str],
) -> None:
    """Add the command; ``open_file`` opens the file that the options name, ``thread_of`` checks their thread."""

    def ledger(options: argparse.Namespace) -> None:
        from engine.ledger import ledger_of, requests_csv

        source = open_file(options)
        counted = ledger_of(source, thread_of(source, options))
        if options.json:
            print(to_json(shape(counted)))
        elif options.csv:
            sys.stdout.write(requests_csv(counted).replace("\r\n", "\n"))
        else:
            print(_readable(counted))

    made = command("ledger", ledger, "Count what a thread's model received, and what was put away instead.")
    made.add_argument("--thread", required=True, metavar="ID")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON")
    how.add_argument("--csv", action="store_true", help="print a row a request as CSV, and the totals")


def shape(ledger: Ledger) -> dict[str, Any]:
    """The ledger as JSON values: ``thread_id, rows, totals, artifacts, published``."""
    return {
        "thread_id": ledger.thread_id,
        "rows": [{**asdict(row), "share": row.share} for row in ledger.rows],
        "totals": asdict(ledger.totals),
        "artifacts": [asdict(item) for item in ledger.artifacts],
        "published": [asdict(item) for item in ledger.published],
    }


def _readable(ledger: Ledger) -> str:
    totals = asdict(ledger.totals)
    rows = [[getattr(row, name) for name in _SHOWN] for row in ledger.rows]
    rows.append(["total", *(totals.get(name) for name in _SHOWN[1:])])
    parts = [table(_SHOWN, rows)]
    share, last = ledger.totals.share, ledger.totals.last_share
    if share is not None:
        parts.append(f"Received of the original: {share:.1%}" + (f", in the last request {last:.1%}" if last else ""))
    if ledger.totals.tokens == "mixed":
        parts.append(
            f"{ledger.totals.reported_tokens:,} tokens were reported; the other requests come to an estimated "
            f"{ledger.totals.estimated_tokens:,}."
        )
    if ledger.artifacts:
        parts.append(table(_ARTIFACTS, [[getattr(item, name) for name in _ARTIFACTS] for item in ledger.artifacts]))
    if ledger.published:
        parts.append(
            "\n".join(
                f"{item.name}: {item.published:,} published, {item.counted} here. {item.why}"
                for item in ledger.published
            )
        )
    return "\n\n".join(parts)
