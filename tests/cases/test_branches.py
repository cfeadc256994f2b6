"""Forks of a thread are branches in the table of requests, told apart and stepped to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage

from tests.cases.databases import MODEL
from tests.cases.looking import requests, said, tip
from tests.engine.sources.databases import put_state, saver_over
from tests.inspector.conftest import WAIT_MS

MARKS = 7


def forked(file: Path) -> Path:
    """A question, a second one, and another second one from the same state."""
    first: list[Any] = [HumanMessage("a", id="1")]
    answered = [*first, AIMessage("one", id="2")]
    with saver_over(file) as saver:
        root = put_state(saver, "t", {"messages": first}, 0)
        saver.put_writes(root, [("messages", [answered[-1]])], "task0", MODEL)
        before = put_state(saver, "t", {"messages": answered}, 1, root)
        for n, words in enumerate(("b", "a longer question instead")):
            config = put_state(saver, "t", {"messages": [*answered, HumanMessage(words, id=f"q{n}")]}, 2, before)
            saver.put_writes(config, [("messages", [AIMessage(f"answer {n}", id=f"r{n}")])], f"task{n + 1}", MODEL)
    return file


def test_a_fork_is_a_branch_that_says_what_it_follows(qtbot, make_window, tmp_path: Path) -> None:
    window = make_window(forked(tmp_path / "fork.db"))
    marks = [row[MARKS] for row in requests(window)]
    assert len(marks) == 3
    assert ["branch 2" in words for words in marks] == [False, False, True]
    assert "On branch 2, after request 1" in tip(window.desk.requests.table, 2, MARKS)
    rows = window.session.rows
    assert [before.number if (before := rows.before(id)) else None for id in rows.ids] == [None, 1, 1]
    window.session.select_index(0)
    window.commands.run("go.next_branch")
    assert window.session.request_row().number == 3
    qtbot.waitUntil(lambda: "branch 2, after request 1" in said(window.desk.request.header), timeout=WAIT_MS)
