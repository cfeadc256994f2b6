"""One workload in a process of its own: ``python -m tests.bench.drive W3 FILE [--record] [--quick] [--step]``.

Runs every turn the way the program does and prints what the process used, as one line of JSON.
Without ``--record`` a stand-in takes the recorder's place, so nothing watches the run. With ``--step``
each turn waits for a line and answers with one, so that two processes can take turns.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from langchain_core.callbacks import BaseCallbackHandler

from engine.agent.demo import seed
from engine.agent.runner import Runner
from engine.recording.writer import Losses
from engine.workspace import Workspace
from tests.bench import child
from tests.bench.workload import FULL, QUICK, WARM_UP, Prepared, seed_files, settings_of

THREAD = "bench"


class _Deaf(BaseCallbackHandler):
    """A callback that is asked for nothing; LangChain would start a thread for each event otherwise."""

    run_inline = True
    ignore_llm = ignore_retry = ignore_chain = ignore_agent = True
    ignore_retriever = ignore_chat_model = ignore_custom_event = True


class _NoRecorder:
    """In the recorder's place where a run is measured without one."""

    def __init__(self) -> None:
        self.handler = _Deaf()
        self.losses = Losses()

    def observing(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def begin_run(self, *_: Any) -> None: ...

    def end_run(self, *_: Any) -> None: ...

    def flush(self) -> None: ...

    def close(self) -> None: ...


class _Unrecorded(Runner):
    """Runs turns as the program does, but nobody watches."""

    def recorder(self) -> Any:
        return _NoRecorder()


def main() -> int:
    """Run one workload and print its figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("workload", choices=sorted(FULL))
    parser.add_argument("file", type=Path)
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--step", action="store_true")
    given = parser.parse_args()
    print(json.dumps(drive(given.workload, given.file, given.record, given.quick, _wait if given.step else None)))
    return 0


def drive(name: str, file: Path, record: bool, quick: bool, wait: Callable[[], None] | None = None) -> dict[str, Any]:
    """Run the workload, calling ``wait`` before each turn, and return its figures."""
    prepared = Prepared((QUICK if quick else FULL)[name])
    settings = settings_of(prepared)
    workspace = Workspace.create(file)
    seed(workspace, seed_files())
    _warm_up(file.with_name(f"{file.name}.warm-up"), record)
    runner = (Runner if record else _Unrecorded)(file)
    lost, turns = 0, []
    before, began = _cpu(), time.perf_counter()
    for question in prepared.questions:
        if wait is not None:
            wait()
        run = runner.start(THREAD, question, settings=settings, title=name)
        run.wait()
        run.drain()
        if run.error:
            sys.exit(f"The workload stopped: {run.error}")
        lost += run.lost
        turns.append(_cpu())
    runner.close()
    wall, cpu = time.perf_counter() - began, _cpu() - before
    return {
        "calls": settings.model.place["answer"],
        "summaries": settings.model.place["summary"],
        "cpu": cpu,
        "turns": [after - before for before, after in itertools.pairwise([before, *turns])],
        "wall": wall,
        "clock": [*settings.model.clock, time.process_time()],
        "peak": child.peak_bytes(),
        "lost": lost,
    }


def _warm_up(file: Path, record: bool) -> None:
    """What happens once in a process (imports, caches) is not what a turn costs."""
    prepared = Prepared(WARM_UP)
    Workspace.create(file)
    runner = (Runner if record else _Unrecorded)(file)
    runner.start("warm-up", prepared.questions[0], settings=settings_of(prepared)).wait()
    runner.close()
    child.remove(file)


def _wait() -> None:
    """Say that the turn before, or the preparation, is done; go on when told to."""
    print(flush=True)
    sys.stdin.readline()


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
