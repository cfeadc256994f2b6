"""``python -m tests.bench [PART …]``: the parts that are named, or all of them."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from tests.bench import child, keys, painting, reading, record, saver, search, startup, turn

PARTS = {
    "record": "recording against the same run without it, and the size of the record (some minutes)",
    "read": "requests of a long thread, read by a new reader",
    "paint": "requests and long lists, read and painted",
    "saver": "state and next turn of a long thread",
    "turn": "one turn through our engine and recorder against create_deep_agent alone",
    "search": "queries over 100 MB of text (a minute)",
    "window": "keys and searches in the window of a thread of 5,000 requests and 100 MB (some minutes)",
    "startup": "from process start to a window in use",
}
LONG = "W3"


def main() -> int:
    """Run the parts that were asked for."""
    given = _parser().parse_args()
    parts = list(dict.fromkeys(given.parts)) or list(PARTS)
    began = time.perf_counter()
    print(f"{platform.platform()}, Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, "
          f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")  # fmt: skip
    if given.folder is not None:
        given.folder.mkdir(parents=True, exist_ok=True)
        _measure(parts, given.folder, given)
    else:
        with tempfile.TemporaryDirectory(prefix="context-inspector-bench-") as folder:
            _measure(parts, Path(folder), given)
    print(f"\n{time.perf_counter() - began:.0f} s in all. Wall times depend on what else the machine does.")
    return 0


def _measure(parts: list[str], folder: Path, given: argparse.Namespace) -> None:
    long_file = folder / f"{LONG}.ctx"
    if "record" in parts:
        for name, pairs in record.PAIRS.items():
            if given.workload in (None, name):
                record.measure(name, folder, given.pairs or (1 if given.quick else pairs), given.quick)
    needed = {"read", "paint", "saver"} & set(parts)
    if needed and not long_file.exists():
        print(f"\nRecording {LONG} for {', '.join(sorted(needed))} …", flush=True)
        child.run("tests.bench.drive", LONG, long_file, "--record", *(["--quick"] if given.quick else []))
    if "read" in parts:
        reading.measure(child.run("tests.bench.reading", long_file))
    if "paint" in parts:
        painting.measure(child.run("tests.bench.painting", long_file))
    if "saver" in parts:
        copy = folder / "copy.ctx"
        child.remove(copy)
        shutil.copy(long_file, copy)  # nobody has it open, so there is no -wal to copy
        saver.measure(child.run("tests.bench.saver", copy))
        child.remove(copy)
    if "turn" in parts:
        turns = folder / "turn"
        child.remove(turns)
        turn.measure(child.run("tests.bench.turn", turns, *(["--quick"] if given.quick else []), home=folder))
        shutil.rmtree(turns, ignore_errors=True)
    if "search" in parts:
        searched = folder / "search.ctx"
        child.remove(searched)
        search.measure(child.run("tests.bench.search", searched, *(["--quick"] if given.quick else []), home=folder))
        child.remove(searched)
    if "window" in parts:
        long_thread = folder / "long_thread.ctx"
        child.remove(long_thread)
        keys.measure(child.run("tests.bench.keys", long_thread, *(["--quick"] if given.quick else []), home=folder))
        child.remove(long_thread)
    if "startup" in parts:
        startup.measure(folder, given.quick, long_file if long_file.exists() else None)


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, PARTS))
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Figures of one run on this machine, beside the project's goals.",
        epilog="parts:\n" + "\n".join(f"  {name:<{width}}  {about}" for name, about in PARTS.items()),
    )
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], metavar="PART", help="what to measure; default: all")
    parser.add_argument("--quick", action="store_true", help="shorter conversations, fewer trials")
    parser.add_argument("--workload", choices=list(record.PAIRS), help="record this one only")
    parser.add_argument("--pairs", type=int, help="pairs of runs for each workload")
    parser.add_argument(
        "--folder", type=Path, help=f"keep the files here, and use a {LONG}.ctx that is there already (not by record)"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
