"""What is to be said of the file in the editor, and asked before it is created or deleted."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from engine.errors import EditConflict
from inspector import format
from inspector.jobs import Failure
from inspector.models.late import while_alive
from inspector.views.memory_buffer import MemoryBuffer

if TYPE_CHECKING:
    from inspector.views.buffer_edit import BufferEdit


class Notes(QObject):
    """Says it in the editor's note bar."""

    def __init__(self, edit: BufferEdit) -> None:
        super().__init__(edit)
        self._edit = edit

    def tell(self) -> None:
        """The note that belongs to the buffer as it now is."""
        edit, buffer = self._edit, self._edit.buffer
        if buffer is None:
            return
        if buffer.read_only:
            edit.note.say(f"Read only. {buffer.read_only}")
        elif buffer.missing and not buffer.creating:
            edit.note.say(
                f"{buffer.path} does not exist. It can be created.",
                ("Create it…", self._ask_create),
            )
        elif buffer.restored_at is not None:
            self._tell_restored(buffer, buffer.restored_at)
        else:
            edit.note.clear()
            self.tell_changed_elsewhere(buffer)

    def tell_changed_elsewhere(self, buffer: MemoryBuffer) -> None:
        """Somebody changed or removed the file while it is edited here."""
        if not buffer.changed_elsewhere or buffer.read_only or buffer.restored_at is not None:
            return
        deciding = self._edit.deciding
        if not buffer.stored.version:
            self._edit.note.say(
                f"The {buffer.noun} was removed. Its text is still here.",
                ("Save it again", deciding.save_over),
                ("Let it go", deciding.take_stored),
            )
        elif buffer.unsaved:
            self._edit.note.say(
                f"The {buffer.noun} was changed elsewhere while you edited it. Nothing is overwritten unseen.",
                ("Differences", deciding.compare_with_stored),
            )

    def ask_delete(self) -> None:
        """Say what deleting the file means, and ask."""
        buffer = self._edit.buffer
        if buffer is not None and buffer.deletable:
            self._edit.note.say(
                self.deletion_asked(buffer), ("Delete", partial(self._delete, buffer)), ("Cancel", self.tell)
            )

    def deletion_asked(self, buffer: MemoryBuffer) -> str:
        """What deleting means, and whether to."""
        return (
            f"Delete {buffer.path}? New threads load nothing of it; a thread that has a copy keeps it until you "
            "apply the change there. Its texts stay under Versions and can be restored."
        )

    def _delete(self, buffer: MemoryBuffer) -> None:
        self._edit.note.clear()
        self._edit.jobs.run(
            f"Deleting {buffer.path}",
            buffer.deletion(),
            done=while_alive(buffer, lambda _none: self._deleted(buffer)),
            failed=while_alive(buffer, partial(self._not_deleted, buffer)),
        )

    def _deleted(self, buffer: MemoryBuffer) -> None:
        buffer.deleted()
        buffer.saved.emit()
        if buffer is self._edit.buffer:
            self.tell()

    def _not_deleted(self, buffer: MemoryBuffer, failure: Failure) -> None:
        if buffer is not self._edit.buffer:
            return
        if isinstance(failure.error, EditConflict):
            self._edit.saved.emit()  # whoever holds the file reads it again, and says what is there now
        self._edit.tell_failure(f"{failure} The {buffer.noun} was not deleted.")

    def _tell_restored(self, buffer: MemoryBuffer, at: float) -> None:
        says = f"Unsaved text from {format.absolute(at)} was restored."
        if buffer.changed_elsewhere:
            says += f" The {buffer.noun} has changed since then; saving will not overwrite that unseen."
        if buffer.more_drafts:
            says += f" {format.count(buffer.more_drafts, 'older unsaved text')} of this {buffer.noun} waits on disk."
        actions = [("Keep it", self._keep_restored), ("Discard it", self._discard_restored)]
        if buffer.changed_elsewhere:
            actions.insert(1, ("Differences", self._edit.deciding.compare_with_stored))
        self._edit.note.say(says, *actions)

    def _keep_restored(self) -> None:
        if self._edit.buffer is not None:
            self._edit.buffer.restored_at = None
        self.tell()

    def _discard_restored(self) -> None:
        buffer = self._edit.buffer
        if buffer is not None:
            if buffer.changed_elsewhere:
                buffer.take_stored()
            else:
                buffer.revert()
        self._edit.close_comparison()

    def _ask_create(self) -> None:
        if (buffer := self._edit.buffer) is not None:
            self._edit.note.say(
                f"Create {buffer.path}? Every agent of this workspace that names it will load it.",
                ("Create", self._create),
                ("Cancel", self.tell),
            )

    def _create(self) -> None:
        if (buffer := self._edit.buffer) is not None:
            buffer.create()
            self._edit.note.say("The file is written when you save.")
            self._edit.editor.setFocus()
