from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from engine.notes import edit_note, list_notes
from inspector.models.requests import MARKS, MARKS_ROLE
from inspector.views.note import NoteDialog
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.values import HOSTILE


def words(window):
    model = window.desk.requests.model
    place = window.session.rows.index(window.session.request_id)
    return [mark.word for mark in model.data(model.index(model.table_row(place), MARKS), MARKS_ROLE)]


def open_note(qtbot, window):
    assert window.commands.run("request.note")
    return next(each for each in window.findChildren(NoteDialog) if each.isVisible())


def test_a_mark_is_kept_and_found_again(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    session = window.session
    session.select_index(2)
    assert window.commands.run("request.mark")
    settle(qtbot, window)
    assert words(window)[0] == "marked"
    marked = session.request_id
    session.select_index(0)
    assert words(window)[:1] != ["marked"]
    assert window.commands.run("go.next_mark") and session.request_id == marked
    session.select_index(5)
    assert window.commands.run("go.previous_mark") and session.request_id == marked
    window.desk.filter.open()
    window.desk.filter.box.setText("has:mark")
    window.desk.filter.box.tell_now()
    settle(qtbot, window)
    assert window.desk.requests.model.rowCount() == 1
    assert window.commands.run("request.mark")
    settle(qtbot, window)
    assert list_notes(demo_copy) == [] and window.desk.requests.model.rowCount() == 0


def test_a_note_is_written_shown_changed_and_deleted(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    for text in ("plain", *HOSTILE):
        if not text.strip():
            continue
        dialog = open_note(qtbot, window)
        dialog.edit.setPlainText(text)
        dialog.save()
        settle(qtbot, window)
        (note,) = list_notes(demo_copy, kind="note")
        assert note.text == dialog._annotations.notes[window.session.request_id].text and "note" in words(window)
        model = window.desk.requests.model
        tip = model.data(model.index(window.session.rows.index(note.request), MARKS), Qt.ItemDataRole.ToolTipRole)
        assert "<b>" not in tip and "<img" not in tip and "Note: " in tip
    dialog = open_note(qtbot, window)
    dialog.edit.setPlainText("")
    dialog.save()
    settle(qtbot, window)
    assert list_notes(demo_copy) == [] and "note" not in words(window)


def test_a_note_that_somebody_changed_meanwhile_is_not_overwritten(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    dialog = open_note(qtbot, window)
    dialog.edit.setPlainText("mine")
    dialog.save()
    settle(qtbot, window)
    dialog = open_note(qtbot, window)
    (note,) = list_notes(demo_copy)
    edit_note(demo_copy, note.id, "theirs", note.version)
    dialog.edit.setPlainText("mine again")
    dialog.save()
    settle(qtbot, window)
    assert dialog.isVisible() and "Nothing was written" in dialog.says.text()
    assert dialog.edit.toPlainText() == "mine again" and list_notes(demo_copy)[0].text == "theirs"
    dialog.reject()


def test_the_table_lists_what_a_filter_lets_through(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    row = next(row for row in window.session.threads if row.title == "Competitor report, week 22")
    window.choose_thread(row.thread_id)
    settle(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    table, session, bar = window.desk.requests.table, window.session, window.desk.filter
    table.setFocus()
    assert bar.isHidden()
    qtbot.keyClick(table, Qt.Key.Key_L)
    assert bar.isVisible() and bar.box.hasFocus()
    for query in ("purpose:summary", "has:offload", "tool:task", "tokens>20k purpose:agent", "kind:summary"):
        bar.box.setText(query)
        bar.box.tell_now()
        settle(qtbot, window)
        shown = [window.desk.requests.model.id_at(table.model().index(n, 0)) for n in range(table.model().rowCount())]
        assert 0 < len(shown) < len(session.rows), query
        assert bar.says.text().startswith(f"{len(shown)} of ")
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Up)
    table.setCurrentIndex(table.model().index(0, 0))
    assert session.request_id == shown[0]
    bar.box.setText("kind:nonsense")
    bar.box.tell_now()
    settle(qtbot, window)
    assert "kind:nonsense is not known" in bar.says.text()
    bar.box.setFocus()
    qtbot.keyClick(bar.box, Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert bar.isHidden() and table.model().rowCount() == len(session.rows)
    assert table.currentIndex().row() == session.rows.index(session.request_id)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is table, timeout=WAIT_MS)
