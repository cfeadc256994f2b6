"""What recording costs: each workload with a recorder and without, in two processes that take turns.

Processor time of the conversation's turns is compared, all threads of a process together; imports are
left out. As the processes take turns (one runs, the other waits), whatever else the machine does
falls on both alike.
"""

from __future__ import annotations

import itertools
import json
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
    for pair in range(pairs):
        for record, figures in _pair(name, folder, pair % 2 == 0, quick).items():
            runs[record].append(figures)
    show(_title(name, runs, pairs), _rows(runs, file))
    return file


def _pair(name: str, folder: Path, recorded_first: bool, quick: bool) -> dict[bool, dict[str, Any]]:
    files = {True: folder / f"{name}.ctx", False: folder / f"{name}-unrecorded.ctx"}
    options = ["--step", *(["--quick"] if quick else [])]
    children: dict[bool, child.Stepped] = {}
    for record in (recorded_first, not recorded_first):
        child.remove(files[record])
        more = ["--record"] if record else []
        children[record] = child.Stepped("tests.bench.drive", name, files[record], *options, *more)
    figures: dict[bool, dict[str, Any]] = {}
    for each in children.values():
        each.wait()
    while len(figures) < 2:
        for record, each in children.items():
            each.step()
            said = each.wait()
            if said:
                figures[record] = json.loads(said)
    for each in children.values():
        each.close()
    child.remove(files[False])
    return figures


def _title(name: str, runs: dict[bool, list[dict[str, Any]]], pairs: int) -> str:
    one = runs[True][0]
    requests = one["calls"] + one["summaries"]
    return f"Recording {name}: {requests:,} requests, {one['summaries']} of them summarizing, {pairs} pair(s) of runs"


def _rows(runs: dict[bool, list[dict[str, Any]]], file: Path) -> list[Row]:
    requests = runs[True][0]["calls"] + runs[True][0]["summaries"]
    without, with_it = (statistics.median(run["cpu"] for run in runs[record]) for record in (False, True))
    turns = [
        on / off
        for one, other in zip(runs[True], runs[False], strict=True)
        for on, off in zip(one["turns"], other["turns"], strict=True)
    ]
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
        Row("  median over the turns", ratio(statistics.median(turns))),
        at_most("extra a call", (with_it - without) / requests, 0.001, ms),
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
