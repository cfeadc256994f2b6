"""Lost: what a summary did not keep of the messages it evicted, and later requests needed."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from engine.explain.model import LostFact, SummaryReport
from engine.trace.model import Summary
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.lost import Lost, LostModel, kinds, numbers, read_lost
from inspector.panes import Pane, plain_label
from inspector.views.facts import Facts
from inspector.views.items_table import ItemsTable
from inspector.views.parts import Line
from inspector.views.plain_text import Link

MOST_LINKS = 3
"""More numbers than these stand in the table and in the details."""


class LostPane(QWidget):
    """One summary's losses; the thread is looked through when somebody looks."""

    go_to_request = Signal(int)

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._explaining = jobs, explaining
        self._thread: str | None = None
        self._summary: Summary | None = None
        self._stale = True
        self._loading = False
        self.lost: Lost | None = None
        self.says = Facts()
        self.model = LostModel()
        self.table: ItemsTable[LostFact] = ItemsTable(
            self.model, "Lost, and needed later", ("", "identifier", "888, 888, 888", "888, 888"),
            stretch=0, optional=(1,),
        )  # fmt: skip
        self.facts = Facts()
        self.inner = Pane()
        self.inner.set_content(self.table)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.says)
        column.addWidget(self.inner, 1)
        column.addWidget(Line())
        column.addWidget(self.facts)
        self.pane = Pane()
        self.pane.set_content(body)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.pane)
        self.table.current_changed.connect(self._selected)
        self.table.opened.connect(self._go)

    def set_summary(self, thread_id: str | None, summary: Summary | None) -> None:
        """Show another summary's; nothing is read before it is seen."""
        if thread_id != self._thread:
            self._jobs.cancel((self, "lost"))
            self.lost, self._loading = None, False
        self._thread, self._summary = thread_id, summary
        self._show()
        self.load_if_seen()

    def refresh(self) -> None:
        """The data may have changed: later requests may need more."""
        self._stale = True
        self.load_if_seen()

    def load_if_seen(self) -> None:
        """Look through the thread if the pane is on the screen and has not done so."""
        if self._summary is None or self._loading or not self.isVisible():
            return
        if self.lost is not None and not self._stale:
            return
        self._stale, self._loading = False, True
        if self.lost is None:
            self.pane.show_loading("Looking for what summaries lost", self._cancelled)
        self._jobs.run("Looking for what summaries lost", read_lost, self._explaining, self._thread,
                       done=self._loaded, failed=self._failed, key=(self, "lost"))  # fmt: skip

    def close_jobs(self) -> None:
        """Ask what is being read to stop."""
        self._loading = False
        self._jobs.cancel((self, "lost"))

    def showEvent(self, event: QShowEvent) -> None:
        """Seen."""
        super().showEvent(event)
        self.load_if_seen()

    def report(self) -> SummaryReport | None:
        """The report of the summary that is shown."""
        if self.lost is None or self._summary is None:
            return None
        return self.lost.reports.get(self._summary.event)

    def _loaded(self, found: Lost) -> None:
        self._loading = False
        if found.thread_id == self._thread:
            self.lost = found
            self._show()
        if self._stale:
            self.load_if_seen()

    def _failed(self, sentence: str) -> None:
        self._loading = False
        self._stale = True
        self.pane.show_error(sentence, self.load_if_seen)

    def _cancelled(self) -> None:
        self._jobs.cancel((self, "lost"))
        self._failed("The summaries were not looked through: cancelled.")

    def _show(self) -> None:
        report = self.report()
        if report is None:
            self.model.set_items(())
            self._selected(None)
            if self._summary is None:
                self.pane.show_empty("No summary is selected.", "Select one above to see what it lost.")
            elif self.lost is not None:
                self.pane.show_empty("Nothing is known of this summary's losses.")
            return
        self.says.set_facts(
            f"{format.count(len(report.needed), 'thing')} that it lost and later requests needed",
            [("Not in the summary", kinds(report.lost)), ("In the summary", kinds(report.held)),
             ("Made because of", report.trigger), ("History read in", numbers(report.read_back_in) or "no request")],
        )  # fmt: skip
        self.pane.show_content()
        self.model.set_items(report.needed)
        if not report.needed:
            self.inner.show_empty(
                "Nothing that it lost was needed later.",
                "Paths, identifiers, numbers and names of the evicted messages that an answer uses later stand here.",
            )
            return
        self.inner.show_content()
        before = self.table.current()
        self.table.select_first()
        if before is not None:
            self._selected(self.table.current())

    def _selected(self, fact: LostFact | None) -> None:
        if fact is None:
            self.facts.set_facts("")
            return
        told = [("Stood first in", f"raw message {format.exact(fact.raw_index + 1)}")]
        if fact.unsourced_in:
            told.append(("Given by no message", f"in {numbers(fact.unsourced_in)}: the model knew it from elsewhere"))
        told.append(("Used in", numbers(fact.used_in)))
        told.append(("Read back in", numbers(fact.read_back_in)))
        links = [
            *self._links("Read back in", fact.read_back_in, 1),
            *self._links("Used in", fact.used_in, MOST_LINKS),
        ]
        self.facts.set_facts(fact.text, told, links)

    def _links(self, word: str, wanted: tuple[int, ...], most: int) -> list[QWidget]:
        ids = {} if self.lost is None else self.lost.ids
        found = [
            Link(format.exact(number), partial(self.go_to_request.emit, ids[number]))
            for number in wanted
            if number in ids
        ][:most]
        for link in found:
            link.setAccessibleName(f"{word} request {link.text()}")
        return [plain_label(word, muted=True), *found] if found else []

    def _go(self, fact: LostFact | None) -> None:
        if fact is not None and self.lost is not None:
            number = next(iter((*fact.used_in, *fact.read_back_in)), 0)
            if number in self.lost.ids:
                self.go_to_request.emit(self.lost.ids[number])
