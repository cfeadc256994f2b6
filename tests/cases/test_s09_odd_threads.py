"""S09: history that was not saved, and odd thread ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from inspector.going import Goal
from inspector.main import main
from tests.cases.databases import MODEL
from tests.cases.looking import choose, pane, threads
from tests.engine.sources.databases import put_state, saver_over
from tests.inspector.conftest import settle

IDS = [
    "a1b2c3d4", "0199a2b4-7c1e-7000-8000-000000000001", "../../etc/passwd", "a/b", "C:\\con", "nul", "é\u202e",
    "x" * 300, " ", "", "Ä%00", "user:42|tools:1",
]  # fmt: skip
KEPT = "/conversation_history/session_0f.md"
PATHS: list[Any] = [
    None, KEPT, "/conversation_history/../../etc/passwd.md", "/conversation_history/a/b.md", "~/x.md", "",
    "/conversation_history/gone.md", 7,
]  # fmt: skip


@pytest.fixture(scope="module")
def ids(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Threads of all these ids, each with a summary whose history lies at one of the paths."""
    file = tmp_path_factory.mktemp("s09") / "ids.db"
    with saver_over(file) as saver:
        for n, thread_id in enumerate(IDS):
            event = {"cutoff_index": 2, "summary_message": HumanMessage("S"), "file_path": PATHS[n % len(PATHS)]}
            config = put_state(
                saver,
                thread_id,
                {
                    "messages": [HumanMessage(f"m{i}", id=str(i)) for i in range(4)],
                    "_summarization_event": event,
                    "files": {KEPT: {"content": "kept", "encoding": "utf-8"}},
                },
            )
            saver.put_writes(config, [("messages", [AIMessage("answer")])], "t", MODEL)
    return file


def test_any_string_is_a_thread_in_the_list_and_in_the_search(qtbot, make_window, ids: Path) -> None:
    window = make_window(ids)
    assert set(threads(window)) == set(IDS)
    for thread_id in IDS:
        choose(qtbot, window, thread_id)
        assert window.session.thread_id == thread_id
        assert len(window.session.rows) == 1
    for wanted in ("../../etc", "c:\\con", "Ä%00", "x" * 300):
        window.threads.search.setText(wanted)
        (found,) = threads(window)
        assert wanted.casefold() in found.casefold()


@pytest.mark.parametrize("thread_id", ["../../etc/passwd", "é\u202e", "", "user:42|tools:1"], ids=repr)
def test_the_window_opens_at_any_thread(qtbot, make_window, ids: Path, thread_id: str) -> None:
    window = make_window()
    window.open_after_paint(ids, Goal(thread_id, 1))
    window.update()
    qtbot.waitUntil(lambda: window.session is not None and window.session.thread_id is not None)
    settle(qtbot, window)
    assert window.session.thread_id == thread_id
    assert window.session.request_row().number == 1


def test_a_thread_or_request_that_is_not_there_is_said_to_be_missing(qtbot, make_window, ids: Path) -> None:
    window = make_window()
    window.open_after_paint(ids, Goal("nobody", None))
    window.update()
    qtbot.waitUntil(lambda: window.session is not None and window.session.thread_id is not None)
    assert window.status.problem.text() == "! There is no thread “nobody” in this file."
    settle(qtbot, window)
    window.desk.going.to_number("nul", 7)
    qtbot.waitUntil(lambda: "request 7" in window.status.problem.text())
    assert "There is no request 7 in this thread: it has 1." in window.status.problem.text()


def test_a_request_without_its_thread_is_bad_use(capsys: pytest.CaptureFixture[str], ids: Path) -> None:
    assert main([str(ids), "--request", "1"]) == 2
    assert "--request needs --thread" in capsys.readouterr().err


def test_each_summary_says_what_became_of_the_old_messages(qtbot, make_window, ids: Path) -> None:
    window = make_window(ids)
    says = {
        None: ("no", "not saved"),
        KEPT: ("yes", KEPT),
        "/conversation_history/../../etc/passwd.md": ("not found", "not found"),
        "/conversation_history/a/b.md": ("not found", "not found"),
        "~/x.md": ("not found", "not found"),
        "": ("not found", "not found"),
        "/conversation_history/gone.md": ("not found", "not found"),
        7: ("damaged", "damaged"),
    }
    for n, thread_id in enumerate(IDS[: len(PATHS)]):
        choose(qtbot, window, thread_id)
        view = pane(qtbot, window, "summaries")
        cell, fact = says[PATHS[n]]
        table = view.table.model()
        assert str(table.index(0, 5).data()) == cell, PATHS[n]
        assert fact in view.facts.text(), PATHS[n]
