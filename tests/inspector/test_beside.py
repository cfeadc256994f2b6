"""Two texts beside each other: rows as high on both sides, true copies, every difference marked and stepped to."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextCursor

from engine.workbench import DryComparison, DryRow, Piece
from inspector.exact_text import BREAK
from inspector.models.beside import beside
from inspector.models.column import _cells
from inspector.models.marked_text import Marked
from inspector.views.dry_run import NextRequest
from tests.inspector.conftest import WAIT_MS
from tests.inspector.side_world import rich_labels, unnamed

LINES = st.lists(
    st.sampled_from(
        ["", "alpha beta gamma delta", "alpha beta delta", "x",
         "\u4f60\u597d" * 9, "tab\ttab\ttab\ttab", "a\u200bb\u202ec",
         "w" * 50, "key AKIAIOSFODNN7EXAMPLQ in a line", "\U0001f469 " * 12, "u\u2028v"]
    ),
    max_size=14,
)  # fmt: skip
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def left_over(marked: Marked) -> str:
    """What is not marked as a difference, its line ends aside."""
    source, at, out = marked.text.source, 0, []
    for start, end, _sort in marked.ranges:
        out.append(source[at:start])
        at = end
    return BREAK.sub("", "".join([*out, source[at:]]))


@settings(max_examples=250, deadline=None)
@given(LINES, LINES, ENDS, ENDS, st.integers(8, 40), st.booleans())
def test_any_two_texts(one: list[str], other: list[str], end: str, new_end: str, width: int, whole: bool) -> None:
    old, new = end.join(one), new_end.join(other)
    found = beside(old, new, width, whole)
    drawn = [side.text.text.split("\n") for side in (found.before, found.after)]
    assert len(drawn[0]) == len(drawn[1])
    for side, source, lines, empty in zip((found.before, found.after), (old, new), drawn, found.empty, strict=True):
        text = side.text
        assert text.source == source
        assert [mark.source for mark in text.marks] == sorted(mark.source for mark in text.marks)
        if not text.masked:
            assert text.between(0, len(text.text)) == source, "a copy of all is the text itself"
        assert all(lines[n] == "" for n in empty)
        marks = {text.text.count("\n", 0, mark.start) for mark in text.visible}
        for n, line in enumerate(lines):
            assert n in marks or sum(_cells(letter, 99) for letter in line) <= width + 4
    assert left_over(found.before) == left_over(found.after)
    assert found.same == (old == new)
    assert bool(found.steps) == bool(found.removed or found.added)
    for n in range(len(drawn[0])):
        assert not (n in found.empty[0] and n in found.empty[1])


def test_lines_with_words_in_common_stand_in_one_row_and_far_ones_are_left_out() -> None:
    same = "\n".join(f"line {n}" for n in range(40))
    old = f"{same}\nthe quick brown fox jumps\nend"
    new = f"{same}\nfirst of two new lines\nthe quick red fox jumps\nend"
    found = beside(old, new, 60)
    left, right = (side.text.text.split("\n") for side in (found.before, found.after))
    assert left[0] == right[0] == "⋯ 37 equal lines"
    assert left[4:] == ["", "the quick brown fox jumps", "end"]
    assert right[4:] == ["first of two new lines", "the quick red fox jumps", "end"]
    assert found.before.of("removed") == "brown"
    assert found.after.of("added").split() == ["first", "of", "two", "new", "lines", "red"]
    assert found.steps == (4,)
    assert beside(old, new, 60, all_lines=True).before.text.text.count("\n") == 42


def test_a_secret_that_differs_is_gone_and_new_as_a_whole() -> None:
    key = "AKIA" + "IOSFODNN7EXAMPL"
    found = beside(f"key = {key}Q\n", f"key = {key}R\n", 60)
    assert found.before.of("removed").endswith(f"{key}Q")
    assert found.after.of("added").endswith(f"{key}R")
    assert key not in found.before.text.text + found.after.text.text


def piece(text: str, kind: str = "memory") -> Piece:
    return Piece(kind, f"by {kind}", {"text": text}, text, len(text), len(text) // 4)


@pytest.fixture
def view(qtbot, jobs):
    made = NextRequest(jobs)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    long = "".join(f"line {n} of a long text that is wide enough to be wrapped in a column\n" for n in range(300))
    one = long.replace("line 5 ", "LINE 5 ").replace("line 200 ", "LINE 200 ")
    rows = (
        DryRow(piece("<b>tool</b>", "tool"), piece("<b>tool</b>", "tool")),
        DryRow(piece(long), piece(one)),
        DryRow(piece("same", "human"), piece("same", "human")),
        DryRow(None, piece("came", "human")),
    )
    made.run(lambda: DryComparison(rows, 2, 900, 1_000, 1_001))
    qtbot.waitUntil(lambda: jobs.idle() and made.beside.found is not None, timeout=WAIT_MS)
    return made


def line_of(view: NextRequest, side: int = 1) -> str:
    return view.beside.sides[side].textCursor().block().text().split(" that ")[0]


def test_steps_from_difference_to_difference_by_keyboard(view: NextRequest, qtbot, jobs) -> None:
    def press(key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> str:
        qtbot.keyClick(view.table, key, modifier)
        qtbot.waitUntil(jobs.idle, timeout=WAIT_MS)
        return line_of(view)

    qtbot.waitUntil(lambda: view.isActiveWindow(), timeout=WAIT_MS)
    assert [view.model.index(n, 3).data() for n in range(4)] == ["kept", "lost", "lost", "new"]
    assert [view.model.index(n, 0).data()[0] for n in range(4)] == ["=", "≠", "=", "+"]
    assert view.table.current()[0] == 1
    assert line_of(view) == "LINE 5 of a long text"
    assert line_of(view, 0) == "line 5 of a long text"
    assert press(Qt.Key.Key_D) == "LINE 200 of a long text"
    assert press(Qt.Key.Key_D) == "came"
    assert view.beside.heads[0].text() == "Before · not there"
    assert press(Qt.Key.Key_D, Qt.KeyboardModifier.ShiftModifier) == "LINE 200 of a long text"
    assert press(Qt.Key.Key_D, Qt.KeyboardModifier.ShiftModifier) == "LINE 5 of a long text"
    view.table.select(0)
    qtbot.waitUntil(jobs.idle, timeout=WAIT_MS)
    assert view.beside.says.text() == "Both are the same."
    assert rich_labels(view) == []
    assert unnamed(view) == []


def test_both_sides_scroll_together_and_follow_the_width(view: NextRequest, qtbot, jobs) -> None:
    view.beside.whole.setChecked(True)
    qtbot.waitUntil(jobs.idle, timeout=WAIT_MS)
    left, right = view.beside.sides
    right.verticalScrollBar().setValue(100)
    assert left.verticalScrollBar().value() == 100
    left.verticalScrollBar().setValue(7)
    assert right.verticalScrollBar().value() == 7
    assert left.blockCount() == right.blockCount() > 300
    lines = left.blockCount()
    view.resize(500, 600)
    qtbot.waitUntil(lambda: jobs.idle() and left.blockCount() > lines, timeout=WAIT_MS)
    assert left.blockCount() == right.blockCount()
    left.moveCursor(QTextCursor.MoveOperation.End)
    left.selectAll()
    left.copy()
    assert QGuiApplication.clipboard().text() == view.table.current()[1].before.text


def test_what_was_worked_out_of_another_edit_is_forgotten(view: NextRequest) -> None:
    view.forget()
    assert view.model.items == []
    assert view.beside.found is None
    assert view.pane.state() == "empty"
