"""A note on a request or a thread: a small editor that closes only once the note is written."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon, QTextCursor
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from inspector import format
from inspector.annotations import Annotations
from inspector.jobs import Failure
from inspector.panes import plain_label, tint
from inspector.views.quiet import quiet


class NoteDialog(QDialog):
    """Save with an empty text deletes the note."""

    def __init__(
        self, annotations: Annotations, request: int | None, title: str, parent: QWidget | None = None
    ) -> None:
        """The note on ``request``, or (None) on the thread that is selected."""
        super().__init__(parent)
        self.setWindowTitle("Note")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._annotations, self._request = annotations, request
        self._note: Any = annotations.note(request)
        self.edit = QPlainTextEdit()
        quiet(self.edit)
        self.edit.setAccessibleName("Note")
        self.edit.setTabChangesFocus(True)
        self.edit.setPlainText(self._note.text if self._note else "")
        self.edit.moveCursor(QTextCursor.MoveOperation.End)
        self.says = plain_label()
        self.says.setWordWrap(True)
        self.says.hide()
        tint(self.says, "error")
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Save | QDialogButtonBox.StandardButton.Cancel)
        self.save_button = buttons.button(QDialogButtonBox.StandardButton.Save)
        for button in buttons.buttons():
            button.setIcon(QIcon())
        buttons.accepted.connect(self.save)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(plain_label(format.one_line(title, 90)))
        layout.addWidget(self.edit, 1)
        layout.addWidget(plain_label("An empty text deletes the note.", muted=True))
        layout.addWidget(self.says)
        layout.addWidget(buttons)
        self.resize(440, 260)

    def show_match(self, words: str) -> None:
        """Select words of the note."""
        self.edit.moveCursor(QTextCursor.MoveOperation.Start)
        self.edit.find(words)

    def save(self) -> None:
        """Write the note; the dialog stays until that is done."""
        self.save_button.setEnabled(False)
        self._annotations.save_note(self._request, self._note, self.edit.toPlainText(), self.accept, self._failed)

    def _failed(self, sentence: Failure) -> None:
        self.save_button.setEnabled(True)
        self.says.setText(format.marked(f"! {sentence}"))
        self.says.show()
