"""A process killed at any moment leaves every finished request whole."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader

CHILD = """
import sys
from engine import Workspace
from engine.agent.demo import seed
from engine.agent.runner import Runner
from engine.agent.scenarios import competitor_report

workspace = Workspace.create(sys.argv[1])
scenario = competitor_report()
seed(workspace, scenario.seed_files)
thread = scenario.threads[0]
runner = Runner(workspace.path)
for turn in thread.turns:
    run = runner.start(thread.thread_id, turn, settings=thread.settings)
    while not run.wait(0.0005):
        for update in run.drain():
            print(update.kind, flush=True)
"""


@pytest.mark.parametrize("after", [3, 21, 40, 67, 98])
def test_killed_in_the_middle_of_a_run(tmp_path: Path, after: int) -> None:
    path = tmp_path / "killed.ctx"
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(path)], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert child.stdout is not None
    seen = 0
    for line in child.stdout:
        seen += line.strip() == "request"
        if seen >= after:
            break
    assert seen >= after, "the child ended before it could be killed"
    child.send_signal(signal.SIGKILL)
    child.stdout.close()
    assert child.wait(30) == -signal.SIGKILL

    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    reader = Reader(path)
    (thread,) = reader.threads()
    assert thread.status in {"stopped", "idle"}
    rows = reader.requests(thread.thread_id)
    # Each request gives two notices, a beginning and an end; the last few may not be in the file yet.
    assert len(rows) >= after // 2 - 3
    assert [row.number for row in rows] == list(range(1, len(rows) + 1))
    for row in rows:
        assert row.status in {"done", "stopped"}
        detail = reader.request(row.id)
        assert len(detail.messages) == row.messages
        assert len(detail.raw) == (row.raw_messages or 0)
        for part in (*detail.system, *detail.messages, *detail.tools, *detail.raw):
            reader.value(part.part)
        if row.status == "done":
            assert detail.response is not None
            assert reader.message(detail.response)["data"]["usage_metadata"]["input_tokens"] == row.usage.input_tokens
    reader.close()
