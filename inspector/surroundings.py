"""What stands around the middle: panes that are docks on a wide window, tabs of the middle on a narrow one.

It places widgets and knows nothing of what they show.
"""

from __future__ import annotations

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabBar, QTabWidget, QVBoxLayout, QWidget

from inspector.tab_order import focus_first
from inspector.views.flat_tabs import Flattener
from inspector.views.frame import DockTitle

NARROW = 1200
"""Below this width of the window the right docks are tabs of the middle."""
SIDE_WIDTH = 360
MIN_SIZE = (140, 80)
"""A place can be made this small, whatever it holds: no pane forces the window to grow."""


class Place(QWidget):
    """A place whose widget can be changed for another."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"place.{name}")
        self._widget: QWidget | None = None
        self._seen = True
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        self.setMinimumSize(*MIN_SIZE)

    def put(self, widget: QWidget) -> None:
        """Show this widget; the one before is deleted."""
        layout = self.layout()
        assert layout is not None
        if self._widget is not None:
            layout.removeWidget(self._widget)
            self._widget.hide()
            self._widget.deleteLater()
        self._widget = widget
        layout.addWidget(widget)
        widget.setVisible(self._seen)

    def set_seen(self, seen: bool) -> None:
        """A dock behind another tab counts as visible in Qt: what it holds must neither load nor take Tab."""
        self._seen = seen
        if self._widget is not None:
            self._widget.setVisible(seen)

    def take_focus(self) -> None:
        """Give the keyboard to what is shown; while it loads, keep it for that."""
        if self._widget is None or not focus_first(self._widget):
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def widget(self) -> QWidget | None:
        """What is shown."""
        return self._widget


class Surroundings(QObject):
    """The panes at the right, by name."""

    changed = Signal()
    """A pane was shown, hidden or moved."""

    def __init__(self, window: QMainWindow, tabs: QTabWidget) -> None:
        super().__init__(window)
        self._window = window
        self._tabs = tabs
        self._docks: dict[str, QDockWidget] = {}
        self._places: dict[str, Place] = {}
        self._titles: dict[str, str] = {}
        self._was_shown: dict[str, bool] = {}
        self._flattener = Flattener(self)
        self.narrow = False

    def add(self, name: str, title: str, beside: str | None = None) -> Place:
        """A pane of this name, tabbed with the one named ``beside``."""
        place = Place(name)
        place.setAccessibleName(title)
        dock = QDockWidget(title, self._window)
        dock.setObjectName(f"dock.{name}")
        dock.setWidget(place)
        title_bar = DockTitle(title, dock)
        title_bar.closed.connect(dock.hide)
        dock.setTitleBarWidget(title_bar)
        self._window.addDockWidget(Qt.DockWidgetArea.RightDockWidgetArea, dock)
        if beside is not None:
            self._window.tabifyDockWidget(self._docks[beside], dock)
        dock.visibilityChanged.connect(lambda seen: self._seen(name, seen))
        dock.topLevelChanged.connect(lambda _floats: self._moved())
        dock.dockLocationChanged.connect(lambda _area: self._moved())
        self._docks[name], self._places[name], self._titles[name] = dock, place, title
        return place

    def names(self) -> list[str]:
        """Names, in order."""
        return list(self._places)

    def place(self, name: str) -> Place:
        """Where a pane's widget goes."""
        return self._places[name]

    def dock(self, name: str) -> QDockWidget:
        """The dock of a pane."""
        return self._docks[name]

    def set_mark(self, name: str, mark: str) -> None:
        """Put a sign behind a pane's title, or none."""
        title = f"{self._titles[name]} {mark}" if mark else self._titles[name]
        if self._docks[name].windowTitle() != title:
            self._docks[name].setWindowTitle(title)
            if (index := self._tabs.indexOf(self._places[name])) >= 0:
                self._tabs.setTabText(index, title)

    def is_shown(self, name: str) -> bool:
        """Whether the pane is there, behind another tab or not."""
        if self.narrow:
            return self._tabs.indexOf(self._places[name]) >= 0
        return not self._docks[name].isHidden()

    def show(self, name: str) -> None:
        """Bring a pane to the front."""
        place = self._places[name]
        if self.narrow:
            if self._tabs.indexOf(place) < 0:
                self._add_tab(name)
            self._tabs.setCurrentWidget(place)
        else:
            self._docks[name].show()
            self._docks[name].raise_()
        self.changed.emit()

    def toggle(self, name: str) -> None:
        """Hide a pane that is shown, show one that is hidden."""
        if not self.is_shown(name):
            self.show(name)
        elif self.narrow:
            self._tabs.removeTab(self._tabs.indexOf(self._places[name]))
            self._was_shown[name] = False
        else:
            self._docks[name].hide()
        self.changed.emit()

    def set_narrow(self, narrow: bool) -> None:
        """Make tabs of the docks, or docks of the tabs."""
        if narrow == self.narrow:
            return
        if narrow:
            self._was_shown = {name: not dock.isHidden() for name, dock in self._docks.items()}
            self.narrow = True
            for name, dock in self._docks.items():
                dock.hide()
                if self._was_shown[name]:
                    self._add_tab(name)
        else:
            shown = {name for name in self._places if self.is_shown(name)}
            self.narrow = False
            for name, place in self._places.items():
                index = self._tabs.indexOf(place)
                if index >= 0:
                    self._tabs.removeTab(index)
                self._docks[name].setWidget(place)
                place.show()
                self._docks[name].setVisible(name in shown)
        self.changed.emit()

    def _seen(self, name: str, seen: bool) -> None:
        if shiboken6.isValid(self._window):
            self._places[name].set_seen(seen or self.narrow)
            self._moved()

    def _moved(self) -> None:
        """A tab names its dock: only a dock without one shows a title."""
        if not shiboken6.isValid(self._window):
            return  # docks tell of it when they go with their window
        for dock in self._docks.values():
            others = self._window.tabifiedDockWidgets(dock)
            tabbed = not dock.isFloating() and any(not other.isHidden() for other in others)
            bar = dock.titleBarWidget()
            if isinstance(bar, DockTitle):
                bar.set_flat(tabbed)
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            self._flattener.flatten(bar, "Panes at the side")
        self.changed.emit()

    def _add_tab(self, name: str) -> None:
        self._places[name].set_seen(True)
        self._tabs.addTab(self._places[name], self._docks[name].windowTitle())
        self._was_shown[name] = True
