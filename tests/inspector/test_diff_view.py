"""Diff: by piece, then by word; what was added and removed is marked and nothing else; any two requests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtGui import QTextLayout

from engine import Explainer
from engine.explain.model import PartDiff
from engine.explain.texts import diff_texts
from inspector import theme
from inspector.jobs import Jobs, Progress
from inspector.models.diffs import DiffRow, row_text, what_of
from inspector.models.marked_text import Marked, marked_difference, marked_whole
from inspector.views.diff import DiffView
from inspector.views.marked_text import MarkedTextView
from inspector.views.request import DIFF, MESSAGES, RequestView
from tests.inspector.test_why_view import MAIN, of


@pytest.fixture
def view(qtbot: Any, jobs: Jobs, reader: Any, colours: Any) -> Iterator[RequestView]:
    made = RequestView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    yield made
    made.close_jobs()


def compared(qtbot: Any, jobs: Jobs, view: RequestView, detail: Any) -> DiffView:
    """Show a request's Diff, and wait for it."""
    view.show_request(detail, None)
    view.show_area(DIFF)
    qtbot.waitUntil(jobs.idle)
    return view.diff


@pytest.mark.parametrize("number", [2, 30, 43, 44, 55])
def test_it_compares_with_the_same_agents_request_before(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any, number: int
) -> None:
    detail = of(reader, number)
    diff = compared(qtbot, jobs, view, detail)
    found = Explainer(reader).diff(detail.row.id)
    assert [(row.area, row.part) for row in diff.model.items] == [
        (area.area, part) for area in found.areas for part in area.parts
    ]
    assert diff.caption.text().startswith(f"From request {found.old.number} to {number}")
    current = diff.table.current()
    assert current is not None and current.differs
    whole = current.part.new_part if current.part.new_part is not None else current.part.old_part
    if current.part.what == "added":
        assert diff.text.marked.of("added") == diff.text.marked.text.source
        assert reader.text(whole) in diff.text.marked.text.source


def test_the_first_request_has_nothing_before_it_until_another_one_is_named(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any
) -> None:
    diff = compared(qtbot, jobs, view, of(reader, 1))
    assert diff.pane.state() == "empty" and "before it" in diff.pane.message()
    assert not diff.next_button.isEnabled()
    for text, says in (("9999", "! This thread has no request 9999."), ("<b>", "! <b> is not the number of a request")):
        diff.field.setText(text)
        diff.field.returnPressed.emit()
        qtbot.waitUntil(jobs.idle)
        assert diff.pane.message().startswith(says)
    diff.field.setText("5")
    diff.field.returnPressed.emit()
    qtbot.waitUntil(jobs.idle)
    assert diff.caption.text().startswith("From request 5 to 1 ·")
    assert {row.part.what for row in diff.model.items} >= {"removed"}


def test_a_baseline_stays_also_in_another_thread(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any) -> None:
    base = of(reader, 20)
    diff = compared(qtbot, jobs, view, base)
    diff.use_baseline(diff._detail.row)
    assert diff.pane.message().startswith("Request 20 is the baseline.")
    compared(qtbot, jobs, view, of(reader, 25))
    assert diff.caption.text().startswith("From request 20 to 25")
    other = of(reader, 3, "competitor-report-week-23")
    compared(qtbot, jobs, view, other)
    assert diff.caption.text().startswith(f"From request 20 of thread {MAIN} to 3")
    found = Explainer(reader).diff(other.row.id, base.row.id)
    assert [row.part for row in diff.model.items] == [part for area in found.areas for part in area.parts]
    diff.compare_with_before()
    qtbot.waitUntil(jobs.idle)
    assert diff.caption.text().startswith("From request 2 to 3")
    assert not diff.before_button.isEnabled()


def test_the_keys_step_through_changes_and_pieces_and_back(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any
) -> None:
    diff = compared(qtbot, jobs, view, of(reader, 43))
    wanted = [n for n, row in enumerate(diff.model.items) if row.differs]
    seen = [diff.table.currentIndex().row()]
    for _step in range(10_000):
        place = (diff.table.currentIndex().row(), diff.text._at)
        diff.step_difference(1)
        qtbot.waitUntil(jobs.idle)
        if (diff.table.currentIndex().row(), diff.text._at) == place:
            break
        if diff.table.currentIndex().row() != seen[-1]:
            seen.append(diff.table.currentIndex().row())
    assert seen == wanted
    diff.step_difference(-1)
    qtbot.waitUntil(jobs.idle)
    back = (diff.table.currentIndex().row(), diff.text._at)
    assert back != place and back[0] in wanted


