"""Reading a long thread's record cold: ``python -m tests.bench.reading FILE`` in a process of its own.

Each trial opens the file anew, so that nothing is remembered from the one before; the file itself
is in the system's cache, as it is for somebody who works with it.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from engine.trace import Reader
from tests.bench import child
from tests.bench.drive import THREAD
from tests.bench.report import Row, at_most, megabytes, ms, show, spread

TRIALS = 9
VISIBLE = 40
"""Rows that a tall window shows at once."""


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` measured."""
    rows = []
    for place in ("first", "middle", "last"):
        one = figures[place]
        what = f"{place} request (number {one['number']:,}, {one['messages']:,} messages, {one['raw']:,} raw)"
        rows += [
            at_most(what, statistics.median(one["seconds"]), 0.010, ms),
            Row("  each; processor time", f"{spread(one['seconds'])}; {ms(one['cpu'])}"),
            Row("  of it the areas / the visible heads", f"{ms(one['areas'])} / {ms(one['heads'])}"),
        ]
    rows += [
        Row("first in a new process, middle request", ms(figures["new_process"])),
        Row("stepping to the next request, same reader", spread(figures["step"])),
        Row(f"list of all {figures['requests']:,} requests", spread(figures["list"])),
        Row("threads", spread(figures["threads"])),
        Row("events / summaries", f"{spread(figures['events'])} / {spread(figures['summaries'])}"),
        Row("peak memory", megabytes(figures["peak"])),
    ]
    show(f"Reading: a new reader, areas of one request and {VISIBLE} visible rows", rows)


def main() -> int:
    """Measure one file and print the figures as JSON."""
    path = Path(sys.argv[1])
    reader = Reader(path)
    ids = reader.request_ids(THREAD)
    reader.close()
    # The last request of the main agent, not a summarizing call's own.
    figures: dict[str, Any] = {"requests": len(ids), "new_process": _open(path, ids[len(ids) // 2])[0]}
    for place, request in (("first", ids[0]), ("middle", ids[len(ids) // 2]), ("last", ids[-1])):
        trials = [_open(path, request) for _ in range(TRIALS)]
        detail = trials[0][4]
        figures[place] = {
            "number": detail.row.number,
            "messages": len(detail.messages),
            "raw": len(detail.raw),
            "seconds": [trial[0] for trial in trials],
            "areas": statistics.median(trial[1] for trial in trials),
            "cpu": statistics.median(trial[3] for trial in trials),
            "heads": statistics.median(trial[2] for trial in trials),
        }
    figures["step"] = _steps(path, ids[len(ids) // 2 :][: TRIALS + 1])
    figures["list"] = _timed(path, lambda reader: reader.requests(THREAD))
    figures["threads"] = _timed(path, lambda reader: reader.threads())
    figures["events"] = _timed(path, lambda reader: reader.events(THREAD))
    figures["summaries"] = _timed(path, lambda reader: reader.summaries(THREAD))
    figures["peak"] = child.peak_bytes()
    print(json.dumps(figures))
    return 0


def _open(path: Path, request: int) -> tuple[float, float, float, float, Any]:
    """Seconds for all, for the areas and for the heads; processor seconds for all; and the request."""
    used = time.process_time()
    began = time.perf_counter()
    reader = Reader(path)
    detail = reader.request(request)
    areas = time.perf_counter()
    reader.heads([message.part for message in detail.messages[-VISIBLE:]])
    ended, used = time.perf_counter(), time.process_time() - used
    reader.close()
    return ended - began, areas - began, ended - areas, used, detail


def _steps(path: Path, ids: list[int]) -> list[float]:
    """Seconds for each following request, as somebody who holds the down key makes them."""
    reader, taken = Reader(path), []
    for request in ids:
        began = time.perf_counter()
        detail = reader.request(request)
        reader.heads([message.part for message in detail.messages[-VISIBLE:]])
        taken.append(time.perf_counter() - began)
    reader.close()
    return taken[1:]


def _timed(path: Path, ask: Callable[[Reader], Any]) -> list[float]:
    taken = []
    for _ in range(TRIALS):
        began = time.perf_counter()
        reader = Reader(path)
        ask(reader)
        taken.append(time.perf_counter() - began)
        reader.close()
    return taken


if __name__ == "__main__":
    sys.exit(main())
