"""Replacements put into an edited text a slice at a time: the window stays alive, and one undo takes all back."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextCursor

from inspector.text_search import Replaced
from inspector.views.document_text import insert
from inspector.views.memory_editor import MemoryEditor

_SLICE_SECONDS = 0.01


class Replacing(QObject):
    """Works from the end of the text to its beginning; nothing can be typed until it is through."""

    def __init__(self, editor: MemoryEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self._left: list[tuple[int, int, str]] = []
        self._begun = False
        self._done: Callable[[], None] | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._slice)

    @property
    def busy(self) -> bool:
        """Whether there is something left to put in."""
        return self._timer.isActive()

    def start(self, found: Replaced, done: Callable[[], None]) -> None:
        """Put them into the text that the editor shows; they were found in it as it stands."""
        if self.busy:
            return
        text = self._editor.shown_text()
        self._left = [(text.utf16(edit.start), text.utf16(edit.end), edit.text) for edit in found.edits]
        self._begun, self._done = False, done
        self._editor.setReadOnly(True)
        self._timer.start()
        self._slice()

    def _slice(self) -> None:
        end = perf_counter() + _SLICE_SECONDS
        cursor = QTextCursor(self._editor.document())
        if self._left:
            cursor.joinPreviousEditBlock() if self._begun else cursor.beginEditBlock()
            self._begun = True
            while self._left and perf_counter() < end:
                start, stop, text = self._left.pop()
                cursor.setPosition(start)
                cursor.setPosition(stop, QTextCursor.MoveMode.KeepAnchor)
                insert(cursor, text)
            cursor.endEditBlock()
        if not self._left:
            self._timer.stop()
            self._editor.follow()
            if self._done is not None:
                self._done()
