"""Editing one item of the store: the editor of every text, over what saves an item."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace.model import MemoryFile
from inspector import format, store_items
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.memory_files import Opened, Written
from inspector.models.store import written
from inspector.store_items import OpenedItem
from inspector.views.buffer_edit import BufferEdit
from inspector.views.buttons import tool_button
from inspector.views.labels import ElidedLabel
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_buffers import Buffers
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN

MOST_NAMED = 5
"""Items with unsaved text that are named at once."""
Key = tuple[str, str]
"""Namespace and key."""


class ItemBuffer(MemoryBuffer):
    """The text of one item: JSON, or what a file holds."""

    noun = "item"

    def __init__(
        self,
        jobs: Jobs,
        workspace: Path | None,
        opened: Opened,
        parent: QObject | None = None,
        document: QTextDocument | None = None,
    ) -> None:
        super().__init__(jobs, workspace, opened, parent, document)
        self.namespace = opened.file.within
        self.key: Key = (self.namespace, self.path)
        self.as_file = isinstance(opened, OpenedItem) and opened.as_file

    def name(self, file: MemoryFile) -> str:
        """Under which unsaved text is kept on disk."""
        return store_items.draft_name(file.within, file.path)

    @property
    def deletable(self) -> bool:
        """An item is deleted where it is shown."""
        return False

    def writing(self, version: str) -> Callable[[], Written]:
        """What saves, in a job, the text as it stands over this version."""
        assert self.workspace is not None
        return partial(
            store_items.save, self.workspace, self.namespace, self.path, self.as_file, self.base, self.text(), version
        )


class ItemEdit(BufferEdit):
    """The editor of items."""

    noun = "item"

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(jobs, parent)
        self.editor.setAccessibleName("Text of the item")
        self.search.field.setPlaceholderText("Find in this item")
        self.search.field.setAccessibleName("Find in this item")
        self.delete_button.hide()
        self.set_buffer(None)


class ItemEdits(QWidget):
    """One item at a time; what was typed in the others is kept."""

    saved = Signal(str, str)
    """The item of this namespace and key was saved."""
    closed = Signal()
    changed = Signal()
    """Something can be saved, or is unsaved, as it was not before."""

    def __init__(self, jobs: Jobs, path: Path, workspace: Path | None, drafts: Drafts | None) -> None:
        super().__init__()
        self.key: Key | None = None
        self._path = path
        self._new: Key | None = None
        """The item that is to begin with an empty object."""
        self.buffers = Buffers(jobs, workspace, drafts, self, ItemBuffer)
        self.buffers.opened.connect(self._opened)
        self.buffers.failed.connect(self._not_opened)
        self.edit = ItemEdit(jobs)
        self.edit.saved.connect(self._saved)
        self.edit.changed.connect(self.changed)
        self._title = ElidedLabel(muted=True)
        head = QHBoxLayout()
        head.setContentsMargins(MARGIN, 4, 4, 0)
        head.addWidget(self._title, 1)
        head.addWidget(tool_button("×", "Close the editor; what is typed is kept", self.close_edit))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(head)
        column.addWidget(self.edit, 1)

    def open(self, namespace: str, key: str, new: bool = False) -> None:
        """Edit this item; a ``new`` one begins empty."""
        self.key = at = (namespace, key)
        self._title.set_text(f"{'New: ' if new else 'Editing '}{key} in {written(namespace)}")
        if new:
            self._new = at
        buffer = self.buffers.get(at)
        self.edit.set_buffer(buffer)
        if buffer is not None:
            self._opened(at)
            return
        what = f"Reading {format.elide_middle(format.one_line(key), 40)}"
        self.edit.text.show_loading(what)
        self.buffers.open(at, what, partial(store_items.open_item, self._path, namespace, key))

    def look(self, file: MemoryFile | None, key: Key) -> None:
        """The item as it stands now; None for one that is gone."""
        buffer = self.buffers.get(key)
        if buffer is not None:
            buffer.look(file or MemoryFile(key[1], None, "", 0, "store", None, None, within=key[0]))

    def is_unsaved(self, key: Key) -> bool:
        """Whether this item has text that is not stored."""
        buffer = self.buffers.get(key)
        return buffer is not None and buffer.unsaved

    def has_unsaved(self) -> bool:
        """Whether any has."""
        return self.buffers.has_unsaved()

    def unsaved(self) -> list[Key]:
        """Those that have."""
        return [
            buffer.key for _key, buffer in self.buffers.items() if isinstance(buffer, ItemBuffer) and buffer.unsaved
        ]

    def forget(self, key: Key) -> None:
        """The item was deleted: nothing of it is edited any more."""
        if self.key == key:
            self.edit.set_buffer(None)
            self.key = None
        self.buffers.drop(key)

    def close_edit(self) -> None:
        """Back to the item as it stands."""
        at, self.key = self.key, None
        self.edit.set_buffer(None)
        if at is not None and not self.is_unsaved(at):
            self.buffers.drop(at)
        self.closed.emit()

    def _opened(self, at: Key) -> None:
        if at != self.key:
            return
        buffer = self.buffers.get(at)
        if buffer is not None and self._new == at and buffer.missing and not buffer.creating:
            buffer.create()
            buffer.use(store_items.NEW)
        self._new = None
        self.edit.set_buffer(buffer)
        self.edit.editor.setFocus()

    def _not_opened(self, at: Key, sentence: str) -> None:
        if at == self.key:
            self.edit.text.show_error(sentence)

    def _saved(self) -> None:
        if self.key is not None:
            self.saved.emit(*self.key)


class UnsavedBar(NoteBar):
    """What is typed and not seen, by the item's key, with the way back to it."""

    resumed = Signal(str, str)
    """The user wants to go on with the item of this namespace and key."""

    def __init__(self, edits: ItemEdits) -> None:
        super().__init__("Items with unsaved text")
        self._edits = edits
        self._left: Sequence[Key] = ()

    def tell(self, left: Sequence[Key] | None = None) -> None:
        """Name them; ``left`` are those of an earlier window."""
        self._left = self._left if left is None else left
        every = [*self._edits.unsaved(), *(key for key in self._left if self._edits.buffers.get(key) is None)]
        hidden = [key for key in dict.fromkeys(every) if key != self._edits.key][:MOST_NAMED]
        if hidden:
            named = [(format.elide_middle(format.one_line(key[1]), 32), key) for key in hidden]
            self.say("Text that is not saved:", *((name, partial(self.resumed.emit, *key)) for name, key in named))
        else:
            self.clear()
