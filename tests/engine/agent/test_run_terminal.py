"""Running from a terminal: questions and their answers, going on, summarizing, and answering by hand."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import AgentSettings, Reader, Workspace
from engine.agent.stored import assign_agent, save_agent
from tests.engine.test_cli import call, read


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A workspace with a thread whose agent asks before it lists files."""
    path = Workspace.create(tmp_path / "a.ctx").path
    careful = save_agent(path, "careful", AgentSettings(model="scripted", interrupts={"ls": ("approve", "reject")}))
    assign_agent(path, "t", careful.id)
    return path


def test_a_question_is_read_and_answered(file: Path) -> None:
    _, told = call("run", file, "--thread", "t", "--message", "Hello")
    assert f"context-inspector questions {file} --thread t" in told
    (question,) = read("questions", file, "--thread", "t")
    (asked,) = question["calls"]
    assert (asked["tool"], asked["allowed"]) == ("ls", ["approve", "reject"])
    assert question["request"] == read("requests", file, "--thread", "t")[0]["id"]
    assert "ls" in call("questions", file, "--thread", "t")[0]

    for words, sentence in (
        (["--approve", "--approve"], "1 call waits for a decision, but 2 decisions were given"),
        (["--edit", "{}"], "'edit' is not allowed for ls"),
        (["--approve", "--question", "other"], "waits for no answer to 'other'"),
        (["--text", "yes"], "a decision on each call"),
        ([], "0 decisions were given"),
    ):
        assert sentence in call("answer", file, "--thread", "t", *words, code=2)[1]
    assert "waits for an answer" in call("run", file, "--thread", "t", "--resume", code=2)[1]
    assert read("questions", file, "--thread", "t") == [question]

    answer, _ = call("answer", file, "--thread", "t", "--reject", "Not now.")
    assert answer.strip()
    assert read("questions", file, "--thread", "t") == []
    assert "waits for no answer" in call("answer", file, "--thread", "t", "--approve", code=2)[1]
    (decision,) = [row["data"] for row in read("events", file, "--thread", "t") if row["kind"] == "decision"]
    assert [(each["decision"], each["message"]) for each in decision["decisions"]] == [("reject", "Not now.")]


def test_going_on_and_summarizing(tmp_path: Path) -> None:
    path = tmp_path / "b.ctx"
    for text in ("one", "two", "three"):
        call("run", path, "--thread", "t", "--message", text)
    assert "nothing left to do" in call("run", path, "--thread", "t", "--resume", code=2)[1]
    assert "nothing to summarize" in call("run", path, "--thread", "t", "--compact", code=1)[1]
    small = save_agent(path, "small", AgentSettings(model="scripted", keep=("messages", 2)))
    assign_agent(path, "t", small.id)
    words, _ = call("run", path, "--thread", "t", "--compact")
    assert "messages summarized, " in words
    with closing(Reader(path)) as reader:
        (made,) = reader.summaries("t")
        assert f"{made.cutoff} messages summarized" in words
    assert "Name the thread" in call("run", path, "--compact", code=2)[1]


def test_by_hand_needs_a_terminal(tmp_path: Path) -> None:
    path = tmp_path / "c.ctx"
    words = ("run", path, "--thread", "t", "--message", "Go", "--model", "hand")
    assert "at a terminal" in call(*words, code=2)[1]
    assert not path.exists()
    own, terminal = pty.openpty()
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "inspector", *map(str, words)],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.getcwd()},
        )
        os.write(own, b'/fly {}\n/ls {"path": "/"}\nAll seen.\n')
        stdout, stderr = process.communicate(timeout=120)
    finally:
        os.close(own)
        os.close(terminal)
    assert process.returncode == 0, stderr
    assert stdout.strip().endswith("All seen.")
    assert "no tool 'fly'" in stderr
    assert "Request 2 (agent)" in stderr
    with closing(Reader(path)) as reader:
        assert [row.model for row in reader.requests("t")] == ["hand", "hand"]
    # The thread's model is known from then on.
    assert "at a terminal" in call("run", path, "--thread", "t", "--message", "And?", code=2)[1]
