"""A hit opens the very place: tab, row, and the words in the text, whatever kind of text it is."""

import pytest
from PySide6.QtWidgets import QDialog

from engine import Reader, save_memory
from engine.notes import add_note
from inspector.views.note import NoteDialog
from inspector.views.request import RAW_EFFECTIVE
from inspector.views.text_window import TextWindow
from tests.inspector.conftest import WAIT_MS, settle


def search(qtbot, window, query: str):
    window.focus("find")
    find = window.desk.around["find"]
    qtbot.waitUntil(lambda: window.jobs.idle() and not find._stale and not find._indexing, timeout=WAIT_MS)
    find.look_for(query)
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    return find.results().hits


def opened(qtbot, window, hit) -> None:
    window.desk.going.to_hit(hit)
    settle(qtbot, window)


def shows(qtbot, view, words: str) -> None:
    """Waits until the cursor of a text stands at the words, on the screen and painted as found."""
    bar = getattr(view, "_find", None) or view.search
    edit = view.editor if hasattr(view, "editor") else view.edit

    def there() -> bool:
        if bar._near is not None or bar._at is None or bar._at < 0 or not bar._matches:
            return False
        start, end = bar._matches[bar._at]
        return edit.offset() in (start, end)

    qtbot.waitUntil(there, timeout=WAIT_MS)
    start, end = bar._matches[bar._at]
    assert edit.shown_text().source[start:end].casefold() == words.casefold()
    assert edit.isVisible() and edit.viewport().rect().intersects(edit.cursorRect())
    assert bar.isVisible() and bar.field.text().casefold() == words.casefold()


@pytest.fixture
def window(qtbot, make_window, demo_path):
    return make_window(demo_path)


def one(hits, **wanted):
    for hit in hits:
        if all(getattr(hit, name) == value for name, value in wanted.items()):
            return hit
    raise AssertionError(f"no hit {wanted} among {[(h.source, h.area, h.field) for h in hits]}")


def test_a_message_is_shown_at_the_words(qtbot, window):
    hits = [hit for hit in search(qtbot, window, "competitor") if hit.area == "messages" and hit.field == "text"]
    assert hits
    hit = max(hits, key=lambda hit: hit.position)
    opened(qtbot, window, hit)
    request = window.desk.request
    assert window.session.request_id == hit.request and request.area() == 1
    assert request.messages.table.currentIndex().row() == hit.index
    assert request.messages.message.part() == hit.part
    shows(qtbot, request.messages.message.text, "competitor")
    bar = request.messages.message.text._find
    assert bar.matches()[bar._at][0] == hit.position


def test_what_a_call_says_is_shown_in_its_piece(qtbot, window):
    reader = Reader(window.desk.opened.path)
    hits = [hit for hit in search(qtbot, window, "kind:ai read_file") if hit.field == "calls"]
    reader.close()
    hit = next(hit for hit in hits if hit.area == "messages")
    opened(qtbot, window, hit)
    message = window.desk.request.messages.message
    assert message.part() == hit.part
    view = message.json if message.json_button.isChecked() else message.text
    shows(qtbot, view, "read_file")


def test_a_block_of_the_system_message_is_shown_at_the_words(qtbot, window):
    hit = one(search(qtbot, window, "subagent kind:system"), area="system")
    opened(qtbot, window, hit)
    system = window.desk.request.system
    assert window.desk.request.area() == 0
    block = system.model.block(system.table.currentIndex().row())
    assert block.part == hit.part and block.index == hit.index
    shows(qtbot, system.text.text, "subagent")
    assert system.text.text._find.matches()[system.text.text._find._at][0] == hit.position


@pytest.mark.parametrize("words", ["offset", "absolute"])
def test_a_tool_is_shown_at_the_words(qtbot, window, words):
    hit = one(search(qtbot, window, f"{words} kind:tools"), area="tools")
    opened(qtbot, window, hit)
    tools = window.desk.request.tools
    assert window.desk.request.area() == 2 and tools.table.currentIndex().row() == hit.index
    qtbot.waitUntil(
        lambda: any(
            view._find._at is not None and view._find.isVisible() for view in (tools.description, tools.schema)
        ),
        timeout=WAIT_MS,
    )
    view = next(view for view in (tools.description, tools.schema) if view._find.isVisible())
    shows(qtbot, view, words)


