"""The command ``record``: what it refuses, and how it behaves at a terminal."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.attach.programs import Folder

PYTHON = sys.executable
ASK = "model.invoke('x')\n"
WAITS = "import threading\nprint('ready', flush=True)\nthreading.Event().wait()\n"


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ([], 2, "Name the program"),
        (["--", "no-such-program"], 2, "There is no program 'no-such-program'"),
        (["--into", "no/such/folder/it.ctx", "--", "true"], 2, "There is no folder"),
        (["--into", "program.py", "--", "true"], 3, "not an SQLite database"),
        (["--into", ".", "--", "true"], 2, "is a folder"),
    ],
)
def test_bad_use_is_refused_before_anything_runs(
    folder: Folder, arguments: list[str], code: int, sentence: str
) -> None:
    folder.program("")
    done = folder.run([*folder.command_line, "record", *arguments])
    assert done.returncode == code
    assert sentence in done.stderr.decode()
    assert done.stdout == b""


def at_a_terminal(folder: Folder, *command: str, then: int | None = None) -> tuple[int, str]:
    """Run recorded with a terminal as standard error; its status and what was written there."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [*folder.launcher, *command],
        cwd=folder.path, env=folder.env(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    assert child.stdout is not None
    if then is not None:
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(then)
    said = b""
    try:
        while piece := os.read(ours, 4096):
            said += piece
    except OSError:  # nobody has the other end any more
        pass
    os.close(ours)
    child.stdout.close()
    return child.wait(60), said.decode()


def test_at_a_terminal_the_last_line_says_where_the_record_is(folder: Folder) -> None:
    folder.program(f"{ASK}{ASK}sys.exit(5)")
    status, said = at_a_terminal(folder, PYTHON, "program.py")
    assert status == 5
    assert said.strip() == f"context-inspector: 2 requests recorded. Look at them with: context-inspector {folder.file}"
    assert "nothing was recorded" in at_a_terminal(folder, "true")[1]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_reaches_the_program_and_ends_both_alike(folder: Folder, number: int) -> None:
    folder.program(WAITS)
    assert at_a_terminal(folder, PYTHON, "program.py", then=number)[0] == -number


def test_a_program_may_take_a_signal_as_it_likes(folder: Folder) -> None:
    takes = f"import signal\nsignal.signal(signal.SIGTERM, lambda *_: (model.invoke('x'), sys.exit(8)))\n{WAITS}"
    folder.program(takes)
    assert at_a_terminal(folder, PYTHON, "program.py", then=signal.SIGTERM)[0] == 8
    folder.check(1)
