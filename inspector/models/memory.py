"""The memory sources of a thread's agent as a table, in the order in which they are loaded."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from engine.trace.model import MemoryFile
from inspector import format
from inspector.memory_files import copied_only
from inspector.models.items import Column, ItemsModel

DRIFT = "≠"


def state(file: MemoryFile) -> str:
    """One word or two: how the file stands to the thread."""
    if file.problem and file.text is None and file.version:
        return "not UTF-8"
    if file.state == "stops":
        return "! stops the agent"
    if copied_only(file):
        return "copy only" if file.in_thread else "empty copy"
    if file.text is None:
        return "missing" if not file.version else "not UTF-8"
    if file.in_thread is None:
        return "not loaded"
    if file.in_thread != file.text:
        return f"{DRIFT} changed since"
    return "loaded" if file.text.strip() else "empty"


def in_words(file: MemoryFile) -> str:
    """A sentence: what the thread has of the file."""
    if file.state == "stops":
        return f"A run that loads it fails: {file.problem or 'it is not text'}."
    if copied_only(file):
        words = file.problem or ""
        return f"{words[:1].upper()}{words[1:]}."
    if file.text is None and not file.version:
        if file.in_thread is not None:
            return f"{DRIFT} There is no such file any more; the thread keeps the copy that it loaded."
        return "There is no such file, so nothing of it is loaded."
    if file.text is None:
        return file.problem or "It is not UTF-8, so a run that loads it fails."
    if file.in_thread is None:
        return "This thread has not loaded it."
    if file.in_thread == file.text:
        if not file.text.strip():
            return "It is empty: this thread has loaded it, and the model gets nothing of it."
        return "This thread has loaded it as it stands."
    return f"{DRIFT} The file is another than the copy in this thread."


def _bad(file: MemoryFile) -> bool:
    return file.state == "stops" or DRIFT in state(file) or state(file) == "not UTF-8"


class MemoryModel(ItemsModel[MemoryFile]):
    """Rows keyed by path. ``unsaved`` tells whether a path has unsaved text in this window."""

    def __init__(self, unsaved: Callable[[str], bool], parent: QObject | None = None) -> None:
        super().__init__(
            (
                Column("Source", lambda file: ("● " if unsaved(file.path) else "") + file.path, _tip(unsaved)),
                Column(
                    "Size",
                    lambda file: format.size(file.size) if file.version else format.UNKNOWN,
                    lambda file: format.count(file.size, "byte") if file.version else "Its size is not known.",
                    sort=lambda file: file.size,
                    right=True,
                    hint="Bytes.",
                ),
                Column(
                    "In this thread",
                    state,
                    in_words,
                    kind=lambda file: "error" if _bad(file) else None,
                    hint="The file as it stands now, against the copy that the thread loaded.",
                ),
            ),
            lambda file: file.path,
            parent,
        )

    def repaint(self) -> None:
        """Unsaved or not may be another."""
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, 0))


def _tip(unsaved: Callable[[str], bool]) -> Callable[[MemoryFile], str]:
    def tip(file: MemoryFile) -> str:
        return file.path + ("\nIt has unsaved text in this window." if unsaved(file.path) else "")

    return tip
