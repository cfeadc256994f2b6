"""A text in a window of its own: read off the GUI thread, plain, searched and copied as any other."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.panes import plain_label
from inspector.views.text import TextView


class TextWindow(QDialog):
    """Shows one text under its title."""

    def __init__(self, jobs: Jobs, title: str, fetch: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Text")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.text = TextView(jobs, "Text")
        heading = plain_label(format.one_line(title, 200))
        heading.setWordWrap(True)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        buttons.button(QDialogButtonBox.StandardButton.Close).setIcon(QIcon())
        buttons.addButton("Copy the text", QDialogButtonBox.ButtonRole.ActionRole).clicked.connect(self.text.copy_all)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addWidget(heading)
        layout.addWidget(self.text, 1)
        layout.addWidget(buttons)
        self.resize(820, 560)
        self.text.load("Reading the text", fetch)
        self.text.setFocus()
