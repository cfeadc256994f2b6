"""Every key of the window: it reaches its command where it should, and nothing is taken from a text field."""

import re
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)

from inspector import actions, dialogs
from inspector.views.request import AREAS, RAW_EFFECTIVE
from tests.inspector.conftest import settle
from tests.inspector.test_window import open_thread

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def window(qtbot, make_window, demo_path):
    made = make_window(demo_path)
    open_thread(qtbot, made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def press(qtbot, widget: QWidget, portable: str) -> None:
    combination = QKeySequence(portable)[0]
    qtbot.keyClick(widget, combination.key(), combination.keyboardModifiers())


def spied(window, monkeypatch) -> list[str]:
    """Ids of the commands that keys reach, in place of what they do."""
    reached: list[str] = []
    monkeypatch.setattr(window.commands, "_triggered", lambda command: reached.append(command.id))
    return reached


def test_every_key_reaches_its_command(qtbot, window, monkeypatch):
    reached = spied(window, monkeypatch)
    window.commands.refresh()
    for action in window.commands.all():  # whatever the state of the window
        window.commands.action(action.id).setEnabled(True)
        for shortcut in window.commands._shortcuts.get(action.id, ()):
            shortcut.setEnabled(True)
    monkeypatch.setattr(window.commands, "refresh", lambda: None)
    request = window.desk.request
    window.parts.answer.show_question()  # it is there only while something is asked
    focus = {
        "answer": window.parts.answer.question.list, "table": window.desk.requests.table,
        "centre": request.messages.table, "chart": window.desk.chart.plot, "": window.threads.list,
    }  # fmt: skip
    wrong = []
    for command in window.commands.all():
        places = [(command.scope, key) for key in command.keys] + list(command.also)
        for scope, key in places:
            focus[scope].setFocus()
            reached.clear()
            press(qtbot, focus[scope], key)
            if reached != [command.id]:
                wrong.append((key, scope, command.id, list(reached)))
    assert wrong == []


def test_no_part_takes_a_key_that_the_table_does_not_know(window):
    known = {command.id for command in window.commands.all()}
    assert {shortcut.objectName() for shortcut in window.findChildren(QShortcut)} <= known
    for command in window.commands.all():
        action = window.commands.action(command.id)
        assert [key.toString() for key in action.shortcuts()] == [QKeySequence(key).toString() for key in command.keys]


def text_fields(window) -> list[QWidget]:
    """Whatever one can type into."""
    fields = []
    for kind in (QLineEdit, QPlainTextEdit, QTextEdit):
        for field in window.findChildren(kind):
            if not field.isReadOnly() and not isinstance(field.parentWidget(), QComboBox):
                fields.append(field)
    return fields


@pytest.mark.parametrize("wide", [True, False])
def test_letters_and_digits_go_into_the_field_that_has_the_focus(qtbot, window, monkeypatch, wide):
    if not wide:
        window.resize(1000, 700)
        qtbot.waitUntil(lambda: window.around.narrow)
    for name in ("summaries", "skills", "memory", "files"):
        window.around.show(name)
        settle(qtbot, window)
    window.around.place("files").widget().search.show()
    request, fields = window.desk.request, text_fields(window)
    names = {field.accessibleName() for field in fields}
    assert {"Search threads", "Message", "Memory text", "Filter files by path or kind", "Find in this text"} <= names
    reached = spied(window, monkeypatch)
    typed = "jknoe12345cdJKNOECD"
    seen = []
    for area in range(len(AREAS)):
        window.centre.tabs.setCurrentWidget(window.centre.request)
        request.show_area(area)
        settle(qtbot, window)
        target = request.find_target()
        target.open_find()
        seen.append(target._find.field)
        target._find.field.clear()
        qtbot.keyClicks(target._find.field, typed)
        assert target._find.field.text() == typed
    for field in fields:
        pane = next((name for name in window.around.names() if window.around.place(name).isAncestorOf(field)), None)
        if pane is not None:
            window.around.show(pane)
        elif not field.isVisible():
            continue
        settle(qtbot, window)
        if not field.isVisible():
            continue
        field.setFocus()
        if isinstance(field, QLineEdit):
            field.clear()
        before = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        qtbot.keyClicks(field, typed)
        after = field.text() if isinstance(field, QLineEdit) else field.toPlainText()
        taken = [c for c in typed if c.isdigit()] if isinstance(field.parentWidget(), QAbstractSpinBox) else typed
        assert len(after) == len(before) + len(taken), field.accessibleName()
        seen.append(field)
    assert {field.accessibleName() for field in seen} >= {
        "Search threads", "Message", "Memory text", "Filter files by path or kind", "Find in this text",
    }  # fmt: skip
    assert reached == []
    window.desk.around["memory"].revert()


def test_areas_come_by_digit_and_the_table_keeps_the_keyboard(qtbot, window):
    request, table = window.desk.request, window.desk.requests.table
    table.setFocus()
    for n in (4, 0, 1):
        press(qtbot, table, f"{n + 1}")
        assert request.area() == n and table.hasFocus()
    press(qtbot, table, "Return")
    for n in (2, 3, 4):
        press(qtbot, QApplication.focusWidget(), f"Alt+{n + 1}")
        assert request.area() == n
        assert QApplication.focusWidget() is request._areas[n].table
    settle(qtbot, window)
    for n, name in enumerate(AREAS):
        assert (
            request.tabs.tabToolTip(n) == f"{name} ({dict(window.commands._commands[f'area.{n + 1}'].also)['centre']})"
        )
    assert AREAS == actions.AREAS


def test_the_cut_and_differences_have_keys_in_raw_and_effective_only(qtbot, window):
    window.session.select_index(0)
    assert window.commands.run("go.next_summary") and window.commands.run("go.next_summary")
    request, table = window.desk.request, window.desk.requests.table
    table.setFocus()
    press(qtbot, table, "2")
    settle(qtbot, window)
    assert not window.commands.action("raw.cut").isEnabled()
    press(qtbot, table, "5")
    settle(qtbot, window)
    view = request.raw_effective
    assert request.area() == RAW_EFFECTIVE and view.can_show_cut()
    view.table.setCurrentIndex(view.model.index(0, 0))
    table.setFocus()
    press(qtbot, table, "C")
    assert view.table.currentIndex().row() == view.model.cut
    view.table.setFocus()
    press(qtbot, view.table, "Shift+D")
    before = view.table.currentIndex().row()
    assert before < view.model.cut and view.model.differs(before)
    press(qtbot, view.table, "D")
    assert view.table.currentIndex().row() > before
    assert view.cut_button.toolTip().endswith("(C)") and view.next_button.toolTip().endswith("(D)")
    assert view.previous_button.toolTip().endswith("(Shift+D)")
    assert not window.commands.action("raw.cut").isEnabled() or view.can_show_cut()


def test_find_searches_the_text_of_the_part_that_has_the_keyboard(qtbot, window):
    request = window.desk.request
    request.show_area(1)
    settle(qtbot, window)
    press(qtbot, window.desk.requests.table, "Ctrl+F")
    bar = request.messages.message.text._find
    assert bar.isVisible() and bar.field.hasFocus()
    bar.field.setText("e")
    settle(qtbot, window)
    qtbot.waitUntil(lambda: len(bar.matches()) > 2)
    first = bar.says.text()
    press(qtbot, bar.field, "F3")
    second = bar.says.text()
    press(qtbot, bar.field, "Shift+F3")
    assert (bar.says.text(), second != first) == (first, True)
    press(qtbot, bar.field, "Escape")
    for name, find in (("memory", "search"), ("files", "text"), ("skills", "full"), ("summaries", "text")):
        window.focus(name)
        settle(qtbot, window)
        view = window.desk.around[name]
        view.table.setFocus()
        press(qtbot, view.table, "Ctrl+F")
        opened = view.edit.search if name == "memory" else getattr(view, find)._find
        assert opened.isVisible() and opened.field.hasFocus(), name
        press(qtbot, opened.field, "Escape")
    window.focus("files")
    view = window.desk.around["files"]
    view.text.edit.setFocus()
    press(qtbot, view.text.edit, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == view.text.text()
    window.focus("memory")
    editor = window.desk.around["memory"].edit.editor
    editor.setFocus()
    press(qtbot, editor, "Ctrl+Shift+C")
    assert QGuiApplication.clipboard().text() == editor.toPlainText()


def test_memory_is_saved_by_its_key(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    open_thread(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.focus("memory")
    settle(qtbot, window)
    memory = window.desk.around["memory"]
    memory.edit.editor.setFocus()
    assert not window.commands.action("memory.save").isEnabled()
    qtbot.keyClicks(memory.edit.editor, "j1 ")
    assert memory.has_unsaved() and window.commands.action("memory.save").isEnabled()
    press(qtbot, memory.edit.editor, "Ctrl+S")
    settle(qtbot, window)
    assert not memory.has_unsaved()
    text = window.session.reader.memory(window.session.thread_id)[0].text
    assert text.startswith("j1 ")


def test_the_page_of_keys_names_every_key(qtbot, window):
    window.commands.run("help.keys")
    page = window.findChild(dialogs.KeysPage)
    rows = [[page.model.item(row, column).text() for column in range(4)] for row in range(page.model.rowCount())]
    shown = " ".join(keys for _menu, _title, keys, _hint in rows)
    for command in window.commands.all():
        for key in [*command.keys, *(key for _scope, key in command.also)]:
            assert QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText) in shown
    assert ["Search bar", "Closes the search", "Esc", ""] in rows
    page.close()
    for dialog in window.findChildren(QDialog):
        dialog.close()


def test_whatever_has_the_keyboard_shows_it(qtbot, window):
    """Each part on the way of Tab looks another way with the focus than without."""
    window.focus("memory")
    settle(qtbot, window)
    window.focus("requests")
    seen: list[QWidget] = []
    same = []
    while (widget := QApplication.focusWidget()) not in seen:
        seen.append(widget)
        area = QRect(widget.mapTo(window, QPoint(0, 0)), widget.size())
        held = window.grab(area).toImage()
        widget.clearFocus()
        if window.grab(area).toImage() == held:
            same.append(f"{type(widget).__name__} {widget.accessibleName()}")
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if isinstance(widget, QPlainTextEdit) and not widget.tabChangesFocus():
            window.focus("composer")  # an editor keeps Tab
        else:
            press(qtbot, widget, "Tab")
    assert len(seen) > 14 and same == []


def test_the_readme_names_keys_as_they_are_and_pictures_that_exist(window):
    root = Path(__file__).resolve().parents[2]
    readme = (root / "README.md").read_text(encoding="utf-8")
    by_key = {}
    for command in window.commands.all():
        for key in [*command.keys, *(key for _scope, key in command.also)]:
            by_key.setdefault(key, command.title)
    table = readme.split("| keys | command |", 1)[1].split("\n\n", 1)[0]
    rows = re.findall(r"^\| (`.+`) \| (.+) \|$", table, re.M)
    assert len(rows) > 5
    for keys, titles in rows:
        named = re.findall(r"`([^`]+)`", keys)
        if " to " in keys:
            assert (named, titles) == (["1", str(len(actions.AREAS))], ", ".join(actions.AREAS))
        else:
            assert ", ".join(by_key[key] for key in named) == titles
    pictures = re.findall(r"\]\((resources/pictures/[^)]+)\)", readme)
    kept = {path.relative_to(root).as_posix() for path in (root / "resources/pictures").iterdir()}
    assert len(pictures) > 2 and set(pictures) == kept
