"""The terminal command ``record``."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from pathlib import Path
from typing import Any

from engine.errors import UsageError


def add_command(commands: Any) -> None:
    """Add the command to argparse's subparsers."""
    words = "Run a program and record every chat model call that it makes through LangChain or LangGraph."
    record = commands.add_parser("record", help=words, description=words, usage="%(prog)s [--into FILE] -- COMMAND …")
    record.set_defaults(run=_record)
    record.add_argument(
        "--into", type=Path, default=Path("recording.ctx"), metavar="FILE", help="workspace; by default recording.ctx"
    )
    record.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the program and its arguments")


def _record(options: argparse.Namespace) -> int:
    from engine.attach.launch import launch, requests_in

    command = options.command[1:] if options.command[:1] == ["--"] else options.command
    if not command:
        raise UsageError("Name the program to record: context-inspector record -- python my_agent.py")
    before = requests_in(options.into)
    status = launch(command, options.into)
    made = requests_in(options.into) - before
    said = f"{made} requests recorded. Look at them with: context-inspector {options.into}"
    print(f"context-inspector: {said if made else 'no model call was seen, so nothing was recorded.'}", file=sys.stderr)
    if status < 0:  # end as the program did
        signal.signal(-status, signal.SIG_DFL)
        os.kill(os.getpid(), -status)
    return status
