"""What recording costs: each workload with a recorder and without, one after the other.

Processor time of the turns alone is compared, all threads together; imports are left out. Medians
over the pairs; within one pair the order changes from pair to pair.
"""

from __future__ import annotations

import itertools
import statistics
from pathlib import Path
from typing import Any

from tests.bench import child, size
from tests.bench.report import Row, at_most, megabytes, ms, ratio, seconds, show

PAIRS = {"W2": 5, "W3": 2}
_QUARTERS = 4


def measure(name: str, folder: Path, pairs: int, quick: bool) -> Path:
    """Measure one workload, print its figures and return the file of the last recorded run."""
    runs: dict[bool, list[dict[str, Any]]] = {True: [], False: []}
    file = folder / f"{name}.ctx"
    options = ["--quick"] if quick else []
    for pair in range(pairs):
        for record in (False, True) if pair % 2 == 0 else (True, False):
            target = file if record else folder / f"{name}-unrecorded.ctx"
            remove(target)
            runs[record].append(
                child.run("tests.bench.drive", name, target, *options, *(["--record"] if record else []))
            )
            if not record:
                remove(target)
    show(_title(name, runs, pairs), _rows(runs, file))
    return file


def remove(file: Path) -> None:
    """Delete a database and what SQLite left beside it."""
    for end in ("", "-wal", "-shm", "-journal"):
        file.with_name(file.name + end).unlink(missing_ok=True)


def _title(name: str, runs: dict[bool, list[dict[str, Any]]], pairs: int) -> str:
    one = runs[True][0]
    requests = one["calls"] + one["summaries"]
    return f"Recording {name}: {requests:,} requests, {one['summaries']} of them summarizing, {pairs} pair(s) of runs"


def _rows(runs: dict[bool, list[dict[str, Any]]], file: Path) -> list[Row]:
    requests = runs[True][0]["calls"] + runs[True][0]["summaries"]
    without, with_it = (statistics.median(run["cpu"] for run in runs[record]) for record in (False, True))
    least = [min(run["cpu"] for run in runs[record]) for record in (False, True)]
    extra = [
        statistics.median(
            (_quarter(on["clock"], at) - _quarter(off["clock"], at))
            for on, off in zip(runs[True], runs[False], strict=True)
        )
        for at in range(_QUARTERS)
    ]
    used = size.measure(file)
    peaks = [statistics.median(run["peak"] for run in runs[record]) for record in (False, True)]
    lost = sum(run["lost"] for run in runs[True])
    return [
        Row("CPU without recording", f"{seconds(without)}, {ms(without / requests)} a call"),
        Row("CPU with recording", seconds(with_it)),
        at_most("ratio", with_it / without, 1.05, ratio),
        Row("  of the least of each", ratio(least[1] / least[0])),
        at_most("extra a call", (with_it - without) / requests, 0.001, ms),
        Row("  of the least of each", ms((least[1] - least[0]) / requests)),
        Row("extra a call, by quarter of the run", "  ".join(ms(each) for each in extra), "not growing"),
        Row("peak memory without, with", "  ".join(map(megabytes, peaks))),
        Row("record, all tables and indices", megabytes(used.record)),
        Row("unique parts, unpacked", megabytes(used.unique)),
        at_most("record / unique", used.record / used.unique, 0.8, ratio),
        Row("whole file (checkpoints and store too)", megabytes(used.file)),
        Row("lost entries", str(lost), "0", lost == 0),
    ]


def _quarter(clock: list[float], at: int) -> float:
    """CPU seconds a call in this quarter of a run."""
    bounds = [round(share * (len(clock) - 1) / _QUARTERS) for share in range(_QUARTERS + 1)]
    start, end = list(itertools.pairwise(bounds))[at]
    return (clock[end] - clock[start]) / (end - start)
