"""The terminal commands ``export`` and ``import``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from engine.tables import visible

if TYPE_CHECKING:
    from engine.share.writing import Imported


class Adding(Protocol):
    """Adds a command that takes a file, and returns its parser."""

    def __call__(
        self, name: str, run: Callable[[argparse.Namespace], Any], words: str, file: str = ...
    ) -> argparse.ArgumentParser: ...


def add_commands(
    command: Adding,
    open_file: Callable[[argparse.Namespace], Any],
    thread_of: Callable[[Any, argparse.Namespace], str],
) -> None:
    """Add the commands; ``open_file`` opens the file that the options name, ``thread_of`` checks their thread."""

    def export(options: argparse.Namespace) -> None:
        from engine.share.export import export_thread, save_export

        source = open_file(options)
        form, out = next((form, out) for form in ("html", "markdown", "json") if (out := getattr(options, form)))
        made = export_thread(
            source,
            thread_of(source, options),
            form,  # type: ignore[arg-type]
            options.request,
            options.with_artifacts,
            not options.unmasked,
        )
        save_export(made, out)
        words = "their contents included" if made.with_artifacts else "without their contents"
        _say(f"{made.requests} requests; {made.artifacts} artifacts, {made.artifact_bytes:,} bytes, {words}.")
        if made.masked is None:
            _say("Likely secrets are not masked in it.")
        elif made.masked:
            _say(f"{sum(made.masked.values())} likely secrets masked: {', '.join(made.masked)}.")
        print(out)

    made = command("export", export, "Write a thread, or one request of it, to a file.")
    made.add_argument("--thread", required=True, metavar="ID")
    made.add_argument("--request", type=int, metavar="N", help="only the request of this number in the thread")
    forms = made.add_mutually_exclusive_group(required=True)
    forms.add_argument("--html", type=Path, metavar="OUT", help="one page that needs nothing else")
    forms.add_argument("--markdown", type=Path, metavar="OUT")
    forms.add_argument("--json", type=Path, metavar="OUT", help="all that is recorded; import reads it")
    made.add_argument("--with-artifacts", action="store_true", help="with the contents of files (JSON always has them)")
    made.add_argument("--unmasked", action="store_true", help="leave likely secrets as they are")

    def bring(options: argparse.Namespace) -> None:
        from engine.share.load import import_thread

        done = import_thread(options.file, options.source)
        for sentence in sentences(done):
            _say(sentence)
        print(visible(done.thread_id))

    made = command(
        "import", bring, "Bring an exported thread into a workspace, made when it isn't there.", "workspace file"
    )
    made.add_argument("source", type=Path, metavar="IN", help="JSON that export wrote")


def sentences(done: Imported) -> list[str]:
    """What an import did, for the one who asked for it."""
    said = [f"{done.requests} requests, {done.events} events and {done.files} files of the thread were imported."]
    if done.renamed_from is not None:
        said.append(f"There is a thread {done.renamed_from!r} here already; this one is {done.thread_id!r}.")
    if done.added:
        said.append(f"Put into the store, where agents of this workspace read them: {', '.join(done.added)}.")
    if done.left:
        said.append(f"Another text here, and left as it is: {', '.join(done.left)}.")
    if done.masked:
        count = sum(done.masked.values())
        said.append(f"{count} likely secrets were masked when it was exported; those texts are not the recorded ones.")
    if done.problem:
        said.append(f"The thread can be read, but {done.problem}.")
    return said


def _say(sentence: str) -> None:
    print(f"context-inspector: {visible(sentence)}", file=sys.stderr)
