"""S07: very long thread, very long line."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from engine import open_source
from inspector import loading
from inspector.models.messages import Column
from tests.cases.databases import MODEL
from tests.cases.looking import MESSAGES, area, choose, requests, threads
from tests.engine.sources.databases import put_state, saver_over
from tests.inspector.conftest import WAIT_MS

STEPS = 120
LINE = "{" + ",".join(f'"k{i}":"{"v" * 40}"' for i in range(60_000)) + "}"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thread of many checkpoints, each with the whole list, and one with a line of three megabytes."""
    path = tmp_path_factory.mktemp("s07") / "long.db"
    messages: list[Any] = [
        message
        for i in range(STEPS)
        for message in (HumanMessage(f"q{i}", id=f"h{i}"), AIMessage(f"a{i} " + "word " * 60, id=f"a{i}"))
    ]
    with saver_over(path) as saver:
        config = None
        for step in range(STEPS):
            config = put_state(saver, "long", {"messages": messages[: 2 * step + 1]}, step, config)
            saver.put_writes(config, [("messages", [messages[2 * step + 1]])], f"task{step}", MODEL)
        state = {"messages": [HumanMessage("go"), ToolMessage(LINE, tool_call_id="x", id="t")]}
        saver.put_writes(put_state(saver, "line", state), [("messages", [AIMessage("x")])], "task", MODEL)
    return path


def test_the_list_of_threads_reads_no_checkpoint(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from engine.sources.database import Database

    read: list[int] = []
    stored = Database.stored
    monkeypatch.setattr(Database, "stored", lambda self, row: read.append(row) or stored(self, row))
    source = open_source(file)
    try:
        assert {row.thread_id: row.requests for row in source.threads()} == {"long": STEPS, "line": 1}
        assert len(read) <= 2, "no more than the short first row of each"
    finally:
        source.close()


class Gate:
    """Stands where the clock does: each share ends after some checkpoints, and waits until it may go on."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.asked = 0

    def share(self, stop: threading.Event) -> Any:
        gate = self

        class Share:
            def is_set(self) -> bool:
                gate.asked += 1
                return stop.is_set() or gate.asked % 20 == 0

        return Share()


def test_first_rows_come_while_the_rest_is_read_and_reading_can_be_stopped(
    qtbot, make_window, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(file)
    choose(qtbot, window, "line")
    gate = Gate()
    monkeypatch.setattr(loading, "_Share", gate.share)
    monkeypatch.setattr(loading, "BREATH_S", 30.0)  # each share waits for Cancel
    window.threads.list.setCurrentIndex(window.threads.model.index_of("long"))
    qtbot.waitUntil(lambda: len(window.session.rows) > 0, timeout=WAIT_MS)
    found = len(window.session.rows)
    assert 0 < found < STEPS
    assert window.session.loading
    assert requests(window)[0][0] == "1"
    window.desk.requests.table.clearFocus()
    window.desk.requests.table.setFocus()
    assert window.session.request_id is None, "the keyboard chooses nothing"
    window.session.select_index(0)  # the window answers
    qtbot.waitUntil(lambda: window.desk.request.detail() is not None, timeout=WAIT_MS)
    qtbot.waitUntil(window.status.cancel.isVisible, timeout=WAIT_MS)
    assert "checkpoints" in window.status.job.text()
    window.status.cancel.click()
    note = window.desk.reading_note
    qtbot.waitUntil(lambda: not window.session.loading and "stopped" in note.text(), timeout=WAIT_MS)
    assert len(window.session.rows) == found
    assert f"Reading was stopped: {found} requests found so far" in note.text()
    qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
    assert len(window.session.rows) == found, "nothing reads on by itself"
    monkeypatch.setattr(loading, "BREATH_S", 0.0)
    note.buttons()["Read on"].click()
    qtbot.waitUntil(lambda: not window.session.loading and len(window.session.rows) == STEPS, timeout=WAIT_MS)
    assert window.session.request_row().number == 1, "the selection stays"
    qtbot.waitUntil(lambda: window.session.rows.complete and not note.isVisible(), timeout=WAIT_MS)
    assert [int(row[0]) for row in requests(window)] == list(range(1, STEPS + 1))
    assert f"{STEPS} requests" in threads(window)["long"]


def test_a_long_line_is_cut_with_its_true_length_and_opens_whole(qtbot, make_window, file: Path) -> None:
    window = make_window(file)
    choose(qtbot, window, "line")
    view = area(qtbot, window, MESSAGES)
    view.table.setCurrentIndex(view.table.model().index(1, Column.TEXT))
    text = view.message.text
    qtbot.waitUntil(lambda: text.text() != "", timeout=WAIT_MS)
    assert len(text.edit.toPlainText()) < len(LINE) // 2
    length = f"{len(LINE):,}".replace(",", "\u2009")
    assert length in text.notes()
    text.show_whole_lines()
    qtbot.waitUntil(lambda: "cut after" not in text.notes(), timeout=WAIT_MS)
    assert f"of {length} characters are shown" in text.notes(), "two million of them at first"
    text._strip._more.click()
    qtbot.waitUntil(lambda: text.notes() == "", timeout=WAIT_MS)
    assert text.edit.toPlainText().replace("\n", "").endswith(LINE[-100:])
