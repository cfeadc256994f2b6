"""Skills in their pane: why one is not listed, validation while it is typed, saving, and a new one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor

from inspector.views.skills import SkillsView
from tests.inspector.side_world import rich_labels, unnamed
from tests.inspector.test_apply import Ran

REPORT, BROKEN = "/skills/report/SKILL.md", "/skills/broken/SKILL.md"
TEXT = "---\nname: report\ndescription: Old <b>words</b> &amp; all.\n---\nDo it.\n"


@pytest.fixture
def ran(qtbot, qapp, tmp_path: Path) -> Iterator[Ran]:
    made = Ran(qtbot, tmp_path)
    made.save(TEXT, REPORT)
    made.save("---\nname: broken\ndescription: a: b\n---\nDo it.\n", BROKEN)
    yield made
    made.close()


def pane(ran: Ran) -> SkillsView:
    view = SkillsView(ran.reader, ran.jobs, ran.file, drafts=ran.drafts)
    ran.qtbot.addWidget(view)
    view.resize(380, 900)
    view.set_thread("t")
    view.show()
    ran.settle()
    return view


def edit(ran: Ran, view: SkillsView, path: str) -> Any:
    view.table.select(path)
    ran.click(view.edit_button)
    ran.qtbot.waitUntil(lambda: view.edits.edit.bench.preview.shown is not None, timeout=20_000)
    ran.settle()
    return view.edits.edit


def test_a_skill_that_is_not_listed_says_why_and_where(ran: Ran) -> None:
    view = pane(ran)
    view.table.select(BROKEN)
    ran.settle()
    assert view.note.text().startswith("! Line 3: ")
    assert "quotes" in view.note.text()
    assert not rich_labels(view)
    assert not unnamed(view)


def test_it_is_checked_as_one_types_and_saved_over_what_was_seen(ran: Ran) -> None:
    view = pane(ran)
    editor = edit(ran, view, BROKEN)
    preview = editor.bench.preview
    assert preview.verdict.text().startswith("Not listed to the model (line 3)")
    cursor = QTextCursor(editor.editor.document().findBlockByNumber(2))
    cursor.select(QTextCursor.SelectionType.LineUnderCursor)
    cursor.insertText('description: "a: <b>b</b> &amp;"')
    ran.qtbot.waitUntil(lambda: preview.verdict.text() == "Listed to the model.", timeout=20_000)
    ran.settle()
    assert "**broken**: a: <b>b</b> &amp;" in preview.text.text()
    assert view.has_unsaved()
    view.table.select(REPORT)
    ran.settle()
    view.table.select(BROKEN)
    ran.settle()
    assert "<b>b</b>" in editor.editor.shown_text().source, "what was typed is gone"
    ran.click(editor.save_button)
    assert b'"a: <b>b</b> &amp;"' in (ran.stored(BROKEN) or b"")
    assert not view.has_unsaved()
    assert not rich_labels(view)
    assert not unnamed(view)


def test_a_change_elsewhere_is_not_overwritten(ran: Ran) -> None:
    view = pane(ran)
    editor = edit(ran, view, REPORT)
    editor.editor.insertPlainText("x")
    theirs = TEXT.replace("Old", "New")
    ran.save(theirs, REPORT)
    ran.click(editor.save_button)
    assert ran.stored(REPORT) == theirs.encode()
    assert "Merge both" in editor.note.buttons()
    assert view.has_unsaved()


def test_a_new_skill_from_the_template(ran: Ran) -> None:
    view = pane(ran)
    ran.click(view.new_button)
    view.form.name.setText("Not A Name")
    view.form.description.setText("d")
    ran.click(view.form.create_button)
    assert "can't be a skill's name" in view.form.note.text()
    view.form.name.setText("week-notes")
    view.form.description.setText("Use it: <b>weekly</b>.")
    ran.click(view.form.create_button)
    ran.settle()
    assert b"Use it: <b>weekly</b>." in (ran.stored("/skills/week-notes/SKILL.md") or b"")
    assert view.edits.path == "/skills/week-notes/SKILL.md"
    assert view.edits.isVisible()
    view.edits.close_edit()
    assert view.texts.isVisible()
