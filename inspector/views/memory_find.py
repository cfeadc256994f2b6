"""The search bar of the memory editor: finds while the text is being typed, steps through, and replaces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QToolButton, QVBoxLayout, QWidget

from inspector import format, text_search
from inspector.jobs import Jobs
from inspector.panes import plain_label, tint
from inspector.text_search import Replaced, Wanted
from inspector.views.buttons import WordButton, choice_button, tool_button
from inspector.views.memory_editor import MemoryEditor
from inspector.views.replacing import Replacing

_DELAY_MS = 120
_MOST = 5_000
"""Matches that are counted and painted; replacing takes all."""


class MemoryFind(QWidget):
    """Hidden until it is asked for; Escape closes it."""

    def __init__(self, jobs: Jobs, editor: MemoryEditor, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._editor = jobs, editor
        self._matches: list[tuple[int, int]] = []
        self._at = -1
        self._near: int | None = None
        """Where the match stands that was asked for and not come to yet."""
        self._told = False
        self._replacing = Replacing(editor)
        self.field = _field("Find in this file", "Find in this memory file")
        self.by = _field("Replace with", "Replace with")
        self.says = plain_label(muted=True)
        self.case = _choice("Case", "Match case", self.search)
        self.whole = _choice("Words", "Whole words only", self.search)
        self.pattern = _choice("Pattern", "A regular expression; in what replaces, \\1 is its first group", self.search)
        self.replacing = _choice("Replace", "Show what to replace with (Ctrl+H)", self._show_replacing)
        self.one_button = WordButton("Replace", self.replace_one, name="Replace this match and go to the next")
        self.all_button = WordButton("Replace all", self.replace_all)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DELAY_MS)
        self._timer.timeout.connect(self.search)
        self.field.textChanged.connect(lambda _text: self._timer.start())
        for field, back in ((self.field, partial(self.step, False)), (self.by, self.replace_one)):
            field.returnPressed.connect(back)
            field.installEventFilter(self)
        editor.textChanged.connect(self.text_changed)
        self._build()
        self.hide()

    def open(self, replace: bool = False) -> None:
        """Show the bar, searching for what is selected; with what replaces it where that is asked for."""
        selected = self._editor.selected_text()
        self.show()
        self.replacing.setChecked(replace and not self._editor.isReadOnly())
        self._show_replacing()
        if selected and "\n" not in selected and len(selected) <= 200:
            self.field.setText(selected)
        self.field.setFocus()
        self.field.selectAll()
        self.search()

    def show_match(self, words: str, near: int) -> None:
        """Show where ``words`` stand closest to ``near``, in the text that is shown or on its way."""
        for choice in (self.case, self.whole, self.pattern):
            choice.setChecked(False)
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
        self._enable()
        if not self.isHidden():
            self._timer.start()

    def wanted(self) -> Wanted:
        """What is looked for."""
        return Wanted(self.field.text(), self.case.isChecked(), self.whole.isChecked(), self.pattern.isChecked())

    def search(self) -> None:
        """Find all, off the GUI thread."""
        self._timer.stop()
        self._jobs.run(
            "Searching the text", text_search.find, self.wanted(), self._editor.shown_text().source, _MOST,
            done=self._found, failed=self._failed, key=(self, "find"), quiet=True,
        )  # fmt: skip

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
        self._go()

    def replace_one(self) -> None:
        """Replace the match that is shown, and go to the next one; without one that is shown, go to it."""
        if self._at < 0:
            self.step()
        elif self.one_button.isEnabled():
            start = self._matches[self._at][0]
            self._replace(partial(text_search.replace_one, start=start), start)

    def replace_all(self) -> None:
        """Replace every match; one undo takes all back."""
        if self.all_button.isEnabled():
            self._replace(text_search.replace_all, None)

    # -- inside ----------------------------------------------------------------------------

    def _replace(self, how: Callable[..., Replaced], start: int | None) -> None:
        revision = self._editor.document().revision()
        self._jobs.run(
            "Replacing in the text", how, self.wanted(), self._editor.shown_text().source, self.by.text(),
            done=lambda found: self._put(found, revision, start), failed=self._failed, key=(self, "replace"),
        )  # fmt: skip

    def _put(self, found: Replaced, revision: int, start: int | None) -> None:
        if self._editor.document().revision() != revision or self._editor.isReadOnly():
            self._failed("The text was changed meanwhile. Nothing was replaced; try again.")
            return
        if found.edits:
            self._replacing.start(found, lambda: self._replaced(found, start))

    def _replaced(self, found: Replaced, start: int | None) -> None:
        if start is None:
            self.search()
            self.says.setText(f"{format.exact(found.count)} replaced")
            self._told = True
        else:
            self._near = start + len(found.edits[0].text)
            self.search()

    def _found(self, found: list[tuple[int, int]]) -> None:
        if self.isHidden():
            return
        self._matches, self._at = found, -1
        if found and self._near is not None:
            near, self._near = self._near, None
            self._at = min(range(len(found)), key=lambda n: (found[n][0] < near, abs(found[n][0] - near)))
            self._editor.select(*found[self._at])
        self._editor.set_matches(found, found[self._at] if self._at >= 0 else None)
        self._say()

    def _go(self) -> None:
        self._editor.set_matches(self._matches, self._matches[self._at])
        self._editor.select(*self._matches[self._at])
        self._say()

    def _failed(self, sentence: str) -> None:
        self._matches, self._at, self._near = [], -1, None
        self._editor.set_matches([], None)
        self._enable()
        self.problem.setText(format.marked(sentence))
        self.problem.show()

    def _say(self) -> None:
        self.problem.hide()
        self._enable()
        many = format.exact(len(self._matches)) + ("+" if len(self._matches) >= _MOST else "")
        if not self.field.text():
            self.says.setText("")
        elif not self._matches:
            if not self._told:
                self.says.setText("not found")
        else:
            self.says.setText(many if self._at < 0 else f"{format.exact(self._at + 1)} of {many}")
        self._told = False

    def _enable(self) -> None:
        able = bool(self._matches) and not self._editor.isReadOnly()
        self.one_button.setEnabled(able)
        self.all_button.setEnabled(able)

    def _show_replacing(self) -> None:
        self._second.setVisible(self.replacing.isChecked())

    def _build(self) -> None:
        self.problem = plain_label()
        self.problem.setWordWrap(True)
        tint(self.problem, "error")
        self.problem.hide()
        first, self._second = QHBoxLayout(), QWidget()
        first.setSpacing(4)
        first.addWidget(self.field, 1)
        for sign, name, do in (
            ("↑", "Previous match", partial(self.step, True)),
            ("↓", "Next match", partial(self.step, False)),
            ("×", "Close the search", self.close_bar),
        ):
            first.addWidget(tool_button(sign, name, do))
        second = QHBoxLayout(self._second)
        second.setContentsMargins(0, 0, 0, 0)
        second.setSpacing(4)
        second.addWidget(self.by, 1)
        second.addWidget(self.one_button)
        second.addWidget(self.all_button)
        choices = QHBoxLayout()
        choices.setSpacing(2)
        for choice in (self.case, self.whole, self.pattern, self.replacing):
            choices.addWidget(choice)
        choices.addStretch(1)
        choices.addWidget(self.says)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 3, 4, 3)
        column.setSpacing(3)
        column.addLayout(first)
        column.addWidget(self._second)
        column.addLayout(choices)
        column.addWidget(self.problem)
        self._show_replacing()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Escape closes, Shift+Enter steps back, Ctrl+Enter replaces all."""
        if isinstance(event, QKeyEvent) and event.type() in (QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride):
            modifiers, key = event.modifiers(), event.key()
            enter = key in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            do: Callable[[], None] | None = None
            if key == Qt.Key.Key_Escape:
                do = self.close_bar
            elif enter and modifiers & Qt.KeyboardModifier.ShiftModifier:
                do = partial(self.step, True)
            elif enter and modifiers & Qt.KeyboardModifier.ControlModifier and watched is self.by:
                do = self.replace_all
            if do is not None:
                event.accept()
                if event.type() == QEvent.Type.KeyPress:
                    do()
                return True
        return super().eventFilter(watched, event)


def _field(hint: str, name: str) -> QLineEdit:
    made = QLineEdit()
    made.setPlaceholderText(hint)
    made.setAccessibleName(name)
    made.setClearButtonEnabled(True)
    return made


def _choice(word: str, says: str, do: Callable[[], object]) -> QToolButton:
    made = choice_button(word)
    made.setAccessibleName(says)
    made.setToolTip(says)
    made.toggled.connect(lambda _on: do())
    return made
