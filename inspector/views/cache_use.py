"""Prompt cache: where the request's prefix leaves its predecessor's and why, and the same over the thread."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from engine.explain.model import CacheUse
from engine.trace.model import RequestRow
from inspector import format, theme
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.why import ThreadUse, UseModel, Why, thread_use
from inspector.panes import Pane, plain_label
from inspector.views.adaptive import AdaptiveSplitter
from inspector.views.flow import empty
from inspector.views.items_table import ItemsTable
from inspector.views.plain_text import Link, PathLabel
from inspector.views.quiet import quiet

_AREA = {"system": "System, block", "tools": "Tools, tool", "messages": "Messages, message", "provider": "Provider"}


class CachePane(QWidget):
    """One request's use of the prompt cache beside its thread's."""

    go_to_part = Signal(str, int)
    go_to_request = Signal(int)

    def __init__(self, jobs: Jobs, explaining: Explaining, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._jobs, self._explaining = jobs, explaining
        self._thread: str | None = None
        self._number = 0
        self.use: ThreadUse | None = None
        self.reason = PathLabel("")
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(14)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(8, 6, 8, 6)
        column.setSpacing(8)
        column.addWidget(self.reason)
        column.addLayout(self._grid)
        column.addStretch(1)
        self.area = QScrollArea()
        quiet(self.area)
        self.area.setWidget(body)
        self.area.setWidgetResizable(True)
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setAccessibleName("Prompt cache of the request")
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.says = PathLabel("")
        line = QVBoxLayout()
        line.setContentsMargins(8, 6, 8, 6)
        line.addWidget(self.says)
        self.model = UseModel()
        self.table: ItemsTable[CacheUse] = ItemsTable(
            self.model, "Requests at which the prompt cache breaks", ("8 888", "", "888k", "Avoidable"), stretch=1
        )
        self.pane = Pane()
        self.pane.set_content(self.table)
        over = QWidget()
        right = QVBoxLayout(over)
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addLayout(line)
        right.addWidget(self.pane, 1)
        self.split = AdaptiveSplitter(over=58, beside=52, roomy=720)
        self.split.addWidget(self.area)
        self.split.addWidget(over)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.split)
        self.setFocusProxy(self.table)
        for signal in (self.table.link_clicked, self.table.opened):
            signal.connect(self._go)
        theme.notifier().changed.connect(self.area.update)

    def show_why(self, why: Why, row: RequestRow) -> None:
        """Show another request's."""
        use = why.cache
        self.reason.set_text(use.reason)
        empty(self._grid)
        for n, (word, value, tip) in enumerate(facts(use, why.predecessor)):
            title = plain_label(word, muted=True)
            self._grid.addWidget(title, n, 0, Qt.AlignmentFlag.AlignTop)
            shown: QWidget = plain_label(value)
            if word == "Compared with" and use.predecessor is not None:
                shown = Link(value, partial(self.go_to_request.emit, use.predecessor))
            elif word == "Leaves it at" and use.break_at is not None:
                shown = Link(value, partial(self.go_to_part.emit, use.break_at.area, use.break_at.index))
            else:
                shown.setToolTip(format.tip(tip))
            self._grid.addWidget(shown, n, 1, Qt.AlignmentFlag.AlignLeft)
        newer = self.use is None or all(each.request != why.request for each in self.use.uses)
        if row.thread_id != self._thread or newer:
            if row.thread_id != self._thread:
                self.model.set_items(())
                self.says.set_text("")
            self._thread, self.use = row.thread_id, None
            self._load()

    def clear(self) -> None:
        """Show nothing."""
        self._thread = self.use = None
        self._jobs.cancel((self, "thread"))
        self.reason.set_text("")
        empty(self._grid)
        self.model.set_items(())
        self.says.set_text("")

    def showEvent(self, event: QShowEvent) -> None:
        """Look through the thread when somebody looks."""
        super().showEvent(event)
        self._load()

    def _load(self) -> None:
        if self._thread is None or self.use is not None or not self.isVisible():
            return
        what = "Comparing the thread's requests"
        if not self.model.items:
            self.pane.show_loading(what, self._cancelled)
        self._jobs.run(what, thread_use, self._explaining, self._thread,
                       done=self._show_thread, failed=self._failed, key=(self, "thread"))  # fmt: skip

    def _show_thread(self, found: ThreadUse) -> None:
        if found.thread_id != self._thread:
            return
        self.use = found
        self.says.set_text(in_all(found))
        broken = [use for use in found.uses if use.cause not in ("extended", "first request")]
        self.model.set_items(broken)
        if broken:
            self.pane.show_content()
        else:
            how = "Each begins with all that its agent's request before held."
            self.pane.show_empty("No request of this thread breaks the prompt cache.", how)

    def _failed(self, sentence: str) -> None:
        self.pane.show_error(sentence, self._load)

    def _cancelled(self) -> None:
        self._jobs.cancel((self, "thread"))
        self.pane.show_error("The thread was not looked through: cancelled.", self._load)

    def _go(self, use: CacheUse | None) -> None:
        if use is not None:
            self.go_to_request.emit(use.request)


def facts(use: CacheUse, predecessor: int | None) -> list[tuple[str, str, str]]:
    """What is said of one request: word, value, and the exact value or why it isn't known."""
    told: list[tuple[str, str, str]] = []
    if use.predecessor is not None:
        since = "" if use.seconds_since is None else f", {format.duration(use.seconds_since * 1000)} before"
        told.append(("Compared with", f"Request {format.exact(predecessor)}{since}", ""))
    if use.break_at is not None:
        place = _AREA[use.break_at.area]
        place += f" {format.exact(use.break_at.index + 1)}" if use.break_at.area != "provider" else ""
        told.append(("Leaves it at", place, ""))
        told.append(("Put there by", use.break_at.contributor or format.UNKNOWN, "The contributor of that piece."))
    told.append(("Could be reused", f"{format.ESTIMATE}{format.exact(use.shared)} tokens", "Estimated."))
    reported = "–, the provider does not say" if use.reported is None else f"{format.exact(use.reported)} tokens"
    told.append(("Reported as reused", reported, "As the provider reports it."))
    known = use.input_tokens is not None
    told.append((
        "Input", f"{format.exact(use.input_tokens)} tokens" if known else format.UNKNOWN,
        "As the provider reports it." if known else "The provider does not say.",
    ))  # fmt: skip
    if use.reread:
        could = "could have been avoided" if use.avoidable else "could not have been avoided"
        told.append(("Read again", f"{format.ESTIMATE}{format.exact(use.reread)} tokens; that {could}", "Estimated."))
    told.append(("Taken to be read as", ", ".join(use.order), "The order in which the provider is taken to read them."))
    return told


def in_all(found: ThreadUse) -> str:
    """The thread in a line."""
    totals = found.totals
    reported = f"{format.size(totals.reported)} reported" if totals.reporting else "the provider reports no cache reads"
    words = [
        f"Thread: {format.tokens(totals.shared)} could be reused, {reported}",
        f"{format.tokens(totals.reread)} read again",
        f"{format.tokens(totals.avoidable)} of it avoidable",
    ]
    return " · ".join(words)
