"""The parts of the window and where they stand: docks, splitters, what is remembered of them.

It builds and places; what the parts show and do is somebody else's.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from inspector.jobs import Jobs
from inspector.panes import Pane
from inspector.prefs import Prefs
from inspector.surroundings import NARROW, SIDE_WIDTH, Surroundings
from inspector.turns import Turns
from inspector.views.answer_panel import HEIGHT, AnswerPanel
from inspector.views.centre import Centre
from inspector.views.composer import Composer
from inspector.views.frame import DockTitle, NoTitle
from inspector.views.status import StatusLine
from inspector.views.threads import ThreadsView

FIRST_SIZE = (1440, 900)
FRAME = QSize(4, 40)
"""Room that is left for the frame, which a window manager adds when the size was chosen already."""
THREADS_WIDTH = 240
VERSION = 1
"""Of the remembered layout: another number forgets it."""


def first_size(screen: QSize) -> QSize:
    """Size of the window on the first start: never more than the screen has, frame included."""
    return QSize(*FIRST_SIZE).boundedTo(screen - FRAME)


class Parts:
    """Threads at the left, the middle, panes at the right, the composer and the status bar below."""

    def __init__(self, window: QMainWindow, jobs: Jobs, prefs: Prefs, turns: Turns) -> None:
        self._window = window
        self._prefs = prefs
        option = QMainWindow.DockOption
        window.setDockOptions(
            option.AnimatedDocks | option.AllowNestedDocks | option.AllowTabbedDocks | option.GroupedDragging
        )
        bottom = Qt.DockWidgetArea.BottomDockWidgetArea
        window.setCorner(Qt.Corner.BottomLeftCorner, bottom)
        window.setCorner(Qt.Corner.BottomRightCorner, bottom)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self.status = StatusLine(jobs, window)
        window.setStatusBar(self.status)
        self.centre = Centre(window)
        window.setCentralWidget(self.centre)
        self.threads = ThreadsView(window)
        self.threads_dock = self._threads_dock()
        self.around = Surroundings(window, self.centre.tabs)
        for name, title, beside in (
            ("files", "Files", None), ("summaries", "Summaries", "files"),
            ("memory", "Memory", "summaries"), ("skills", "Skills", "memory"), ("store", "Store", "skills"),
            ("ledger", "Ledger", "store"), ("find", "Find", "ledger"),
        ):  # fmt: skip
            self.around.add(name, title, beside)
        self.around.dock("files").raise_()
        self.composer = Composer(jobs, prefs.drafts, turns, window)
        self.answer = AnswerPanel(jobs, window)
        self._answer_dock = self._below("answer", "Answer", self.answer)
        self._composer_dock = self._below("composer", "Message", self.composer)
        window.splitDockWidget(self._answer_dock, self._composer_dock, Qt.Orientation.Vertical)
        self._answer_dock.hide()
        self.answer.changed.connect(self._fit_answer)
        self.empty()

    def empty(self) -> None:
        """Nothing is open."""
        self.centre.empty()
        for name in self.around.names():
            pane = Pane()
            pane.show_empty("Nothing is open.")
            self.around.place(name).put(pane)
        self.threads.set_threads([])

    def focus(self, name: str) -> None:
        """Show a part and give it the keyboard."""
        if name in self.around.names():
            self.around.show(name)
            self.around.place(name).take_focus()
        elif name == "threads":
            self.threads_dock.show()
            self.threads.list.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif name == "answer":
            self.answer.take_focus()
        elif name == "composer":
            self.composer.edit.setFocus(Qt.FocusReason.ShortcutFocusReason)
        elif name == "request":
            self.centre.tabs.setCurrentWidget(self.centre.request)
            self.centre.request.take_focus()
        else:
            self.centre.requests.take_focus()

    # -- what is remembered ------------------------------------------------------------------

    def restore(self) -> None:
        """Sizes and places as they were left, or those of the first start."""
        prefs = self._prefs
        self._window.resize(first_size(self._window.screen().availableGeometry().size()))
        self._size_docks()
        self._first = self._window.saveState(VERSION)
        geometry, layout = prefs.raw("geometry"), prefs.raw("layout")
        if geometry is not None:
            self._window.restoreGeometry(geometry)
        if layout is not None:
            self._window.restoreState(layout, VERSION)
        self._answer_dock.hide()
        self.centre.restore(prefs.raw("centre"))
        self.centre.show_chart(prefs.flag("chart", True))
        self.composer.model.set_models(prefs.names("models"), prefs.text("model"))

    def remember(self) -> None:
        """Keep sizes and places, those of the docks also while they are tabs."""
        prefs, narrow = self._prefs, self.around.narrow
        self.around.set_narrow(False)
        prefs.set("geometry", self._window.saveGeometry())
        prefs.set("layout", self._window.saveState(VERSION))
        prefs.set("centre", self.centre.state())
        prefs.set("chart", not self.centre.chart.isHidden())
        self.around.set_narrow(narrow)
        prefs.sync()

    def reset(self) -> None:
        """Sizes and places of the first start."""
        self.around.set_narrow(False)
        self._window.restoreState(self._first, VERSION)
        self._answer_dock.setVisible(self.answer.open)
        self._size_docks()
        self.centre.restore(None)
        self.centre.show_chart(True)
        self.fit_width()

    def fit_width(self) -> None:
        """Docks at the right become tabs of the middle where there is no room for them."""
        self.around.set_narrow(self._window.width() < NARROW)

    # -- building ------------------------------------------------------------------------------

    def _threads_dock(self) -> QDockWidget:
        dock = QDockWidget("Threads", self._window)
        dock.setObjectName("dock.threads")
        dock.setWidget(self.threads)
        title = DockTitle("Threads", dock)
        title.closed.connect(dock.hide)
        dock.setTitleBarWidget(title)
        self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
        return dock

    def _below(self, name: str, title: str, widget: QWidget) -> QDockWidget:
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"dock.{name}")
        dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        dock.setTitleBarWidget(NoTitle(dock))
        dock.setWidget(widget)
        self._window.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, dock)
        return dock

    def _fit_answer(self) -> None:
        """The panel is there while something waits for an answer."""
        if self.answer.open != self._answer_dock.isHidden():
            return
        self._answer_dock.setVisible(self.answer.open)
        if self.answer.open and self._answer_dock.height() < HEIGHT:
            self._window.resizeDocks([self._answer_dock], [HEIGHT], Qt.Orientation.Vertical)

    def _size_docks(self) -> None:
        docks = [self.threads_dock, self.around.dock("files")]
        self._window.resizeDocks(docks, [THREADS_WIDTH, SIDE_WIDTH], Qt.Orientation.Horizontal)
