"""The same read model in a terminal, for scripts and other programs. Imports no Qt.

Every command takes ``--json``; its shapes are documented in the README and kept stable.
Errors go to stderr as one sentence; exit codes are 0, 2 (bad use), 3 (file not ours or
damaged), 4 (``check`` found something) and 1 (anything else).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine import shapes
from engine.agent import agents_cli as describing
from engine.agent import cli as running
from engine.attach import cli as recording
from engine.errors import InspectorError, UsageError
from engine.explain import cli as explaining
from engine.ledger import cli as counting
from engine.masking import Masker
from engine.memory import cli as remembering
from engine.rebuild import cli as rebuilding
from engine.search import cli as searching
from engine.share import cli as sharing
from engine.tables import table


def main(argv: Sequence[str]) -> int:
    """Run one command; returns its exit code."""
    parser = _parser()
    options = parser.parse_args(argv)
    try:
        code = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader of our output has seen enough
        sys.stderr.close()
        return 0
    except InspectorError as error:
        print(f"context-inspector: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("context-inspector: stopped.", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"context-inspector: {error.filename or 'a file'}: {error.strerror}.", file=sys.stderr)
        return 1
    return code or 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="context-inspector", description="Read and run workspaces without a window.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(
        name: str,
        run: Callable[[argparse.Namespace], int | None],
        words: str,
        file: str = "workspace, or LangGraph database",
    ) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=words, description=words)
        made.set_defaults(run=run)
        made.add_argument("file", type=Path, metavar="FILE", help=file)
        return made

    command("demo", _demo, "Make a workspace by running the demo scenarios.", "workspace file")
    running.add_commands(command, _json)
    for name, action, words in (
        ("threads", _threads, "List the threads."),
        ("requests", _requests, "List the model requests of a thread."),
        ("show", _show, "Show one request with its four areas."),
        ("events", _events, "List what context engineering did in a thread."),
        ("files", _files, "List the files that a thread's agent can read."),
    ):
        made = command(name, action, words)
        made.add_argument("--json", action="store_true", help="print JSON")
        if name in ("show", "events"):
            made.add_argument(
                "--unmasked", action="store_true", help="leave likely secrets as they are; JSON always does"
            )
        if name == "show":
            made.add_argument("request", type=int, metavar="REQUEST", help="id of a request")
        elif name != "threads":
            made.add_argument("--thread", required=True, metavar="ID")
    one = command("file", _file, "Write the bytes of one of a thread's files to stdout.")
    one.add_argument("--thread", required=True, metavar="ID")
    one.add_argument("path", metavar="PATH", help="path as the agent sees it")
    describing.add_command(command, _json)
    recording.add_command(commands)
    explaining.add_commands(command, _reader, _json)
    counting.add_command(command, _reader, _thread, _json)
    remembering.add_commands(command, _reader, _thread, _json)
    rebuilding.add_command(command, _reader, _thread, _json)
    searching.add_command(command, _json)
    sharing.add_commands(command, _reader, _thread)
    return parser


def _reader(options: argparse.Namespace) -> Any:
    from engine.sources import open_source

    return open_source(options.file)


def _thread(reader: Any, options: argparse.Namespace) -> str:
    if not any(row.thread_id == options.thread for row in reader.threads()):
        raise UsageError(
            f"There is no thread {options.thread!r} in {options.file}. "
            f"List them with: context-inspector threads {options.file}"
        )
    return str(options.thread)


def _emit(options: argparse.Namespace, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
    print(_json(rows) if options.json else table(columns, [[row[name] for name in columns] for row in rows]))


def _json(value: Any) -> str:
    """JSON that any parser takes: NaN is null, and text that UTF-8 can't hold is escaped."""
    value = shapes.finite(value)
    text = json.dumps(value, ensure_ascii=False, indent=2)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, indent=2)
    return text


def _demo(options: argparse.Namespace) -> None:
    from engine.agent.demo import make_demo

    def progress(what: str, done: int, total: int) -> None:
        if what:
            print(f"{done + 1}/{total} {what}", file=sys.stderr)

    make_demo(options.file, progress)
    print(options.file)


def _threads(options: argparse.Namespace) -> None:
    rows = [shapes.thread(row) for row in _reader(options).threads()]
    _emit(options, rows, ("thread_id", "title", "agent", "requests", "updated_at", "status"))


def _requests(options: argparse.Namespace) -> None:
    reader = _reader(options)
    rows = [shapes.request(row) for row in reader.requests(_thread(reader, options))]
    tokens = ("input_tokens", "output_tokens", "tokens")
    _emit(options, rows, ("id", "number", "purpose", "agent", *tokens, "duration_ms", "events", "error"))


def _show(options: argparse.Namespace) -> None:
    reader = _reader(options)
    if options.json:
        print(_json(shapes.detail(reader, options.request)))
    else:
        print(shapes.readable(reader, options.request, not options.unmasked))


def _events(options: argparse.Namespace) -> None:
    reader = _reader(options)
    rows = [shapes.event(row) for row in reader.events(_thread(reader, options))]
    if not options.json:
        hide = Masker(not options.unmasked)
        rows = [row | {"data": hide.value(row["data"])} for row in rows]
    _emit(options, rows, ("id", "request", "number", "kind", "data"))


def _files(options: argparse.Namespace) -> None:
    reader = _reader(options)
    rows = [shapes.artifact(row) for row in reader.files(_thread(reader, options))]
    _emit(options, rows, ("path", "size", "place", "kind", "request"))


def _file(options: argparse.Namespace) -> None:
    reader = _reader(options)
    sys.stdout.buffer.write(reader.file(_thread(reader, options), options.path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
