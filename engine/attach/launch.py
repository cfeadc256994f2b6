"""Starting a program so that it is recorded, with nothing else about it changed."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from engine.errors import UsageError
from engine.workspace import check_file

INTO = "CONTEXT_INSPECTOR_RECORD_INTO"
_SITE = Path(__file__).parent / "site"
_FORWARDED = ("SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
_HEARD_BY_ALL = ("SIGINT", "SIGQUIT")
"""Sent by a terminal to the program as well, which decides what they mean."""


def launch(command: Sequence[str], into: Path) -> int:
    """Run a program, recorded into this file; its exit status, negative for a signal that ended it.

    Where nobody reads a word of ours at the end (standard error is no terminal), the program takes this
    process's place and the function doesn't return.

    Raises:
        UsageError: there is no such program, or no such folder to record into.
        WorkspaceError: the file is no workspace.
    """
    into = into.absolute()
    if into.exists():
        check_file(into)
    elif not into.parent.is_dir():
        raise UsageError(f"There is no folder {into.parent}. Make it, or name another file after --into.")
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"There is no program {command[0]!r}. Name one after --, as you would without recording it.")
    environment = environment_for(into)
    hint = unreachable(command)
    if hint:
        print(f"context-inspector: {hint}", file=sys.stderr, flush=True)
    if not sys.stderr.isatty():
        sys.stdout.flush()
        for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores, and what it becomes would go on to ignore
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execve(program, list(command), environment)
    return _watched(program, command, environment)


def requests_in(path: Path) -> int:
    """How many requests a workspace holds; 0 where there is none that can be read."""
    if not path.exists():
        return 0
    try:
        with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM requests").fetchone()[0])
    except sqlite3.Error:
        return 0


def environment_for(into: Path) -> dict[str, str]:
    """The environment in which every Python is recorded into this file."""
    paths = [str(_SITE), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), INTO: str(into)}


def unreachable(command: Sequence[str]) -> str:
    """Why this Python can't be recorded, from its options; empty when it can."""
    if not Path(command[0]).name.startswith("python"):
        return ""
    options = iter(command[1:])
    for option in options:
        if not option.startswith("-") or option.startswith("--") or option == "-":
            break
        for letter in option[1:]:
            if letter in "IES":
                return f"{Path(command[0]).name} -{letter} keeps the recorder out, so nothing is recorded."
            if letter in "cm":  # what follows is the program
                return ""
            if letter in "WX":
                if option.endswith(letter):
                    next(options, None)
                break
    return ""


def _watched(program: str, command: Sequence[str], environment: dict[str, str]) -> int:
    """Run the program as a child, pass on what signals us, and wait for its end."""
    child: subprocess.Popen[bytes] | None = None

    def forward(number: int, _: FrameType | None) -> None:
        if child is not None:
            child.send_signal(number)

    before = {}
    for name in (*_FORWARDED, *_HEARD_BY_ALL):
        number = getattr(signal, name, None)
        # What is ignored here is ignored by the program too, as it would be without us.
        if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
            before[number] = signal.signal(number, forward if name in _FORWARDED else lambda *_: None)
    try:
        child = subprocess.Popen(list(command), executable=program, env=environment)
        while True:
            with contextlib.suppress(InterruptedError):
                return child.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
