"""What an export should hold: asked once, before the file is named."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector import format
from inspector.panes import plain_label
from inspector.sharing import Form, Wish
from inspector.views.tick import Pick, Tick

_FORMS: tuple[tuple[Form, str, str], ...] = (
    ("html", "HTML", "One page that needs nothing else, for anybody to read."),
    ("markdown", "Markdown", "For a ticket or a document."),
    ("json", "JSON", "All that is recorded, files included. Import gives the same thread back."),
)
UNMASKED = "Keys, tokens and passwords in the thread will stand in the file as they are. Leave them unmasked?"


class ExportDialog(QDialog):
    """Form, contents of files, masking."""

    wanted = Signal(object)
    """The ``Wish`` that was confirmed."""

    def __init__(self, title: str, json: bool, ask: Callable[..., bool], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Export the thread")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._ask = ask
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 12)
        layout.setSpacing(2)
        name = plain_label(format.one_line(title, 90))
        name.setWordWrap(True)
        layout.addWidget(name)
        layout.addSpacing(6)
        self.forms: dict[Form, Pick] = {}
        for form, word, about in _FORMS:
            button = Pick(word)
            button.setAccessibleName(f"{word}: {about}")
            button.toggled.connect(self._form_changed)
            hint = plain_label(about, muted=True)
            hint.setWordWrap(True)
            hint.setContentsMargins(22, 0, 0, 8)
            layout.addWidget(button)
            layout.addWidget(hint)
            self.forms[form] = button
        if not json:
            self.forms["json"].setEnabled(False)
            hint.setText("Only a workspace's threads go into JSON; this source is a database of another program.")
        layout.addSpacing(8)
        self.artifacts = Tick("With the contents of the thread's files")
        self.masked = Tick("Mask likely secrets")
        for box in (self.artifacts, self.masked):
            box.setAccessibleName(box.text())
            layout.addWidget(box)
        self.masked.setChecked(True)
        self.masked.clicked.connect(self._masked_clicked)
        layout.addSpacing(12)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.button(QDialogButtonBox.StandardButton.Cancel).setIcon(QIcon())
        self.go_on = buttons.addButton("Choose a file…", QDialogButtonBox.ButtonRole.AcceptRole)
        buttons.accepted.connect(self._accepted)
        buttons.rejected.connect(self.reject)
        layout.addWidget(buttons)
        self.forms["html"].setChecked(True)
        self.setMinimumWidth(430)

    def wish(self) -> Wish:
        """What is chosen now."""
        form = next(form for form, button in self.forms.items() if button.isChecked())
        return Wish(form, self.artifacts.isChecked(), self.masked.isChecked())

    def _form_changed(self) -> None:
        whole = self.forms["json"].isChecked() if "json" in self.forms else False
        if hasattr(self, "artifacts"):
            self.artifacts.setEnabled(not whole)
            if whole:
                self.artifacts.setChecked(True)

    def _masked_clicked(self, on: bool) -> None:
        if not on and not self._ask(self, UNMASKED, "Leave unmasked", "Mask them"):
            self.masked.setChecked(True)

    def _accepted(self) -> None:
        wish = self.wish()
        self.accept()
        self.wanted.emit(wish)
