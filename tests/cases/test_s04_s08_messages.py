"""S04: messages without ids, twice the same id, removals. S08: the cut falls between call and result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage, ToolMessage
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from tests.cases.databases import MODEL, of_state
from tests.cases.looking import MESSAGES, RAW_EFFECTIVE, area, requests, said
from tests.engine.sources.databases import put_state, saver_over
from tests.engine.sources.test_cases import _version

LOADED: list[AnyMessage] = [
    HumanMessage("a", id="1"),
    AIMessage("b", id="1"),
    HumanMessage("no id"),
    HumanMessage("no id"),
]


def test_every_place_is_a_row_whatever_its_id(qtbot, make_window, tmp_path: Path) -> None:
    window = make_window(of_state(tmp_path / "case.db", messages=LOADED))
    view = area(qtbot, window, MESSAGES)
    model = view.table.model()
    assert model.rowCount() == 4
    for row in range(4):
        view.table.setCurrentIndex(model.index(row, 0))
        qtbot.waitUntil(window.jobs.idle)
        assert view.table.currentIndex().row() == row
        assert len(view.table.selectionModel().selectedRows()) == 1, "one row, not both of one id"


def removals(file: Path) -> Path:
    writes = [
        [RemoveMessage(id="nope"), AIMessage("c", id="2")],
        [RemoveMessage(id=REMOVE_ALL_MESSAGES), HumanMessage("fresh", id="3"), AIMessage("x", id="3")],
    ]
    with saver_over(file) as saver:
        config = put_state(saver, "t", {"messages": LOADED}, 0)
        for step, write in enumerate(writes, start=1):
            saver.put_writes(config, [("messages", write)], f"task{step}", "~__pregel_pull, Tidy.before_model")
            config = put_state(saver, "t", {}, step, config)
            _version(saver, config)
        saver.put_writes(config, [("messages", [AIMessage("answer", id="4")])], "task3", MODEL)
    return file


def test_a_step_that_removes_says_so_and_a_removal_of_nothing_is_noted(qtbot, make_window, tmp_path: Path) -> None:
    window = make_window(removals(tmp_path / "case.db"))
    assert "state rewritten" in requests(window)[0][-1]
    header = said(window.desk.request.header)
    assert "rewritten by Tidy.before_model before this request: all messages before were removed" in header
    assert "named no message that was there: “nope”. Nothing was removed by it." in header
    view = area(qtbot, window, MESSAGES)
    assert view.table.model().rowCount() == 1, "no removal is a bubble"


def test_the_cut_between_call_and_result_is_shown_as_it_is(qtbot, make_window, tmp_path: Path) -> None:
    state = [
        HumanMessage("go", id="h"),
        AIMessage("", id="a", tool_calls=[{"name": "f", "args": {}, "id": id} for id in "12"]),
        ToolMessage("r1", tool_call_id="1", id="t1"),
        ToolMessage("r2", tool_call_id="2", id="t2"),
        AIMessage("done", id="b"),
    ]
    summary = HumanMessage("SUMMARY", additional_kwargs={"lc_source": "summarization"})
    event: Any = {"cutoff_index": 3, "summary_message": summary, "file_path": None}
    window = make_window(of_state(tmp_path / "case.db", messages=state, _summarization_event=event))
    sent = area(qtbot, window, MESSAGES).table.model()
    rows = [aloud(sent, row) for row in range(sent.rowCount())]
    assert len(rows) == 3
    assert "summary" in rows[0].casefold()
    assert "human" not in rows[0].casefold(), "not something the user said"
    assert "no call · raw 1" in rows[1], "it points to its call above the cut line"
    both = area(qtbot, window, RAW_EFFECTIVE).table.model()
    lines = [aloud(both, row) for row in range(both.rowCount())]
    cut = next(n for n, line in enumerate(lines) if "the cut stands before this" in line)
    assert any("r1" in line for line in lines[:cut])
    assert any("r2" in line for line in lines[cut:])


def aloud(model: Any, row: int) -> str:
    """What all cells of a row say."""
    from PySide6.QtCore import Qt

    cells = [model.index(row, column) for column in range(model.columnCount())]
    return " ".join(str(cell.data(Qt.ItemDataRole.AccessibleTextRole) or cell.data() or "") for cell in cells)
