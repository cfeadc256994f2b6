import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QListView, QMainWindow, QVBoxLayout, QWidget

from inspector.commands import Command, Commands, InPlace


@pytest.fixture
def window(qtbot) -> QMainWindow:
    made = QMainWindow()
    middle = QWidget()
    layout = QVBoxLayout(middle)
    made.view, made.field = QListView(), QLineEdit()
    layout.addWidget(made.view)
    layout.addWidget(made.field)
    made.setCentralWidget(middle)
    qtbot.addWidget(made)
    return made


def test_two_commands_of_one_key_are_a_bug(window):
    commands = Commands(window)
    commands.scope("view", window.view)
    commands.scope("field", window.field)
    commands.add(Command("a.one", "One", int, keys=("Ctrl+O",)))
    with pytest.raises(ValueError, match="share a key"):
        commands.add(Command("a.two", "Two", int, keys=("Ctrl+O",)))
    with pytest.raises(ValueError, match="share a key"):
        commands.add(Command("a.three", "Three", int, keys=("ctrl+o",), scope="view"))
    commands.add(Command("a.four", "Four", int, keys=("J",), scope="view"))
    commands.add(Command("a.five", "Five", int, keys=("J",), scope="field"))


def test_an_id_is_given_once_and_a_menu_must_exist(window):
    commands = Commands(window)
    commands.add(Command("a.one", "One", int))
    with pytest.raises(ValueError, match="two commands"):
        commands.add(Command("a.one", "Again", int))
    with pytest.raises(ValueError, match="no menu"):
        commands.add(Command("a.two", "Two", int, menu="Tools"))


def test_menus_are_made_from_the_table_and_show_ampersands(window):
    commands = Commands(window)
    ran = []
    commands.add(
        Command("a.one", "Save & go", lambda: ran.append("one"), "File", ("Ctrl+S",)),
        Command("a.two", "Two", lambda: ran.append("two"), "Help", contexts=("row",)),
    )
    commands.build_menus(window.menuBar())
    titles = [action.text() for action in window.menuBar().actions()]
    assert titles == ["&File", "&Help"]
    entry = window.menuBar().actions()[0].menu().actions()[0]
    assert entry.text() == "Save && go"
    entry.trigger()
    menu = commands.context_menu("row", window)
    assert [action.text() for action in menu.actions()] == ["Two"]
    menu.actions()[0].trigger()
    assert ran == ["one", "two"]
    menu.close()
    menu.deleteLater()


def test_a_key_of_a_part_works_in_that_part_only_and_never_while_typing(qtbot, window):
    commands, ran = Commands(window), []
    commands.scope("view", window.view)
    commands.add(Command("go.next", "Next", lambda: ran.append(1), keys=("J",), scope="view"))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.view.setFocus()
    qtbot.keyClick(window.view, Qt.Key.Key_J)
    assert ran == [1]
    window.field.setFocus()
    qtbot.keyClick(window.field, Qt.Key.Key_J)
    assert ran == [1] and window.field.text() == "j"


def test_what_is_not_enabled_does_not_run(window):
    commands, ran, on = Commands(window), [], [False]
    commands.add(Command("a.one", "One", lambda: ran.append(1), enabled=lambda: on[0]))
    assert not commands.run("a.one")
    commands.refresh()
    assert not commands.action("a.one").isEnabled()
    on[0] = True
    commands.refresh()
    commands.action("a.one").trigger()
    assert ran == [1]


@pytest.mark.parametrize("also", [(), (("view", "K"),)], ids=["its key", "one more key"])
def test_a_key_pressed_right_after_a_change_knows_of_it(qtbot, window, also):
    commands, ran, on = Commands(window), [], [False]
    commands.scope("view", window.view)
    commands.add(Command("a.one", "One", lambda: ran.append(1), keys=("J",), enabled=lambda: on[0], also=also))
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.view.setFocus()
    key = Qt.Key.Key_K if also else Qt.Key.Key_J
    commands.refresh()
    qtbot.keyClick(window.view, key)
    assert ran == []
    on[0] = True
    commands.refresh()
    qtbot.keyClick(window.view, key)
    assert ran == [1]
    on[0] = False
    commands.refresh()
    qtbot.keyClick(window.view, key)
    assert ran == [1]


