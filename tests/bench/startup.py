"""From the start of the process to the first painted window, and to a demo workspace that can be used."""

from __future__ import annotations

import statistics
import time
from pathlib import Path
from typing import Any

from tests.bench import child, window
from tests.bench.report import Row, at_most, megabytes, seconds, show, spread

TRIALS = 5


def measure(folder: Path, quick: bool, long_file: Path | None = None) -> None:
    """Print the figures of some starts, on the default workspace and on a long thread's file."""
    home = folder / "home"
    made = time.perf_counter()
    child.run("tests.bench.startup", home=home)
    made = time.perf_counter() - made
    first = _start(home)
    trials = [_start(home) for _ in range(2 if quick else TRIALS)]
    rows = [
        Row("making the demo workspace, once", seconds(made)),
        at_most("first painted window", _median(trials, "painted"), 0.5, seconds),
        Row("  each", _spread(trials, "painted")),
        Row("  of it interpreter and imports", _spread(trials, "imported")),
        at_most("threads listed and a request shown", _median(trials, "usable"), 1.0, seconds),
        Row("  each", _spread(trials, "usable")),
        Row("all at rest", _spread(trials, "settled")),
        Row("very first start: painted / usable", f"{seconds(first['painted'])} / {seconds(first.get('usable', 0))}"),
        Row("processor time", _spread(trials, "cpu")),
        Row("peak memory", megabytes(_median(trials, "peak"))),
    ]
    if long_file is not None:
        long = [_start(home, long_file) for _ in range(2 if quick else 3)]
        rows += [
            Row("long thread's file: painted / usable", f"{_spread(long, 'painted')} / {_spread(long, 'usable')}"),
            Row("  peak memory", megabytes(_median(long, "peak"))),
        ]
    show("Start of the program, offscreen, default workspace with the demo threads", rows)


def _start(home: Path, *arguments: Path) -> dict[str, Any]:
    return child.run("tests.bench.window", *arguments, home=home, more={window.BEGAN: repr(time.perf_counter())})


def _median(trials: list[dict[str, Any]], name: str) -> float:
    return statistics.median(trial.get(name, float("inf")) for trial in trials)


def _spread(trials: list[dict[str, Any]], name: str) -> str:
    return spread([trial.get(name, float("inf")) for trial in trials], seconds)


if __name__ == "__main__":  # makes the default workspace in the folders of its environment
    from engine import ensure_default_workspace
    from inspector.opening import default_path

    ensure_default_workspace(default_path())
    print("{}")
