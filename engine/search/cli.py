"""The terminal command ``search``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from engine.tables import table

if TYPE_CHECKING:
    from engine.search.model import Hit, Results

_BEFORE, _WIDTH = 18, 58
_SHOWN = ("thread", "request", "of", "where", "kind", "text")


class Adding(Protocol):
    """Adds a command that takes a file, and returns its parser."""

    def __call__(self, name: str, run: Callable[[argparse.Namespace], Any], words: str) -> argparse.ArgumentParser: ...


def add_command(command: Adding, to_json: Callable[[Any], str]) -> None:
    """Add the command."""

    def search(options: argparse.Namespace) -> None:
        from engine.search.search import Search

        with closing(Search(options.file)) as search:
            search.update(_told if sys.stderr.isatty() else lambda done, total, what: None)
            found = search.find(options.query, options.limit, "rank" if options.rank else "newest", seconds=None)
        print(to_json(shape(found)) if options.json else _readable(found))

    made = command(
        "search", search, "Find texts in all requests, files and memory. Filters: agent: tool: kind: purpose: thread: "
        "file: error: has: tokens> tokens<"
    )  # fmt: skip
    made.add_argument("query", metavar="QUERY", help='words, "exact words" and filters')
    made.add_argument("--limit", type=_limit, default=100, metavar="N", help="how many hits, 100 by default")
    made.add_argument("--rank", action="store_true", help="the best first; by default those of the newest requests")
    made.add_argument("--json", action="store_true", help="print JSON")


def shape(found: Results) -> dict[str, Any]:
    """``hits``, ``more``, ``candidates``: what was found, and whether that is all."""
    return {"hits": [asdict(hit) for hit in found.hits], "more": found.more, "candidates": found.candidates}


def _readable(found: Results) -> str:
    if not found.hits:
        return "Nothing was found."
    rows = [[*_place(hit), _words(hit)] for hit in found.hits]
    more = "\nThere are more; --limit shows them." if found.more else ""
    return table(_SHOWN, rows) + more


def _words(hit: Hit) -> str:
    """What stands around the first match; a table cuts a longer text where the match is."""
    start = max(0, hit.marks[0][0] - _BEFORE) if hit.marks else 0
    return ("…" if start and hit.snippet[start] != "…" else "") + hit.snippet[start : start + _WIDTH]


def _place(hit: Hit) -> list[Any]:
    where = hit.path or " ".join(str(word) for word in (hit.area or hit.source, hit.index) if word is not None)
    return [hit.thread_id, hit.request_number, hit.requests or None, where, hit.kind or hit.source]


def _told(done: int, total: int, what: str) -> None:
    print(f"\rindexing {what}: {done:,} of {total:,}", end="\n" if done >= total else "", file=sys.stderr, flush=True)


def _limit(text: str) -> int:
    number = int(text)
    if not 0 < number <= 1_000_000:
        raise argparse.ArgumentTypeError("give a number from 1 to 1,000,000")
    return number
