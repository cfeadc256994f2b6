"""One request: what the model was given, in four areas, and the raw messages beside the effective ones.

Only the area that is looked at does any work; the others take the request up when they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QTableView, QVBoxLayout, QWidget

from engine.trace.model import RequestDetail, RequestRow
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.happened import unread
from inspector.models.heads import Heads
from inspector.panes import LOADING_DELAY_MS, Pane
from inspector.searching import Searchable
from inspector.views.diff import DiffView
from inspector.views.flat_tabs import flat_tabs
from inspector.views.live import LiveAnswer
from inspector.views.messages import MessagesView
from inspector.views.provider import ProviderView
from inspector.views.raw_effective import RawEffectiveView
from inspector.views.request_header import RequestHeader
from inspector.views.system import SystemView
from inspector.views.tools import ToolsView
from inspector.views.why import WhyView

AREAS = ("System", "Messages", "Tools", "Provider", "Raw ↔ Effective", "Why", "Diff")
SYSTEM, MESSAGES, RAW_EFFECTIVE, WHY, DIFF = 0, 1, 4, 5, 6
_PLACES = {"system": SYSTEM, "messages": MESSAGES, "tools": 2, "provider": 3}


class RequestView(QWidget):
    """The selected request, under its header line."""

    open_artifact = Signal(str)
    """The path of a file that the reader asked for."""
    open_summary = Signal(int)
    """A summary that the reader asked for, by its event."""
    go_to_request = Signal(int)
    """Another request that the reader asked for, by its id."""
    area_changed = Signal(int)
    """Another area is in front, by its place."""

    def __init__(self, reader: Any, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Request")
        self._detail: RequestDetail | None = None
        self._previous: RequestDetail | None = None
        self._waiting: RequestRow | None = None
        self._stale: set[int] = set()
        heads = Heads(reader, jobs, self)
        explaining = Explaining(reader)
        self.system = SystemView(reader, jobs)
        self.messages = MessagesView(reader, jobs, heads)
        self.tools = ToolsView(reader, jobs, explaining=explaining)
        self.provider = ProviderView(reader, jobs)
        self.raw_effective = RawEffectiveView(reader, jobs, heads)
        self.why = WhyView(jobs, explaining)
        self.diff = DiffView(jobs, explaining)
        self._areas = (
            self.system, self.messages, self.tools, self.provider, self.raw_effective, self.why, self.diff
        )  # fmt: skip
        self.header = RequestHeader()
        self.header.go_to_request.connect(self.go_to_request)
        self.tabs = flat_tabs("Areas of the request")
        for n, (title, area) in enumerate(zip(AREAS, self._areas, strict=True)):
            self.tabs.addTab(area, title)
            self.tabs.setTabToolTip(n, f"{title} ({n + 1})")
        self.tabs.setCurrentIndex(MESSAGES)
        self.tabs.currentChanged.connect(self._take_up)
        self.tabs.currentChanged.connect(self.area_changed)
        self.pane = Pane()
        self.pane.set_content(self.tabs)
        self.live = LiveAnswer()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.pane, 1)
        column.addWidget(self.live)
        self._slow = QTimer(self)
        self._slow.setSingleShot(True)
        self._slow.setInterval(LOADING_DELAY_MS)
        self._slow.timeout.connect(self._tell_waiting)
        for area in (self.messages, self.provider, self.raw_effective, self.why):
            area.open_artifact.connect(self.open_artifact)
        for area in (self.raw_effective, self.why):
            area.open_summary.connect(self.open_summary)
            area.go_to_request.connect(self.go_to_request)
        for area in (self.why, self.diff):
            area.go_to_part.connect(self.show_part)
        self.why.go_to_message.connect(self._show_message)
        self.clear()

    # -- what the window calls -------------------------------------------------------------

    def show_request(self, detail: RequestDetail, previous: RequestDetail | None = None) -> None:
        """Show a request; ``previous`` is the same agent's request before it."""
        self._slow.stop()
        self._waiting = None
        self._detail, self._previous = detail, previous
        self.header.show_request(detail, previous)
        self._name_tabs(titles(detail))
        self._stale = set(range(len(self._areas)))
        self.pane.show_content()
        self._take_up()

    def show_loading(self, row: RequestRow) -> None:
        """A request is on its way; what is shown stays until it is there, or takes its time."""
        self._waiting = row
        self.pane.show_loading(f"Reading request {row.number}")
        self._slow.start()

    def show_error(self, sentence: str) -> None:
        """The request can't be read."""
        self._forget()
        self.pane.show_error(sentence)

    def clear(self) -> None:
        """Show no request."""
        self._forget()
        self.header.clear()
        self._name_tabs(AREAS)
        self.pane.show_empty("No request is selected.", "Select one above to see what the model was given.")

    def show_area(self, index: int) -> None:
        """Bring an area to the front, by its place among the tabs, and give it the keyboard."""
        if self._detail is None:
            return
        self.tabs.setCurrentIndex(index)
        self._areas[index].table.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def bring_area(self, index: int) -> None:
        """Bring an area to the front; the keyboard stays where it is, or goes along inside the request."""
        focused = QApplication.focusWidget()
        if focused is not None and self.tabs.isAncestorOf(focused):
            self.show_area(index)
        elif self._detail is not None:
            self.tabs.setCurrentIndex(index)

    def show_part(self, area: str, index: int) -> None:
        """Bring a piece of the request to the front, by its area and its place."""
        if self._detail is not None:
            self.show_area(_PLACES[area])
            if area != "provider":
                table: QTableView = self._areas[_PLACES[area]].table
                index += _PLACES[area] == SYSTEM  # its first row is the whole message
                table.setCurrentIndex(table.model().index(index, 0))

    def show_raw(self, index: int | None) -> None:
        """Bring a raw message to the front, by its place."""
        self._show_message(index, None)

    def show_contributor(self) -> None:
        """Bring the contributor of the selected block, tool or message to the front."""
        table: QTableView = self._areas[self.area()].table
        row = table.currentIndex().row() - (self.area() == SYSTEM)
        area, names = self.area(), self._contributors()
        self.show_area(WHY)
        if area == MESSAGES and row >= 0:
            self.why.show_message_contributor(row)
        elif 0 <= row < len(names):
            self.why.show_contributor(names[row])

    def find_target(self) -> Searchable | None:
        """The text that is in front."""
        return self._areas[self.area()].find_target()

    def area(self) -> int:
        """Place of the area in front."""
        return self.tabs.currentIndex()

    def selected_message(self) -> int | None:
        """Part of the message that is selected in the area in front; None where that lists none."""
        area = self._areas[self.area()]
        return area.selected_part() if isinstance(area, (MessagesView, RawEffectiveView)) else None

    def detail(self) -> RequestDetail | None:
        """The request that is shown."""
        return self._detail

    def close_jobs(self) -> None:
        """Ask for nothing more: the source is about to be closed."""
        self._forget()

    # -- inside ----------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Take up what came while nobody looked."""
        super().showEvent(event)
        self._take_up()

    def _take_up(self, _index: int = -1) -> None:
        index = self.tabs.currentIndex()
        self.setFocusProxy(self._areas[index].table)
        if self._detail is None or index not in self._stale or not self.isVisible():
            return
        self._stale.discard(index)
        self._areas[index].show_request(self._detail, self._previous)

    def _name_tabs(self, names: Sequence[str]) -> None:
        """All tabs are laid out anew for each that is given a name, were it the one it has."""
        for n, name in enumerate(names):
            if name != self.tabs.tabText(n):
                self.tabs.setTabText(n, name)

    def _contributors(self) -> Sequence[str]:
        """Contributors of the blocks or tools in front, by their places."""
        detail = self._detail
        if detail is None or self.area() not in (0, 2):
            return ()
        if self.area() == 0:
            return [block.contributor for block in detail.system]
        return [tool.contributor for tool in detail.tools]

    def _show_message(self, raw: int | None, sent: int | None) -> None:
        """A message in Raw ↔ Effective."""
        if self._detail is None:
            return
        self.show_area(RAW_EFFECTIVE)
        self.raw_effective.show_message(raw, sent)

    def _tell_waiting(self) -> None:
        if self._waiting is not None:
            self.header.show_row(self._waiting)

    def _forget(self) -> None:
        self._slow.stop()
        self._waiting = self._detail = self._previous = None
        self._stale = set()
        for area in self._areas:
            area.clear()


def titles(detail: RequestDetail) -> tuple[str, ...]:
    """Titles of the tabs: counts and tokens."""
    system = sum(block.tokens for block in detail.system)
    messages = sum(row.tokens for row in detail.messages)
    tools = sum(tool.tokens for tool in detail.tools)
    return (
        f"System {format.UNKNOWN if 'system' in detail.not_recorded else format.tokens(system)}",
        f"Messages {format.UNKNOWN}"
        if unread(detail)
        else f"Messages {format.exact(len(detail.messages))} · {format.tokens(messages)}",
        f"Tools {format.UNKNOWN}"
        if "tools" in detail.not_recorded
        else f"Tools {format.exact(len(detail.tools))} · {format.tokens(tools)}",
        "Provider",
        "Raw ↔ Effective",
    )
