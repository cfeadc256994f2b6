"""Every text that a file has had, with author and time: compare it with the file now, or restore it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from engine.workbench import FileVersion
from inspector import format, workbench
from inspector.jobs import Jobs
from inspector.models.items import Column, ItemsModel
from inspector.panes import Pane
from inspector.views.buttons import WordButton
from inspector.views.items_table import ItemsTable
from inspector.views.memory_buffer import MemoryBuffer
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN


def author_of(one: FileVersion) -> str:
    """Who wrote it, in words."""
    if one.author == "user":
        return "you"
    if one.author == "agent":
        return f"agent, request {one.request_number}" if one.request_number is not None else "agent"
    return "outside"


def _whole(one: FileVersion) -> str:
    where = f" of thread {one.thread_id}" if one.thread_id else ""
    return f"{author_of(one)}{where}"


def _size(one: FileVersion) -> str:
    return format.size(one.size) if one.version else "deleted"


class VersionsModel(ItemsModel[FileVersion]):
    """The latest first."""

    def __init__(self) -> None:
        super().__init__(
            (
                Column("By", author_of, _whole),
                Column(
                    "Written",
                    lambda one: format.ago(one.at),
                    lambda one: format.absolute(one.at),
                    sort=lambda one: one.at,
                ),
                Column("Size", _size, lambda one: format.count(one.size, "byte"), right=True),
                Column("", lambda one: "now" if one.current else one.note, muted=True, cut_end=True),
            ),
            lambda one: one.id,
        )


class VersionsPane(QWidget):
    """The list over its two buttons."""

    compare_asked = Signal(object, object)
    """A ``FileVersion``, and what makes its text in a job."""
    restored = Signal()
    go_to_request = Signal(str, int)
    """Thread and id of the request that made the selected version."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._buffer: MemoryBuffer | None = None
        self.model = VersionsModel()
        self.table: ItemsTable[FileVersion] = ItemsTable(
            self.model, "Versions of the file", ("", "88 min ago", "deleted", "restored")
        )
        self.table.current_changed.connect(lambda _one: self._follow())
        self.table.opened.connect(lambda _one: self.compare())
        self.compare_button = WordButton("Compare with now", self.compare)
        self.restore_button = WordButton("Restore…", self.ask_restore)
        self.request_button = WordButton("To the request", self._go)
        self.request_button.setToolTip("The request whose answer wrote this text")
        self.note = NoteBar("Restoring a version")
        self.pane = Pane()
        self.pane.set_content(self.table)
        row = QHBoxLayout()
        row.setContentsMargins(MARGIN, 2, MARGIN, 4)
        row.addWidget(self.compare_button)
        row.addWidget(self.restore_button)
        row.addWidget(self.request_button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.note)
        column.addWidget(self.pane, 1)
        self._follow()

    def set_buffer(self, buffer: MemoryBuffer | None) -> None:
        """Another file's."""
        self._buffer = buffer
        self._jobs.cancel((self, "versions"))
        self.note.clear()
        self.model.set_items([])
        self.refresh()

    def refresh(self) -> None:
        """Read the list, where somebody sees it."""
        buffer = self._buffer
        self._follow()
        if self.isHidden():
            return
        if buffer is None or buffer.workspace is None:
            self.pane.show_empty("No versions are kept here.", "A workspace keeps every text of its own files.")
            return
        if self.pane.state() != "content":
            self.pane.show_loading("Reading the versions")
        self._jobs.run(
            "Reading the versions",
            workbench.versions,
            buffer.workspace,
            buffer.path,
            buffer.thread_id,
            done=self._take,
            failed=self.pane.show_error,
            key=(self, "versions"),
        )

    def compare(self) -> None:
        """Hold the selected version against the file as it stands."""
        one, buffer = self.table.current(), self._buffer
        if one is None or not one.version or buffer is None or buffer.workspace is None:
            return
        self.compare_asked.emit(one, partial(workbench.version_text, buffer.workspace, one.id))

    def ask_restore(self) -> None:
        """Say what will be done, and ask."""
        one, buffer = self.table.current(), self._buffer
        if one is None or buffer is None or not self.restore_button.isEnabled():
            return
        kept = " Your unsaved text stays in the editor." if buffer.unsaved else ""
        self.note.say(
            f"Save the text of {format.absolute(one.at)} over the file as it stands? "
            f"What it replaces stays in this list.{kept}",
            ("Restore", partial(self._restore, one.id)),
            ("Cancel", self.note.clear),
        )

    def _go(self) -> None:
        one = self.table.current()
        if one is not None and one.request is not None and one.thread_id is not None:
            self.go_to_request.emit(one.thread_id, one.request)

    def _restore(self, id: int) -> None:
        buffer = self._buffer
        if buffer is None or buffer.workspace is None:
            return
        self.note.clear()
        self._jobs.run(
            "Restoring a version",
            workbench.restore,
            buffer.workspace,
            id,
            buffer.stored.version,
            done=self._restored,
            failed=self._failed,
        )

    def _restored(self, _version: str) -> None:
        self.note.say("Restored.", ("Close", self.note.clear))
        self.restored.emit()
        self.refresh()

    def _failed(self, sentence: str) -> None:
        self.note.say(sentence, ("Close", self.note.clear), kind="error")
        self.restored.emit()

    def _take(self, found: list[FileVersion]) -> None:
        self.model.set_items(found)
        if found:
            self.pane.show_content()
            self.table.select_first()
        else:
            self.pane.show_empty(
                "No versions are kept yet.", "The first save from here or by an agent begins the list."
            )
        self._follow()

    def _follow(self) -> None:
        one, buffer = self.table.current(), self._buffer
        there = one is not None and bool(one.version)
        self.compare_button.setEnabled(there)
        editable = buffer is not None and not buffer.read_only
        self.request_button.setVisible(one is not None and one.request is not None)
        self.restore_button.setEnabled(there and editable and one is not None and not one.current)
