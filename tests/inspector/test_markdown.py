"""Colours of Markdown in the memory editor: what is not sent is what the engine removes, and all of it can be read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QFont, QTextCursor

from engine.memory.sent import sent_text
from inspector import theme
from inspector.models.markdown import CODE, EMPHASIS, HEADING, KEY, LINK, LONGEST, MARK, STRONG, UNSENT, outline, spans
from inspector.views.markdown_dye import format_of
from tests.inspector.conftest import WAIT_MS
from tests.inspector.memory_world import World, shown, typed
from tests.inspector.test_theme import contrast

PIECES = st.lists(
    st.sampled_from(["<!--", "-->", "<!-->", "a", " ", "\n", "```", "~~~", "# h", "`", "--", ">", "**", "\n\n", "é"]),
    max_size=30,
)


def stretches(text: str, skill: bool = False) -> list[list[tuple[int, int, int]]]:
    states, lines = outline(text, skill), text.split("\n")
    after = [*states[1:], 0]
    return [spans(line, states[n], after[n], skill) for n, line in enumerate(lines)]


def kinds(text: str, skill: bool = False) -> list[dict[str, int]]:
    lines = text.split("\n")
    return [{lines[n][a:b]: what for a, b, what in row} for n, row in enumerate(stretches(text, skill))]


@settings(deadline=None)
@given(PIECES)
def test_what_is_dimmed_as_not_sent_is_what_the_engine_removes(pieces: list[str]) -> None:
    text = "".join(pieces)
    left, states = [], outline(text)
    for n, (line, row) in enumerate(zip(text.split("\n"), stretches(text), strict=True)):
        gone = {at for start, end, what in row if what == UNSENT for at in range(start, end)}
        left += [letter for at, letter in enumerate(line) if at not in gone]
        left += ["" if n + 1 < len(states) and states[n + 1] & 1 else "\n"]
    assert "".join(left).strip() == sent_text("/m.md", text).strip()


def test_what_each_stretch_is() -> None:
    text = (
        "# Title\n- a **bold** and *thin* one\n`x <!-- y` [docs](https://e.org) https://e.org/a\n---\nsnake_case_name"
    )
    title, item, code, rule, plain = kinds(text)
    assert title == {"#": HEADING | MARK, " Title": HEADING}
    assert item == {"-": MARK, "**bold**": STRONG, "*thin*": EMPHASIS}
    assert code == {"`x <!-- y`": CODE, "[docs](https://e.org)": LINK, "https://e.org/a": LINK}
    assert rule == {"---": MARK}
    assert plain == {}


def test_fences_and_front_matter() -> None:
    fenced = "a\n````py\n# no title\n```\n**x**\n````\n# title"
    assert kinds(fenced)[1:6] == [{line: CODE} for line in fenced.split("\n")[1:6]]
    assert kinds(fenced)[6] == {"#": HEADING | MARK, " title": HEADING}
    skill = "---\nname: x\ndescription: a **b**\n---\n# H\n<!-- is sent -->"
    rows = kinds(skill, skill=True)
    assert rows[0] == rows[3] == {"---": MARK}
    assert rows[1] == {"name": KEY}
    assert rows[2] == {"description": KEY}
    assert rows[5] == {}, "the engine removes comments from memory only"


def test_a_long_line_and_a_text_of_unclosed_marks_cost_little() -> None:
    long = "**x** " * LONGEST
    assert max(end for _, end, _ in stretches(long)[0]) <= LONGEST
    assert not any(outline("<!--\n" * 200_000))
    assert not any(outline("`` [ ** _\n" * 100_000))


@pytest.mark.parametrize("dark", [False, True])
def test_every_stretch_can_be_read_and_differs_by_more_than_colour(qapp, dark: bool) -> None:
    theme.choose(qapp, "dark" if dark else "light")
    try:
        for what in (HEADING, HEADING | MARK, STRONG, EMPHASIS, CODE, LINK, KEY, UNSENT, STRONG | CODE | LINK):
            drawn = format_of(what)
            ink = (
                drawn.foreground().color() if drawn.hasProperty(drawn.Property.ForegroundBrush) else theme.text_colour()
            )
            ground = (
                drawn.background().color() if drawn.hasProperty(drawn.Property.BackgroundBrush) else theme.base_colour()
            )
            assert contrast(ink.name(), ground.name()) >= 4.5, what
            plain = drawn.fontWeight() < QFont.Weight.Bold and not drawn.fontItalic() and not drawn.fontUnderline()
            assert not plain or what & CODE, "code stands on a ground of its own"
    finally:
        theme.choose(qapp, "light")


@pytest.fixture
def world(qtbot, tmp_path: Path):
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def drawn(view, line: int) -> list[tuple[int, int]]:
    formats = view.edit.editor.document().findBlockByNumber(line).layout().formats()
    return [(one.start, one.length) for one in formats]


def test_only_lines_on_the_screen_are_coloured_and_typing_colours_what_follows(world: World) -> None:
    world.put("\U0001f469 **bold**\nplain\n" + "# title\n" * 3_000)
    view = world.window()
    world.qtbot.waitUntil(lambda: drawn(view, 0) == [(3, 8)], timeout=WAIT_MS)
    assert drawn(view, 1) == []
    assert drawn(view, 2_900) == []
    document = view.edit.editor.document()
    assert not document.isUndoAvailable()
    assert not view.has_unsaved()
    view.edit.editor.moveCursor(QTextCursor.MoveOperation.End)
    world.qtbot.waitUntil(lambda: drawn(view, 2_995) != [], timeout=WAIT_MS)
    view.edit.editor.moveCursor(QTextCursor.MoveOperation.Start)
    typed(view, "<!-- \n")
    world.qtbot.waitUntil(lambda: drawn(view, 1) == [(3, 8)], timeout=WAIT_MS)
    view.edit.editor.find("plain")
    view.edit.editor.insertPlainText("-->")
    world.qtbot.waitUntil(lambda: drawn(view, 0) == [(0, 5)] and drawn(view, 1) == [(0, 11)], timeout=WAIT_MS)
    assert drawn(view, 2) == [(0, 3)]
    before = shown(view)
    document.undo()
    assert shown(view) != before
    world.qtbot.waitUntil(lambda: drawn(view, 1) == [(3, 8)], timeout=WAIT_MS)
