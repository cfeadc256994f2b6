"""A thread, or one request of it, as a file to give away: HTML, Markdown or JSON.

Likely secrets are masked unless that is asked for otherwise. HTML and Markdown list the thread's files, with their
contents when asked; JSON always holds them, so that an import gives the same thread back.
"""

from __future__ import annotations

import json
import os
import tempfile
import threading
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.errors import InspectorError, UsageError
from engine.masking import Masker
from engine.share.document import document
from engine.share.html import html_page
from engine.share.markdown import markdown_page
from engine.share.outline import Outliner, Progress, requests_of, thread_row
from engine.sources.source import Source
from engine.trace.book import Book

Form = Literal["html", "markdown", "json"]


@dataclass(frozen=True, slots=True)
class Export:
    """What is to be written, and what it is good to know before it is given away."""

    form: Form
    text: str
    requests: int
    artifacts: int
    artifact_bytes: int
    with_artifacts: bool
    """Whether the text holds their contents."""
    masked: Mapping[str, int] | None
    """Likely secrets that were masked, by rule; None where nothing was to be masked."""


def export_thread(
    source: Source,
    thread_id: str,
    form: Form,
    number: int | None = None,
    with_artifacts: bool = False,
    masked: bool = True,
    progress: Progress = lambda done, total, what: None,
    stop: threading.Event | None = None,
) -> Export:
    """The thread, or its request of this number, in one of the forms.

    Raises:
        UsageError: there is no such thread or request, or the source can't be exported in this form.
        InspectorError: ``stop`` was set.
    """
    masker = Masker(masked)
    if form != "json":
        outline = Outliner(source, thread_id, masker, progress, stop).outline(number, with_artifacts)
        text = html_page(outline) if form == "html" else markdown_page(outline)
        count, artifacts, size = len(outline.sections), len(outline.files), outline.file_bytes
    else:
        if source.kind != "workspace":
            raise UsageError(
                f"{source.path} is a database of another program, and only a workspace's threads go into JSON: "
                "its record can't be read back as it was. Export HTML or Markdown."
            )
        count = len(requests_of(source, thread_row(source, thread_id), number))
        with closing(Book(source.path)) as book:
            value = document(book, thread_id, masker, number, progress, stop)
        text = _json(value)
        files = source.files(thread_id) if number is None else []
        artifacts, size, with_artifacts = len(files), sum(file.size for file in files), True
    counts = dict(masker.counts) if masked else None
    return Export(form, text, count, artifacts, size, with_artifacts, counts)


def save_export(export: Export, path: str | Path) -> None:
    """Write the file, whole or not at all, for the user alone.

    Raises:
        UsageError: something is there already.
        InspectorError: it can't be written.
    """
    file = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{file.name[:100]}.", dir=file.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
                out.write(export.text)
            os.link(name, file)  # unlike a rename, it fails where something is there
        finally:
            with suppress(FileNotFoundError):
                os.unlink(name)
    except FileExistsError:
        raise UsageError(f"{file} is there already. Name a new file, or delete it first.") from None
    except OSError as error:
        raise InspectorError(f"{file} can't be written: {error.strerror}.") from error


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a surrogate pair, which only an escape can tell
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    return text
