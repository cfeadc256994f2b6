"""The text of one memory file with what can be done to it: save, revert, find, compare, take, create.

Shows one ``MemoryBuffer`` at a time and asks what to keep when the file was changed elsewhere; it never
decides that itself.
"""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace.model import MemoryFile
from engine.workbench import Merge
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.memory_files import Earlier
from inspector.models.late import while_alive
from inspector.models.shown_text import for_clipboard
from inspector.panes import Pane, plain_label
from inspector.views.buttons import WordButton, choice_button
from inspector.views.compare import ComparePane, Text
from inspector.views.memory_bench import TITLES, MemoryBench
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_earlier import EarlierTexts
from inspector.views.memory_editor import MemoryEditor
from inspector.views.memory_find import MemoryFind
from inspector.views.memory_hidden import HiddenWatch
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN, AspectSplitter, Line

LEAST_FOR_BOTH = 280
"""Height below which the comparison takes the place of the editor, until it is closed."""


class MemoryEdit(QWidget):
    """Editor, buttons, notes and comparison for the buffer that is shown."""

    changed = Signal()
    """The buffer is unsaved or not, missing or not, as it was not before."""
    saved = Signal()
    """The buffer was saved."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self.buffer: MemoryBuffer | None = None
        self._comparing = ""
        """What the comparison shows: ``stored``, ``other`` or nothing."""
        self.note = NoteBar("Note on the memory file")
        self.editor = MemoryEditor()
        self.search = MemoryFind(jobs, self.editor)
        self.save_button = WordButton("Save", self.save)
        self.revert_button = WordButton("Revert", self.revert)
        self.find_button = WordButton("Find", self.search.open)
        self.earlier_button = WordButton("Earlier…", self._ask_earlier)
        self.earlier = EarlierTexts(jobs, self)
        self.earlier.chosen.connect(self.compare_with_earlier)
        self.earlier.failed.connect(self._failed)
        self.where = plain_label(muted=True)
        self.compare = ComparePane(jobs)
        self.bench = MemoryBench(jobs)
        self.modes = {mode: choice_button(title) for mode, title in TITLES.items()}
        self.text = Pane()
        for pane in (self.text, self.compare.pane):
            pane.setMinimumWidth(100)
        self._build()
        self.hidden = HiddenWatch(jobs, self.editor, self)
        self.hidden.found.connect(self._moved)
        self.editor.cursorPositionChanged.connect(self._moved)
        self.compare.closed.connect(self.close_comparison)
        for mode, button in self.modes.items():
            button.clicked.connect(self.bench.toggler(mode))
        self.bench.changed.connect(self._arrange)
        self.bench.preview.go_to_line.connect(self._go_to_line)
        self.bench.versions.compare_asked.connect(self.show_comparison)
        self.bench.effect.compare_asked.connect(self.show_comparison)
        self.bench.versions.restored.connect(self.saved)
        self.set_buffer(None)

    # -- one buffer --------------------------------------------------------------------------

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Show another buffer, where it was left."""
        if self.buffer is not None:
            self.buffer.changed.disconnect(self._follow)
            self.buffer.saved.disconnect(self._saved)
            self.buffer.conflicted.disconnect(self.compare_with_stored)
            self.buffer.failed.disconnect(self._failed)
        self.buffer = buffer
        self._stop_comparing()
        self.editor.set_buffer(buffer)
        self.bench.set_buffer(buffer)
        self.search.text_changed()
        self.note.clear()
        if buffer is not None:
            buffer.changed.connect(self._follow)
            buffer.saved.connect(self._saved)
            buffer.conflicted.connect(self.compare_with_stored)
            buffer.failed.connect(self._failed)
        self._follow()
        self.tell()

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

    def find_target(self) -> MemoryEdit | None:
        """Itself, while there is a text."""
        return self if self.editor.isVisible() and self.buffer is not None else None

    def open_find(self) -> None:
        """Open the search bar."""
        self.search.open()

    def step_find(self, back: bool = False) -> None:
        """Go to the next match, or the one before."""
        self.search.step(back)

    def copy_all(self) -> None:
        """Copy the whole text as it stands in the editor."""
        QGuiApplication.clipboard().setText(for_clipboard(self.editor.shown_text().source))

    def _follow(self) -> None:
        """Something of the buffer is another than it was."""
        buffer = self.buffer
        self.save_button.setEnabled(self.can_save())
        self.revert_button.setEnabled(buffer is not None and buffer.unsaved)
        self.find_button.setEnabled(buffer is not None and not buffer.missing)
        self.earlier_button.setEnabled(buffer is not None and not buffer.read_only)
        self.editor.follow()
        self._moved()
        if buffer is not None and buffer.missing and not buffer.creating:
            self.text.show_empty(f"There is no file at {buffer.path}.")
        elif buffer is not None:
            self.text.show_content()
            if self._comparing != "stored":
                self._tell_changed_elsewhere(buffer)
        self.changed.emit()

    def _moved(self) -> None:
        buffer = self.buffer
        if buffer is None:
            self.where.setText("")
            return
        cursor = self.editor.textCursor()
        state = "saving" if buffer.saving else "unsaved" if buffer.unsaved else ""
        place = f"line {cursor.blockNumber() + 1}, column {cursor.positionInBlock() + 1}"
        self.where.setText(" · ".join(part for part in (state, place, buffer.description(), self.hidden.words) if part))

    # -- notes -------------------------------------------------------------------------------

    def tell(self) -> None:
        """The note that belongs to the buffer as it now is."""
        buffer = self.buffer
        if buffer is None:
            return
        if buffer.read_only:
            self.note.say(f"Read only. {buffer.read_only}")
        elif buffer.missing and not buffer.creating:
            self.note.say(
                f"{buffer.path} does not exist. It can be created in the workspace's store.",
                ("Create it…", self._ask_create),
            )
        elif buffer.restored_at is not None:
            self._tell_restored(buffer, buffer.restored_at)
        else:
            self.note.clear()
            self._tell_changed_elsewhere(buffer)

    def _tell_restored(self, buffer: MemoryBuffer, at: float) -> None:
        says = f"Unsaved text from {format.absolute(at)} was restored."
        if buffer.changed_elsewhere:
            says += " The file has changed since then; saving will not overwrite that unseen."
        if buffer.more_drafts:
            says += f" {format.count(buffer.more_drafts, 'older unsaved text')} of this file waits on disk."
        actions = [("Keep it", self._keep_restored), ("Discard it", self._discard_restored)]
        if buffer.changed_elsewhere:
            actions.insert(1, ("Differences", self.compare_with_stored))
        self.note.say(says, *actions)

    def _tell_changed_elsewhere(self, buffer: MemoryBuffer) -> None:
        if not buffer.changed_elsewhere or buffer.read_only or buffer.restored_at is not None:
            return
        if not buffer.stored.version:
            self.note.say(
                "The file was removed. Its text is still here.",
                ("Save it again", self._save_over),
                ("Let it go", self._take_stored),
            )
        elif buffer.unsaved:
            self.note.say(
                "The file was changed elsewhere while you edited it. Nothing is overwritten unseen.",
                ("Differences", self.compare_with_stored),
            )

    def _keep_restored(self) -> None:
        if self.buffer is not None:
            self.buffer.restored_at = None
        self.tell()

    def _discard_restored(self) -> None:
        if self.buffer is not None:
            if self.buffer.changed_elsewhere:
                self.buffer.take_stored()
            else:
                self.buffer.revert()
        self.close_comparison()

    def _ask_create(self) -> None:
        if self.buffer is not None:
            self.note.say(
                f"Create {self.buffer.path}? Every agent of this workspace that names it will load it.",
                ("Create", self._create),
                ("Cancel", self.tell),
            )

    def _create(self) -> None:
        if self.buffer is not None:
            self.buffer.create()
            self.note.say("The file is written when you save.")
            self.editor.setFocus()

    def _saved(self) -> None:
        self._stop_comparing()
        self.note.clear()
        self.bench.refresh()
        self.saved.emit()

    def _failed(self, sentence: str) -> None:
        self.note.say(sentence, ("Close", self.tell), kind="error")

    # -- conflicts ---------------------------------------------------------------------------

    def compare_with_stored(self, sentence: str = "") -> None:
        """Show what is stored now beside the text in the editor, and ask what to keep."""
        buffer = self.buffer
        if buffer is None:
            return
        stored = buffer.stored
        title = "Stored now, against your text"
        self._comparing = "stored"
        if stored.text is not None:
            self.compare.compare(title, stored.text, buffer.exact_text())
        else:
            gone = "The file was removed." if not stored.version else "What is stored now is not text."
            self.compare.say(title, gone)
        actions = [("Keep editing", self._keep_editing)]
        if stored.text is not None and buffer.unsaved:
            actions.append(("Merge both", self._merge))
        if stored.text is not None:
            actions.append(("Take the stored one", self._take_stored))
        elif not stored.version:
            actions.append(("Let the file go", self._take_stored))
        actions.append(("Save mine over it", self._save_over))
        self.note.say(sentence or "The file was changed after it was opened here.", *actions)
        self._arrange()

    def _merge(self) -> None:
        """Bring both edits together in the editor, as one edit that can be undone; nothing is saved."""
        buffer = self.buffer
        if buffer is None or buffer.stored.text is None:
            return
        self.jobs.run(
            "Bringing both edits together",
            workbench.merge,
            buffer.base.exact,
            buffer.exact_text(),
            buffer.stored.text,
            done=while_alive(self, partial(self._merged, buffer, buffer.stored, buffer.text())),
            failed=self._failed,
            key=(self, "merge"),
        )

    def _merged(self, buffer: MemoryBuffer, stored: MemoryFile, typed: str, merge: Merge) -> None:
        if buffer is not self.buffer:
            return
        if buffer.text() != typed or buffer.stored.version != stored.version:  # typed on, or changed again, meanwhile
            self._merge()
            return
        buffer.take_merge(merge.text)
        self._stop_comparing()
        self.editor.setFocus()
        close = ("Close", self.tell)
        if merge.clean:
            self.note.say("Both edits are in the editor. Look at them, then save. Undo brings yours back.", close)
            return
        count = format.count(len(merge.conflicts), "place")
        self.note.say(
            f"Both edits are in the editor. {count} both changed: decide between <<<<<<< and >>>>>>>, then save.",
            ("Next conflict", self._next_conflict),
            close,
        )
        self._go_to_line(1)
        if not self.editor.textCursor().block().text().startswith(workbench.MARKER):
            self._next_conflict()

    def _next_conflict(self) -> None:
        block = self.editor.textCursor().block().next()
        while block.isValid() and not block.text().startswith(workbench.MARKER):
            block = block.next()
        if not block.isValid():
            block = self.editor.document().begin()
            while block.isValid() and not block.text().startswith(workbench.MARKER):
                block = block.next()
        if block.isValid():
            self._go_to_line(block.blockNumber() + 1)

    def _go_to_line(self, line: int) -> None:
        block = self.editor.document().findBlockByNumber(line - 1)
        if block.isValid():
            self.editor.setTextCursor(QTextCursor(block))
            self.editor.ensureCursorVisible()
            self.editor.setFocus()

    def _keep_editing(self) -> None:
        self._stop_comparing()
        self.note.clear()
        self.editor.setFocus()

    def _take_stored(self) -> None:
        if self.buffer is not None:
            self.buffer.take_stored()
            self.close_comparison()
            if not self.buffer.missing:
                self.note.say("The stored text was taken. Undo brings yours back.", ("Close", self.tell))

    def _save_over(self) -> None:
        if self.buffer is not None:
            self.buffer.save(over=self.buffer.stored.version)

    # -- comparing ---------------------------------------------------------------------------

    def show_comparison(self, title: str, old: Text, new: Text | None, otherwise: str = "") -> None:
        """Show how two texts differ beside the editor; ``otherwise`` says why there is no second one."""
        self._comparing = "other"
        if new is None:
            self.compare.say(title, otherwise)
        else:
            self.compare.compare(title, old, new)
        self._arrange()

    def close_comparison(self) -> None:
        """Hide the comparison, and say again what is to be said of the buffer."""
        self._stop_comparing()
        self.tell()

    def _stop_comparing(self) -> None:
        self._comparing = ""
        self._arrange()

    def _ask_earlier(self) -> None:
        if self.buffer is not None and self.buffer.workspace is not None:
            self.earlier.ask(self.buffer.workspace, self.buffer.path, self.earlier_button)

    def compare_with_earlier(self, one: Earlier) -> None:
        """Show an earlier text beside the one in the editor, and offer to use it."""
        buffer = self.buffer
        if buffer is None or one.text is None:
            return
        self.show_comparison("An earlier text, against yours", one.text, buffer.exact_text())
        self.note.say(
            "An earlier text of this file.",
            ("Put it in the editor", partial(self._use, one.text)),
            ("Close", self.close_comparison),
        )

    def _use(self, text: str) -> None:
        if self.buffer is not None and self.buffer.editable:
            self.buffer.use(text)
            self.close_comparison()

    # -- building ----------------------------------------------------------------------------

    def _build(self) -> None:
        tools = QHBoxLayout()
        tools.setContentsMargins(MARGIN, 4, MARGIN, 4)
        tools.setSpacing(4)
        for button in (self.save_button, self.revert_button, self.find_button, self.earlier_button):
            tools.addWidget(button)
        tools.addStretch(1)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor, 1)
        column.addWidget(self.search)
        column.addWidget(Line())
        self.where.setContentsMargins(MARGIN, 2, MARGIN, 3)
        column.addWidget(self.where)
        self.text.set_content(body)
        self.compare.hide()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(tools)
        modes = QHBoxLayout()
        modes.setContentsMargins(MARGIN - 4, 0, MARGIN, 2)
        modes.setSpacing(2)
        for choice in self.modes.values():
            modes.addWidget(choice)
        modes.addStretch(1)
        whole.addLayout(modes)
        whole.addWidget(self.note)
        whole.addWidget(Line())
        self.aside = QWidget()
        aside = QVBoxLayout(self.aside)
        aside.setContentsMargins(0, 0, 0, 0)
        aside.setSpacing(0)
        aside.addWidget(self.compare)
        aside.addWidget(self.bench)
        self.both = AspectSplitter(self.text, self.aside, (1, 1))
        whole.addWidget(self.both, 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """There may be room for both now, or no longer."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Editor and comparison both; where they would stand on each other's feet, the comparison alone."""
        under = self.both.orientation() == Qt.Orientation.Vertical
        beside = bool(self._comparing or self.bench.mode)
        alone = beside and under and self.both.height() < LEAST_FOR_BOTH
        self.text.setVisible(not alone)
        self.compare.setVisible(bool(self._comparing))
        self.bench.setVisible(bool(self.bench.mode) and not self._comparing)
        self.aside.setVisible(beside)
        for mode, button in self.modes.items():
            button.setChecked(mode == self.bench.mode)
