"""The text viewer: true when copied, marked where it misleads, quick because long lines are cut."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from inspector.models.shown_text import LINE_LIMIT, find_all, for_clipboard, one_line, shown
from inspector.views.text import AT_ONCE, TextView
from inspector.views.text_edit import ShownTextEdit
from tests.inspector.values import HOSTILE

SPECIAL = "\r\n\t\x00\x1b\x7f\x85\u00a0\u00ad\u200b\u200d\u202e\u2028\u2029\u2066\ufeff\ufe0f\ufdd0\ufffc\ud83d\udc00"
TEXTS = st.text(st.sampled_from([*SPECIAL, "a", "b", "א", "👩", "🔬", "❤"]), max_size=60)


@pytest.fixture
def view(qtbot, jobs) -> TextView:
    made = TextView(jobs, "Some text")
    qtbot.addWidget(made)
    made.resize(700, 300)
    made.show()
    return made


# -- what is drawn, without a widget --------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.booleans())
def test_every_place_maps_back(text: str, whole: bool) -> None:
    made = shown(text * 40, whole=whole)
    assert made.between(0, len(made.text)) == made.source
    for offset in range(0, len(made.source), 7):
        if made.is_drawn(offset):
            drawn = made.to_drawn(offset)
            within = made.source[offset - 1 : offset + 1] == "\r\n"  # one mark stands for both
            assert made.to_source(drawn) == offset - within
            assert made.from_utf16(made.utf16(drawn)) == drawn


@settings(max_examples=300, deadline=None)
@given(TEXTS)
def test_nothing_is_drawn_that_the_editor_would_change(text: str) -> None:
    drawn = shown(text).text
    assert not set(drawn) & set("\r\x00\x1b\u2028\u2029\u202e\u2066\ufdd0\ufffc\ud83d\udc00\x85")
    drawn.encode()  # no lone surrogate is left


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("curl http://safe.example/\u202e\u2066moc.live\u2069/x", "curl http://safe.example/‹RLO›‹LRI›moc.live‹PDI›/x"),
        ("pass\u200bword", "pass‹ZWSP›word"),
        ("\ufeffid,name", "‹BOM›id,name"),
        ("a\x1b[8mhidden\x1b[0m", "a‹ESC›[8mhidden‹ESC›[0m"),
        ("over\rwritten", "over‹CR›\nwritten"),
        ("half \ud83d pair", "half ‹U+D83D› pair"),
        ("tag\U000e0041", "tag‹U+E0041›"),
        ("x\ufe0f", "x‹U+FE0F›"),
    ],
)
def test_what_misleads_is_marked(text: str, drawn: str) -> None:
    assert shown(text).text == drawn


@pytest.mark.parametrize(
    "text",
    [
        "שלום עולם",
        "caf\u00e9\u00a0au\u202flait\u2009!",
        "\U0001f469\u200d\U0001f52c ❤\ufe0f 1\ufe0f\u20e3",
        "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
        "می\u200cخواهم",
        "क्\u200dष",
        "tab\tand\nline",
    ],
)
def test_honest_text_stays_as_it_is(text: str) -> None:
    made = shown(text)
    assert made.text == text
    assert made.hidden == 0


def test_windows_line_ends_are_said_once_and_mixed_ones_marked() -> None:
    windows = shown("one\r\ntwo\r\n")
    assert windows.text == "one\ntwo\n"
    assert windows.windows_line_ends
    assert windows.hidden == 0
    mixed = shown("one\r\ntwo\nthree")
    assert mixed.text == "one‹CR›\ntwo\nthree"
    assert mixed.between(0, len(mixed.text)) == "one\r\ntwo\nthree"


def test_a_long_line_is_cut_with_its_length_and_had_whole() -> None:
    text = "short\n" + "x" * 5_000 + "\nlast"
    cut = shown(text)
    assert cut.text.split("\n")[1] == "x" * LINE_LIMIT + "… [line of 5\u2009000 characters, 2\u2009000 shown]"
    assert (cut.cut_lines, cut.longest_line) == (1, 5_000)
    assert cut.between(0, len(cut.text)) == text
    whole = shown(text, whole=True)
    assert whole.text.count("x") == 5_000
    assert max(map(len, whole.text.split("\n"))) <= LINE_LIMIT + 1
    assert whole.between(0, len(whole.text)) == text
    only_that = shown(text, whole=frozenset({6}))
    assert only_that.text == whole.text


def test_a_very_long_text_is_drawn_up_to_a_limit_that_is_said() -> None:
    text = "line\n" * 1_000
    part = shown(text, limit=1_000)
    assert part.shown_characters == 1_000
    assert part.text.endswith("… 1\u2009000 of 5\u2009000 characters are shown")
    assert part.between(0, len(part.text)) == text


def test_labels_are_drawn_and_are_no_part_of_the_text() -> None:
    made = shown("one" + "two\n" + "three", labels=[(0, "A"), (3, "B"), (7, "C")])
    assert made.text == "A\none\nB\ntwo\nC\nthree"
    assert made.between(0, len(made.text)) == "onetwo\nthree"
    assert shown("text", labels=[(0, "a\n\x1bb")]).text == "a ‹ESC›b\ntext"


def test_rows_show_one_line() -> None:
    assert one_line("a\r\nb\tc\u202ed") == "a b c‹RLO›d"
    assert one_line("x" * 500, 10) == "x" * 10 + "…"


def test_searching_is_in_the_true_text() -> None:
    assert find_all("aAb", "a") == [(0, 1), (1, 2)]
    assert find_all("aAb", "a", case=True) == [(0, 1)]
    assert find_all("a.c abc", "a.c") == [(0, 3)]
    assert find_all("aaaa", "a", most=2) == [(0, 1), (1, 2)]
    assert find_all("abc", "") == []


# -- the widget ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter_and_copied_true(view: TextView, text: str) -> None:
    view.set_text(text)
    assert view.edit.toPlainText() == shown(text).text
    assert view.text() == text
    view.edit.selectAll()
    assert view.edit.selected_text() == text
    view.edit.copy()
    assert QGuiApplication.clipboard().text() == text


def test_nothing_in_it_can_be_clicked_or_edited(view: TextView) -> None:
    view.set_text("https://e.invalid [docs](file:///etc/passwd)")
    flags = view.edit.textInteractionFlags()
    assert not flags & (
        Qt.TextInteractionFlag.LinksAccessibleByMouse
        | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        | Qt.TextInteractionFlag.TextEditable
    )
    assert view.edit.isReadOnly()
    assert view.edit.accessibleName() == "Some text"


def test_the_document_holds_exactly_what_is_drawn(view: TextView) -> None:
    text = "a\u202eb\r\nc 👩‍🔬\u00a0\U0001f600 \ud83d" + "é" * 3_000
    view.set_text(text)
    drawn = view.edit.shown_text()
    assert view.edit.document().characterCount() - 1 == drawn.utf16(len(drawn.text))
    assert "1 line is cut" in view.notes()


def test_a_lone_surrogate_is_copied_as_its_escape(view: TextView) -> None:
    view.set_text("a\ud83db")
    view.copy_all()
    assert QGuiApplication.clipboard().text() == "a\\ud83db"
    assert for_clipboard("a\u202eb") == "a\u202eb"


def test_tab_leaves_the_text(qtbot, jobs) -> None:
    both = QWidget()
    layout = QVBoxLayout(both)
    first, second = TextView(jobs, "First"), TextView(jobs, "Second")
    layout.addWidget(first)
    layout.addWidget(second)
    qtbot.addWidget(both)
    both.show()
    first.set_text("a\tb")
    second.set_text("c")
    first.edit.setFocus()
    qtbot.waitUntil(first.edit.hasFocus)
    qtbot.keyClick(first.edit, Qt.Key.Key_Tab)
    assert both.focusWidget() is second.edit
    assert first.text() == "a\tb"


def test_a_text_is_read_off_the_gui_thread_with_its_states(qtbot, jobs, view: TextView) -> None:
    view.load("Reading a", lambda: "first", key=1)
    qtbot.waitUntil(lambda: view.text() == "first")
    assert view.state() == "content"

    def fail() -> str:
        from engine.errors import InspectorError

        raise InspectorError("The part is damaged.")

    view.load("Reading b", fail, key=2)
    qtbot.waitUntil(lambda: view.state() == "error")
    assert "The part is damaged." in view.message()
    assert view.text() == ""
    view.load("Reading a", lambda: "third", key=3)
    qtbot.waitUntil(lambda: view.text() == "third")
    view.clear("Nothing here", "Choose something.")
    assert (view.state(), view.message()) == ("empty", "Nothing here\nChoose something.")


def test_the_last_text_asked_for_wins(qtbot, jobs, view: TextView) -> None:
    for n in range(20):
        view.load("Reading", lambda n=n: f"text {n}", key=n)
    view.set_text("at hand")
    qtbot.waitUntil(jobs.idle)
    assert view.text() == "at hand"


def test_the_same_text_again_keeps_scroll_and_search(qtbot, jobs, view: TextView) -> None:
    view.set_text("\n".join(map(str, range(500))), key="a")
    view.edit.verticalScrollBar().setValue(200)
    view.set_text("\n".join(map(str, range(500))), key="a")
    assert view.edit.verticalScrollBar().value() == 200


def test_a_long_text_is_laid_out_in_a_job(qtbot, jobs, view: TextView) -> None:
    text = "x" * (AT_ONCE + 1)
    view.set_text(text)
    assert view.text() != text
    qtbot.waitUntil(lambda: view.text() == text)


def test_long_lines_are_shown_whole_on_request(qtbot, jobs, view: TextView) -> None:
    text = "x" * 3_000 + "\n" + "y" * 4_000
    view.set_text(text)
    assert "2 lines are cut after 2\u2009000 characters; the longest has 4\u2009000." in view.notes()
    menu = view.edit.menu(view.edit.cursorRect().topLeft())
    assert "Show this line whole" not in [action.text() for action in menu.actions()]
    menu.close()
    menu.deleteLater()
    view.edit.line_asked.emit(10)
    qtbot.waitUntil(lambda: view.edit.toPlainText().count("x") == 3_000)
    assert view.edit.toPlainText().count("y") == LINE_LIMIT
    view.show_whole_lines()
    qtbot.waitUntil(lambda: view.edit.toPlainText().count("y") == 4_000)
    assert view.text() == text
    assert view.notes() == ""
    view.edit.selectAll()
    assert view.edit.selected_text() == text


def test_search_counts_steps_and_goes_round(qtbot, jobs, view: TextView) -> None:
    view.set_text("One two one\nTWO three ONE")
    view.open_find()
    bar = view._find
    assert bar.isVisible()
    bar.field.setText("one")
    qtbot.waitUntil(lambda: bar.says.text() == "1 of 3")
    qtbot.keyClick(bar.field, Qt.Key.Key_Return)
    assert bar.says.text() == "2 of 3"
    assert view.edit.offset() == 8
    view.step_find()
    view.step_find()
    assert bar.says.text() == "1 of 3"
    qtbot.keyClick(bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert bar.says.text() == "3 of 3"
    bar.case.setChecked(True)
    qtbot.waitUntil(lambda: len(bar.matches()) == 1)
    bar.field.setText("four")
    qtbot.waitUntil(lambda: bar.says.text() == "not found")
    qtbot.keyClick(bar.field, Qt.Key.Key_Escape)
    assert not bar.isVisible()
    assert view.focusWidget() is view.edit


def test_a_match_behind_a_cut_is_shown(qtbot, jobs, view: TextView) -> None:
    view.set_text("x" * 5_000 + "needle" + "x" * 5_000)
    view.open_find()
    view._find.field.setText("needle")
    qtbot.waitUntil(lambda: "needle" in view.edit.toPlainText())
    qtbot.waitUntil(lambda: view.edit.offset() == 5_000)


def test_marks_and_matches_are_painted(qtbot, jobs, view: TextView) -> None:
    view.set_text("ab\u202ecd ab")
    formats = view.edit.document().firstBlock().layout().formats()
    assert [(each.start, each.length) for each in formats] == [(2, 5)]
    view.open_find()
    view._find.field.setText("ab")
    qtbot.waitUntil(lambda: len(view._find.matches()) == 2)
    formats = view.edit.document().firstBlock().layout().formats()
    assert [(each.start, each.length) for each in formats] == [(0, 2), (2, 5), (10, 2)]


def test_hovering_a_mark_names_it(qtbot, view: TextView) -> None:
    view.set_text("\u202eab")
    edit: ShownTextEdit = view.edit
    mark = edit._mark_under(edit.cursorRect().center())
    assert mark is not None
    assert mark.says == "U+202E RIGHT-TO-LEFT OVERRIDE"
