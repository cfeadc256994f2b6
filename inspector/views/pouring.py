"""A long text put into a document a slice at a time, so that the window stays alive while it is opened."""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QTextCursor, QTextDocument

from inspector.views.document_text import insert

LONG = 100_000
"""Characters from which a text is poured; a shorter one is put in at once."""
_SLICE = 4_000
_SLICE_SECONDS = 0.01


class Pouring(QObject):
    """Fills a document; at the end there is nothing to undo, and it is unmodified."""

    def __init__(self, document: QTextDocument, text: str, done: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._document, self._text, self._done = document, text, done
        self._at = 0
        document.setUndoRedoEnabled(False)
        self._timer = QTimer(self)
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._slice)
        self._timer.start()

    def _slice(self) -> None:
        end = perf_counter() + _SLICE_SECONDS
        cursor = QTextCursor(self._document)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        while self._at < len(self._text) and perf_counter() < end:
            insert(cursor, self._text[self._at : self._at + _SLICE])
            self._at += _SLICE
        if self._at >= len(self._text):
            self._timer.stop()
            self._document.setUndoRedoEnabled(True)
            self._document.setModified(False)
            self._done()
            self.deleteLater()
