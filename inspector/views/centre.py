"""The middle: chart over table over the request, with splitters that are remembered."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, Qt
from PySide6.QtWidgets import QSplitter, QTabWidget, QVBoxLayout, QWidget

from inspector.panes import Pane
from inspector.surroundings import Place

SIZES = (150, 230, 400)
"""Heights on the first start: chart, table, request."""


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
        self.tabs = QTabWidget(self)
        self.tabs.setDocumentMode(True)
        self.tabs.setTabBarAutoHide(True)
        self.tabs.tabBar().setAccessibleName("Request and what surrounds it")
        self.tabs.addTab(self.request, "Request")
        self.splitter = QSplitter(Qt.Orientation.Vertical, self)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(5)
        for widget in (self.chart, self.requests, self.tabs):
            self.splitter.addWidget(widget)
        self.chart.setMinimumHeight(90)
        self.requests.setMinimumHeight(80)
        self.tabs.setMinimumHeight(120)
        for index, stretch in enumerate((1, 2, 4)):
            self.splitter.setStretchFactor(index, stretch)
        self.splitter.setSizes(list(SIZES))
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
        """Sizes, for the preferences."""
        return self.splitter.saveState()

    def restore(self, state: QByteArray | None) -> None:
        """Sizes as they were left, or those of the first start."""
        if state is None or not self.splitter.restoreState(state):
            self.splitter.setSizes(list(SIZES))
