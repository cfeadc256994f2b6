"""Giving a thread away and taking one in; copying a request in forms that other programs take. Called in jobs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from inspector import format
from inspector.jobs import Cancelled, Progress

Form = Literal["html", "markdown", "json"]
ENDINGS: dict[Form, str] = {"html": "html", "markdown": "md", "json": "json"}
AREA_NAMES = ("system", "messages", "tools", "provider", "raw")
"""Of the areas in front that can be copied, by their places."""
MESSAGE = "message"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be written."""

    form: Form = "html"
    with_artifacts: bool = False
    masked: bool = True


def export(reader: Any, thread_id: str, number: int | None, wish: Wish, target: str, progress: Progress) -> str:
    """Write a thread, or its request of this number, to a new file; the sentence that says what is in it."""
    import engine

    made = engine.export_thread(
        reader, thread_id, wish.form, number, wish.with_artifacts, wish.masked, _told(progress), progress.stop
    )
    progress.check()
    engine.save_export(made, Path(target))
    held = "with their contents" if made.with_artifacts else "without their contents"
    words = [format.count(made.requests, "request")]
    if made.artifacts:
        words.append(f"{format.count(made.artifacts, 'file')} {held}")
    if made.masked is None:
        words.append("likely secrets not masked")
    elif made.masked:
        words.append(f"{format.count(sum(made.masked.values()), 'likely secret')} masked")
    return f"Exported to {target}: {', '.join(words)}."


def bring(path: Path, file: str, progress: Progress) -> tuple[str, list[str]]:
    """Bring an exported thread into a workspace: its id here, and sentences on what was done."""
    import engine
    from engine.share.cli import sentences

    done = engine.import_thread(path, Path(file), _told(progress), progress.stop)
    return done.thread_id, sentences(done)


def copied(reader: Any, of: int, what: str) -> str:
    """A request as ``json``, ``curl`` or ``python``, one area of it by name, or a message; likely secrets are masked.

    ``of`` is the request's id, or the part of the message.
    """
    from engine import share

    if what == MESSAGE:
        return str(share.message_json(reader, of))
    if what in AREA_NAMES:
        return str(share.area_json(reader, of, what))  # type: ignore[arg-type]
    made = {"json": share.request_json, "curl": share.request_curl, "python": share.request_python}[what]
    return str(made(reader, of))


def _told(progress: Progress) -> Any:
    def tell(done: int, total: int, what: str) -> None:
        try:
            progress.report(done, total, what)
        except Cancelled:
            pass  # ``stop`` is looked at by the engine itself

    return tell
