"""The command ``context-inspector``: opens the window, or hands a terminal command to the engine.

Imports nothing heavy at module level: ``--help``, a terminal command and the first paint of the window all
wait for this module.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector import __version__, preflight

PROG = "context-inspector"

TERMINAL_COMMANDS = {
    "demo": "make a workspace by running the demo scenarios",
    "run": "run one turn of a thread",
    "questions": "list the calls that a thread waits for a decision on",
    "answer": "approve, edit or reject them, and run on",
    "threads": "list the threads of a file",
    "requests": "list the model requests of a thread",
    "show": "show one request: system, messages, tools, provider, raw, response",
    "events": "list what happened in a thread: offloads, summaries, memory, skills",
    "files": "list the files of a thread",
    "file": "write one file of a thread to the output",
    "record": "run a program and record the model calls it makes",
    "explain": "explain one request: contributors, fates of its messages, prompt cache",
    "diff": "compare a request with the one before, or with another",
    "check": "work out every request from its state, and look for its files",
    "agents": "list the agents of a workspace: what is wrong, what their settings come to",
    "ledger": "count what a thread's model received, and what was put away instead",
    "memory": "list the memory sources of a thread's agent: state, cost, drift, versions",
    "skills": "list every skill a thread's agent could find: listed or not, and why",
    "search": "find texts in requests, files and memory",
    "export": "write a thread, or one request, as HTML, Markdown or JSON",
    "rebuild": "make a checkpoint's request again with its agent's own code; no model is called",
    "import": "bring an exported thread into a workspace",
}
"""What the engine does without a window (``engine.cli``), and a word on each."""

OK, FAILED = 0, 1
"""Exit codes. 2 comes from argparse and, as 3 does, with the engine's errors."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code (--help lists them)."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        if arguments and arguments[0] in TERMINAL_COMMANDS:
            return _terminal(arguments)
        return _window(arguments)
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] in ("engine", "inspector", "resources", ""):
            raise  # a fault of ours
        return _refuse(preflight.package_problem(error), FAILED)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader, head for one, has gone. Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED


def _terminal(arguments: list[str]) -> int:
    from engine.errors import InspectorError

    try:
        from engine.cli import main as engine_main

        code = engine_main(arguments)
        sys.stdout.flush()
        return code
    except InspectorError as error:
        return _refuse(str(error), error.exit_code)
    except SystemExit as stop:  # argparse
        return stop.code if isinstance(stop.code, int) else OK if stop.code is None else FAILED


def _window(arguments: list[str]) -> int:
    try:
        parser = _parser()
        options = parser.parse_args(arguments)
        if options.request is not None and options.thread is None:
            parser.error("--request needs --thread: requests are counted within their thread")
        path: Path | None = options.file
    except SystemExit as stop:  # argparse has said why, or shown the help
        return stop.code if isinstance(stop.code, int) else OK

    from engine.errors import InspectorError

    try:
        if path is not None:
            from engine import check_file

            check_file(path)
        problem = preflight.window_problem()
        if problem:
            return _refuse(problem, FAILED)

        from inspector.app import run_window

        return run_window(path, options.thread, options.request)
    except InspectorError as error:
        return _refuse(str(error), error.exit_code)


def _refuse(sentence: str, code: int) -> int:
    # A name or message from elsewhere may hold line ends, and characters that the terminal can't show.
    encoding = sys.stderr.encoding or "utf-8"
    line = " ".join(sentence.split()).encode(encoding, "backslashreplace").decode(encoding)
    print(f"{PROG}: {line}", file=sys.stderr)
    return code


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, TERMINAL_COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {does}" for name, does in TERMINAL_COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog=PROG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage=(
            f"{PROG} [FILE] [--thread ID [--request NUMBER]]\n       {PROG} COMMAND …\n       {PROG} --help | --version"
        ),
        description=(
            "Shows for every model request of an agent what the model was given, who put it there,\n"
            "what was left out, and what an edit would change."
        ),
        epilog=(
            f"commands for the terminal (each has its own --help; no display needed):\n{commands}\n\n"
            "A file whose name is one of these commands: write ./demo for the file demo.\n\n"
            "exit codes: 0 done, 2 bad use, 3 not a file of ours or damaged, 4 check found something,\n"
            "            1 anything else"
        ),
    )
    parser.add_argument(
        "file",
        nargs="?",
        type=Path,
        metavar="FILE",
        help="the workspace to open; without it, your default workspace",
    )
    parser.add_argument("--thread", metavar="ID", help="open at this thread, by its id exactly as it is stored")
    parser.add_argument("--request", metavar="NUMBER", type=int, help="open at this request of the thread")
    parser.add_argument("--version", action="version", version=f"{PROG} {__version__}")
    return parser
