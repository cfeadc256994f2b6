"""Memory of a thread's agent: its sources in order, how they stand to the thread, and their text to edit.

What is typed outlives another selection, another thread, a refresh and the process.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.trace.model import MemoryFile
from engine.workbench import Merge
from inspector import format, memory_files, workbench
from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.models.memory import MemoryModel, in_words
from inspector.panes import plain_label
from inspector.searching import Searchable
from inspector.views.apply_bar import ApplyBar
from inspector.views.items_table import ItemsTable
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.memory_buffers import Buffers
from inspector.views.memory_drift import DriftRows
from inspector.views.memory_edit import MemoryEdit
from inspector.views.parts import BESIDE_NEVER, MARGIN, AspectSplitter, Line
from inspector.views.side import SidePane

CACHED = "An edit reaches new threads. This thread keeps the copy it loaded at its first run."
NOT_YET = "An edit made before this thread's first run reaches it too."

_Key = tuple[str, str, str | None]
"""Path, where it lies, and the thread for a file that is only read: the state of a thread has its own."""


class MemoryView(SidePane):
    """The thread's memory files over the text of the selected one."""

    changed = Signal()
    """Something can be saved, or is unsaved, as it was not before: ``can_save`` and ``has_unsaved``."""

    go_to_thread = Signal(str, int)
    """The user asked for a request of a thread, by their ids."""

    noun = "memory files"

    def __init__(
        self,
        reader: Any,
        jobs: Jobs,
        workspace_path: str | Path | None,
        parent: QWidget | None = None,
        drafts: Drafts | None = None,
    ) -> None:
        super().__init__(reader, jobs, parent)
        read_only = bool(getattr(reader, "read_only", ""))
        self.workspace = None if workspace_path is None or read_only else Path(workspace_path)
        self._model_window: int | None = None
        self.buffers = Buffers(jobs, self.workspace, drafts, self)
        self.buffers.opened.connect(self._opened)
        self.buffers.failed.connect(self._not_opened)
        self.model = MemoryModel(self._is_unsaved)
        self.table: ItemsTable[MemoryFile] = ItemsTable(
            self.model, "Memory files in the order of loading", ("", "888k", "≠ changed since")
        )
        self.standing = plain_label(muted=True)
        self.standing.setWordWrap(True)
        self.drift = DriftRows(self.compare_with_thread, self.compare_with_request)
        self.differences = self.drift.copy_link
        self.applying = ApplyBar(jobs, self.workspace, "memory")
        self.applying.applied.connect(self.refresh)
        self.edit = MemoryEdit(jobs)
        self._build()
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(lambda _file: self.edit.editor.setFocus())
        self.edit.changed.connect(self._edit_changed)
        self.edit.saved.connect(self.refresh)
        self.edit.bench.versions.go_to_request.connect(self.go_to_thread)
        self._show(None)

    # -- what the window calls -------------------------------------------------------------

    def has_unsaved(self) -> bool:
        """Whether any memory file has text that is not stored."""
        return self.buffers.has_unsaved()

    def can_save(self) -> bool:
        """Whether the file in the editor can be saved now."""
        return self.edit.can_save()

    def save(self) -> None:
        """Save the file in the editor over the version that it was opened from."""
        self.edit.save()

    def revert(self) -> None:
        """Back to the text that was opened; undo brings the edit back."""
        self.edit.revert()

    def open_path(self, path: str) -> None:
        """Select a memory file."""
        self.table.select(path)

    def put_merge(self, path: str, merge: Merge) -> None:
        """Put a merge of a file as it stands into the editor; nothing is saved."""
        self.edit.deciding.put_merge(path, merge)
        self.table.select(path)
        self.refresh()

    def find_target(self) -> Searchable | None:
        """The file in the editor."""
        return self.edit.find_target()

    def forget(self, deleted: Callable[[str], bool]) -> None:
        """Forget what was typed into files whose place was deleted for good."""
        self.buffers.forget(deleted)

    def flush(self) -> None:
        """Put all unsaved text on disk now."""
        self.buffers.flush()

    # -- loading ---------------------------------------------------------------------------

    def fetch(self, thread_id: str) -> list[MemoryFile]:
        """The sources as they stand now."""
        ids = self.reader.request_ids(thread_id)
        rows = self.reader.request_rows(ids[-1:])
        self._model_window = rows[0].window if rows else None
        return list(self.reader.memory(thread_id))

    def show_loaded(self, found: list[MemoryFile]) -> None:
        """Bring the table and every open buffer up to date."""
        self.model.set_items(found)
        self.edit.bench.effect.set_thread(self.thread_id)
        self.edit.watch.set_sources([(file.path, file.text) for file in found], self._model_window)
        self.edit.bench.refresh()
        self.applying.show_thread(self.thread_id, ())
        self.applying.refresh()
        if not found:
            self._show(None)
            self.pane.show_empty(
                "The thread's agent has no memory files.",
                "The agent's settings name them; AGENTS.md in the memories folder is the usual one.",
            )
            return
        self.pane.show_content()
        self.splitter.fit_first(self.table.height_of(len(found)))
        for file in found:
            self._look(file)
        self.table.select_first()
        self._selected(self.table.current())

    def show_failed(self, sentence: str) -> None:
        """What is being edited stays in sight."""
        if self.pane.state() == "content" and self.model.rowCount():
            self.edit.note.say(sentence, ("Try again", self._retry), kind="error")
        else:
            super().show_failed(sentence)

    def _retry(self) -> None:
        self.edit.tell()
        self.refresh()

    def thread_left(self) -> None:
        """The sources of the thread before are not this one's; buffers stay."""
        self.model.set_items([])
        self._show(None)

    # -- buffers ---------------------------------------------------------------------------

    def _key(self, file: MemoryFile) -> _Key:
        return (file.path, file.within, self.thread_id if file.read_only else None)

    def _is_unsaved(self, path: str) -> bool:
        keys = [self._key(file) for file in self.model.items if file.path == path]
        return any(buffer.unsaved for key, buffer in self.buffers.items() if key in keys)

    def _look(self, file: MemoryFile) -> None:
        key = self._key(file)
        buffer = self.buffers.get(key)
        if buffer is None:
            return
        if buffer.read_only and buffer.version != file.version:
            self._drop(key)
        elif buffer.look(file) and buffer is self.edit.buffer:
            self.edit.note.say(
                "The file was changed elsewhere; its new text is shown. Undo brings the old one back.",
                ("Close", self.edit.tell),
            )

    def _selected(self, file: MemoryFile | None) -> None:
        buffer = self.buffers.get(self._key(file)) if file is not None else None
        if file is None or buffer is not None:
            self._show(buffer)
            return
        self._show(None)
        key = self._key(file)
        if self.thread_id is None:
            return
        what = f"Reading {format.elide_middle(format.one_line(file.path), 40)}"
        self.edit.text.show_loading(what)
        self.buffers.open(key, what, partial(memory_files.open_file, self.reader, self.thread_id, file))

    def _opened(self, key: _Key) -> None:
        current, buffer = self.table.current(), self.buffers.get(key)
        if buffer is not None and current is not None and self._key(current) == key:
            buffer.look(current)
            self._show(buffer)
        self.model.repaint()

    def _not_opened(self, key: _Key, sentence: str) -> None:
        current = self.table.current()
        if current is not None and self._key(current) == key:
            self.edit.text.show_error(sentence, lambda: self._selected(self.table.current()))

    def _drop(self, key: _Key) -> None:
        buffer = self.buffers.drop(key)
        if buffer is None:
            return
        if buffer is self.edit.buffer:
            self._show(None)
        self.edit.editor.forget(buffer)

    # -- the selected file -------------------------------------------------------------------

    def _show(self, buffer: MemoryBuffer | None) -> None:
        if buffer is not self.edit.buffer:
            self.edit.set_buffer(buffer)
        if buffer is None:
            self.edit.text.show_empty("No memory file is selected.", "Select one above to read and edit it.")
        self._edit_changed()

    def _edit_changed(self) -> None:
        file = self.table.current()
        drift = file is not None and (
            (file.in_thread is not None and file.in_thread != file.text)
            or (file.text is not None and file.in_thread is None and file.drift not in (None, "not-loaded"))
        )
        self.differences.setVisible(drift)
        self.drift.show_file(file)
        applicable = file is not None and drift and file.state != "stops" and not file.read_only
        self.applying.show_thread(self.thread_id, (file.path,) if file is not None and applicable else ())
        self.standing.setVisible(file is not None)
        self.standing.setText("" if file is None else self._standing(file))
        self.model.repaint()
        self.changed.emit()

    def _standing(self, file: MemoryFile) -> str:
        if self.workspace is None or file.read_only:
            return in_words(file)
        if any(each.in_thread is not None for each in self.model.items):
            return CACHED
        return NOT_YET

    def compare_with_thread(self) -> None:
        """Show what differs between the copy in the thread and the file now."""
        file = self.table.current()
        if file is not None:
            self.edit.show_comparison(
                "The copy in this thread, against the file now",
                file.in_thread or "",
                file.text,
                "The file is there no more." if not file.version else "The file is not text now.",
            )

    def compare_with_request(self) -> None:
        """Show what differs between the text in the last request and what the file would send."""
        file = self.table.current()
        if file is not None and file.in_request is not None:
            self.edit.show_comparison(
                f"What request {file.request_number} carried, against what the file would send",
                file.in_request,
                partial(workbench.sent_now, file.path, file.text or ""),
            )

    # -- building ------------------------------------------------------------------------------

    def _build(self) -> None:
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        standing = QHBoxLayout()
        standing.setContentsMargins(MARGIN, 4, MARGIN, 0)
        standing.addWidget(self.standing, 1)
        below.addWidget(Line())
        below.addWidget(self.drift)
        below.addLayout(standing)
        below.addWidget(self.applying)
        below.addWidget(self.edit, 1)
        self.splitter = AspectSplitter(self.table, lower, (1, 3), least=BESIDE_NEVER)
        self.pane.set_content(self.splitter)

    def hideEvent(self, event: QHideEvent) -> None:
        """When the window goes, or another source is opened, what is typed must be on disk."""
        super().hideEvent(event)
        if self.isHidden() or not self.window().isVisible():
            self.flush()
