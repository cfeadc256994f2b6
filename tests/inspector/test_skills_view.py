"""Skills: the menu line against the full text, where listed and read, why not loaded."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt

from engine.errors import InspectorError
from inspector.jobs import Jobs
from inspector.views.plain_text import Link
from inspector.views.skills import SkillsView
from tests.inspector.side_world import MARKUP, FakeReader, rich_labels, skill, unnamed


@pytest.fixture
def jobs(qapp) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def reader() -> FakeReader:
    made = FakeReader()
    made.numbers = {300 + n: n for n in range(1, 40)}
    made.bodies = {"/skills/qbr/SKILL.md": b"---\nname: qbr\n---\nfull text"}
    return made


@pytest.fixture
def view(qtbot, reader, jobs) -> SkillsView:
    made = SkillsView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(340, 500)
    return made


def settled(qtbot, jobs: Jobs) -> None:
    qtbot.waitUntil(jobs.idle)


def show(qtbot, view: SkillsView, jobs: Jobs) -> None:
    view.show()
    view.set_thread("t")
    settled(qtbot, jobs)


def links(view: SkillsView) -> list[Link]:
    return [each for each in view.facts.findChildren(Link) if not each.isHidden()]


def test_menu_line_against_full_text(qtbot, view, reader, jobs, qtmodeltester) -> None:
    reader.put("skills", "t", skill("qbr", description="Use for a QBR.", read_in=(4, 9)))
    show(qtbot, view, jobs)
    qtmodeltester.check(view.model)
    proxy = view.table.proxy
    assert [proxy.index(0, c).data() for c in range(5)] == ["qbr", "~53", "~503", "45", "2"]
    assert view.menu.text() == "Use for a QBR."
    assert view.full.text() == "---\nname: qbr\n---\nfull text"
    assert view.menu_title.text() == "As listed to the model · ~53 tokens"
    assert view.full_title.text() == "SKILL.md · ~503 tokens"
    assert "in 45 requests" in view.facts.text()
    assert [each.text() for each in links(view)] == ["#4", "#9"]
    with qtbot.waitSignal(view.go_to_request) as caught:
        links(view)[1].click()
    assert caught.args == [309]
    assert "Read: in 2 requests: #4 #9" in view.facts.text()


def test_runs_of_requests_are_linked_at_their_ends(qtbot, view, reader, jobs) -> None:
    listed = (*range(1, 13), 14, 15, 17, 19, 21, 30)
    reader.put("skills", "t", skill("qbr", listed_in=len(listed), listed_requests=listed, pinned_in=(7,)))
    show(qtbot, view, jobs)
    text = view.facts.text()
    assert "Listed: in 18 requests: #1 to #12 #14 and #15 #17 … #30" in text
    assert "Read: in no request" in text
    assert "Pinned: in 1 request: #7" in text
    link = next(each for each in links(view) if each.text() == "#30")
    with qtbot.waitSignal(view.go_to_request) as caught:
        link.click()
    assert caught.args == [330]


def test_helper_files_and_tools(qtbot, view, reader, jobs) -> None:
    helper = "/skills/qbr/scripts/<b>run</b>.py"
    reader.bodies[helper] = b"print('&amp;')\n"
    reader.put(
        "skills", "t",
        skill("qbr", helpers=((helper, 15),), tools=("chart", "table"), disclosed=("chart",), allowed_tools=("grep",)),
    )  # fmt: skip
    show(qtbot, view, jobs)
    text = view.facts.text()
    assert "Files: SKILL.md scripts/<b>run</b>.py · 15" in text
    assert "Discloses: chart, table · in the last request: chart" in text
    assert "Recommends: grep" in text
    next(each for each in links(view) if each.text().startswith("scripts/")).click()
    settled(qtbot, jobs)
    assert view.full.text() == "print('&amp;')\n"
    assert view.full_title.text() == "scripts/<b>run</b>.py"
    next(each for each in links(view) if each.text() == "SKILL.md").click()
    settled(qtbot, jobs)
    assert view.full.text() == "---\nname: qbr\n---\nfull text"


def test_a_menu_that_drifted_is_shown_both_ways(qtbot, view, reader, jobs) -> None:
    reader.put("skills", "t", skill("qbr", drift="file-newer", menu="old line", menu_now="new <i>line</i>"))
    show(qtbot, view, jobs)
    assert "≠ the file was changed since" in view.facts.text()
    assert view.menu.text() == "old line"
    next(each for each in links(view) if each.text() == "As a new thread sees it").click()
    assert view.menu.text() == "new <i>line</i>"
    assert view.menu_title.text() == "As a new thread lists it"
    next(each for each in links(view) if each.text() == "As this thread sees it").click()
    assert view.menu.text() == "old line"


def test_a_skill_that_was_not_loaded_says_why(qtbot, view, reader, jobs) -> None:
    reader.put(
        "skills", "t",
        skill("bad", description="", full_tokens=None, listed_in=0, problem="its front matter can't be read"),
    )  # fmt: skip
    show(qtbot, view, jobs)
    assert view.table.proxy.index(0, 0).data() == "! bad"
    assert "its front matter can't be read" in view.note.text()
    assert view.menu.state() == "empty"
    assert "It is not listed to the model." in view.menu.message()
    assert view.table.proxy.index(0, 2).data() == "–"
    assert view.full.state() == "error"
    assert "no file at /skills/bad/SKILL.md" in view.full.message()


def test_two_skills_of_one_name_are_two_rows(qtbot, view, reader, jobs) -> None:
    reader.put("skills", "t", skill("qbr"), skill("qbr", path="/skills/other/SKILL.md"))
    reader.bodies["/skills/other/SKILL.md"] = b"the other one"
    show(qtbot, view, jobs)
    view.table.select("/skills/other/SKILL.md")
    settled(qtbot, jobs)
    assert view.full.text() == "the other one"


def test_a_skill_that_is_not_text_shows_its_bytes(qtbot, view, reader, jobs) -> None:
    reader.put("skills", "t", skill("qbr"))
    reader.bodies["/skills/qbr/SKILL.md"] = b"caf\xe9"
    show(qtbot, view, jobs)
    assert view.full.text().startswith("Not UTF-8: byte 3 is 0xe9.")


def test_a_refresh_keeps_the_selection_and_reads_only_what_changed(qtbot, view, reader, jobs) -> None:
    reader.put("skills", "t", skill("a"), skill("qbr"))
    reader.bodies["/skills/a/SKILL.md"] = b"a"
    show(qtbot, view, jobs)
    view.table.select("/skills/qbr/SKILL.md")
    settled(qtbot, jobs)
    reads = reader.asked.count(("file", "/skills/qbr/SKILL.md"))
    view.refresh()
    settled(qtbot, jobs)
    assert reader.asked.count(("file", "/skills/qbr/SKILL.md")) == reads
    reader.put("skills", "t", skill("qbr", listed_in=46))
    view.refresh()
    settled(qtbot, jobs)
    assert view.table.current().skill.listed_in == 46
    assert "in 46 requests" in view.facts.text()


def test_the_states(qtbot, view, reader, jobs) -> None:
    show(qtbot, view, jobs)
    assert "has no skills" in view.pane.message()
    reader.error = InspectorError("The record is damaged.")
    view.refresh()
    settled(qtbot, jobs)
    assert view.pane.state() == "error"
    view.set_thread(None)
    assert "No thread is selected." in view.pane.message()


def test_markup_shows_letter_by_letter_and_all_is_named(qtbot, view, reader, jobs) -> None:
    reader.put("skills", "t", skill(MARKUP, description=MARKUP, problem=MARKUP, path=f"/skills/{MARKUP}"))
    reader.bodies[f"/skills/{MARKUP}"] = MARKUP.encode()
    show(qtbot, view, jobs)
    assert "<b>bold</b> <img src=x> &amp;" in view.table.proxy.index(0, 0).data()
    tip = view.table.proxy.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip
    assert "&lt;img src=x&gt;" in tip
    assert view.menu.text() == MARKUP
    assert view.full.text() == MARKUP
    assert "<b>bold</b>" in view.note.text()
    assert rich_labels(view) == []
    assert unnamed(view) == []
