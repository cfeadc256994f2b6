"""Find and replace in the memory editor: nothing else changes, one undo takes all back, no pattern hangs the window."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import Qt

from engine.errors import UsageError
from inspector.text_search import TOGETHER, Wanted, find, replace_all, replace_one
from inspector.views.memory import MemoryView
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.memory_world import World, save, shown

TEXTS = st.text(st.sampled_from("ab AB_\n.é\U0001f469"), max_size=60)


def put(text: str, found) -> str:
    for edit in reversed(found.edits):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.text(st.sampled_from("abA.é"), min_size=1, max_size=2), TEXTS)
def test_all_and_one_by_one_is_what_python_makes_of_it(text: str, words: str, by: str) -> None:
    found = replace_all(Wanted(words, case=True), text, by)
    assert put(text, found) == text.replace(words, by)
    assert found.count == text.count(words)
    first = text.find(words)
    assert put(text, replace_one(Wanted(words, case=True), text, by, first)) == text.replace(words, by, 1)


def test_case_words_and_patterns() -> None:
    text = "Team teams team_a\nteam"
    assert find(Wanted("team"), text, 9) == [(0, 4), (5, 9), (11, 15), (18, 22)]
    assert find(Wanted("team"), text, 2) == [(0, 4), (5, 9)]
    assert find(Wanted("team", case=True, whole=True), text, 9) == [(18, 22)]
    assert find(Wanted("^t.am", pattern=True), text, 9) == [(0, 4), (18, 22)]
    assert find(Wanted("x*", pattern=True), text, 9) == [], "nothing empty is found"
    swapped = replace_all(Wanted(r"(\w+) (\w+)", pattern=True), text, r"\2 \1")
    assert put(text, swapped) == "teams Team team_a\nteam"
    assert put("a.b", replace_all(Wanted(".", case=True), "a.b", r"\1")) == r"a\1b", "words are no pattern"
    for wrong, by in (("(", "x"), ("(a)", r"\2")):
        with pytest.raises(UsageError):
            replace_all(Wanted(wrong, pattern=True), "a(a", by)


def test_a_pattern_that_would_take_for_ever_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inspector.text_search.SECONDS", 0.05)
    with pytest.raises(UsageError, match="too long"):
        find(Wanted(r"(a|aa|aaa)+(?=b)(\1)$", pattern=True), "a" * 60 + "c", 9)


@pytest.fixture
def world(qtbot, tmp_path: Path):
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def replacing(world: World, view: MemoryView, words: str, by: str) -> None:
    view.edit.open_replace()
    view.edit.search.field.setText(words)
    view.edit.search.by.setText(by)
    view.edit.search.search()
    world.settle()


def through(world: World, view: MemoryView) -> None:
    world.qtbot.waitUntil(lambda: world.jobs.idle() and not view.edit.search._replacing.busy, timeout=WAIT_MS)


def test_one_by_one_by_keyboard(world: World) -> None:
    world.put("team one\nteam two\nteam three\n")
    view = world.window()
    bar = view.edit.search
    replacing(world, view, "team", "group of a team")
    assert bar.by.isVisible()
    world.qtbot.keyClick(bar.by, Qt.Key.Key_Return)
    assert view.edit.editor.selected_text() == "team"
    for after in (
        "group of a team one\nteam two\nteam three\n",
        "group of a team one\ngroup of a team two\nteam three\n",
    ):
        world.qtbot.keyClick(bar.by, Qt.Key.Key_Return)
        through(world, view)
        assert shown(view) == after
    assert bar.says.text() == "3 of 3", "what was put in is not taken for the next one"
    view.edit.editor.undo()
    assert shown(view) == "group of a team one\nteam two\nteam three\n"


def test_all_of_a_long_file_with_odd_characters_and_one_undo(world: World) -> None:
    lines = [f"line {n}: caf\u00e9 \U0001f469 team\u2028x\ta\u00a0team" for n in range(3 * TOGETHER // 40)]
    text = "\ufeff" + "\r\n".join(lines) + "\rlast team"
    world.put(text.encode())
    view = world.window()
    bar = view.edit.search
    replacing(world, view, "team", "te\u00adam \U0001f680")
    before = shown(view)
    world.qtbot.keyClick(bar.by, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    through(world, view)
    assert bar.says.text() == f"{2 * len(lines) + 1:,} replaced".replace(",", "\u2009")
    assert shown(view) == before.replace("team", "te\u00adam \U0001f680")
    save(world, view)
    assert world.stored() == text.replace("team", "te\u00adam \U0001f680").encode()
    view.edit.editor.undo()
    assert shown(view) == before
    assert not view.edit.editor.document().isUndoAvailable()
    assert view.edit.can_save(), "undo goes back to before the save"
    save(world, view)
    assert world.stored() == text.encode()


def test_what_is_typed_meanwhile_is_not_replaced_over(world: World) -> None:
    world.put("team")
    view = world.window()
    replacing(world, view, "team", "x")
    view.edit.search.replace_all()
    view.edit.editor.insertPlainText("my ")
    through(world, view)
    assert shown(view) == "my team"
    assert "changed meanwhile" in view.edit.search.problem.text()


def test_a_wrong_pattern_is_said_and_a_file_that_is_only_shown_is_searched(world: World) -> None:
    world.put("a (b)")
    view = world.window()
    bar = view.edit.search
    bar.pattern.setChecked(True)
    replacing(world, view, "(", "x")
    assert "not a regular expression" in bar.problem.text()
    assert not bar.all_button.isEnabled()
    bar.pattern.setChecked(False)
    world.settle()
    assert bar.problem.isHidden()
    assert bar.says.text() == "1"
    view.edit.buffer.read_only = "only shown"
    view.edit.editor.follow()
    view.edit.open_find()
    world.settle()
    assert not view.edit.can_replace()
    assert not bar.by.isVisible()
    assert not bar.all_button.isEnabled()


def test_replacing_is_a_command(qtbot, make_window, demo_copy: Path) -> None:
    window = make_window(demo_copy)
    command = next(one for one in window.commands.all() if one.id == "text.replace")
    assert not command.enabled(), "no text is edited"
    window.desk.session.select_thread("competitor-report-week-23")
    window.around.show("memory")
    settle(qtbot, window)
    bar = window.desk.around["memory"].edit.search
    assert command.enabled()
    command.run()
    assert bar.by.isVisible()
    assert window.focusWidget() is bar.field
