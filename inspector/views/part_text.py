"""A text and the JSON that it was stored as, one of them shown; both read when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.models.shown_text import ShownText
from inspector.views.buttons import choice_button, tool_button
from inspector.views.labels import ElidedLabel
from inspector.views.text import TextView


class PartText(QWidget):
    """Title, choice of text or JSON, and the one that was chosen."""

    def __init__(self, jobs: Jobs, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._wanted: tuple[Callable[[], ShownText], Callable[[], str], Hashable] | None = None
        self._what = name
        self.title = ElidedLabel()
        self.says = ElidedLabel(muted=True)
        self.text = TextView(jobs, name)
        self.json = TextView(jobs, f"{name}, as JSON")
        self.text_button, self.json_button = choice_button("Text"), choice_button("JSON")
        copy = tool_button("Copy", "Copy the whole text that is shown", lambda: self.current().copy_all())
        head = QHBoxLayout()
        head.setContentsMargins(8, 3, 8, 3)
        head.setSpacing(8)
        head.addWidget(self.title)
        head.addWidget(self.says, 1)
        group = QButtonGroup(self)
        for button in (self.text_button, self.json_button):
            group.addButton(button)
            head.addWidget(button)
        head.addWidget(copy)
        self.text_button.setChecked(True)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.text)
        self._stack.addWidget(self.json)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self._stack, 1)
        self.setFocusProxy(self.text)
        group.buttonToggled.connect(lambda _button, on: self._load() if on else None)

    def show_part(
        self, title: str, says: str, text: Callable[[], ShownText], json: Callable[[], str], key: Hashable
    ) -> None:
        """Show another part; ``text`` and ``json`` are called off the GUI thread, when they are needed."""
        self.title.set_text(title)
        self.says.set_text(says)
        self._wanted = (text, json, key)
        self._load()

    def clear(self, title: str, how: str = "") -> None:
        """Show nothing, and say why."""
        self._wanted = None
        self.title.set_text("")
        self.says.set_text("")
        self.text.clear(title, how)
        self.json.clear(title, how)

    def current(self) -> TextView:
        """The text or the JSON: what is looked at."""
        return self.json if self.json_button.isChecked() else self.text

    def show_json(self, on: bool = True) -> None:
        """Show the JSON, or the text again."""
        (self.json_button if on else self.text_button).click()

    def find_target(self) -> TextView | None:
        """The text or the JSON, whichever is shown."""
        return self.current().find_target()

    def _load(self) -> None:
        self._stack.setCurrentWidget(self.current())
        if self._wanted is None:
            return
        text, json, key = self._wanted
        if self.current() is self.text:
            self.text.load_shown(f"Reading the {self._what.lower()}", text, key=key)
        else:
            self.json.load("Reading the JSON", partial(json), key=key)
