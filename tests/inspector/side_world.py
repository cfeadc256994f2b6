"""What the tests of the side panes share: jobs that end, a reader whose answers a test decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QAbstractButton, QLabel, QWidget

from engine import Reader
from engine.errors import UsageError
from engine.trace.model import (
    Artifact,
    MemoryFile,
    MessageHead,
    RawRow,
    RequestRow,
    SkillRow,
    Summary,
    Usage,
)
from engine.workspace import Workspace

MARKUP = "<b>bold</b> <img src=x> &amp; &File %s {0} ‮evil"
"""Text that anything which guesses would show otherwise than it is."""

AGENTS = "/memories/AGENTS.md"


def artifact(path: str, text: str = "", **more: Any) -> Artifact:
    """A file as ``Reader.files`` lists it."""
    values: dict[str, Any] = {
        "path": path,
        "size": len(text.encode()),
        "place": "thread state",
        "lifetime": "as long as this thread",
        "kind": "file",
        "request": None,
        "tool_call_id": None,
        "modified_at": None,
    }
    return Artifact(**(values | more))


def summary(event: int, **more: Any) -> Summary:
    """A summary event."""
    values: dict[str, Any] = {
        "event": event,
        "request": 100 + event,
        "request_number": 10 * event,
        "summary_request": 200 + event,
        "at": 1_700_000_000.0 + event,
        "cutoff": 20 * event,
        "evicted_from": 20 * (event - 1),
        "tokens_before": 38_000,
        "tokens_after": 12_000,
        "path": f"/conversation_history/session_{event}.md",
        "part": 1000 + event,
        "chained": event > 1,
    }
    return Summary(**(values | more))


def skill(name: str, **more: Any) -> SkillRow:
    """A skill."""
    values: dict[str, Any] = {
        "name": name,
        "path": f"/skills/{name}/SKILL.md",
        "description": f"Use {name} when asked.",
        "menu_tokens": 53,
        "full_tokens": 503,
        "listed_in": 45,
        "read_in": (),
    }
    return SkillRow(**(values | more))


def raw(index: int, part: int) -> RawRow:
    """A raw message."""
    return RawRow(index, part, "human", 1_200, 300, "summarized", "before the cut", None)


def head(part: int, first_line: str) -> MessageHead:
    """What a row shows of a message."""
    return MessageHead(part, "human", None, None, first_line, "", (), None, None, None, ())


def request(id: int, number: int) -> RequestRow:
    """A request in the list."""
    return RequestRow(
        id, "t", number, "agent", None, None, None, 0, None, "", None, "done", None, 0.0, None, None,
        1, 1, 10, 3, Usage(), {}, None, None, (),
    )  # fmt: skip


class FakeReader:
    """Answers with what a test put into it; can be told to wait, or to fail."""

    read_only = ""

    def __init__(self) -> None:
        self.lists: dict[tuple[str, str], list[Any]] = {}
        self.bodies: dict[str, bytes] = {}
        self.texts: dict[int, str] = {}
        self.numbers: dict[int, int] = {}
        self.evictions: dict[int, list[RawRow]] = {}
        self.asked: list[tuple[str, Any]] = []
        self.error: Exception | None = None
        self.gate: threading.Event | None = None
        self.gated: str = ""
        """Name of the thread whose questions wait for the gate."""

    def put(self, what: str, thread: str, *items: Any) -> None:
        """What ``reader.what(thread)`` answers."""
        self.lists[what, thread] = list(items)

    def files(self, thread: str) -> list[Artifact]:
        return self._answer("files", thread)

    def summaries(self, thread: str) -> list[Summary]:
        return self._answer("summaries", thread)

    def skills(self, thread: str) -> list[SkillRow]:
        return self._answer("skills", thread)

    def memory(self, thread: str) -> list[MemoryFile]:
        return self._answer("memory", thread)

    def file(self, thread: str, path: str) -> bytes:
        self.asked.append(("file", path))
        self._wait(thread)
        if path not in self.bodies:
            raise UsageError(f"The thread has no file at {path}.")
        return self.bodies[path]

    def text(self, part: int) -> str:
        self.asked.append(("text", part))
        return self.texts[part]

    def heads(self, parts: Sequence[int]) -> dict[int, MessageHead]:
        self.asked.append(("heads", tuple(parts)))
        return {part: head(part, f"first line of {part}") for part in parts}

    def evicted(self, event: int) -> list[RawRow]:
        self.asked.append(("evicted", event))
        return self.evictions.get(event, [])

    def request_ids(self, thread: str) -> list[int]:
        return [id for id, _number in sorted(self.numbers.items(), key=lambda pair: pair[1])]

    def request_rows(self, ids: Sequence[int]) -> list[RequestRow]:
        return [request(id, self.numbers[id]) for id in ids]

    def _answer(self, what: str, thread: str) -> list[Any]:
        self.asked.append((what, thread))
        self._wait(thread)
        if self.error is not None:
            raise self.error
        return list(self.lists.get((what, thread), []))

    def _wait(self, thread: str) -> None:
        if self.gate is not None and thread == self.gated:
            self.gate.wait(10)


class WorkspaceReader(Reader):
    """The real reader, with copies in the thread's state that a test decides."""

    copies: Mapping[tuple[str, str], str] = {}

    def memory(self, thread_id: str) -> list[MemoryFile]:
        found = super().memory(thread_id)
        return [replace(file, in_thread=self.copies.get((thread_id, file.path))) for file in found]


def workspace(file: Path, threads: Mapping[str, Sequence[str]]) -> Path:
    """A real workspace with threads whose agents have these memory files."""
    made = Workspace.create(file)
    connection = made.connect()
    for n, (thread, paths) in enumerate(threads.items()):
        connection.execute(
            "INSERT INTO threads (thread_id, title, created_at, updated_at, settings) VALUES (?, ?, ?, ?, ?)",
            (thread, thread, n, n, json.dumps({"memory": list(paths)})),
        )
    connection.commit()
    connection.close()
    return file


def labels(widget: QWidget) -> str:
    """All texts of labels and buttons, also of those that are not on the screen."""
    found: list[Any] = [*widget.findChildren(QLabel), *widget.findChildren(QAbstractButton)]
    return "\n".join(each.text() for each in found)


def unnamed(widget: QWidget) -> list[str]:
    """Widgets that can have the focus and have no accessible name."""
    from PySide6.QtCore import Qt

    return [
        type(each).__name__
        for each in widget.findChildren(QWidget)
        if each.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not each.accessibleName()
        and not each.objectName().startswith("qt_")
    ]


def rich_labels(widget: QWidget) -> list[str]:
    """Labels that would guess rich text."""
    from PySide6.QtCore import Qt

    return [label.text() for label in widget.findChildren(QLabel) if label.textFormat() != Qt.TextFormat.PlainText]


Done = Callable[[], bool]
