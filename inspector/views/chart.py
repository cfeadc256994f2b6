"""The chart of contexts: one bar a request, stacked by kind, against the window and the trigger.

Also over time, and what the requests cost as it adds up. The table of requests beside it holds the same rows for
whoever cannot see the chart; the selection is one, through the session. Numbers are made in jobs. Importing this
module imports numpy: import it off the GUI thread.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QToolTip, QVBoxLayout, QWidget

from engine.trace.model import RequestRow
from inspector import format
from inspector.models.bars import Bars
from inspector.models.marks import BASELINE, MARKED, Mark
from inspector.models.request_facts import in_lines, in_one_line
from inspector.models.spending import Price, Spending, prices_of, spending
from inspector.panes import Pane
from inspector.session import Session
from inspector.views.buttons import tool_button
from inspector.views.chart_legend import Legend
from inspector.views.chart_pointer import ZOOM, Plot
from inspector.views.chart_scene import MODES, Lane, Scene, contexts, costs
from inspector.views.labels import ElidedLabel

GATHER_MS = 40
"""Rows that arrive within this time are drawn together."""


class ChartView(QWidget):
    """Bars of the selected thread's requests, one selection with the table."""

    menu_wanted = Signal(QPoint)
    """The reader asks what the chart can show; where, on the screen."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Chart of contexts")
        self.setMinimumHeight(80)
        self._session, self._jobs = session, session.jobs
        self.mode = "requests"
        self.bars = Bars()
        self._spent: Spending | None = None
        self._prices: dict[int, Price] = {}
        self._marked: frozenset[int] = frozenset()
        self._baseline: int | None = None
        self._passing: Collection[int] | None = None
        self._lay_out()
        self._gather = QTimer(self)
        self._gather.setSingleShot(True)
        self._gather.setInterval(GATHER_MS)
        self._gather.timeout.connect(self.count)
        self.plot.clicked.connect(session.select_index)
        self.plot.hovered.connect(self._hovered)
        session.thread_changed.connect(self._thread_changed)
        session.rows_changed.connect(self._later)
        session.request_changed.connect(self._select)
        session.shown_changed.connect(lambda: self.set_passing(session.shown))

    # -- what is shown -----------------------------------------------------------------------

    def set_mode(self, mode: str) -> None:
        """``requests``, ``time`` or ``cost``; anything else is the first."""
        self.mode = mode if mode in MODES else "requests"
        self.button.setText(f"{MODES[self.mode]} ▾")
        self._draw()
        self._later()

    def set_signs(self, marked: frozenset[int], baseline: int | None) -> None:
        """Requests that the reader marked, and the one that Diff compares with."""
        if (marked, baseline) != (self._marked, self._baseline):
            self._marked, self._baseline = marked, baseline
            self._draw()

    def set_passing(self, ids: Collection[int] | None) -> None:
        """Dim every request but these; None dims none."""
        self._passing = ids
        self._dim()

    def zoom(self, closer: bool) -> None:
        """One step closer or back, around the selected request."""
        self.plot.zoom(ZOOM if closer else 1 / ZOOM)

    def show_whole(self) -> None:
        """All requests."""
        self.plot.show_whole()

    def describe(self, index: int) -> str:
        """What hovering over a bar tells, in lines."""
        row = self._session.rows.at(index)
        return "\n".join(in_lines(row, **self._beside(row))) if row is not None else ""

    def _beside(self, row: RequestRow) -> dict[str, Any]:
        """What isn't in the row itself: the reader's signs, and the cost where costs are shown."""
        marked, baseline = row.id in self._marked, row.id == self._baseline
        return {
            "signs": [f"{sign.letter} {sign.word}" for sign, on in ((MARKED, marked), (BASELINE, baseline)) if on],
            "price": self._prices.get(row.id) if self.mode == "cost" else None,
        }

    # -- numbers -----------------------------------------------------------------------------

    def count(self) -> None:
        """Make the numbers of what the session has now, in a job; put off while hidden."""
        self._gather.stop()
        if not self.isVisible():
            return
        rows = [self._session.rows.at(index) for index in range(len(self._session.rows))]
        if not rows and not self._session.loading:
            self._say_empty()
        self._jobs.run(
            "Drawing the chart", self.bars.with_rows, rows, done=self._counted, failed=self._failed,
            key=(self, "bars"), quiet=True,
        )  # fmt: skip
        if self.mode == "cost":
            self._jobs.run(
                "Looking up what the requests cost", _spent, self._session.reader, rows, dict(self._prices),
                done=self._priced, failed=self._failed, key=(self, "costs"),
            )  # fmt: skip

    def close_jobs(self) -> None:
        """Count nothing more."""
        self._gather.stop()
        for key in ("bars", "costs"):
            self._jobs.cancel((self, key))

    def _counted(self, bars: Bars) -> None:
        self.bars = bars
        self._draw()

    def _priced(self, spent: Spending) -> None:
        self._prices, self._spent = dict(spent.prices), spent
        self._draw()

    def _failed(self, sentence: str) -> None:
        self.pane.show_error(sentence, self.count)

    def _draw(self) -> None:
        ids = self._session.rows.ids
        if not 0 < len(self.bars) <= len(ids):
            return  # none yet, or those of a thread that was left a moment ago
        own = [
            _lane(MARKED, "marked by you", ids[: len(self.bars)], self._marked),
            _lane(BASELINE, "baseline of Diff", ids[: len(self.bars)], {self._baseline}),
        ]
        if self.mode != "cost":
            scene = contexts(self.bars, self.mode, own)
        elif self._spent is not None and not self._spent.known:
            self._say_no_cost()
            return
        elif self._spent is not None and len(self._spent.costs) == len(self.bars):
            scene = costs(self.bars, self._spent, own)
        elif self.plot.scene.mode != "cost":
            self.pane.show_loading("Looking up what the requests cost")
            return
        else:
            return  # what was added up before stays until the rest is
        self.pane.show_content()
        self.legend.show_scene(scene)
        self.plot.show_scene(scene)
        self._dim()
        self._tell()

    def _dim(self) -> None:
        count, ids = len(self.plot.scene.edges), self._session.rows.ids
        passing = self._passing
        if passing is None or count > len(ids):
            self.plot.dimmed = np.zeros(count, bool)
        else:
            wanted = set(passing)
            self.plot.dimmed = np.fromiter((ids[i] not in wanted for i in range(count)), bool, count)
        self.plot.redraw()

    # -- the session tells -------------------------------------------------------------------

    def _thread_changed(self, _thread_id: object) -> None:
        self.close_jobs()
        self.bars, self._spent, self._prices, self._passing = Bars(), None, {}, self._session.shown
        self.plot.range = None
        self.plot.selected = -1
        self.plot.show_scene(Scene(self.mode))
        self.told.set_text("")
        self._later()

    def _later(self) -> None:
        if not self._gather.isActive():
            self._gather.start()

    def _select(self, *_args: object) -> None:
        self._tell()
        self.plot.reveal(self.plot.selected)

    def _tell(self) -> None:
        """Mark the selected request and say what it is. Nothing moves."""
        index = self._session.rows.index(self._session.request_id)
        if index >= len(self.plot.scene.edges):
            index = -1
        self.plot.selected = index
        row = self._session.rows.at(index)
        said = in_one_line(row, **self._beside(row)) if row is not None else ""
        self.told.set_text(said)
        self.plot.setAccessibleDescription(f"{said}\n{KEYS}".strip())
        self.plot.update()

    def _hovered(self, index: int, where: QPoint) -> None:
        QToolTip.showText(where, format.tip(self.describe(index)), self.plot)

    def showEvent(self, event: QShowEvent) -> None:
        """What was put off."""
        super().showEvent(event)
        self._later()

    def _say_empty(self) -> None:
        if self._session.thread_id is None:
            self.pane.show_empty("No thread is selected.", "Its contexts will be drawn here, one bar a request.")
        else:
            self.pane.show_empty("There is nothing to draw yet.", "Each request will be one bar.")

    def _say_no_cost(self) -> None:
        reasons = Counter(price.reason for price in self._prices.values() if price.reason)
        why = "; ".join(f"{count} × {format.one_line(reason, 200)}" for reason, count in reasons.most_common(2))
        self.pane.show_empty("The cost of none of these requests is known.", why)

    def _lay_out(self) -> None:
        self.legend = Legend(self)
        self.plot = Plot(self)
        self.plot.setAccessibleName("Chart of contexts")
        self.plot.setAccessibleDescription(KEYS)
        self.plot.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.plot.customContextMenuRequested.connect(lambda at: self.menu_wanted.emit(self.plot.mapToGlobal(at)))
        self.button = tool_button(f"{MODES[self.mode]} ▾", "What the chart shows", self._ask_menu, self)
        self.told = ElidedLabel(muted=True)
        self.told.setContentsMargins(8, 0, 8, 0)
        self.told.setFont(self.plot.font())
        head = QHBoxLayout()
        head.setContentsMargins(4, 0, 0, 0)
        head.setSpacing(4)
        head.addWidget(self.button)
        head.addWidget(self.legend, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.pane = Pane(self)
        self.pane.set_content(self.plot)
        layout.addLayout(head)
        layout.addWidget(self.told)
        layout.addWidget(self.pane, 1)

    def _ask_menu(self) -> None:
        self.menu_wanted.emit(self.button.mapToGlobal(self.button.rect().bottomLeft()))


KEYS = (
    "One bar a request, stacked by kind; subagents and summary calls are hatched. The table of requests below holds "
    "the same numbers. Left and right step through the requests, the wheel zooms, dragging chooses a range."
)


def _lane(sign: Mark, name: str, ids: Sequence[int], on: Collection[int | None]) -> Lane:
    return Lane(sign.kind, sign.letter, name, np.fromiter((id in on for id in ids), bool, len(ids)))


def _spent(reader: object, rows: list[RequestRow | None], known: dict[int, Price], progress: object) -> Spending:
    return spending(rows, prices_of(reader, rows, known, progress))  # type: ignore[arg-type]
