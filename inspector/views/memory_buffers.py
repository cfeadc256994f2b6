"""The buffers of a pane: each file is opened once, and keeps its text until the window goes."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QApplication

from inspector.drafts import Drafts, Slot
from inspector.jobs import Jobs
from inspector.memory_files import Opened
from inspector.models.late import while_alive
from inspector.views.memory_buffer import MemoryBuffer, empty_document
from inspector.views.pouring import LONG, Pouring


class Buffers(QObject):
    """Opens files in jobs; what was typed in one that isn't shown is kept."""

    opened = Signal(object)
    """The buffer of this key is there."""
    failed = Signal(object, str)
    """The file of this key can't be opened; a sentence."""

    def __init__(
        self,
        jobs: Jobs,
        workspace: Path | None,
        drafts: Drafts | None,
        parent: QObject,
        made: type[MemoryBuffer] = MemoryBuffer,
    ) -> None:
        super().__init__(parent)
        self._jobs, self._workspace, self._drafts = jobs, workspace, drafts or Drafts()
        self._class = made
        self._buffers: dict[Hashable, MemoryBuffer] = {}
        self._opening: set[Hashable] = set()
        self._slots: list[Slot] = []
        self.destroyed.connect(partial(_leave, self._slots))
        app = QApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(self.flush)

    def get(self, key: Hashable) -> MemoryBuffer | None:
        """The buffer of a key, when it was opened."""
        return self._buffers.get(key)

    def items(self) -> list[tuple[Hashable, MemoryBuffer]]:
        """All of them, by key."""
        return list(self._buffers.items())

    def open(self, key: Hashable, what: str, opening: Callable[[Path | None, Drafts], Opened]) -> None:
        """Open a file that isn't open, nor being opened: ``opening`` does it in a job that ``what`` names."""
        if key in self._buffers or key in self._opening:
            return
        self._opening.add(key)
        self._jobs.run(
            what,
            opening,
            self._workspace,
            self._drafts,
            done=while_alive(self, partial(self._made, key)),
            failed=while_alive(self, partial(self._not_made, key)),
        )

    def drop(self, key: Hashable) -> MemoryBuffer | None:
        """Forget a buffer; its text isn't needed."""
        buffer = self._buffers.pop(key, None)
        if buffer is not None:
            buffer.deleteLater()
        return buffer

    def forget(self, deleted: Callable[[str], bool]) -> None:
        """Forget the texts of files whose place ``deleted`` says was deleted for good."""
        for buffer in self._buffers.values():
            if deleted(buffer.within):
                buffer.forget()

    def has_unsaved(self) -> bool:
        """Whether any has text that is not stored."""
        return any(buffer.unsaved for buffer in self._buffers.values())

    def flush(self) -> None:
        """Put all unsaved text on disk now."""
        for buffer in self._buffers.values():
            buffer.flush()

    def leave(self) -> None:
        """Let go of the drafts, for whoever opens the files next."""
        _leave(self._slots)
        self._slots.clear()
        self._buffers.clear()

    def _made(self, key: Hashable, opened: Opened) -> None:
        if opened.slot is not None:
            self._slots.append(opened.slot)
        text = opened.exact.shown
        if len(text) < LONG:
            self._ready(key, opened, None)
            return
        document = empty_document()
        Pouring(document, text, lambda: self._ready(key, opened, document), self)

    def _ready(self, key: Hashable, opened: Opened, document: QTextDocument | None) -> None:
        self._opening.discard(key)
        self._buffers[key] = self._class(self._jobs, self._workspace, opened, self, document)
        self.opened.emit(key)

    def _not_made(self, key: Hashable, sentence: str) -> None:
        self._opening.discard(key)
        self.failed.emit(key, sentence)


def _leave(slots: list[Slot], *_args: object) -> None:
    for slot in slots:
        slot.leave()
