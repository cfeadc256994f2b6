"""What a search found outside the requests: files, stored texts and notes, opened where the words stand."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from inspector import workbench
from inspector.found_words import words_of
from inspector.views.note import NoteDialog

if TYPE_CHECKING:
    from engine.search.model import Hit
    from inspector.desk import Desk


class FoundPlaces(QObject):
    """Opens what the search found; a note once it has been read."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk)
        self._desk = desk
        self._note: Hit | None = None
        desk.going.wants_file.connect(self._open_file)
        desk.going.wants_memory.connect(self._open_stored)
        desk.going.wants_note.connect(self._want_note)
        desk.annotations.changed.connect(self._look_for_note)

    def _open_file(self, hit: Hit) -> None:
        self._desk.open_artifact(hit.path or "")
        if words := words_of(hit):
            self._desk.around["files"].text.show_match(words, _near(hit))

    def _open_stored(self, hit: Hit) -> None:
        memory: Any = self._desk.around["memory"]
        if hit.current and memory.table.select(hit.path):
            self._desk.show_pane("memory")
            if words := words_of(hit):
                memory.edit.show_match(words, _near(hit))
            return

        from inspector.views.text_window import TextWindow  # with the views, after the first paint

        path = hit.path or ""
        window = TextWindow(
            memory.jobs, path if hit.current else f"{path}, an earlier version",
            partial(stored_text, self._desk.opened.path, path, hit.version or "", hit.current), _widget(self._desk),
        )  # fmt: skip
        if words := words_of(hit):
            window.text.show_match(words, _near(hit))
        self._desk.destroyed.connect(window.close)
        window.show()

    def _want_note(self, hit: Hit) -> None:
        self._note = hit
        self._look_for_note()

    def _look_for_note(self) -> None:
        hit, annotations = self._note, self._desk.annotations
        if hit is None or hit.thread_id != self._desk.session.thread_id or not annotations.note(hit.request):
            return
        self._note = None
        about = "The thread" if hit.request is None else f"Request {hit.request_number}"
        dialog = NoteDialog(annotations, hit.request, about, _widget(self._desk))
        dialog.show_match(words_of(hit))
        dialog.open()


def stored_text(workspace: Path, path: str, version: str, current: bool) -> str:
    """A text that a file of the store has, or had before. Called in a job."""
    for one in workbench.versions(workspace, path):
        if one.version == version:
            return workbench.version_text(workspace, one.id)
    if current:
        import engine

        text = engine.read_memory(workspace, path).text
        if text is not None:
            return str(text)
    from engine.errors import InspectorError

    raise InspectorError(f"The text of {path} that was found is there no more. Search again.")


def _near(hit: Hit) -> int:
    return hit.position if hit.field == "text" else 0


def _widget(desk: Desk) -> QWidget | None:
    parent = desk.parent()
    return parent if isinstance(parent, QWidget) else None
