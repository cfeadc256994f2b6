"""Saving a copy of a thread's file where the user says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QDir, QObject, Qt
from PySide6.QtWidgets import QFileDialog

from inspector import format
from inspector.export import copy_file, safe_name

if TYPE_CHECKING:
    from inspector.views.files import FilesView


class FileCopy(QObject):
    """Asks, writes in a job, and says in the pane what came of it."""

    def __init__(self, files: FilesView) -> None:
        super().__init__(files)
        self._files = files

    def ask_where(self) -> None:
        """Ask for a place to save a copy of the selected file to."""
        row = self._files.table.current()
        if row is None:
            return
        dialog = QFileDialog(self._files, "Save a copy", QDir.homePath())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setFileMode(QFileDialog.FileMode.AnyFile)
        dialog.selectFile(safe_name(row.artifact.path))
        dialog.fileSelected.connect(partial(self.save_to, row.artifact.path))
        dialog.open()

    def save_to(self, path: str, target: str) -> None:
        """Save a copy of the thread's file at ``path`` to ``target``."""
        files = self._files
        files.jobs.run(
            f"Saving a copy of {format.elide_middle(format.one_line(path), 60)}",
            copy_file, files.reader.file, files.thread_id, path, target,
            done=self._saved, failed=self._not_saved,
        )  # fmt: skip

    def _saved(self, target: str) -> None:
        note = self._files.note
        note.say(f"Saved a copy to {target}.", ("Close", note.clear))

    def _not_saved(self, sentence: str) -> None:
        note = self._files.note
        note.say(sentence, ("Close", note.clear), kind="error")
