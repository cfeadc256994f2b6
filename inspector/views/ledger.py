"""The ledger of a thread: what its model received, what was put away, and what it costs to have it back."""

from __future__ import annotations

import importlib
from functools import partial
from typing import Any

from PySide6.QtCore import QDir, Qt
from PySide6.QtWidgets import QFileDialog, QPushButton, QTabWidget, QVBoxLayout, QWidget

import engine
from engine.ledger.model import Ledger, LedgerRow, Published, ReadBack
from inspector import format
from inspector.export import safe_name, save_copy
from inspector.jobs import Jobs
from inspector.models.ledger import LedgerModel, ReadBackModel, chars, percent
from inspector.views.facts import Facts
from inspector.views.flat_tabs import flat_tabs
from inspector.views.items_table import ItemsTable
from inspector.views.note_bar import NoteBar
from inspector.views.parts import AspectSplitter
from inspector.views.side import SidePane
from inspector.views.text import TextView

CHART = "inspector.views.ledger_chart"


class LedgerView(SidePane):
    """Totals over a chart, over the requests or the texts that were put away."""

    noun = "ledger"

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(reader, jobs, parent)
        self._ledger: Ledger | None = None
        self.facts = Facts()
        self.note = NoteBar("The ledger")
        self.chart: Any = None
        """Made when it is first needed: pyqtgraph takes long to import."""
        self.requests = LedgerModel()
        self.table: ItemsTable[LedgerRow] = ItemsTable(
            self.requests, "Ledger of the requests", ("888", "888k", "888k", "888k", "888k", "888k", "100 %"), 1, (2, 5)
        )
        self.table.sort_by_header()
        self.texts = ReadBackModel()
        self.artifacts: ItemsTable[ReadBack] = ItemsTable(
            self.texts, "Texts that were put away", ("", "888k", "888", "~888k", "100 %")
        )
        self.artifacts.sort_by_header()
        self.published = TextView(jobs, "Published figures beside ours")
        self.save = QPushButton("Save as CSV…")
        self.save.setAccessibleName("Save the table as CSV")
        self.save.clicked.connect(lambda _checked=False: self.ask_where())
        self._build()
        self.table.link_clicked.connect(self._go)
        self.table.opened.connect(self._go)

    def _build(self) -> None:
        self.facts.keep(self.save)
        self.tabs: QTabWidget = flat_tabs("Requests, texts that were put away")
        self.tabs.addTab(self.table, "Requests")
        self.tabs.addTab(self.artifacts, "Put away")
        self.tabs.addTab(self.published, "Published")
        top = QWidget()
        self._above = QVBoxLayout(top)
        self._above.setContentsMargins(0, 0, 0, 0)
        self._above.setSpacing(0)
        self._above.addWidget(self.facts)
        self._above.addWidget(self.note)
        self._above.addStretch()
        self.splitter = AspectSplitter(top, self.tabs, (2, 3))
        self.pane.set_content(self.splitter)

    def fetch(self, thread_id: str) -> Ledger:
        """Count the whole thread; the chart's module is imported here, off the GUI thread."""
        importlib.import_module(CHART)
        return engine.ledger_of(self.reader, thread_id)

    def show_loaded(self, found: Ledger) -> None:
        """Bring chart, tables and totals up to date."""
        self._ledger = found
        self.requests.set_items(found.rows)
        self.texts.set_items(found.artifacts)
        if not found.rows:
            self.pane.show_empty("The thread has no requests yet.", "Send it a message to see what its model receives.")
            return
        totals = found.totals
        tokens = format.UNKNOWN if totals.received_tokens is None else format.exact(totals.received_tokens)
        self.facts.set_facts(
            f"Last request: {chars(totals.last_received_chars)} of {chars(totals.last_original_chars)} characters, "
            f"{percent(totals.last_share)}",
            [
                ("All requests", f"{format.exact(totals.received_chars)} characters received, {percent(totals.share)}"),
                ("Tokens", f"{tokens} ({totals.tokens})"),
                ("Tools returned", f"{format.exact(totals.tool_returned_chars)} characters"),
                ("Offloaded", f"{format.exact(totals.offloaded_chars)}, {format.exact(totals.left_chars)} left"),
                ("Summarized", f"{format.exact(totals.summarized_chars)} characters"),
            ],
        )
        self.published.set_text("\n\n".join(map(_published, found.published)))
        self.tabs.setTabVisible(self.tabs.indexOf(self.published), bool(found.published))
        self._drawn().set_rows(found.rows)
        self.pane.show_content()

    def thread_left(self) -> None:
        """Forget the ledger of the thread before."""
        self._ledger = None
        self.requests.set_items([])
        self.texts.set_items([])
        if self.chart is not None:
            self.chart.set_rows(())

    def _drawn(self) -> Any:
        """The chart."""
        if self.chart is None:
            self.chart = importlib.import_module(CHART).LedgerChart()
            self.chart.chosen.connect(self._chosen)
            self._above.insertWidget(2, self.chart, 1)
        return self.chart

    def ask_where(self) -> None:
        """Ask for a file to save the shown table to."""
        if self._ledger is None:
            return
        what = "put-away" if self.tabs.currentWidget() is self.artifacts else "requests"
        dialog = QFileDialog(self, "Save as CSV", QDir.homePath(), "CSV files (*.csv)")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("csv")
        dialog.selectFile(safe_name(f"ledger-{self._ledger.thread_id}-{what}.csv"))
        dialog.fileSelected.connect(partial(self.save_to, what))
        dialog.open()

    def save_to(self, what: str, target: str) -> None:
        """Write the ``requests`` or the ``put-away`` table to a file."""
        if self._ledger is None:
            return
        self.jobs.run("Saving the ledger", _save, self._ledger, what, target, done=self._saved, failed=self._not_saved)

    def _saved(self, target: str) -> None:
        self.note.say(f"Saved {target}.", ("Close", self.note.clear))

    def _not_saved(self, sentence: str) -> None:
        self.note.say(sentence, ("Close", self.note.clear), kind="error")

    def _go(self, row: LedgerRow | None) -> None:
        if row is not None:
            self.go_to_request.emit(row.id)

    def _chosen(self, place: int) -> None:
        if self._ledger is not None and place < len(self._ledger.rows):
            self.go_to_request.emit(self._ledger.rows[place].id)


def _save(ledger: Ledger, what: str, target: str) -> str:
    text = engine.requests_csv(ledger) if what == "requests" else engine.artifacts_csv(ledger)
    return str(save_copy(target, text.encode("utf-8")))


def _published(one: Published) -> str:
    ours = format.UNKNOWN if one.counted is None else format.exact(one.counted)
    return f"{one.name}: published {format.exact(one.published)}, here {ours}\n{one.why}"
