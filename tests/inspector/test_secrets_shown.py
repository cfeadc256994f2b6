"""Masked secrets in a text: drawn as masks, kept in the source, out of copies and searches, shown one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication

from engine.explain.texts import diff_texts
from inspector import clipboard
from inspector.models.marked_text import marked_difference
from inspector.models.provider import Fact, masked_facts
from inspector.models.shown_text import LINE_LIMIT, find_all, shown
from inspector.views.compare import ComparePane, lay_out
from inspector.views.marked_text import MarkedTextView
from inspector.views.text import TextView
from tests.inspector.secret_world import COMMIT, GITHUB, KEY_BLOCK, OPENAI, PEM

OTHER = GITHUB.replace("gHb1", "Xy9z")
TEXT = f"first {GITHUB}, then {OPENAI}\n{KEY_BLOCK}\n{COMMIT}"
MASKED = "first [masked: GitHub token], then [masked: sk- key]\n[masked: private key]\n" + COMMIT

pieces = st.lists(
    st.sampled_from(
        [GITHUB, KEY_BLOCK, "a ", "\n", "\r\n", "\u202e", "🙂", "x" * (LINE_LIMIT - 7), 'password="abc def" ']
    ),
    max_size=7,
).map(" ".join)


def test_a_mask_is_drawn_and_the_rest_is_as_it_is() -> None:
    text = shown(TEXT)
    assert text.text == MASKED
    assert text.source == TEXT
    assert text.whole().text == MASKED
    assert "GitHub token" in text.mark_at(8).says
    assert text.again(revealed=frozenset({6})).text == MASKED.replace("[masked: GitHub token]", GITHUB)


@given(pieces, st.booleans())
def test_every_place_maps_back_and_no_copy_holds_a_secret(source: str, whole: bool) -> None:
    text = shown(source, whole=whole, labels=[(len(source) // 2, "Half")])
    rest, at = [], 0
    for mark in text.marks:
        assert mark.source >= at
        rest.append(source[at : mark.source])
        at = mark.source_end
    drawn = "".join(text.text[a.end : b.start] for a, b in zip(text.marks, text.marks[1:], strict=False))
    assert "".join(rest[1:]) == drawn
    for copied in (text.whole().text, text.between(0, len(text.text)), text.text):
        assert GITHUB[:12] not in copied
        assert PEM not in copied
    every = text.again(whole=True, revealed=frozenset(secret.start for secret in text.secrets))
    assert every.between(0, len(every.text)) == source


def test_a_secret_over_the_cut_of_a_long_line_is_masked_whole() -> None:
    source = "x" * (LINE_LIMIT - 12) + " " + GITHUB + " " + "y" * 50
    text = shown(source)
    assert "[masked: GitHub token]… [line of" in text.text
    assert GITHUB[:6] not in text.text


def test_a_search_finds_nothing_in_a_mask() -> None:
    text = shown(TEXT)
    assert find_all(TEXT, "gHb1", masked=text.masked) == []
    assert find_all(TEXT, "first ghp", masked=text.masked) == []
    assert len(find_all(TEXT, "first", masked=text.masked)) == 1
    assert len(find_all(TEXT, "gHb1", masked=text.again(revealed=frozenset({6})).masked)) == 9


def test_two_different_secrets_are_a_change_and_both_masked() -> None:
    old, new = f"key {GITHUB} end", f"key {OTHER} end"
    marked = marked_difference(old, new, diff_texts(old, new))
    assert marked.text.text.count("[masked: GitHub token]") == 2
    assert GITHUB in marked.of("removed")
    assert OTHER in marked.of("added")
    laid = lay_out(f"a\n{old}\nb", f"a\n{new}\nb")
    assert (laid.found.removed, laid.found.added) == (1, 1)
    assert laid.text.text == "  a\n− key [masked: GitHub token] end\n+ key [masked: GitHub token] end\n  b"


texts_of_pieces = st.lists(st.sampled_from([GITHUB, OTHER, KEY_BLOCK, "word ", "\n", "ghp_", "more text "]), max_size=6)


@given(texts_of_pieces.map("".join), texts_of_pieces.map("".join))
def test_a_difference_tells_both_texts_and_shows_no_secret(old: str, new: str) -> None:
    marked = marked_difference(old, new, diff_texts(old, new))
    sides: dict[str, list[str]] = {"removed": [], "added": []}
    at = 0
    for start, end, sort in (*marked.ranges, (len(marked.text.source), len(marked.text.source), "added")):
        for side in sides.values():
            side.append(marked.text.source[at:start])
        sides[sort].append(marked.text.source[start:end])
        at = end
    assert ("".join(sides["removed"]), "".join(sides["added"])) == (old, new)
    for secret in (*shown(old).secrets, *shown(new).secrets):
        text = old if secret in shown(old).secrets else new
        assert text[secret.start : secret.end] not in marked.text.text or secret.end - secret.start < 8


def test_lines_of_a_key_are_masked_where_its_first_line_is_far() -> None:
    key = KEY_BLOCK.replace(PEM, "\n".join(PEM + str(n) for n in range(20)))
    laid = lay_out(f"a\n{key}\nb", f"a\n{key.replace(PEM + '12', PEM + '99')}\nb")
    assert PEM not in laid.text.text
    assert laid.text.text.count("[masked: private key]") >= 6


def test_rows_of_provider_are_masked_by_their_name_too() -> None:
    rows = masked_facts(
        [Fact("openai_api_key", "sk-x"), Fact("token", "not known", style="missing"), Fact("note", "plain"),
         Fact("base_url", f"https://u:{GITHUB}@h.example", f"LangChain: x = {OPENAI}")]
    )  # fmt: skip
    assert [row.value for row in rows[:3]] == ["[masked: named secret]", "not known", "plain"]
    assert rows[0].true == "sk-x"
    assert GITHUB not in repr(rows[3]).replace(rows[3].true, "")
    assert OPENAI not in rows[3].note


# -- in the window ---------------------------------------------------------------------------------


@pytest.fixture
def view(qtbot: Any, jobs: Any, colours: Any) -> TextView:
    made = TextView(jobs)
    qtbot.addWidget(made)
    made.resize(800, 300)
    made.show()
    made.set_text(TEXT)
    return made


def place_of(view: Any, drawn: str) -> QPoint:
    """Where a drawn text stands in the viewport, a little behind its beginning."""
    edit = view.edit
    cursor = edit.textCursor()
    cursor.setPosition(edit.toPlainText().index(drawn) + 3)
    return edit.cursorRect(cursor).center()


def test_a_click_shows_one_secret_until_another_text_comes(qtbot: Any, jobs: Any, view: TextView) -> None:
    assert view.edit.toPlainText() == MASKED
    assert view.notes() == "3 likely secrets are masked: a click on one shows it."
    place = place_of(view, "[masked: GitHub")
    qtbot.mouseClick(view.edit.viewport(), Qt.MouseButton.LeftButton, pos=place)
    qtbot.waitUntil(lambda: GITHUB in view.edit.toPlainText())
    assert view.edit.toPlainText() == MASKED.replace("[masked: GitHub token]", GITHUB)
    view.copy_all()
    assert QGuiApplication.clipboard().text() == view.edit.toPlainText()
    assert [action.text() for action in view.edit.menu(place).actions() if "ask" in action.text()] == ["Mask again"]
    view.edit.secrets.mask(6)
    qtbot.waitUntil(lambda: view.edit.toPlainText() == MASKED)
    view.edit.secrets.show(6)
    qtbot.waitUntil(lambda: GITHUB in view.edit.toPlainText())
    view.set_text(TEXT + " ")
    assert GITHUB not in view.edit.toPlainText()


def test_a_click_beside_a_mask_shows_nothing(qtbot: Any, jobs: Any, view: TextView) -> None:
    for place in (place_of(view, "first"), place_of(view, "[masked: private") + QPoint(500, 0), QPoint(400, 280)):
        qtbot.mouseClick(view.edit.viewport(), Qt.MouseButton.LeftButton, pos=place)
        qtbot.waitUntil(jobs.idle)
        assert view.edit.toPlainText() == MASKED


def test_the_whole_way_by_commands(qtbot: Any, view: TextView) -> None:
    marks = view.edit.secrets
    assert not marks.show_here()
    assert marks.step()
    assert marks.show_here()
    qtbot.waitUntil(lambda: GITHUB in view.edit.toPlainText())
    assert OPENAI not in view.edit.toPlainText()
    assert view.edit.offset() == 6
    marks.step()
    assert view.edit.offset() == TEXT.index(OPENAI)
    assert marks.mask()
    qtbot.waitUntil(lambda: view.edit.toPlainText() == MASKED)
    assert not marks.mask()


def test_what_is_copied_is_masked_and_said(qtbot: Any, view: TextView) -> None:
    said: list[int] = []
    clipboard.notifier().masked.connect(said.append)
    try:
        view.copy_all()
        assert QGuiApplication.clipboard().text() == MASKED
        view.edit.selectAll()
        view.edit.copy()
        assert QGuiApplication.clipboard().text() == MASKED
    finally:
        clipboard.notifier().masked.disconnect(said.append)
    assert said and set(said) == {3}


def test_a_value_under_a_secrets_name_is_masked_whole(qtbot: Any, view: TextView) -> None:
    view.set_text("correct horse", secret=True)
    assert view.edit.toPlainText() == "[masked: named secret]"
    view.edit.secrets.show(0)
    qtbot.waitUntil(lambda: view.edit.toPlainText() == "correct horse")


@pytest.mark.parametrize("make", [MarkedTextView, ComparePane])
def test_differences_show_theirs_too(qtbot: Any, jobs: Any, make: Callable[..., Any]) -> None:
    made = make(jobs) if make is ComparePane else make(jobs, "Text")
    qtbot.addWidget(made)
    made.show()
    if make is ComparePane:
        made.compare("Two", f"x {GITHUB}", f"x {OTHER}")
    else:
        old, new = f"x {GITHUB}", f"x {OTHER}"
        made.load("Reading", lambda: marked_difference(old, new, diff_texts(old, new)), key=1)
    qtbot.waitUntil(lambda: "[masked: " in made.edit.toPlainText())
    drawn = made.edit.toPlainText()
    made.edit.secrets.step()
    made.edit.secrets.show_here()
    qtbot.waitUntil(lambda: GITHUB in made.edit.toPlainText() or OTHER in made.edit.toPlainText())
    shown_one = made.edit.toPlainText()
    assert shown_one.count("[masked: ") == drawn.count("[masked: ") - 1 == 1
