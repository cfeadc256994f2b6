"""One agent turn through our engine and recorder, against the same turn of ``create_deep_agent`` alone.

Both run in one process and take turns, so that whatever else the machine does falls on both alike. The model is
the same and answers at once; saver, store and backend are of the same kinds; what differs is what we add: settings,
the run's worker, the recorder and its file. Run it as ``python -m tests.bench turn``.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.bench.report import Row, ms, ratio, show, spread

TRIALS, QUICK = 40, 8


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` found."""
    for name, found in figures.items():
        clock, cpu = (statistics.median(found["ratio"][what]) for what in ("clock", "cpu"))
        show(
            f"One turn, {name}: {found['requests']} requests, {found['trials']} pairs, medians",
            [
                Row("create_deep_agent alone", spread(found["alone"]["clock"])),
                Row("through our engine, recorded", spread(found["ours"]["clock"])),
                Row("ratio, by the clock", ratio(clock)),
                Row("ratio, by processor time", ratio(cpu)),
                Row("processor time alone, ours", "  ".join(ms(statistics.median(found[who]["cpu"])) for who in WHO)),
            ],
        )


WHO = ("alone", "ours")


def main() -> int:
    """``FOLDER [--quick]``: take turns and print the figures as JSON."""
    folder, trials = Path(sys.argv[1]), QUICK if "--quick" in sys.argv else TRIALS
    figures = {
        "an answer": _pairs(folder / "answer", 0, trials),
        "eight tool calls": _pairs(folder / "calls", 8, trials),
    }
    print(json.dumps(figures))
    return 0


def _pairs(folder: Path, calls: int, trials: int) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    turns: dict[str, Callable[[int], None]] = {"alone": _alone(folder, calls), "ours": _ours(folder, calls)}
    found: dict[str, dict[str, list[float]]] = {who: {"clock": [], "cpu": []} for who in WHO}
    for trial in range(-2, trials):  # the first ones import and compile
        for who in WHO if trial % 2 else WHO[::-1]:
            clock, cpu = time.perf_counter(), time.process_time()
            turns[who](trial)
            if trial >= 0:
                found[who]["clock"].append(time.perf_counter() - clock)
                found[who]["cpu"].append(time.process_time() - cpu)
    ratios = {
        what: [ours / alone for ours, alone in zip(found["ours"][what], found["alone"][what], strict=True)]
        for what in ("clock", "cpu")
    }
    return {**found, "ratio": ratios, "requests": calls + 1, "trials": trials}


def _model(calls: int) -> Any:
    from engine.agent.scripted import Call, ScriptedChat, Turn

    steps = [Turn("", (Call("write_file", {"file_path": f"/{n}.md", "content": "x" * 500}),)) for n in range(calls)]
    return ScriptedChat(script=[*steps, Turn("Done.")])


def _alone(folder: Path, calls: int) -> Callable[[int], None]:
    """The agent as anybody would build it, over LangGraph's own saver and store."""
    import sqlite3

    from deepagents import create_deep_agent
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.store.sqlite import SqliteStore

    from engine.agent.build import backend_over

    def turn(trial: int) -> None:
        file = folder / "alone.sqlite"
        with closing(_wal(sqlite3.connect(file, check_same_thread=False))) as one, closing(
            _wal(sqlite3.connect(file, check_same_thread=False, isolation_level=None))
        ) as other:  # fmt: skip
            saver, store = SqliteSaver(one), SqliteStore(other)
            saver.setup()
            store.setup()
            agent = create_deep_agent(
                model=_model(calls), backend=backend_over(store), store=store, checkpointer=saver,
                memory=["/memories/AGENTS.md"], skills=["/skills/"],
            )  # fmt: skip
            config = {"configurable": {"thread_id": f"t{trial}"}, "recursion_limit": 1_000}
            agent.invoke({"messages": [{"role": "user", "content": "Go on."}]}, config)

    return turn


def _wal(db: Any) -> Any:
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    return db


def _ours(folder: Path, calls: int) -> Callable[[int], None]:
    """The same turn as the window starts it, recorded."""
    from engine import AgentSettings, Runner, Workspace

    runner = Runner(Workspace.create(folder / "ours.ctx").path)

    def turn(trial: int) -> None:
        run = runner.start(f"t{trial}", "Go on.", settings=AgentSettings(model=_model(calls)))
        run.wait()
        if run.error is not None:
            raise RuntimeError(run.error)

    return turn


if __name__ == "__main__":
    sys.exit(main())