def test_a_response_and_a_message_that_was_never_sent_are_shown(qtbot, window):
    request = window.desk.request
    found = {}
    for query in ("report", "summary", "result", "the"):
        for hit in search(qtbot, window, query):
            if hit.field == "text" and hit.area in ("response", "raw"):
                found.setdefault(hit.area, (query, hit))
    for area, (query, hit) in found.items():
        opened(qtbot, window, hit)
        if area == "raw":
            assert request.area() == RAW_EFFECTIVE
            message = request.raw_effective.message
        else:
            assert request.area() == 3
            message = request.provider.response
        assert message.part() == hit.part
        shows(qtbot, message.text, query)
    assert "response" in found


def test_a_file_is_shown_at_the_words(qtbot, window):
    hit = next(hit for hit in search(qtbot, window, "revenue") if hit.source == "file" and hit.thread_id is not None)
    opened(qtbot, window, hit)
    files = window.desk.around["files"]
    assert files.isVisible() and files._shown_path == hit.path
    shows(qtbot, files.text, "revenue")


def test_memory_opens_in_its_pane_and_an_earlier_version_as_that_version(qtbot, make_window, demo_copy):
    reader = Reader(demo_copy)
    thread = next(row.thread_id for row in reader.threads() if reader.memory(row.thread_id))
    file = next(file for file in reader.memory(thread) if file.text)
    reader.close()
    save_memory(demo_copy, file.path, "An unusualword stood here.\n", file.version)
    reader = Reader(demo_copy)
    version = next(each for each in reader.memory(thread) if each.path == file.path).version
    reader.close()
    save_memory(demo_copy, file.path, "Something else, anotherword.\n", version)
    window = make_window(demo_copy)
    window.choose_thread(thread)
    settle(qtbot, window)
    window.focus("memory")
    settle(qtbot, window)
    hit = one(search(qtbot, window, "anotherword"), source="memory", current=True)
    opened(qtbot, window, hit)
    memory = window.desk.around["memory"]
    assert memory.isVisible() and memory.table.current().path == file.path
    shows(qtbot, memory.edit, "anotherword")
    hit = one(search(qtbot, window, "unusualword"), source="memory", current=False)
    opened(qtbot, window, hit)
    (shown,) = [each for each in window.findChildren(TextWindow) if each.isVisible()]
    shows(qtbot, shown.text, "unusualword")
    assert shown.text.text() == "An unusualword stood here.\n"
    shown.close()


def test_notes_on_requests_and_threads_are_opened_at_the_words(qtbot, make_window, demo_copy):
    reader = Reader(demo_copy)
    thread = reader.threads()[-1].thread_id
    request = reader.request_ids(thread)[0]
    reader.close()
    add_note(demo_copy, thread, "look at aardvark here", request)
    add_note(demo_copy, thread, "the zebra thread")
    window = make_window(demo_copy)
    for word, about in (("aardvark", "Request 1"), ("zebra", "The thread")):
        hit = one(search(qtbot, window, word), source="note")
        opened(qtbot, window, hit)
        assert window.session.thread_id == thread
        qtbot.waitUntil(lambda: any(d.isVisible() for d in window.findChildren(NoteDialog)), timeout=WAIT_MS)
        dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
        assert dialog.edit.textCursor().selectedText() == word
        assert about in " ".join(label.text() for label in dialog.findChildren(type(dialog.says)))
        dialog.reject()
    assert window.session.request_id == request or window.session.rows.index(request) >= 0


def test_a_title_leads_to_its_thread(qtbot, window):
    row = next(row for row in window.session.threads if row.thread_id != window.session.thread_id)
    words = row.title.split()[0]
    hit = next(
        h for h in search(qtbot, window, f'"{row.title}"') if h.source == "thread" and h.thread_id == row.thread_id
    )
    assert words
    opened(qtbot, window, hit)
    assert window.session.thread_id == row.thread_id
    assert window.threads.list.currentIndex().data() == row.title


def test_a_search_in_the_text_afterwards_is_the_readers_own(qtbot, window):
    hit = next(hit for hit in search(qtbot, window, "competitor") if hit.area == "messages" and hit.field == "text")
    opened(qtbot, window, hit)
    text = window.desk.request.messages.message.text
    shows(qtbot, text, "competitor")
    text._find.field.selectAll()
    qtbot.keyClicks(text._find.field, "a")
    qtbot.waitUntil(lambda: text._find._near is None and window.jobs.idle(), timeout=WAIT_MS)
    assert text._find.field.text() == "a"
