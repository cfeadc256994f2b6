"""What of the file and of the selected thread can't be read, over the table of requests, and a way to go on."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from inspector import format
from inspector.session import Session
from inspector.views.note_bar import NoteBar


class ReadingNote(NoteBar):
    """Hidden as long as everything could be read."""

    def __init__(self, reader: Any, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("What can't be read", parent)
        self._reader, self._session = reader, session
        self._said: tuple[list[str], bool] = ([], False)
        for changed in (session.threads_changed, session.rows_changed, session.thread_changed, session.detail_ready):
            changed.connect(self._look)
        self._look()

    def _look(self, *_what: object) -> None:
        row, session = self._session.thread_row(), self._session
        stopped = session.reading.stopped and not session.loading
        sentences = [self._reader.problem] if self._reader.problem else []
        if row is not None and row.problem:
            sentences.append(f"Of this thread: {format.one_line(row.problem, 600)}.")
        if stopped:
            found = format.count(len(session.rows), "request")
            sentences.append(f"Reading was stopped: {found} found so far, and all that is shown is as of there.")
        if (sentences, stopped) == self._said:
            return
        self._said = sentences, stopped
        if not sentences:
            self.clear()
            return
        actions = (("Read on", session.reading.go_on),) if stopped else ()
        self.say("\n".join(sentences), *actions, kind="error" if len(sentences) > stopped else "")