def test_a_piece_leads_to_its_area(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any) -> None:
    diff = compared(qtbot, jobs, view, of(reader, 44))
    row = next(row for row in diff.model.items if row.area == "messages" and row.part.what == "added")
    diff.table.opened.emit(row)
    assert view.area() == MESSAGES
    assert view.messages.table.currentIndex().row() == row.part.new_index


def ranges(view: MarkedTextView) -> list[QTextLayout.FormatRange]:
    """Formats of every block on the screen."""
    found, block = [], view.edit.document().begin()
    while block.isValid():
        found += block.layout().formats()
        block = block.next()
    return found


def test_what_came_is_green_and_underlined_and_what_went_red_and_struck_through(
    qtbot: Any, jobs: Jobs, colours: Any
) -> None:
    view = MarkedTextView(jobs, "Text")
    qtbot.addWidget(view)
    view.resize(600, 200)
    view.show()
    old, new = "keep <b>old</b> \U0001f600 words\nsame", "keep <i>new</i> \U0001f600 words\nsame\nmore & more"
    for dark in (False, True):
        theme.apply(colours, dark)
        view.load("Comparing", marked_difference, old, new, diff_texts(old, new), key=dark)
        qtbot.waitUntil(jobs.idle)
        assert view.edit.toPlainText() == view.marked.text.source
        removed = [each for each in ranges(view) if each.format.fontStrikeOut()]
        added = [each for each in ranges(view) if each.format.fontUnderline()]
        assert removed and added and not [each for each in removed if each in added]
        assert {each.format.foreground().color().name() for each in removed} == {theme.kind_hex("error")}
        assert {each.format.foreground().color().name() for each in added} == {theme.kind_hex("ai")}
        assert sum(each.length for each in removed) == len(view.marked.of("removed"))
        assert sum(each.length for each in added) == len(view.marked.of("added").replace("\n", ""))
    view.clear("Nothing.")
    assert view.find_target() is None


@given(st.text("ab <&>\n\U0001f600", max_size=60), st.text("ab <&>\n\U0001f600", max_size=60))
def test_both_texts_can_be_had_back_from_the_marked_one(old: str, new: str) -> None:
    marked = marked_difference(old, new, diff_texts(old, new))
    text = marked.text.source
    for sort, wanted in (("added", old), ("removed", new)):
        at, kept = 0, []
        for start, end, each in marked.ranges:
            kept.append(text[at:start] if each == sort else text[at:end])
            at = end
        assert "".join([*kept, text[at:]]) == wanted


def test_long_texts_are_marked_and_stepped_through(qtbot: Any, jobs: Jobs, colours: Any) -> None:
    old = "".join(f"line {n} of a long result with some words in it\n" for n in range(4_500))
    new = old.replace("line 7 ", "line seven ").replace("line 4444 ", "")
    view = MarkedTextView(jobs, "Text")
    qtbot.addWidget(view)
    view.resize(600, 300)
    view.show()

    def fetch() -> Marked:
        return marked_difference(old, new, diff_texts(old, new))

    view.load("Comparing", fetch, key=1)
    qtbot.waitUntil(lambda: view.pane.state() == "content")
    assert len(old) > 200_000 and len(view.marked.changes) == 2
    assert view.marked.of("added") == "seven" and "line 4444" in view.marked.of("removed")
    assert view.step(1) and not view.step(1)
    assert view.edit.offset() == view.marked.changes[1]
    assert any(each.format.fontStrikeOut() for each in ranges(view))


def test_a_whole_text_is_marked_whole() -> None:
    assert marked_whole("abc", "added").of("added") == "abc"
    assert marked_whole("abc", None).ranges == () and marked_whole("", "added").changes == ()


def test_a_setting_is_compared_by_itself() -> None:
    def fact(value: str) -> Any:
        return json.dumps({"model": "m", "temperature": value, "<b>": 1})

    class Settings:
        def provider_texts(self, *_ids: int) -> tuple[str, str]:
            return fact("<b>0</b>"), fact("1")

    part = PartDiff("changed", None, None, 1, None, None, "other", "temperature", 0)
    row = DiffRow("provider", part)
    marked = row_text(lambda: Settings(), row, 1, 2, Progress())  # type: ignore[arg-type]
    assert (marked.of("removed"), marked.of("added")) == ("<b>0</b>", "1")
    assert what_of(row) == "Setting temperature"
