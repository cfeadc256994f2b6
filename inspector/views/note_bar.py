"""A sentence across a pane, with what can be done about it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from inspector import format, theme
from inspector.panes import plain_label, tint
from inspector.views.buttons import WordButton
from inspector.views.flow import Flow, empty
from inspector.views.parts import MARGIN


class NoteBar(QFrame):
    """A sentence across a pane, with what can be done about it. Hidden until there is one."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAutoFillBackground(True)
        self.setAccessibleName(name)
        self._kind = ""
        self._says = plain_label()
        self._says.setWordWrap(True)
        self._says.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._says.setMinimumWidth(120)
        self._buttons = Flow()
        column = QVBoxLayout(self)
        column.setContentsMargins(MARGIN, 6, MARGIN, 6)
        column.setSpacing(6)
        column.addWidget(self._says)
        column.addLayout(self._buttons)
        theme.notifier().changed.connect(self._colour)
        self.hide()

    def say(self, sentence: str, *actions: tuple[str, Callable[[], object]], kind: str = "") -> None:
        """Show ``sentence`` and a button an action; ``kind`` ``error`` colours it."""
        self._kind = kind
        self._says.setText(format.marked(f"! {sentence}" if kind == "error" else sentence))
        empty(self._buttons)
        for title, do in actions:
            self._buttons.addWidget(WordButton(title, do, self))
        self._colour()
        self.show()

    def clear(self) -> None:
        """Nothing to say."""
        self._says.setText("")
        self.hide()

    def text(self) -> str:
        """The sentence; empty when there is none."""
        return self._says.text()

    def buttons(self) -> dict[str, QPushButton]:
        """The buttons by their titles."""
        found = {}
        for n in range(self._buttons.count()):
            item = self._buttons.itemAt(n)
            widget = item.widget() if item is not None else None
            if isinstance(widget, QPushButton):
                found[widget.accessibleName()] = widget
        return found

    def _colour(self) -> None:
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.selection_colour())
        self.setPalette(palette)
        tint(self._says, "error" if self._kind == "error" else "text")
