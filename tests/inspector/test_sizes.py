"""Windows of all sizes: nothing is cut off, nothing stands on something else, the middle keeps its shares."""

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QLabel,
    QLineEdit,
    QSplitter,
    QTabBar,
    QToolButton,
    QWidget,
)

from inspector.actions import AREAS
from inspector.parts import THREADS_WIDTH, first_size
from inspector.surroundings import NARROW, SIDE_WIDTH
from inspector.views.centre import shares
from inspector.views.labels import ElidedLabel
from tests.inspector.conftest import settle
from tests.inspector.test_window import MAIN_THREAD, open_thread

SIZES = [(1000, 700), (1100, 720), (1440, 900)]


def place(widget: QWidget) -> QRect:
    """Where it is in its window."""
    return QRect(widget.mapTo(widget.window(), QPoint(0, 0)), widget.size())


def cut_off(root: QWidget) -> list[str]:
    """What is on the screen only in part, or smaller than its words."""
    wrong = []
    window = root.window().rect()
    for widget in root.findChildren(QWidget):
        if not widget.isVisible() or place(widget).right() < 0:  # Qt parks docks behind tabs out there
            continue
        if isinstance(widget.parentWidget(), (QTabBar, QAbstractScrollArea, QComboBox)):
            continue
        name = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()!r}"
        parent = widget.parentWidget()
        if parent is not None and not isinstance(parent, QSplitter) and not inside_scrolled(widget):
            outside = not parent.rect().contains(widget.geometry()) or not window.contains(place(widget))
            if outside and widget.width() > 1 and widget.height() > 1:
                wrong.append(f"{name} {widget.geometry()} stands out of {type(parent).__name__} {parent.size()}")
        if isinstance(widget, (QAbstractButton, QLineEdit, QComboBox)) and not isinstance(widget, QToolButton):
            least = widget.minimumSizeHint()
            if widget.width() < least.width() or widget.height() < least.height() - 2:
                wrong.append(f"{name}: {widget.size()} is less than {least}")
        if isinstance(widget, QLabel) and not widget.wordWrap():
            words = widget.fontMetrics().horizontalAdvance(widget.text())
            wrong += [f"{name}: {widget.text()!r} is cut"] if widget.width() < words else []
        if isinstance(widget, ElidedLabel) and widget.contentsRect().height() < widget.fontMetrics().height():
            wrong.append(f"{name}: {widget.text()!r} is too low")
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            low = widget.model().rowCount() and widget.viewport().height() < widget.fontMetrics().height()
            wrong += [f"{name}: no room for a row"] if low else []
    return wrong


def inside_scrolled(widget: QWidget) -> bool:
    """Whether it is content that scrolls."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QAbstractScrollArea):
            return True
        parent = parent.parentWidget()
    return False


@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_off_in_any_pane(qtbot, make_window, demo_path, size):
    window = make_window(demo_path, size=size)
    open_thread(qtbot, window)
    assert (window.width(), window.height()) == size
    window.session.select_index(29)
    wrong = []
    for area in range(len(AREAS)):
        window.desk.request.show_area(area)
        settle(qtbot, window)
        wrong += [f"area {area}: {each}" for each in cut_off(window)]
    for name in window.around.names():
        window.around.show(name)
        settle(qtbot, window)
        wrong += [f"{name}: {each}" for each in cut_off(window)]
    assert "\n".join(wrong) == ""
    assert (window.width(), window.height()) == size


@pytest.mark.parametrize("size", SIZES)
def test_files_can_be_filtered_at_any_size(qtbot, make_window, demo_path, size):
    window = make_window(demo_path, size=size)
    open_thread(qtbot, window)
    window.around.show("files")
    settle(qtbot, window)
    files = window.desk.around["files"]
    assert window.around.narrow == (size[0] < NARROW)
    assert files.model.rowCount() >= 12 and files.filter.isVisible()
    assert place(files.filter).height() >= files.filter.minimumSizeHint().height()
    assert window.rect().contains(place(files.filter))
    window.resize(1500, 900)
    settle(qtbot, window)
    assert files.filter.isVisible() and window.rect().contains(place(files.filter))


def test_the_docks_have_their_widths_and_no_text_changes_them(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    assert window.threads_dock.width() == THREADS_WIDTH
    for title in (
        MAIN_THREAD,
        "Eight rounds, offloading off",
        "Competitor report, week 23",
    ):
        open_thread(qtbot, window, title)
        for name in window.around.names():
            window.around.show(name)
            settle(qtbot, window)
            assert window.around.place(name).width() == SIDE_WIDTH, (title, name)
    assert window.threads_dock.width() == THREADS_WIDTH


@pytest.mark.parametrize("screen", [(1920, 1080), (1440, 900), (1100, 720), (1440, 860)])
def test_the_first_window_fits_its_screen_with_a_frame_around_it(screen):
    size = first_size(QSize(*screen))
    assert size.width() <= 1440 and size.height() <= 900
    assert size.width() + 2 <= screen[0] and size.height() + 24 <= screen[1]
    assert screen != (1920, 1080) or size == QSize(1440, 900)


@pytest.mark.parametrize("height", [500, 605, 805, 985])
def test_most_of_the_height_is_for_the_request(height):
    chart, table, request = shares(height)
    assert chart + table + request == height
    assert 70 <= chart <= 150 and table >= 110 and request >= height * 0.5


def test_shares_follow_the_window_until_a_line_is_moved_and_then_are_kept(qtbot, make_window, prefs):
    window = make_window(kept=prefs)
    splitter = window.centre.splitter
    assert splitter.sizes()[0] == 150
    window.resize(1440, 700)
    qtbot.waitUntil(lambda: splitter.sizes()[0] < 150)
    assert window.centre.state().isEmpty()
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: splitter.sizes()[0] == 150)
    splitter.moveSplitter(250, 1)
    moved = splitter.sizes()[0]
    window.resize(1440, 860)
    assert splitter.sizes()[0] == moved > 200
    window.close()
    again = make_window(kept=prefs)
    assert abs(again.centre.splitter.sizes()[0] - moved) < 12
    again.commands.run("view.reset")
    assert again.centre.splitter.sizes()[0] == 150


def test_the_composer_grows_with_its_text_and_shrinks_again(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    composer = window.composer
    before = composer.height()
    composer.edit.setPlainText("line\n" * 20)
    qtbot.waitUntil(lambda: composer.height() > 3 * before)
    composer.edit.setPlainText("")
    qtbot.waitUntil(lambda: composer.height() == before)
    assert not composer.edit.verticalScrollBar().isVisible()


def test_the_selected_row_stays_in_sight_when_its_table_becomes_lower(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.session.select_index(30)
    table = window.desk.requests.table
    table.scrollTo(table.model().index(24, 0), QAbstractItemView.ScrollHint.PositionAtTop)
    bottom = table.visualRect(table.currentIndex()).bottom()
    assert 0 < bottom < table.viewport().height()
    window.beginning.show_welcome()
    window.resize(1440, 640)
    qtbot.waitUntil(lambda: table.viewport().height() < bottom)
    assert table.visualRect(table.currentIndex()).bottom() < table.viewport().height()
