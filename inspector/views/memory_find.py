"""The search bar of the memory editor: finds while the text is being typed, and steps through."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from inspector import format
from inspector.jobs import Jobs
from inspector.models.shown_text import find_all
from inspector.panes import plain_label
from inspector.views.buttons import tool_button
from inspector.views.memory_editor import MemoryEditor

_DELAY_MS = 120
_MOST = 5_000


class MemoryFind(QWidget):
    """Hidden until it is asked for; Escape closes it."""

    def __init__(self, jobs: Jobs, editor: MemoryEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._editor = jobs, editor
        self._matches: list[tuple[int, int]] = []
        self._at = -1
        self._near: int | None = None
        """Where the match stands that was asked for and not come to yet."""
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find in this file")
        self.field.setAccessibleName("Find in this memory file")
        self.field.setClearButtonEnabled(True)
        self.says = plain_label(muted=True)
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 3, 4, 3)
        row.setSpacing(4)
        row.addWidget(self.field, 1)
        row.addWidget(self.says)
        for sign, name, do in (
            ("↑", "Previous match", partial(self.step, True)),
            ("↓", "Next match", partial(self.step, False)),
            ("×", "Close the search", self.close_bar),
        ):
            row.addWidget(tool_button(sign, name, do))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MS)
        self._timer.timeout.connect(self.search)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        self.field.returnPressed.connect(partial(self.step, False))
        self.field.installEventFilter(self)
        editor.textChanged.connect(self.text_changed)
        self.hide()

    def open(self) -> None:
        """Show the bar, searching for what is selected."""
        selected = self._editor.selected_text()
        self.show()
        if selected and "\n" not in selected and len(selected) <= 200:
            self.field.setText(selected)
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def show_match(self, words: str, near: int) -> None:
        """Show where ``words`` stand closest to ``near``, in the text that is shown or on its way."""
        self.field.setText(words)
        self.show()
        self._near = near
        self.search()

    def close_bar(self) -> None:
        """Hide the bar and its marks."""
        self._timer.stop()
        self._matches, self._at, self._near = [], -1, None
        self._editor.set_matches([], None)
        self.hide()
        self._editor.setFocus()

    def text_changed(self) -> None:
        """What was found may stand elsewhere now."""
        self._matches, self._at = [], -1
        if not self.isHidden():
            self._timer.start()

    def search(self) -> None:
        """Find all, off the GUI thread."""
        self._timer.stop()
        look = partial(find_all, self._editor.shown_text().source, self.field.text(), most=_MOST)
        self._jobs.run("Searching the text", look, done=self._found, key=(self, "find"), quiet=True)

    def step(self, back: bool = False) -> None:
        """Select the next match, or the one before, around the ends."""
        if not self._matches:
            if self.isHidden():
                self.open()
            return
        here = self._editor.offset()
        if self._at < 0:
            starts = [n for n, (start, _end) in enumerate(self._matches) if start >= here]
            self._at = (starts[0] if starts else 0) - (1 if back else 0)
        else:
            self._at += -1 if back else 1
        self._at %= len(self._matches)
        self._editor.set_matches(self._matches, self._matches[self._at])
        self._editor.select(*self._matches[self._at])
        self._say()

    def _found(self, found: list[tuple[int, int]]) -> None:
        if self.isHidden():
            return
        self._matches, self._at = found, -1
        if found and self._near is not None:
            near, self._near = self._near, None
            self._at = min(range(len(found)), key=lambda n: abs(found[n][0] - near))
            self._editor.select(*found[self._at])
        self._editor.set_matches(found, found[self._at] if self._at >= 0 else None)
        self._say()

    def _say(self) -> None:
        many = format.exact(len(self._matches)) + ("+" if len(self._matches) >= _MOST else "")
        if not self.field.text():
            self.says.setText("")
        elif not self._matches:
            self.says.setText("not found")
        else:
            self.says.setText(many if self._at < 0 else f"{format.exact(self._at + 1)} of {many}")

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape closes, Shift+Enter steps back."""
        if isinstance(event, QKeyEvent) and event.type() in (
            QEvent.Type.KeyPress,
            QEvent.Type.ShortcutOverride,
        ):
            shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            key = event.key()
            do = None
            if key == Qt.Key.Key_Escape:
                do = self.close_bar
            elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and shift:
                do = partial(self.step, True)
            if do is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    do()
                return True
        return super().eventFilter(watched, event)
