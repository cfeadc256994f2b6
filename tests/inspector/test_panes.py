from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QLineEdit, QListView, QVBoxLayout, QWidget

from inspector import theme
from inspector.panes import Pane, plain_label
from inspector.surroundings import Place
from tests.inspector.values import HOSTILE


def made(qtbot) -> Pane:
    pane = Pane()
    pane.set_content(QListView())
    qtbot.addWidget(pane)
    pane.show()
    return pane


def test_loading_waits_before_it_covers_what_is_there(qtbot):
    pane = made(qtbot)
    pane.show_content()
    pane.show_loading("Reading")
    assert pane.state() == "content"
    qtbot.waitUntil(lambda: pane.state() == "loading")
    pane.show_content()
    assert pane.state() == "content"


def test_a_quick_answer_shows_no_progress(qtbot):
    pane = made(qtbot)
    pane.show_loading("Reading")
    pane.show_content()
    assert not pane._timer.isActive()


def test_loading_says_what_and_how_far_and_can_be_cancelled(qtbot):
    pane = made(qtbot)
    asked = []
    pane.show_loading("Making the demo", lambda: asked.append(1))
    pane._timer.timeout.emit()
    pane.set_progress(3, 1200, "week 22")
    assert pane._loading_page.far.text() == "week 22 · 3 of 1\u2009200"
    qtbot.mouseClick(pane._loading_page.cancel_button, Qt.MouseButton.LeftButton)
    assert asked == [1]


def test_empty_says_what_would_be_here_and_how_to_get_it(qtbot):
    pane = made(qtbot)
    pane.show_empty("There is no file.", "Offloaded results appear here.")
    assert pane.state() == "empty"
    assert pane.message() == "There is no file.\nOffloaded results appear here."


def test_an_error_has_its_colour_a_sign_and_a_way_on(qtbot, colours):
    pane = made(qtbot)
    again = []
    pane.show_error("The file is gone.", lambda: again.append(1))
    assert pane.state() == "error"
    assert pane.message() == "! The file is gone."
    assert pane._message_page.title.palette().color(pane._message_page.title.foregroundRole()) == theme.error_colour()
    theme.choose(colours, "dark")
    assert pane._message_page.title.palette().color(pane._message_page.title.foregroundRole()) == theme.error_colour()
    qtbot.mouseClick(pane._message_page.retry_button, Qt.MouseButton.LeftButton)
    assert again == [1]


def test_markup_is_shown_letter_by_letter(qtbot):
    pane = made(qtbot)
    for text in HOSTILE:
        pane.show_error(text)
        pane.show_empty(text, text)
        pane.show_loading(text)
    assert {label.textFormat() for label in pane.findChildren(QLabel)} == {Qt.TextFormat.PlainText}


def test_a_muted_label_follows_the_scheme(qtbot, colours):
    label = plain_label("x", muted=True)
    qtbot.addWidget(label)
    theme.choose(colours, "dark")
    assert label.palette().color(label.foregroundRole()) == theme.muted_colour()


def test_no_text_widens_the_window(qtbot):
    pane = made(qtbot)
    for text in ("/a/very/long/path" * 40, "x" * 5000):
        pane.show_empty(text, text)
        pane.show_loading(text)
        pane._timer.timeout.emit()
        pane.set_progress(3, 12, text)
        assert pane.minimumSizeHint().width() < 250


def test_a_window_that_is_behind_another_keeps_the_keyboard_for_what_is_loading(qtbot):
    behind, front = QWidget(), QWidget()
    QVBoxLayout(front).addWidget(QLineEdit())
    place, pane, field = Place("x"), Pane(), QLineEdit()
    pane.set_content(field)
    place.put(pane)
    QVBoxLayout(behind).addWidget(place)
    for window in (behind, front):
        qtbot.addWidget(window)
        window.show()
    pane.show_loading("Reading")
    place.take_focus()
    front.activateWindow()
    qtbot.waitUntil(front.isActiveWindow)
    pane.show_content()
    behind.activateWindow()
    qtbot.waitUntil(field.hasFocus)
