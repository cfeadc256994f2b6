"""Files of a thread: what the agent, offloading and summarization left, and the text of one of them."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLineEdit,
    QVBoxLayout,
    QWidget,
)

from inspector import clipboard, format, places_of_files
from inspector.file_content import Content, Laid, lay_out, read_laid
from inspector.jobs import Jobs
from inspector.models.files import FileRow, FilesModel, changed, left_by, lies_in
from inspector.panes import LOADING_DELAY_MS
from inspector.searching import Searchable
from inspector.views.buttons import WordButton
from inspector.views.facts import Facts
from inspector.views.file_copy import FileCopy
from inspector.views.items_table import ItemsTable
from inspector.views.note_bar import NoteBar
from inspector.views.parts import MARGIN, AspectSplitter, Line
from inspector.views.plain_text import Link
from inspector.views.side import SidePane
from inspector.views.text import TextView

FILTER_FROM = 12
"""Files from which on the list can be filtered."""


class FilesView(SidePane):
    """A table of the thread's files over the text of the selected one."""

    noun = "files"

    places_wanted = Signal()
    """The user wants to see where files live."""

    def __init__(self, reader: Any, jobs: Jobs, path: Path | None = None, parent: QWidget | None = None) -> None:
        super().__init__(reader, jobs, parent)
        self._path = path
        self._pending: str | None = None
        self._looked_again = False
        self._content: Content | None = None
        self._shown_path = ""
        self.model = FilesModel()
        self.table: ItemsTable[FileRow] = ItemsTable(
            self.model, "Files of the thread", ("", "888k", "message", "thread state", "#8888"), optional=(3,)
        )
        self.table.sort_by_header()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter files")
        self.filter.setAccessibleName("Filter files by path or kind")
        self.filter.setClearButtonEnabled(True)
        self.note = NoteBar("Note on files")
        self.facts = Facts()
        self.text = TextView(jobs, "Text of the file")
        self.text.setMinimumWidth(100)
        self.indent = WordButton("Indent JSON")
        self.indent.setCheckable(True)
        self.copies = FileCopy(self)
        self.save = WordButton("Save a copy…", self.copies.ask_where, name="Save a copy of the file")
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.setInterval(LOADING_DELAY_MS)
        self._late.timeout.connect(self._say_reading)
        self._build()
        self.filter.textChanged.connect(self.table.set_filter)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(lambda _row: self.text.edit.setFocus())
        self.table.link_clicked.connect(self._go)
        self.indent.toggled.connect(lambda _on: self._indent())
        self._nothing_selected()

    def _build(self) -> None:
        self.facts.keep(self.indent, self.save)
        lower = QWidget()
        below = QVBoxLayout(lower)
        below.setContentsMargins(0, 0, 0, 0)
        below.setSpacing(0)
        for widget in (Line(), self.facts, self.note, Line()):
            below.addWidget(widget)
        below.addWidget(self.text, 1)
        upper = QWidget()
        above = QVBoxLayout(upper)
        above.setContentsMargins(0, 0, 0, 0)
        above.setSpacing(0)
        self.search = QWidget()
        search = QHBoxLayout(self.search)
        search.setContentsMargins(MARGIN, 4, MARGIN, 4)
        search.addWidget(self.filter)
        above.addWidget(self.search)
        above.addWidget(self.table, 1)
        self.splitter = AspectSplitter(upper, lower, (2, 3))
        self.pane.set_content(self.splitter)

    # -- what the window calls -------------------------------------------------------------

    def open_path(self, path: str) -> None:
        """Select the file at ``path`` and show it; say so when the thread has none there."""
        self._pending = path
        self._looked_again = False
        if self.pane.state() == "content":
            self._open_pending()
        else:
            self.refresh()

    def copy_path(self) -> None:
        """The selected file's path on the disk; of one that lies elsewhere the one that the agent uses."""
        if (row := self.table.current()) is not None:
            clipboard.put_true(row.disk or row.artifact.path)

    def find_target(self) -> Searchable | None:
        """The text of the selected file."""
        return self.text.find_target()

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        super().close_jobs()
        self._stop_reading()

    def _stop_reading(self) -> None:
        self._late.stop()
        self.jobs.cancel((self, "file"))

    # -- loading ---------------------------------------------------------------------------

    def fetch(self, thread_id: str) -> list[FileRow]:
        """Artifacts, and the numbers of the requests that left them there."""
        artifacts = self.reader.files(thread_id)
        ids = sorted({each.request for each in artifacts if each.request is not None})
        numbers = {row.id: row.number for row in self.reader.request_rows(ids)} if ids else {}
        disks = places_of_files.disks(self._path, thread_id, artifacts)
        return [FileRow(one, numbers.get(one.request or 0), disks.get(one.path, "")) for one in artifacts]

    def show_loaded(self, found: list[FileRow]) -> None:
        """Bring the table up to date; read the shown file again when it changed."""
        before = self.table.current()
        self.model.set_items(found)
        self.search.setVisible(len(found) >= FILTER_FROM or bool(self.filter.text()))
        if found:
            self.pane.show_content()
            extra = self.search.sizeHint().height() if not self.search.isHidden() else 0
            self.splitter.fit_first(self.table.height_of(len(found)) + extra)
        elif self._pending is None:
            self.pane.show_empty(
                "The thread has no files.",
                "Files appear when a tool result or a message is offloaded, when history is saved, "
                "and when the agent writes one.",
            )
        now = self.table.current()
        if before is not None and now is not None and now != before:
            self._selected(now)
        self._open_pending()
        if self._pending is None and not self.note.text():
            self.table.select_first()

    def thread_left(self) -> None:
        """Forget the files of the thread before."""
        self._pending = None
        self.filter.clear()
        self.note.clear()
        self.model.set_items([])
        self._nothing_selected()

    def _open_pending(self) -> None:
        path = self._pending
        if path is None:
            return
        if self.model.row_of(path) >= 0:
            self._pending = None
            self.filter.clear()
            self.note.clear()
            self.table.select(path)
            return
        if not self._looked_again:
            self._looked_again = True
            self.refresh()
            return
        self._pending = None
        self.table.setCurrentIndex(self.table.rootIndex())
        self.pane.show_content()
        self.note.say(f"The thread has no file at {path}.", ("Close", self._close_note), kind="error")
        self._nothing_selected()
        self.text.clear("Not found", "The file may have been removed, or it belongs to another thread.")

    def _close_note(self) -> None:
        self.note.clear()
        self.table.select_first()
        if not self.model.rowCount():
            self.show_loaded([])

    # -- one file --------------------------------------------------------------------------

    def _nothing_selected(self) -> None:
        self._content = None
        self._shown_path = ""
        self.save.setEnabled(False)
        self.facts.set_facts("")
        self.indent.hide()
        self.text.clear("No file is selected.", "Select one above to see its text.")

    def _selected(self, row: FileRow | None) -> None:
        self._stop_reading()
        if row is None:
            self._nothing_selected()
            return
        self.note.clear()
        again = self._shown_path == row.artifact.path
        self._shown_path = row.artifact.path
        artifact = row.artifact
        survives, lost = places_of_files.survival(artifact.place)
        self.facts.set_facts(
            artifact.path,
            [
                ("Size", format.count(artifact.size, "byte")),
                ("Kind", artifact.kind),
                ("Lies in", lies_in(artifact)),
                ("On the disk", row.disk),
                ("Survives", survives),
                ("Lost by", lost),
                ("Left by", left_by(row) or "not known"),
                ("Changed", changed(artifact)),
            ],
            self._links(row),
        )
        if artifact.problem:
            self.note.say(artifact.problem, kind="error")
        if not again:
            self.indent.hide()
            self._content = None
            self.text.clear("", "")
        self._read(row, self.text.edit.top_offset() if again else 0)

    def _links(self, row: FileRow) -> list[QWidget]:
        request = row.artifact.request
        places = Link("Where files live", self.places_wanted.emit)
        if request is None or row.number is None:
            return [places]
        return [Link(f"From request {row.number}", partial(self.go_to_request.emit, request)), places]

    def _read(self, row: FileRow, offset: int) -> None:
        thread_id, path = self.thread_id, row.artifact.path
        self._late.start()
        self.jobs.run(
            f"Reading {format.elide_middle(format.one_line(path), 60)}",
            read_laid,
            self.reader.file,
            thread_id,
            path,
            self.indent.isChecked(),
            offset,
            done=self._show,
            failed=self._not_read,
            key=(self, "file"),
        )

    def _say_reading(self) -> None:
        if self._content is None:
            self.text.clear("Reading the file")

    def _not_read(self, sentence: str) -> None:
        self._late.stop()
        self.save.setEnabled(False)
        self.text.show_error(sentence)

    def _show(self, laid: Laid) -> None:
        self._late.stop()
        self.save.setEnabled(True)
        self._content = laid.content
        self.indent.setVisible(laid.content.json)
        if laid.content.note:
            self.note.say(laid.content.note)
        self.text.set_shown(laid.text)
        if laid.offset:
            self.text.edit.scroll_to(laid.offset)

    def _indent(self) -> None:
        if self._content is not None and self._content.json:
            self.jobs.run(
                "Indenting the JSON",
                lay_out,
                self._content,
                self.indent.isChecked(),
                done=self._show,
                failed=self.text.show_error,
                key=(self, "file"),
            )

    def _go(self, row: FileRow | None) -> None:
        if row is not None and row.artifact.request is not None:
            self.go_to_request.emit(row.artifact.request)
