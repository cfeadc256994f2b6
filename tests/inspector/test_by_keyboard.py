"""Every command of the table is reached with nothing but keys, and so is whatever takes the keyboard."""

import re
import shutil

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QFileDialog, QMenu

from inspector import opening
from inspector.needs import needs
from inspector.tab_order import in_order
from inspector.views.palette import Palette
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.occasions import bring_about, reading, stop_runs
from tests.inspector.test_keys import press

LAST = ("file.default", "file.quit")
"""These change what is open, or end it; in this order."""


@pytest.fixture
def window(qtbot, make_window, demo_copy, monkeypatch):
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_args, **_more: ("", ""))
    made = make_window(demo_copy)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def by_palette(qtbot, window, command) -> None:
    """Ctrl+Shift+P, words of the title, Down until it is marked, Return."""
    window.activateWindow()  # as a desktop does when a dialog has gone
    qtbot.waitUntil(window.isActiveWindow, timeout=WAIT_MS)
    if QApplication.focusWidget() is None:
        window.focus("requests")
    holder = QApplication.focusWidget() or window
    press(qtbot, holder, "Ctrl+Shift+P")
    qtbot.waitUntil(lambda: any(p.isVisible() for p in window.findChildren(Palette)), timeout=WAIT_MS)
    palette = next(p for p in window.findChildren(Palette) if p.isVisible())
    palette.activateWindow()
    qtbot.waitUntil(palette.field.hasFocus, timeout=WAIT_MS)  # by itself: nobody clicks into it
    qtbot.keyClicks(palette.field, " ".join(re.findall("[A-Za-z]+", command.title)))
    for _ in range(palette.model.rowCount()):
        if palette.list.currentIndex().data(Qt.ItemDataRole.UserRole) == command.id:
            break
        qtbot.keyClick(palette.field, Qt.Key.Key_Down)
    assert palette.list.currentIndex().data(Qt.ItemDataRole.UserRole) == command.id, command.title
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)


def put_away(qtbot, window) -> None:
    """Whatever a command opened is left with Escape; a run that it began is stopped."""
    settle(qtbot, window)
    for opened in [w for w in QApplication.topLevelWidgets() if w.isVisible() and w is not window]:
        if not shiboken6.isValid(opened) or not opened.isVisible():
            continue  # went with another one
        if isinstance(opened, QDialog):
            qtbot.keyClick(opened.focusWidget() or opened, Qt.Key.Key_Escape)
            assert not shiboken6.isValid(opened) or not opened.isVisible(), opened.windowTitle()
        else:
            opened.close()  # a window of its own, as the desktop closes one
    stop_runs(qtbot, window)


def test_every_command_runs_by_the_palette_alone(qtbot, window, demo_path):
    ran: list[str] = []
    window.commands.ran.connect(ran.append)
    for command in window.commands.all():
        if command.id in LAST or command.id == "help.palette":
            continue
        bring_about(qtbot, window, command)
        by_palette(qtbot, window, command)
        assert ran[-1] == command.id
        put_away(qtbot, window)
    assert set(window.prefs.names("recent_commands")) <= set(ran)
    default = opening.default_path()
    default.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(demo_path, default)
    by_palette(qtbot, window, command_of(window, "file.default"))
    settle(qtbot, window)
    assert window.desk.opened.path == default and ran[-1] == "file.default"
    put_away(qtbot, window)
    by_palette(qtbot, window, command_of(window, "file.quit"))
    assert not window.isVisible() and ran[-1] == "file.quit"


def command_of(window, command_id: str):
    return next(command for command in window.commands.all() if command.id == command_id)


def test_whatever_can_be_disabled_says_what_it_waits_for(make_window):
    window = make_window()
    closed = [command.id for command in window.commands.all() if not command.enabled()]
    assert len(closed) > 30 and [id for id in closed if not needs(id)] == []
    palette = Palette(window.commands, (), window)
    rows = [palette.model.item(n) for n in range(palette.model.rowCount())]
    assert {row.isEnabled() for row in rows} == {True, False}
    palette.look_for("read again")
    assert palette.model.item(0).data(Qt.ItemDataRole.UserRole + 1) == "needs an open file"
    ran: list[str] = []
    window.commands.ran.connect(ran.append)
    palette.chosen.connect(ran.append)
    palette.run()
    assert ran == []
    palette.close()


def test_the_palette_takes_letters_and_puts_what_was_used_first(make_window):
    window = make_window()
    palette = Palette(window.commands, ["view.gone", "help.about"], window)
    assert palette.model.item(0).data(Qt.ItemDataRole.UserRole) == "help.about"

    def first(text: str) -> str:
        palette.look_for(text)
        return palette.model.item(0).data(Qt.ItemDataRole.UserRole)

    assert first("last requ") == "go.last"
    assert first("requ last") == "go.last"
    assert first("nsum") == "go.next_summary"
    assert first("about") == "help.about"
    palette.look_for("zzzz")
    assert palette.model.rowCount() == 0
    palette.close()


def test_tab_reaches_whatever_takes_the_keyboard(qtbot, window):
    reading(qtbot, window)
    window.commands.refresh()
    for pane in window.around.names():
        window.around.show(pane)
        settle(qtbot, window)
        wanted = in_order(window)
        seen = []
        for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):  # the memory editor writes a Tab, and Shift+Tab leaves it
            window.threads.list.setFocus()
            way = [window.threads.list]
            for _ in wanted:
                qtbot.keyClick(way[-1], key)
                if (holder := QApplication.focusWidget()) in way:
                    break
                way.append(holder)
            seen += way
        there = [widget for widget in in_order(window) if widget in wanted]  # some come and go with the row
        missed = [widget.accessibleName() or type(widget).__name__ for widget in there if widget not in seen]
        assert missed == [], pane
    window.desk.around["memory"].revert()


class Menus(QObject):
    """Notes the menus that appear, and closes them."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[int] = []

    def eventFilter(self, watched, event) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QMenu):
            self.shown.append(len(watched.actions()))
            watched.close()
        return False


def test_every_context_menu_opens_by_the_menu_key(qtbot, window):
    reading(qtbot, window)
    window.commands.refresh()
    menus = Menus()
    QApplication.instance().installEventFilter(menus)
    lists = [
        view for view in window.findChildren(QAbstractItemView)
        if view.contextMenuPolicy() == Qt.ContextMenuPolicy.CustomContextMenu
    ]  # fmt: skip
    assert len(lists) >= 4
    without = []
    try:
        for view in lists:
            if not view.isVisible() or view.model() is None or not view.model().rowCount():
                continue
            view.setFocus()
            if not view.currentIndex().isValid():
                view.setCurrentIndex(view.model().index(0, 0))
            view.scrollTo(view.currentIndex())
            at = view.visualRect(view.currentIndex()).center()
            before = len(menus.shown)
            reason = QContextMenuEvent.Reason.Keyboard  # what Qt makes of the Menu key and of Shift+F10
            QApplication.sendEvent(view.viewport(), QContextMenuEvent(reason, at, view.viewport().mapToGlobal(at)))
            if len(menus.shown) == before or not menus.shown[-1]:
                without.append(view.accessibleName())
    finally:
        QApplication.instance().removeEventFilter(menus)
    assert without == []
    window.desk.around["memory"].revert()
