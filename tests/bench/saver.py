"""State at a long thread's end and the start of its next turn: the workspace's saver beside LangGraph's.

In a process of its own: ``python -m tests.bench.saver FILE``. FILE is written to, so give a copy.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from langgraph.checkpoint.sqlite import SqliteSaver

from engine.agent import build
from engine.canonical import to_json
from engine.checkpoints import WorkspaceSaver
from engine.workspace import Workspace
from tests.bench.drive import THREAD
from tests.bench.report import Row, at_most, seconds, show, spread
from tests.bench.workload import Prepared, Workload, settings_of

TRIALS = 5
_ONE_ANSWER = Workload("next", turns=TRIALS + 1, requests_a_turn=1, result_chars=10)
_CONFIG: Any = {"configurable": {"thread_id": THREAD}}


def measure(figures: dict[str, Any]) -> None:
    """Print what :func:`main` measured."""
    ours, plain = figures["ours"], figures["plain"]
    rows = [
        at_most("state, workspace's saver", statistics.median(ours["state"]), 0.3, seconds),
        Row("  each", spread(ours["state"])),
        Row("state, SqliteSaver", seconds(statistics.median(plain["state"]))),
        at_most(
            "next turn until its model is called, workspace's saver", statistics.median(ours["next"]), 0.3, seconds
        ),
        Row("  each", spread(ours["next"])),
        Row("next turn, SqliteSaver", seconds(statistics.median(plain["next"]))),
        Row(
            "same state from both",
            "yes" if ours["digest"] == plain["digest"] else "NO",
            "yes",
            ours["digest"] == plain["digest"],
        ),
    ]
    show(f"Saver: a thread with {ours['messages']:,} messages in its state", rows)


def main() -> int:
    """Measure both savers on one file: state first, since a next turn changes it."""
    path = Path(sys.argv[1])
    makers = {"ours": WorkspaceSaver, "plain": lambda workspace: SqliteSaver(workspace.connect())}
    figures: dict[str, dict[str, Any]] = {}
    for trial in (_states, _starts):  # a turn that the plain saver made has no notes of snapshots: ours goes first
        for name, maker in makers.items():
            setattr(build, "WorkspaceSaver", maker)  # noqa: B010  # the builder makes its own saver
            figures.setdefault(name, {}).update(trial(path, TRIALS if name == "ours" else 1))
    print(json.dumps(figures))
    return 0


def _states(path: Path, count: int) -> dict[str, Any]:
    taken, values = [], {}
    for _ in range(count):
        agent = build.build_agent(Workspace.open(path), settings_of(Prepared(_ONE_ANSWER)))
        began = time.perf_counter()
        values = agent.graph.get_state(_CONFIG).values
        taken.append(time.perf_counter() - began)
        agent.close()
    return {"state": taken, "messages": len(values["messages"]), "digest": _digest(values)}


def _starts(path: Path, count: int) -> dict[str, Any]:
    taken, settings = [], settings_of(Prepared(_ONE_ANSWER))
    for _ in range(count):
        agent = build.build_agent(Workspace.open(path), settings)
        settings.model.called_at.clear()
        began = time.perf_counter()
        agent.graph.invoke({"messages": [{"role": "user", "content": "And the next question?"}]}, _CONFIG)
        taken.append(settings.model.called_at[0] - began)
        agent.close()
    return {"next": taken}


def _digest(values: dict[str, Any]) -> str:
    """One number for all of a state, messages with every field."""
    plain = {
        name: [item.model_dump() for item in value] if name == "messages" else value for name, value in values.items()
    }
    return hashlib.sha256(to_json(plain)).hexdigest()


if __name__ == "__main__":
    sys.exit(main())
