"""Asks where a new item of the store goes."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from inspector.models.store import problem_of
from inspector.panes import plain_label, tint
from inspector.views.buttons import WordButton
from inspector.views.parts import MARGIN


class NewItem(QWidget):
    """A namespace and a key; hidden until it is asked for."""

    wanted = Signal(str, str)
    """A new item in this namespace, with this key."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.namespace, self.key = QLineEdit(), QLineEdit()
        self.namespace.setPlaceholderText("Namespace: parts with dots between, like acme.ann.facts")
        self.namespace.setAccessibleName("Namespace of the new item")
        self.key.setPlaceholderText("Key")
        self.key.setAccessibleName("Key of the new item")
        self.says = plain_label()
        self.says.setWordWrap(True)
        tint(self.says, "error")
        self.create_button = WordButton("Write it", self._create, name="Write the new item")
        self.key.returnPressed.connect(self._create)
        self.namespace.returnPressed.connect(self.key.setFocus)
        buttons = QHBoxLayout()
        buttons.addWidget(self.create_button)
        buttons.addWidget(WordButton("Cancel", self.hide))
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 2, MARGIN, 4)
        column.setSpacing(4)
        for widget in (self.namespace, self.key, self.says):
            column.addWidget(widget)
        column.addLayout(buttons)
        self.says.hide()
        self.hide()

    def open(self, namespace: str) -> None:
        """Ask; ``namespace`` is the one that is selected."""
        if not self.namespace.text():
            self.namespace.setText(namespace)
        self.says.hide()
        self.show()
        (self.key if self.namespace.text() else self.namespace).setFocus()

    def _create(self) -> None:
        problem = problem_of(self.namespace.text(), self.key.text())
        self.says.setText(problem)
        self.says.setVisible(bool(problem))
        if not problem:
            self.wanted.emit(self.namespace.text(), self.key.text())
            self.key.clear()
            self.namespace.clear()
            self.hide()
