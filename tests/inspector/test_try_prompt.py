"""Another system prompt is tried on the next request; nothing is sent or saved, and nothing typed is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QApplication

from inspector.views.try_prompt import TryPrompt
from tests.inspector.side_world import rich_labels, unnamed
from tests.inspector.test_apply import Ran

TYPED = "Answer in <b>rhymes</b> &amp; short.\u2028Always.\n"


@pytest.fixture
def ran(qtbot, qapp, tmp_path: Path) -> Iterator[Ran]:
    made = Ran(qtbot, tmp_path)
    yield made
    for widget in QApplication.topLevelWidgets():
        if isinstance(widget, TryPrompt):
            widget.close()
    made.close()


def dialog(ran: Ran) -> TryPrompt:
    made = TryPrompt(ran.jobs, ran.file, "t", ran.drafts)  # closed, it deletes itself
    made.show()
    ran.settle()
    return made


def typed(made: TryPrompt, text: str) -> None:
    cursor = made.editor.textCursor()
    cursor.select(QTextCursor.SelectionType.Document)
    cursor.insertText(text)


def contents(file: Path) -> list[Any]:
    import sqlite3
    from contextlib import closing

    with closing(sqlite3.connect(file)) as db:
        return list(db.iterdump())


def test_the_next_request_before_and_after(ran: Ran) -> None:
    before = contents(ran.file)
    made = dialog(ran)
    assert made.text() == made.own == ""
    assert not made.own_button.isEnabled()
    typed(made, TYPED)
    ran.click(made.run_button)
    others = [row for _, row, _ in made.dry.model.items if not row.same]
    assert {row.after.kind for row in others} <= {"system", "skills", "memory"}
    assert sum(TYPED in row.after.text for row in others) == 1
    assert not any("<b>rhymes</b>" in row.before.text for row in others if row.before is not None)
    made.dry.table.select(next(n for n, row, _ in made.dry.model.items if row.after and TYPED in row.after.text))
    ran.settle()
    after = made.dry.beside.found.after
    assert "Answer in <b>rhymes</b> &amp; short." in after.of("added")
    assert after.text.source == made.dry.table.current()[1].after.text
    assert made.text() == TYPED
    assert contents(ran.file) == before
    assert not rich_labels(made)
    assert not unnamed(made)


def test_what_was_typed_is_there_again_and_can_be_given_up(ran: Ran) -> None:
    made = dialog(ran)
    typed(made, TYPED)
    made.close()
    again = dialog(ran)
    assert again.text() == TYPED
    assert "is here again" in again.note.text()
    again.note.buttons()["Discard it"].click()
    assert again.text() == again.own
    again.editor.undo()
    assert again.text() == TYPED
    again.take_own()
    ran.settle()
    again.close()
    assert dialog(ran).text() == ""


def test_an_agent_that_can_not_be_built_is_told_and_the_text_stays(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    import engine.dryrun
    from engine.errors import UsageError

    def broken(*_args: object, **_more: object) -> object:
        raise UsageError("The model needs a key.")

    made = dialog(ran)
    typed(made, TYPED)
    monkeypatch.setattr(engine.dryrun, "next_request", broken)
    ran.click(made.run_button)
    assert "needs a key" in made.dry.pane.message()
    assert made.text() == TYPED
