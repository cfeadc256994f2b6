"""What to keep when a file was changed elsewhere: both compared, merged, or one of them, as the user decides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.trace.model import MemoryFile
from engine.workbench import FileVersion, Merge
from inspector import format, workbench
from inspector.models.late import while_alive
from inspector.views.compare import Text
from inspector.views.memory_buffer import MemoryBuffer

if TYPE_CHECKING:
    from inspector.views.buffer_edit import BufferEdit


class Deciding(QObject):
    """Works on the buffer that the editor shows; decides nothing itself."""

    def __init__(self, edit: BufferEdit) -> None:
        super().__init__(edit)
        self._edit = edit
        self._wanted: tuple[str, Merge] | None = None

    def compare_with_stored(self, sentence: str = "") -> None:
        """Show what is stored now beside the text in the editor, and ask what to keep."""
        edit, buffer = self._edit, self._edit.buffer
        if buffer is None:
            return
        stored = buffer.stored
        title = "Stored now, against your text"
        if stored.text is not None:
            edit.show_comparison(title, stored.text, buffer.exact_text(), with_stored=True)
        else:
            gone = f"The {buffer.noun} was removed." if not stored.version else "What is stored now is not text."
            edit.show_comparison(title, "", None, gone, with_stored=True)
        actions = [("Keep editing", self._keep_editing)]
        if stored.text is not None and buffer.unsaved:
            actions.append(("Merge both", self.merge))
        if stored.text is not None:
            actions.append(("Take the stored one", self.take_stored))
        elif not stored.version:
            actions.append((f"Let the {buffer.noun} go", self.take_stored))
        actions.append(("Save mine over it", self.save_over))
        edit.note.say(sentence or f"The {buffer.noun} was changed after it was opened here.", *actions)

    def merge(self) -> None:
        """Bring both edits together in the editor, as one edit that can be undone; nothing is saved."""
        edit, buffer = self._edit, self._edit.buffer
        if buffer is None or buffer.stored.text is None:
            return
        edit.jobs.run(
            "Bringing both edits together",
            workbench.merge,
            buffer.base.exact,
            buffer.exact_text(),
            buffer.stored.text,
            done=while_alive(self, partial(self._merged, buffer, buffer.stored, buffer.text())),
            failed=edit.tell_failure,
            key=(self, "merge"),
        )

    def take_stored(self) -> None:
        """Give up the edit for the stored text."""
        edit, buffer = self._edit, self._edit.buffer
        if buffer is not None:
            buffer.take_stored()
            edit.close_comparison()
            if not buffer.missing:
                edit.note.say("The stored text was taken. Undo brings yours back.", ("Close", edit.tell))

    def save_over(self) -> None:
        """Save over the version that was shown."""
        if (buffer := self._edit.buffer) is not None:
            buffer.save(over=buffer.stored.version)

    def show_merge(self, merge: Merge, sentence: str) -> None:
        """A merge is in the editor: say what is left to decide, and go to the first of it."""
        edit = self._edit
        edit.stop_comparing()
        edit.editor.setFocus()
        close = ("Close", edit.tell)
        if merge.clean:
            edit.note.say(f"{sentence} Look at it, then save. Undo brings yours back.", close)
            return
        count = format.count(len(merge.conflicts), "place")
        edit.note.say(
            f"{sentence} {count} both changed: decide between <<<<<<< and >>>>>>>, then save.",
            ("Next conflict", self._next_conflict),
            close,
        )
        edit.go_to_line(1)
        if not edit.editor.textCursor().block().text().startswith(workbench.MARKER):
            self._next_conflict()

    def put_merge(self, path: str, merge: Merge) -> None:
        """Put a merge of a file as it stands into the editor, now or when that file is shown; nothing is saved."""
        self._wanted = (path, merge)
        self.put_wanted()

    def put_wanted(self) -> None:
        """Another file is shown: is it the one that a merge waits for? Text that is not saved is left alone."""
        edit, buffer = self._edit, self._edit.buffer
        if self._wanted is None or buffer is None or buffer.path != self._wanted[0]:
            return
        (_path, merge), self._wanted = self._wanted, None
        if buffer.unsaved or not buffer.editable:
            edit.note.say(
                "This file has text that is not saved. Save or revert it, then take the agent's edit back again.",
                ("Close", edit.tell),
            )
        else:
            buffer.take_merge(merge.text)
            self.show_merge(merge, "The file without the agent's edit is in the editor.")

    def compare_with_version(self, one: FileVersion, old: Text) -> None:
        """Hold an earlier text against the file as it stands, and offer to go on with it."""
        edit, buffer = self._edit, self._edit.buffer
        if buffer is None:
            return
        title = f"Version of {format.absolute(one.at)}, against the file now"
        edit.show_comparison(title, old, buffer.stored.text or "")
        if buffer.editable:
            edit.note.say(
                "An earlier text of this file.",
                ("Put it in the editor", partial(self._read_version, one.id)),
                ("Close", edit.close_comparison),
            )

    def _read_version(self, id: int) -> None:
        edit, buffer = self._edit, self._edit.buffer
        if buffer is not None and buffer.workspace is not None:
            edit.jobs.run(
                "Reading the version", workbench.version_text, buffer.workspace, id,
                done=while_alive(buffer, partial(self._use, buffer)), failed=edit.tell_failure, key=(self, "version"),
            )  # fmt: skip

    def _use(self, buffer: MemoryBuffer, text: str) -> None:
        if buffer is self._edit.buffer and buffer.editable:
            buffer.use(text)
            self._edit.close_comparison()

    def _merged(self, buffer: MemoryBuffer, stored: MemoryFile, typed: str, merge: Merge) -> None:
        if buffer is not self._edit.buffer:
            return
        if buffer.text() != typed or buffer.stored.version != stored.version:  # typed on, or changed again, meanwhile
            self.merge()
            return
        buffer.take_merge(merge.text)
        self.show_merge(merge, "Both edits are in the editor.")

    def _next_conflict(self) -> None:
        edit = self._edit
        block = edit.editor.textCursor().block().next()
        while block.isValid() and not block.text().startswith(workbench.MARKER):
            block = block.next()
        if not block.isValid():
            block = edit.editor.document().begin()
            while block.isValid() and not block.text().startswith(workbench.MARKER):
                block = block.next()
        if block.isValid():
            edit.go_to_line(block.blockNumber() + 1)

    def _keep_editing(self) -> None:
        self._edit.stop_comparing()
        self._edit.note.clear()
        self._edit.editor.setFocus()
