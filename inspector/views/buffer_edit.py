"""The text of one buffer with what can be done to it: save, revert, find, compare, create, delete.

Shows one ``MemoryBuffer`` at a time, of a file or of an item of the store. What is said of it is in ``memory_notes``,
what becomes of two edits of one text in ``memory_merge``.
"""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from inspector.jobs import Jobs
from inspector.models.shown_text import for_clipboard
from inspector.panes import Pane, plain_label
from inspector.views.buttons import WordButton
from inspector.views.compare import ComparePane, Text
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_editor import MemoryEditor
from inspector.views.memory_find import MemoryFind
from inspector.views.memory_merge import Deciding
from inspector.views.memory_notes import Notes
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN, AspectSplitter, Line

LEAST_FOR_BOTH = 280
"""Height below which the comparison takes the place of the editor, until it is closed."""


class BufferEdit(QWidget):
    """Editor, buttons, notes and comparison for the buffer that is shown; what is made of it begins without one."""

    noun = "file"
    """What is edited, for what is said and for readers."""

    changed = Signal()
    """The buffer is unsaved or not, missing or not, as it was not before."""
    saved = Signal()
    """The buffer was saved."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self.buffer: MemoryBuffer | None = None
        self.comparing = ""
        """What the comparison shows: ``stored``, ``other`` or nothing."""
        self.note = NoteBar(f"Note on the {self.noun}")
        self.editor = MemoryEditor()
        self.search = MemoryFind(jobs, self.editor)
        self.save_button = WordButton("Save", self.save)
        self.revert_button = WordButton("Revert", self.revert)
        self.find_button = WordButton("Find", self.search.open)
        self.where = plain_label(muted=True)
        self.compare = ComparePane(jobs)
        self.deciding, self.notes = Deciding(self), self.make_notes()
        self.delete_button = WordButton("Delete…", self.notes.ask_delete)
        self.text = Pane()
        for pane in (self.text, self.compare.pane):
            pane.setMinimumWidth(100)
        self._build()
        self.editor.cursorPositionChanged.connect(self._moved)
        self.compare.closed.connect(self.close_comparison)

    def make_notes(self) -> Notes:
        """What speaks of the buffer."""
        return Notes(self)

    # -- one buffer --------------------------------------------------------------------------

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Show another buffer, where it was left."""
        if self.buffer is not None:
            self.buffer.changed.disconnect(self._follow)
            self.buffer.saved.disconnect(self._saved)
            self.buffer.conflicted.disconnect(self.deciding.compare_with_stored)
            self.buffer.failed.disconnect(self.tell_failure)
        self.buffer = buffer
        self.stop_comparing()
        self.editor.set_buffer(buffer)
        self.search.text_changed()
        self.note.clear()
        if buffer is not None:
            buffer.changed.connect(self._follow)
            buffer.saved.connect(self._saved)
            buffer.conflicted.connect(self.deciding.compare_with_stored)
            buffer.failed.connect(self.tell_failure)
        self._follow()
        self.tell()
        self.deciding.put_wanted()

    def can_save(self) -> bool:
        """Whether there is something to save and nothing in the way."""
        buffer = self.buffer
        return buffer is not None and buffer.editable and not buffer.saving and (buffer.unsaved or buffer.creating)

    def save(self) -> None:
        """Save over the version that the edit was made from."""
        if self.buffer is not None and self.can_save():
            self.buffer.save()

    def revert(self) -> None:
        """Back to the text that the edit was made from; undo brings the edit back."""
        if self.buffer is not None and self.buffer.editable:
            self.buffer.revert()
            self.close_comparison()

    def find_target(self) -> BufferEdit | None:
        """Itself, while there is a text."""
        return self if self.editor.isVisible() and self.buffer is not None else None

    def open_find(self) -> None:
        """Open the search bar."""
        self.search.open()

    def can_replace(self) -> bool:
        """Whether the text can be edited."""
        return self.buffer is not None and self.buffer.editable

    def open_replace(self) -> None:
        """Open the search bar with what replaces."""
        self.search.open(replace=True)

    def step_find(self, back: bool = False) -> None:
        """Go to the next match, or the one before."""
        self.search.step(back)

    def show_match(self, words: str, near: int) -> None:
        """Show where ``words`` stand, in the text that is shown or on its way; ``near`` is the offset meant."""
        self.search.show_match(words, near)

    def copy_all(self) -> None:
        """Copy the whole text as it stands in the editor."""
        QGuiApplication.clipboard().setText(for_clipboard(self.editor.shown_text().source))

    def _follow(self) -> None:
        """Something of the buffer is another than it was."""
        buffer = self.buffer
        self.save_button.setEnabled(self.can_save())
        self.revert_button.setEnabled(buffer is not None and buffer.unsaved)
        self.find_button.setEnabled(buffer is not None and not buffer.missing)
        self.delete_button.setEnabled(buffer is not None and buffer.deletable)
        self.editor.follow()
        self._moved()
        if buffer is not None and buffer.missing and not buffer.creating:
            self.text.show_empty(f"There is no {buffer.noun} at {buffer.path}.")
        elif buffer is not None:
            self.text.show_content()
            if self.comparing != "stored":
                self.notes.tell_changed_elsewhere(buffer)
        self.changed.emit()

    def _moved(self) -> None:
        buffer = self.buffer
        if buffer is None:
            self.where.setText("")
            return
        cursor = self.editor.textCursor()
        state = "saving" if buffer.saving else "unsaved" if buffer.unsaved else ""
        place = f"line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}"
        parts = (state, place, buffer.description())
        self.where.setText(" · ".join(part for part in parts if part))

    # -- notes -------------------------------------------------------------------------------

    def tell(self) -> None:
        """The note that belongs to the buffer as it now is."""
        self.notes.tell()

    def tell_failure(self, sentence: str) -> None:
        """Something did not work."""
        self.note.say(sentence, ("Close", self.tell), kind="error")

    def _saved(self) -> None:
        self.stop_comparing()
        self.note.clear()
        self.saved.emit()

    def go_to_line(self, line: int) -> None:
        """Put the cursor there."""
        block = self.editor.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.editor.setTextCursor(QTextCursor(block))
            self.editor.ensureCursorVisible()
            self.editor.setFocus()

    # -- comparing ---------------------------------------------------------------------------

    def show_comparison(
        self, title: str, old: Text, new: Text | None, otherwise: str = "", with_stored: bool = False
    ) -> None:
        """Show how two texts differ beside the editor; ``otherwise`` says why there is no second one."""
        self.comparing = "stored" if with_stored else "other"
        if new is None:
            self.compare.say(title, otherwise)
        else:
            self.compare.compare(title, old, new)
        self.arrange()

    def close_comparison(self) -> None:
        """Hide the comparison, and say again what is to be said of the buffer."""
        self.stop_comparing()
        self.tell()

    def stop_comparing(self) -> None:
        """Hide the comparison."""
        self.comparing = ""
        self.arrange()

    # -- building ----------------------------------------------------------------------------

    def _build(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(MARGIN, 4, MARGIN, 4)
        tools.setSpacing(4)
        for button in (self.save_button, self.revert_button, self.find_button, self.delete_button):
            tools.addWidget(button)
        tools.addStretch(1)
        body = QWidget()
        self.below = column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor, 1)
        column.addWidget(self.search)
        column.addWidget(Line())
        self.where.setContentsMargins(MARGIN, 2, MARGIN, 3)
        self.where.setWordWrap(True)  # a narrow pane would cut its end off
        column.addWidget(self.where)
        self.text.set_content(body)
        self.compare.hide()
        self.rows = whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(tools)
        whole.addWidget(self.note)
        whole.addWidget(Line())
        self.aside = QWidget()
        self.beside = aside = QVBoxLayout(self.aside)
        aside.setContentsMargins(0, 0, 0, 0)
        aside.setSpacing(0)
        aside.addWidget(self.compare)
        self.both = AspectSplitter(self.text, self.aside, (1, 1))
        whole.addWidget(self.both, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """There may be room for both now, or no longer."""
        super().resizeEvent(event)
        self.arrange()

    def has_beside(self) -> bool:
        """Whether something stands beside the editor."""
        return self.comparing != ""

    def arrange(self) -> None:
        """Editor and comparison both; where they would stand on each other's feet, the comparison alone."""
        under = self.both.orientation() == Qt.Orientation.Vertical
        beside = self.has_beside()
        alone = beside and under and self.both.height() < LEAST_FOR_BOTH
        self.text.setVisible(not alone)
        self.compare.setVisible(self.comparing != "")
        self.aside.setVisible(beside)
