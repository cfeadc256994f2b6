"""The middle: chart over table over the request, with splitters that are remembered."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from inspector.panes import Pane
from inspector.surroundings import Place
from inspector.views.flat_tabs import flat_tabs

CHART_HIGH = 150
LOW = 700
"""Below this height chart and table give way to the request."""


def shares(height: int) -> list[int]:
    """Heights of chart, table and request until somebody moves a line: most of it is for the request."""
    low = height < LOW
    chart = min(CHART_HIGH, height * (15 if low else 19) // 100)
    table = height * (22 if low else 26) // 100
    return [chart, table, max(1, height - chart - table)]


class Centre(QWidget):
    """Three places over one another; the lowest is a set of tabs once the window is narrow."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName("Requests and the selected request")
        self.top = Place("top", self)
        self.top.hide()
        self.chart = Place("chart", self)
        self.requests = Place("requests", self)
        self.request = Place("request", self)
        self.request.setAccessibleName("Request")
        self.tabs = flat_tabs("Request and what surrounds it", self)
        self.tabs.setTabBarAutoHide(True)
        self.tabs.addTab(self.request, "Request")
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(5)
        for widget in (self.chart, self.requests, self.tabs):
            self.splitter.addWidget(widget)
        self.chart.setMinimumHeight(80)
        self.requests.setMinimumHeight(80)
        self.tabs.setMinimumHeight(120)
        for index, stretch in enumerate((0, 1, 3)):
            self.splitter.setStretchFactor(index, stretch)
        self._moved = False
        self.splitter.splitterMoved.connect(self._by_hand)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.top)
        layout.addWidget(self.splitter, 1)
        self.empty()

    def empty(self) -> None:
        """Nothing is open: three empty panes."""
        for place in (self.chart, self.requests, self.request):
            pane = Pane(place)
            place.put(pane)
        requests = self.requests.widget()
        assert isinstance(requests, Pane)
        requests.show_empty("No thread is selected.", "Its requests will be listed here.")

    def show_chart(self, shown: bool) -> None:
        """Show or hide the chart; the table holds the same numbers."""
        self.chart.setVisible(shown)

    def state(self) -> QByteArray:
        """Sizes, for the preferences; empty while nobody has moved a line."""
        return self.splitter.saveState() if self._moved else QByteArray()

    def restore(self, state: QByteArray | None) -> None:
        """Sizes as they were left, or those of the first start."""
        self._moved = state is not None and not state.isEmpty() and self.splitter.restoreState(state)
        self._share_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height out until it was done by hand."""
        super().resizeEvent(event)
        self._share_out()

    def _by_hand(self, _position: int, _index: int) -> None:
        self._moved = True

    def _share_out(self) -> None:
        if not self._moved:
            self.splitter.setSizes(shares(self.splitter.height()))