def test_a_menu_that_opens_shows_what_is_enabled_and_what_is_on(window):
    commands, on = Commands(window), [False]
    commands.add(
        Command("a.one", "One", int, "File", enabled=lambda: on[0], contexts=("row",)),
        Command("a.two", "Two", int, "File", checked=lambda: on[0], contexts=("row",)),
    )
    commands.build_menus(window.menuBar())
    menu = window.menuBar().actions()[0].menu()
    for on[0] in (False, True, False):
        menu.aboutToShow.emit()
        one, two = menu.actions()
        assert (one.isEnabled(), two.isChecked()) == (on[0], on[0])
    on[0] = True
    context = commands.context_menu("row", window)
    one, two = context.actions()
    assert one.isEnabled() and two.isChecked()
    context.deleteLater()


def test_many_changes_are_looked_at_once(qtbot, window):
    commands, asked = Commands(window), []
    commands.add(Command("a.one", "One", int, enabled=lambda: bool(asked.append(1)) or True))
    for _ in range(5):
        commands.refresh()
    assert asked == []
    qtbot.waitUntil(lambda: asked == [1])


def test_a_command_that_is_on_or_off_shows_which(window):
    commands, on = Commands(window), [False]

    def flip() -> None:
        on[0] = not on[0]

    commands.add(Command("a.one", "One", flip, checked=lambda: on[0]))
    commands.action("a.one").trigger()
    assert on[0] and commands.action("a.one").isChecked()
    flip()
    commands.refresh()
    assert not commands.action("a.one").isChecked()


def test_the_page_of_keys_is_the_table(window):
    commands = Commands(window)
    commands.scope("view", window.view)
    commands.add(Command("a.one", "One", int, "Go", ("Ctrl+1", "F7"), also=(("view", "Right"),), hint="Does one."))
    commands.name_in_place(InPlace("List", "Opens", ("Return",)))
    assert commands.keys_page() == [
        ("Go", "One", "Ctrl+1, F7, Right (view)", "Does one."),
        ("List", "Opens", "Return", ""),
    ]


def test_parts_that_stand_in_one_another_share_no_key(window):
    commands = Commands(window)
    commands.scope("middle", window.centralWidget())
    commands.scope("view", window.view)
    commands.add(Command("a.one", "One", int, keys=("J",), scope="middle"))
    for clash in (
        Command("a.two", "Two", int, keys=("J",), scope="view"),
        Command("a.two", "Two", int, also=(("view", "J"),)),
        Command("a.two", "Two", int, keys=("K",), also=(("view", "K"),)),
    ):
        with pytest.raises(ValueError, match="share a key"):
            commands.add(clash)


def test_a_key_of_the_whole_window_is_not_one_that_parts_use(window):
    commands = Commands(window)
    commands.scope("view", window.view)
    commands.add(Command("a.one", "One", int, keys=("Escape",)))
    with pytest.raises(ValueError, match=r"a\.one takes a key from Search bar"):
        commands.name_in_place(InPlace("Search bar", "Closes", ("Escape",)))
    commands.name_in_place(InPlace("Search bar", "Next", ("Return",)))


def test_one_more_key_in_a_part(qtbot, window):
    commands, ran, on = Commands(window), [], [True]
    commands.scope("view", window.view)
    commands.add(
        Command("a.one", "One", lambda: ran.append(1), keys=("F7",), enabled=lambda: on[0], also=(("view", "R"),))
    )
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.view.setFocus()
    qtbot.keyClick(window.view, Qt.Key.Key_R)
    qtbot.keyClick(window.view, Qt.Key.Key_F7)
    assert ran == [1, 1]
    on[0] = False
    commands.refresh()
    qtbot.keyClick(window.view, Qt.Key.Key_R)
    on[0] = True
    window.field.setFocus()  # what is enabled may depend on it
    qtbot.keyClick(window.field, Qt.Key.Key_R)
    assert ran == [1, 1] and window.field.text() == "r"
    window.view.setFocus()
    qtbot.keyClick(window.view, Qt.Key.Key_R)
    assert ran == [1, 1, 1]
