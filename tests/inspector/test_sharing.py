import json
import sqlite3

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from inspector import share_verbs
from inspector.sharing import Wish
from inspector.views.export import UNMASKED, ExportDialog
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.values import HOSTILE


def note(window):
    return window.status.problem.text()


@pytest.mark.parametrize(("form", "begins"), [("html", "<!doctype html"), ("markdown", "#"), ("json", "{")])
def test_a_thread_is_written_in_each_form(qtbot, make_window, demo_path, tmp_path, form, begins):
    window = make_window(demo_path)
    target = tmp_path / f"out.{form}"
    share_verbs.export_to(window, window.session.thread_id, Wish(form), str(target))
    settle(qtbot, window)
    assert target.read_text("utf-8").lower().startswith(begins)
    assert f"Exported to {target}" in note(window)
    before = target.read_bytes()
    share_verbs.export_to(window, window.session.thread_id, Wish(form), str(target))
    settle(qtbot, window)
    assert "is there already" in note(window) and target.read_bytes() == before


def test_an_export_is_imported_as_another_thread(qtbot, make_window, demo_copy, tmp_path):
    window = make_window(demo_copy)
    target, thread_id = tmp_path / "out.json", window.session.thread_id
    count = len(window.session.rows)
    share_verbs.export_to(window, thread_id, Wish("json"), str(target))
    settle(qtbot, window)
    share_verbs.import_from(window, str(target))
    settle(qtbot, window)
    assert window.session.thread_id not in (None, thread_id)
    assert len(window.session.rows) == count
    assert "were imported" in note(window)


def test_what_is_no_export_is_refused_in_a_sentence(qtbot, make_window, demo_copy, tmp_path):
    window = make_window(demo_copy)
    wrong, thread_id = tmp_path / "wrong.json", window.session.thread_id
    wrong.write_text("[1, 2]")
    share_verbs.import_from(window, str(wrong))
    settle(qtbot, window)
    assert note(window).startswith("! ") and window.session.thread_id == thread_id


def test_a_request_is_copied_in_every_form(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    clipboard = QGuiApplication.clipboard()

    def copied(command):
        clipboard.clear()
        assert window.commands.run(command)
        settle(qtbot, window)
        return clipboard.text()

    whole = json.loads(copied("share.copy_json"))
    assert json.loads(copied("share.copy_area")) == whole["messages"]
    reader, part = window.desk.opened.reader, window.desk.request.selected_message()
    assert json.loads(copied("share.copy_message")) == reader.message(part)
    assert "\ncurl " in copied("share.copy_curl")
    compile(copied("share.copy_python"), "snippet", "exec")
    window.commands.run("area.5")
    settle(qtbot, window)
    assert json.loads(copied("share.copy_message"))["type"] in ("human", "ai", "tool")
    window.commands.run("area.6")
    window.commands.refresh()
    assert not window.commands.run("share.copy_area") and not window.commands.run("share.copy_message")


def test_unmasked_only_after_a_question(qtbot):
    asked = []

    def ask(_parent, sentence, *_answers):
        asked.append(sentence)
        return len(asked) > 1

    dialog = ExportDialog("Title", True, ask)
    qtbot.addWidget(dialog)
    assert dialog.wish() == Wish("html", False, True)
    dialog.masked.click()
    assert asked == [UNMASKED] and dialog.wish().masked
    dialog.masked.click()
    assert not dialog.wish().masked
    dialog.masked.click()
    assert len(asked) == 2 and dialog.wish().masked
    dialog.forms["json"].click()
    assert dialog.wish() == Wish("json", True, True) and not dialog.artifacts.isEnabled()


def test_titles_are_shown_letter_by_letter(qtbot):
    for text in HOSTILE:
        dialog = ExportDialog(text, False, lambda *_: False)
        qtbot.addWidget(dialog)
        assert all(label.textFormat().name == "PlainText" for label in dialog.findChildren(QLabel))
        assert not dialog.forms["json"].isEnabled()


def test_one_request_is_exported_alone(qtbot, make_window, demo_path, tmp_path):
    window = make_window(demo_path)
    window.session.select_index(1)
    target = tmp_path / "one.md"
    share_verbs.export_to(window, window.session.thread_id, Wish("markdown"), str(target), number=2)
    settle(qtbot, window)
    assert "1 request" in window.status.problem.text()
    assert "Request 2" in target.read_text()
    assert window.commands.run("share.export_request")
    dialog = next(each for each in window.findChildren(ExportDialog) if each.isVisible())
    assert dialog.windowTitle() == "Export the request"
    dialog.reject()


def test_an_import_that_is_cancelled_leaves_the_workspace_as_it_was(qtbot, make_window, demo_copy, tmp_path):
    window = make_window(demo_copy)
    target, session = tmp_path / "out.json", window.session
    share_verbs.export_to(window, session.thread_id, Wish("json"), str(target))
    settle(qtbot, window)
    threads, before = [row.thread_id for row in session.threads], sqlite3.connect(demo_copy)
    held = before.execute("SELECT count(*) FROM parts").fetchone()
    other = sqlite3.connect(demo_copy, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")  # the import waits for the file
    share_verbs.import_from(window, str(target))
    (job,) = [job for job in window.jobs.active() if job.what == "Importing a thread"]
    qtbot.waitUntil(lambda: "Reading out.json" in job.text, timeout=WAIT_MS)
    window.status.cancel.click()
    assert job.progress.cancelled
    assert note(window) == "The import was cancelled."
    other.execute("ROLLBACK")
    other.close()
    settle(qtbot, window)
    session.poll()
    settle(qtbot, window)
    assert [row.thread_id for row in session.threads] == threads
    assert before.execute("SELECT count(*) FROM parts").fetchone() == held
    before.close()
    share_verbs.import_from(window, str(target))
    settle(qtbot, window)
    assert len(session.threads) == len(threads) + 1
