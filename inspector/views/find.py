"""Find: one box over all that a source holds; what was found, by thread and request."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QListView, QVBoxLayout, QWidget

from engine.search.model import Hit, Results
from inspector import format
from inspector.finding import LIMIT, Finding
from inspector.jobs import Jobs
from inspector.models.found import FoundModel
from inspector.panes import Pane
from inspector.views.found_delegate import FoundDelegate
from inspector.views.in_sight import keep_in_sight
from inspector.views.labels import ElidedLabel
from inspector.views.query_box import QueryBox
from inspector.views.quiet import quiet

LANE = "search index"
TAIL_MS = 1_500
"""After a change of the file: the index follows when the writer pauses, not with each commit."""
HOW = 'Words and "exact words", in any case. Filters: agent: tool: kind: tokens> error: has: file: thread: purpose:'


class FindView(QWidget):
    """A query and what it found."""

    go_to_request = Signal(int)
    """As other side panes have it; hits are told by ``chosen``."""
    chosen = Signal(object)
    """The ``Hit`` to be shown."""

    def __init__(self, reader: Any, jobs: Jobs, finding: Finding, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Find")
        self.reader, self.jobs, self.finding = reader, jobs, finding
        self._stale, self._indexing = True, False
        self._results: Results | None = None
        self.box = QueryBox(jobs, finding, "Find in the workspace")
        self.box.setPlaceholderText("Find in all threads, files and memory")
        self.says = ElidedLabel(muted=True)
        self.model = FoundModel(self)
        self.list = _List(self)
        self._set_up_list()
        self.pane = Pane(self)
        self.pane.set_content(self.list)
        self.setFocusProxy(self.box)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        layout.setSpacing(4)
        for widget in (self.box, self.says):
            row = QVBoxLayout()
            row.setContentsMargins(8, 0, 8, 0)
            row.addWidget(widget)
            layout.addLayout(row)
        layout.addWidget(self.pane, 1)
        self._tail = QTimer(self)
        self._tail.setSingleShot(True)
        self._tail.setInterval(TAIL_MS)
        self._tail.timeout.connect(self._bring_up_to_date)
        jobs.changed.connect(self._look_at_progress)
        self.box.edited.connect(self._search)
        self.box.left_down.connect(self._into_list)
        self._invite()
        if not finding.available:
            self.box.setEnabled(False)
            self.says.hide()
            self.pane.show_empty("This source can't be searched.", "A workspace or a LangGraph database can be.")

    # -- what the window calls -------------------------------------------------------------

    def set_thread(self, _thread_id: str | None) -> None:
        """The search covers every thread."""

    def refresh(self) -> None:
        """The file changed: the index follows."""
        self._stale = True
        if self.isVisible() and not self._tail.isActive():
            self._tail.start()

    def look_for(self, query: str) -> None:
        """Search for this."""
        self.box.setText(query)
        self.box.tell_now()

    def results(self) -> Results | None:
        """What was found; None while nothing was asked."""
        return self._results

    def close_jobs(self) -> None:
        """Ask for nothing more: the source is about to be closed."""
        self._tail.stop()
        self.box.close_jobs()
        for what in ("index", "find"):
            self.jobs.cancel((self, what))

    # -- indexing --------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Index what came while nobody looked."""
        super().showEvent(event)
        if self._stale:
            self._bring_up_to_date()

    def _bring_up_to_date(self) -> None:
        if not self.finding.available or not self.isVisible():
            return
        if self._indexing:
            self._tail.start()
            return
        self._stale, self._indexing = False, True
        self.jobs.run(
            "Indexing the workspace", self.finding.update, done=self._indexed, failed=self._not_indexed,
            key=(self, "index"), lane=LANE,
        )  # fmt: skip

    def _indexed(self, whole: bool) -> None:
        self._indexing = False
        self._stale = self._stale or not whole
        self._say()
        if self.box.text().strip():
            self._search(self.box.text())

    def _not_indexed(self, sentence: str) -> None:
        self._indexing = False
        self.says.set_text(sentence, error=True)

    def _look_at_progress(self) -> None:
        for job in self.jobs.active():
            if job.key == (self, "index") and job.text and job.total:
                far = f"{format.exact(job.done_so_far)} of {format.exact(job.total)}"
                self.says.set_text(f"{job.text}: {far}")

    # -- searching -------------------------------------------------------------------------

    def _search(self, query: str) -> None:
        if not self.finding.available:
            return
        if not query.strip():
            self.jobs.cancel((self, "find"))
            self._results = None
            self.model.set_results(None)
            self._invite()
            self._say()
            return
        self.jobs.run(
            "Searching", self.finding.find, query, done=lambda found: self._found_first(query, found),
            failed=self._failed, key=(self, "find"), quiet=True,
        )  # fmt: skip

    def _found_first(self, query: str, found: Results) -> None:
        late = found.more and len(found.hits) < LIMIT
        if not late or found.hits:
            self._found(found)
        if late:  # time was over before the texts were
            self.jobs.run(
                "Searching", self.finding.find_patiently, query, done=self._found, failed=self._failed,
                key=(self, "find"),
            )  # fmt: skip

    def _found(self, found: Results) -> None:
        if self._results is not None and found.hits == self._results.hits:
            self._results = found
            self._say()
            return  # what is read stays where it is
        self._results = found
        kept = self.model.row_at(self.list.currentIndex()) if self.list.selectionModel().hasSelection() else None
        self.model.set_results(found)
        if found.hits:
            self.pane.show_content()
            if (again := self.model.index_of(kept)).isValid():
                self.list.setCurrentIndex(again)
            elif self.list.hasFocus():
                self._into_list()
        else:
            self.pane.show_empty("Nothing was found.", HOW)
        self._say()

    def _failed(self, sentence: str) -> None:
        self._results = None
        self.model.set_results(None)
        self.pane.show_error(sentence)
        self._say()

    def _invite(self) -> None:
        self.pane.show_empty("What was said, called, written or remembered is found here.", HOW)

    def _say(self) -> None:
        found = self._results
        if found is None:
            self.says.set_text("Indexing the workspace" if self._indexing else "")
            return
        threads = len({hit.thread_id for hit in found.hits})
        words = [f"{format.count(len(found.hits), 'text')} in {format.count(threads, 'thread')}"] if found.hits else []
        if found.more:
            words.append("there are more: add a word or a filter")
        if found.pending:
            words.append(f"{format.count(found.pending, 'text')} not indexed yet")
        self.says.set_text("; ".join(words))

    # -- what was found --------------------------------------------------------------------

    def _into_list(self) -> None:
        if self.pane.state() != "content":
            return
        self.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not self.list.selectionModel().hasSelection():
            self.list.setCurrentIndex(self.model.index(1, 0))

    def _open(self, index: QModelIndex) -> None:
        row = self.model.row_at(index)
        if row is None:
            return
        hit: Hit | None = row.hit
        if hit is None:
            hit = self._first_of(row.thread_id)
        if hit is not None:
            self.chosen.emit(hit)

    def _first_of(self, thread_id: str | None) -> Hit | None:
        hits = self._results.hits if self._results else ()
        return next((hit for hit in hits if hit.thread_id == thread_id), None)

    def _set_up_list(self) -> None:
        quiet(self.list)
        self.list.setAccessibleName("What was found")
        self.list.setModel(self.model)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(FoundDelegate(self.list))
        self.list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.list.setFrameShape(QListView.Shape.NoFrame)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.clicked.connect(self._open)
        self.list.opened.connect(self._open)


class _List(QListView):
    """Return opens, as a click does."""

    opened = Signal(QModelIndex)

    def keyPressEvent(self, event: Any) -> None:
        """Return."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The selected row stays in sight."""
        super().resizeEvent(event)
        keep_in_sight(self, event)
