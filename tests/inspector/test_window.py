import subprocess
import sys
import traceback

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QMenu, QWidget

from inspector import app as inspector_app
from inspector import dialogs, theme
from inspector.models.rows import has_offload, has_summary
from inspector.opening import first_summary
from inspector.prefs import Prefs
from inspector.views.model_choice import SCRIPTED
from inspector.views.palette import Palette
from inspector.views.plain_text import Link
from tests.inspector.conftest import WAIT_MS, close, settle
from tests.inspector.values import HOSTILE, FakeReader, request, thread

MAIN_THREAD = "Competitor report, week 22"


def open_thread(qtbot, window, title=MAIN_THREAD):
    row = next(row for row in window.session.threads if row.title == title)
    window.choose_thread(row.thread_id)
    settle(qtbot, window)
    return row


# -- One selection -------------------------------------------------------------------------------------


def test_stepping_keeps_chart_table_and_request_in_one_selection(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    session, desk = window.session, window.desk
    session.select_index(0)
    for command, expected in (("go.next", 1), ("go.next", 2), ("go.previous", 1), ("go.last", len(session.rows) - 1),
                              ("go.first", 0)):  # fmt: skip
        assert window.commands.run(command)
        index = session.rows.index(session.request_id)
        assert index == expected
        assert desk.requests.table.currentIndex().row() == index
        assert desk.requests.table.selectionModel().selectedRows()[0].row() == index
        assert desk.chart.plot.selected == index
    settle(qtbot, window)
    qtbot.waitUntil(lambda: desk.request.detail().row.id == session.request_id)


def test_summaries_and_offloads_are_found_both_ways(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    session = window.session
    for wanted, word in ((has_summary, "summary"), (has_offload, "offload")):
        session.select_index(0)
        forward = []
        while session.go(1, wanted):
            forward.append(session.request_id)
        expected = [row.id for row in session.rows.known() if wanted(row)]
        assert forward == [id for id in expected if id != session.rows.ids[0]] and len(forward) >= 2
        backward = [session.request_id]
        while session.go(-1, wanted):
            backward.append(session.request_id)
        assert backward == expected[::-1]
        window.commands.run(f"go.previous_{word}")
        assert window.status.problem.text() == f"There is no {word} before this request."


def test_keys_reach_the_commands(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    table, session = window.desk.requests.table, window.session
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Home)
    assert session.rows.index(session.request_id) == 0
    qtbot.keyClick(table, Qt.Key.Key_J)
    qtbot.keyClick(table, Qt.Key.Key_J)
    qtbot.keyClick(table, Qt.Key.Key_K)
    assert session.rows.index(session.request_id) == 1
    qtbot.keyClick(table, Qt.Key.Key_N)
    assert has_summary(session.request_row())
    qtbot.keyClick(table, Qt.Key.Key_End)
    assert session.rows.index(session.request_id) == len(session.rows) - 1
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.centre.request.isAncestorOf(QApplication.focusWidget())
    window.composer.edit.setFocus()
    qtbot.keyClicks(window.composer.edit, "jkno")
    assert window.composer.edit.text() == "jkno"
    assert session.rows.index(session.request_id) == len(session.rows) - 1


def test_the_neighbours_are_at_hand_so_that_a_step_paints_at_once(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    session, shown = window.session, []
    session.select_index(10)
    settle(qtbot, window)
    session.detail_ready.connect(lambda detail, _before: shown.append(detail.row.id))
    session.step(1)
    assert shown == [session.request_id]


def test_the_arrow_keys_step_from_the_beginning(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.desk.requests.table.hasFocus()
    before = window.session.rows.index(window.session.request_id)
    qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Up)
    assert window.session.rows.index(window.session.request_id) == before - 1


@pytest.mark.parametrize("size", [(1440, 900), (1000, 700)])
def test_the_history_file_of_a_summary_opens_in_files(qtbot, make_window, demo_path, size):
    window = make_window(demo_path, size=size)
    open_thread(qtbot, window)
    window.focus("summaries")
    settle(qtbot, window)
    summaries, files = window.desk.around["summaries"], window.desk.around["files"]
    summaries.table.selectRow(1)
    settle(qtbot, window)
    path = summaries.table.current().path
    link = next(link for link in summaries.findChildren(Link) if link.text() == "History file" and link.isVisible())
    qtbot.mouseClick(link, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert files.isVisible() and not summaries.isVisible()
    assert files.table.current().artifact.path == path
    qtbot.waitUntil(lambda: "summarized" in files.text.text().lower() or len(files.text.text()) > 1000)
    assert path in files.facts.text()


# -- A run -----------------------------------------------------------------------------------------------


def test_a_run_is_followed_and_moves_nothing(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    row = open_thread(qtbot, window)
    session = window.session
    session.select_index(5)
    settle(qtbot, window)
    before, selected = len(session.rows), session.request_id
    window.composer.edit.setPlainText("Please go on.")
    assert window.commands.run("thread.send")
    qtbot.waitUntil(lambda: not window.composer.running, timeout=WAIT_MS)
    assert window.composer.line.text() == "Done."
    qtbot.waitUntil(lambda: len(session.rows) > before, timeout=WAIT_MS)
    settle(qtbot, window)
    assert session.thread_id == row.thread_id
    assert session.request_id == selected
    assert window.desk.requests.table.currentIndex().row() == 5
    assert window.composer.edit.text() == ""


def test_the_first_message_starts_a_thread_and_shows_it(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    assert window.commands.run("thread.new")
    assert window.session.thread_id is None
    assert window.composer.edit.placeholderText().startswith("Message that starts a new thread.")
    window.composer.model.setCurrentText(SCRIPTED)
    window.composer.edit.setPlainText("Hello <b>there</b>")
    window.commands.run("thread.send")
    qtbot.waitUntil(lambda: not window.composer.running, timeout=WAIT_MS)
    qtbot.waitUntil(lambda: window.session.thread_row() is not None and len(window.session.rows) > 0, timeout=WAIT_MS)
    settle(qtbot, window)
    assert window.session.thread_row().title == "Hello <b>there</b>"
    assert window.threads.list.currentIndex().data() == "Hello <b>there</b>"


def test_following_selects_what_arrives_when_the_user_wants_it(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    open_thread(qtbot, window)
    window.session.select_index(5)
    settle(qtbot, window)
    window.commands.action("thread.follow").trigger()
    before = len(window.session.rows)
    window.composer.edit.setPlainText("Please go on.")
    window.commands.run("thread.send")
    qtbot.waitUntil(lambda: not window.composer.running and len(window.session.rows) > before, timeout=WAIT_MS)
    settle(qtbot, window)
    assert window.session.rows.index(window.session.request_id) >= before


def test_closing_asks_and_stops_a_run(qtbot, make_window, demo_copy):
    window = make_window(demo_copy)
    open_thread(qtbot, window)
    window.composer.edit.setPlainText("Please go on.")
    window.commands.run("thread.send")
    asked = []
    window.ask = lambda _parent, sentence, *_: asked.append(sentence) or False
    window.close()
    if window.composer.running:
        assert "A run is under way" in asked[0] and window.isVisible()
        window.ask = lambda *_: True
        window.close()
    qtbot.waitUntil(lambda: not window.isVisible(), timeout=WAIT_MS)
    assert not window.composer.running


# -- What is shown letter by letter ------------------------------------------------------------------------


@pytest.fixture
def hostile_window(qtbot, make_window, monkeypatch, tmp_path):
    """A window over a source in which every name is markup."""
    from inspector import opening

    threads = [thread(text, title=text, agent=text, source=text) for text in HOSTILE]
    rows, id = {}, 0
    for text in HOSTILE:
        rows[text] = []
        for number in (1, 2):
            id += 1
            rows[text].append(
                request(id, number=number, thread_id=text, agent=text, model=text, status="failed", error=text,
                        events=(text,))
            )  # fmt: skip
    reader = FakeReader(threads, rows)

    def open_source(path, progress):
        return opening.Opened(tmp_path / "<b>x & y.sqlite", reader, "", False)

    monkeypatch.setattr(opening, "open_source", open_source)
    made = make_window()
    made.open(tmp_path / "x")
    settle(qtbot, made)
    return made


def test_no_label_guesses_markup(qtbot, hostile_window):
    window = hostile_window
    for text in HOSTILE:
        window.choose_thread(text)
        settle(qtbot, window)
        window.session.step(-1)
        window.grab()
        assert window.session.thread_id == text
    labels = [label for label in window.findChildren(QLabel) if not isinstance(label.parent(), QMenu)]
    assert labels
    assert [label.text() for label in labels if label.textFormat() != Qt.TextFormat.PlainText] == []
    for widget in window.findChildren(QWidget):
        tip = widget.toolTip()
        assert not tip or tip.startswith("<qt>") or "<" not in tip
    assert "<b>x & y.sqlite" in window.windowTitle()


# -- Commands ------------------------------------------------------------------------------------------------


def test_every_command_is_reached_by_a_menu_or_a_context_menu(make_window):
    window = make_window()
    in_menus = {action.objectName() for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()}
    for command in window.commands.all():
        assert command.id in in_menus or command.contexts, command.id
        assert command.title and not command.title.endswith("."), command.id


def test_no_key_is_given_twice_anywhere_in_the_window(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    settle(qtbot, window)
    wide: dict[str, list[str]] = {}
    narrow: dict[str, list[tuple[str, QWidget]]] = {}
    contexts = (Qt.ShortcutContext.WindowShortcut, Qt.ShortcutContext.ApplicationShortcut)
    for action in window.findChildren(QAction):
        for key in action.shortcuts():
            name = action.objectName() or action.text()
            if action.shortcutContext() in contexts:
                wide.setdefault(key.toString(), []).append(name)
            else:
                for widget in action.associatedObjects():
                    if isinstance(widget, QWidget) and not isinstance(widget, QMenu):
                        narrow.setdefault(key.toString(), []).append((name, widget))
    for shortcut in window.findChildren(QShortcut):
        key = shortcut.key().toString()
        if shortcut.context() in contexts:
            wide.setdefault(key, []).append(str(shortcut.parent()))
        else:
            narrow.setdefault(key, []).append((str(shortcut.parent()), shortcut.parent()))
    assert {key: names for key, names in wide.items() if len(set(names)) > 1} == {}
    for key, places in narrow.items():
        assert key not in wide, (key, places, wide.get(key))
        for i, (name, widget) in enumerate(places):
            for other_name, other in places[i + 1 :]:
                if name != other_name:
                    nested = widget.isAncestorOf(other) or other.isAncestorOf(widget) or widget is other
                    assert not nested, (key, name, other_name)


def test_every_command_runs_or_says_that_it_cannot(qtbot, make_window, demo_path, monkeypatch, faults):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    monkeypatch.setattr("inspector.window.QFileDialog.getOpenFileName", lambda *_: ("", ""))
    skipped = {"file.quit", "file.default", "thread.send", "thread.stop"}
    for command in window.commands.all():
        if command.id not in skipped:
            window.commands.run(command.id)
            settle(qtbot, window)
            for dialog in window.findChildren(dialogs.QDialog):
                dialog.close()
    assert faults == []


def test_the_palette_finds_a_command_and_runs_it(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.session.select_index(3)
    window.commands.run("help.palette")
    palette = window.findChild(Palette)
    palette.activateWindow()
    qtbot.waitUntil(palette.field.hasFocus)
    qtbot.keyClicks(palette.field, "last requ")
    assert palette.model.rowCount() == 1
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert window.session.rows.index(window.session.request_id) == len(window.session.rows) - 1


def test_the_page_of_keys_lists_every_command(qtbot, make_window):
    window = make_window()
    window.commands.run("help.keys")
    page = window.findChild(dialogs.KeysPage)
    titles = {page.model.item(i, 1).text() for i in range(page.model.rowCount())}
    assert titles >= {command.title for command in window.commands.all()}
    page.close()


def test_about_names_versions_as_plain_text(qtbot, make_window):
    window = make_window()
    window.commands.run("help.about")
    text = window.findChild(dialogs.About).text.toPlainText()
    for name in ("Context Inspector", "Python 3.", "Qt 6.", "deepagents"):
        assert name in text
    window.findChild(dialogs.About).close()


def test_the_row_and_the_thread_id_are_copied_exactly(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    row = open_thread(qtbot, window)
    window.commands.run("thread.copy_id")
    assert QGuiApplication.clipboard().text() == row.thread_id
    window.commands.run("request.copy")
    copied = QGuiApplication.clipboard().text()
    assert f"In: {window.session.request_row().usage.input_tokens}" in copied


# -- What is remembered ----------------------------------------------------------------------------------------


def test_layout_selection_and_columns_come_back(qtbot, make_window, demo_path, tmp_path):
    kept = Prefs(tmp_path / "kept", tmp_path / "drafts")
    window = make_window(demo_path, kept)
    row = open_thread(qtbot, window)
    window.session.select_index(7)
    settle(qtbot, window)
    window.desk.requests.table.setColumnWidth(1, 222)
    window.around.toggle("skills")
    window.commands.run("view.chart")
    window.composer.edit.setPlainText("half a thought")
    close(qtbot, window)
    again = make_window(demo_path, Prefs(tmp_path / "kept", tmp_path / "drafts"))
    settle(qtbot, again)
    assert again.session.thread_id == row.thread_id
    assert again.session.rows.index(again.session.request_id) == 7
    assert again.desk.requests.table.columnWidth(1) == 222
    assert not again.around.is_shown("skills") and again.around.is_shown("files")
    assert again.centre.chart.isHidden()
    qtbot.waitUntil(lambda: again.composer.edit.text() == "half a thought")


def test_a_chosen_scheme_is_remembered(qtbot, make_window, colours, prefs):
    window = make_window()
    window.commands.run("view.colours_dark")
    assert theme.is_dark() and prefs.text("colours") == "dark"
    assert window.commands.action("view.colours_dark").isChecked()
    inspector_app.application(prefs)
    assert theme.choice() == "dark"


def test_a_narrow_window_has_tabs_in_the_middle_and_a_wide_one_docks(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    window.around.toggle("skills")
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: window.around.narrow)
    names = [window.centre.tabs.tabText(i) for i in range(window.centre.tabs.count())]
    titles = [window.around.dock(name).windowTitle() for name in window.around.names() if name != "skills"]
    assert names == ["Request", *titles] and {"Files", "Summaries", "Memory"} < set(titles)
    window.commands.run("focus.summaries")
    assert window.centre.tabs.tabText(window.centre.tabs.currentIndex()) == "Summaries"
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: not window.around.narrow)
    assert window.centre.tabs.count() == 1
    assert window.around.is_shown("memory") and not window.around.is_shown("skills")
    window.commands.run("view.reset")
    assert window.around.is_shown("skills")


def test_a_pane_behind_another_tab_neither_loads_nor_takes_the_keyboard(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    summaries = window.desk.around["summaries"]
    assert window.desk.around["files"].isVisible() and not summaries.isVisible()
    assert "when this pane is shown" in summaries.pane.message()
    window.commands.run("focus.summaries")
    settle(qtbot, window)
    assert summaries.pane.state() == "content" and not window.desk.around["files"].isVisible()


def test_the_window_can_be_made_small(qtbot, make_window, demo_path):
    window = make_window(demo_path, size=(900, 600))
    assert window.minimumSizeHint().height() <= 600 and window.minimumSizeHint().width() <= 900


# -- Opening ---------------------------------------------------------------------------------------------------


def test_the_first_start_makes_the_demo_and_says_what_to_look_at(
    qtbot, make_window, demo_path, monkeypatch, tmp_path, prefs
):
    import shutil
    import threading

    from inspector import opening

    target, gate = tmp_path / "data" / "workspace.sqlite", threading.Event()

    def ensure(path, progress, stop):
        while not gate.wait(0.02):
            progress("Competitor report, week 22", 3, 12)
        shutil.copyfile(demo_path, path)

    monkeypatch.setattr(opening, "default_path", lambda: target)
    monkeypatch.setattr("engine.ensure_default_workspace", ensure, raising=False)
    window = make_window()
    window.open(None)
    qtbot.waitUntil(lambda: window.threads.pane.state() == "loading")
    qtbot.waitUntil(lambda: "3 of 12" in window.threads.pane._loading_page.far.text(), timeout=WAIT_MS)
    gate.set()
    settle(qtbot, window)
    qtbot.waitUntil(lambda: window.session.request_id is not None, timeout=WAIT_MS)
    settle(qtbot, window)
    row = window.session.request_row()
    assert window.session.thread_row().title == MAIN_THREAD
    assert "summary" in row.events
    assert first_summary(window.session.reader, window.session.threads)[1] == row.id
    assert window.centre.top.isVisible() and len(window.centre.top.findChildren(QLabel)) == 3
    qtbot.mouseClick(window.centre.top.widget().close_button, Qt.MouseButton.LeftButton)
    assert not window.centre.top.isVisible() and prefs.flag("welcome_seen")


def test_making_the_demo_can_be_cancelled_and_tried_again(qtbot, make_window, monkeypatch, tmp_path):
    from engine.errors import UsageError
    from inspector import opening

    stops = []

    def ensure(path, progress, stop):
        try:
            while not stop.wait(0.01):
                progress("week 22", 1, 12)  # may be what tells of the cancellation
        finally:
            stops.append(stop)
        raise UsageError("Stopped.")

    monkeypatch.setattr(opening, "default_path", lambda: tmp_path / "data" / "w.sqlite")
    monkeypatch.setattr("engine.ensure_default_workspace", ensure, raising=False)
    window = make_window()
    window.open(None)
    qtbot.waitUntil(lambda: window.threads.pane.state() == "loading")
    qtbot.mouseClick(window.threads.pane._loading_page.cancel_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(stops) and window.jobs.idle(), timeout=WAIT_MS)
    assert "was not opened" in window.threads.pane.message()
    assert window.threads.pane._message_page.retry_button.isVisible()


def test_a_file_that_is_not_ours_is_refused_with_a_sentence(qtbot, make_window, tmp_path):
    path = tmp_path / "<b>notes.txt"
    path.write_text("no database")
    window = make_window()
    window.open(path)
    qtbot.waitUntil(lambda: window.threads.pane.state() == "error", timeout=WAIT_MS)
    assert "<b>notes.txt" in window.threads.pane.message()
    assert window.desk is None and not window.can_write()


def test_another_file_takes_the_place_of_the_first(qtbot, make_window, demo_path, demo_copy):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    first = window.desk
    window.open(demo_copy)
    qtbot.waitUntil(lambda: window.desk is not None and window.desk is not first, timeout=WAIT_MS)
    settle(qtbot, window)
    assert window.desk.source == str(demo_copy)
    assert window.session.request_id is not None


def test_nothing_heavy_is_imported_before_the_first_paint():
    code = (
        "import sys, inspector.app\n"
        "heavy = {'pyqtgraph', 'numpy', 'deepagents', 'langchain', 'langchain_core', 'langgraph', 'sqlite_utils',\n"
        "         'engine.trace.reader', 'engine.trace.book', 'importlib.metadata',\n"
        "         'email', 'asyncio', 'concurrent.futures.process'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# -- Access ------------------------------------------------------------------------------------------------------


def test_every_widget_that_takes_the_keyboard_has_a_name(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    for name in window.around.names():
        window.around.show(name)
        settle(qtbot, window)
    nameless = []
    for widget in window.findChildren(QWidget):
        if not widget.focusPolicy() & Qt.FocusPolicy.TabFocus or widget.objectName().startswith("qt_"):
            continue
        if widget.focusProxy() is not None or widget.window() is not window:
            continue  # another one takes the keyboard; the list of a combo box
        name = widget.accessibleName() or getattr(widget, "text", str)()
        owner = widget.parentWidget()
        if not name and isinstance(owner, QAbstractItemView):
            name = owner.accessibleName()  # a header
        if not name and owner is not None and owner.focusProxy() is widget:
            name = owner.accessibleName()
        if not name and hasattr(owner, "accessibleName") and type(owner).__name__ == "QComboBox":
            name = owner.accessibleName()  # the field of a combo box
        if not name:
            nameless.append(f"{type(widget).__name__} in {type(owner).__name__}")
    assert not nameless, " ".join(nameless)


def test_tab_leads_through_the_window_and_back(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.threads.search.setFocus()
    seen = []
    for _ in range(60):
        qtbot.keyClick(QApplication.focusWidget(), Qt.Key.Key_Tab)
        seen.append(QApplication.focusWidget())
        if seen[-1] is window.threads.search:
            break
    assert seen[-1] is window.threads.search, " ".join(f"{type(w).__name__}:{w.accessibleName()}" for w in seen)
    for target in (window.desk.requests.table, window.desk.chart.plot, window.composer.edit):
        assert target in seen


def test_ctrl_and_a_digit_give_the_keyboard_to_each_part(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    parts = {
        "threads": window.threads, "requests": window.centre.requests, "request": window.centre.request,
        **{name: window.around.place(name) for name in window.around.names()}, "composer": window.composer,
    }  # fmt: skip
    for name, part in parts.items():
        window.commands.run("find.open" if name == "find" else f"focus.{name}")
        settle(qtbot, window)
        assert part.isAncestorOf(QApplication.focusWidget()) or part is QApplication.focusWidget(), name


# -- Errors of ours ------------------------------------------------------------------------------------------------


def test_an_error_of_ours_is_logged_and_shown_as_plain_text(qtbot, tmp_path, monkeypatch, capfd):
    crashes = inspector_app.Crashes(tmp_path / "state" / "errors.log")
    crashes.install()
    try:
        try:
            raise ValueError("<img src=x> & more \ud800")
        except ValueError as error:
            sys.excepthook(ValueError, error, error.__traceback__)
        qtbot.waitUntil(lambda: crashes.shown is not None)
        dialog = crashes.shown
        assert "<img src=x> & more" in dialog.sentence.text()
        assert dialog.sentence.textFormat() == Qt.TextFormat.PlainText
        assert not dialog.details.isVisible()
        dialog.more.click()
        assert "test_an_error_of_ours" in dialog.details.toPlainText()
        log = (tmp_path / "state" / "errors.log").read_text("utf-8")
        assert "<img src=x> & more" in log and "Traceback" in log
        dialog.close()
    finally:
        crashes.uninstall()
    assert sys.excepthook is not crashes.caught
    capfd.readouterr()
    crashes.deleteLater()


def test_a_log_that_cannot_be_written_hides_nothing(qtbot, tmp_path, capfd):
    (tmp_path / "state").write_text("a file where the folder should be")
    crashes = inspector_app.Crashes(tmp_path / "state" / "errors.log")
    crashes.install()
    try:
        error = KeyError("x")
        crashes.caught(KeyError, error, None)
        qtbot.waitUntil(lambda: crashes.shown is not None)
        crashes.shown.close()
    finally:
        crashes.uninstall()
    assert "KeyError" in capfd.readouterr().err
    assert "KeyError" in "".join(traceback.format_exception(error))
    crashes.deleteLater()


def test_shortcuts_are_written_as_the_system_does(make_window):
    window = make_window()
    text = window.commands.action("thread.send").shortcut().toString(QKeySequence.SequenceFormat.NativeText)
    assert text and text in str(window.commands.keys_page())


def test_memory_that_drifted_is_marked_on_its_tab_before_anybody_looks(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    open_thread(qtbot, window)
    dock = window.around.dock("memory")
    assert not window.desk.around["memory"].isVisible()
    qtbot.waitUntil(lambda: dock.windowTitle() == "Memory ≠", timeout=WAIT_MS)
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: window.around.narrow)
    tabs = [window.centre.tabs.tabText(n) for n in range(window.centre.tabs.count())]
    assert "Memory ≠" in tabs
    open_thread(qtbot, window, "Eight rounds, offloading off")
    assert dock.windowTitle() == "Memory"
    assert "Memory ≠" not in [window.centre.tabs.tabText(n) for n in range(window.centre.tabs.count())]
