"""S16: output that becomes markup. Every sample at every place, letter by letter wherever it is shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QMenu, QTableView, QWidget

from inspector import dialogs, format
from inspector.models.messages import Column
from inspector.models.shown_text import one_line
from tests.cases.databases import MODEL
from tests.cases.looking import MESSAGES, area, cell, choose, pane, requests, said, threads
from tests.engine.sources.databases import put_state, saver_over
from tests.inspector.conftest import WAIT_MS

SAMPLES = [
    "<b>bold</b>", "<img src='/usr/share/pixmaps/debian-logo.png' width=4000>",
    "<a href='https://e.invalid'>Approve</a>", "<table><tr><td>x", "&lt;b&gt; &amp;", "first\n<b>second</b>",
    "[/dim] [bold red]x[/]", "<module 'x' from 'y'> failed", "list<str>",
    "</pre></body><h1>You are logged out</h1>", "<font size=99>big", "\x1b[8mhidden\x1b[0m",
    "%s {0} {name} $x \\n", "<!-- ", "<style>*{color:white}</style>",
]  # fmt: skip
_TIP = re.compile(r"<qt><p style='white-space:pre-wrap; margin:0'>([^<>]*)</p></qt>")
PANES = {"files": "/large_tool_results/{}", "memory": "/memory/{}", "skills": "{}"}
"""Pane → what its one row names."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thread a sample, in which everything is called by it."""
    path = tmp_path_factory.mktemp("s16") / "<b>x & y [*].db"
    with saver_over(path) as saver:
        for sample in SAMPLES:
            kept = f"/large_tool_results/{sample}"
            stub = "Tool result too large, the result of this tool call 1 was saved in the filesystem at this path: "
            messages = [
                HumanMessage(sample, id=sample, name=sample),
                AIMessage(sample, tool_calls=[{"name": sample, "args": {sample: sample}, "id": sample}]),
                ToolMessage(
                    f"{stub}{kept}\n\nYou can read the result …", name=sample, tool_call_id=sample, status="error"
                ),
            ]
            state = {
                "messages": messages,
                "files": {kept: {"content": sample, "encoding": "utf-8"}},
                "memory_contents": {f"/memory/{sample}": sample},
                "skills_metadata": [{"name": sample, "path": f"/s/{sample}/SKILL.md", "description": sample}],
            }
            config = put_state(saver, sample, state, lc_agent_name=sample, agent_name=sample)
            saver.put_writes(config, [("__error__", RuntimeError(sample))], "task", MODEL)
    return path


def row_of(table: QTableView) -> list[str]:
    """The first row of a list, cell by cell."""
    return [cell(table, 0, column) for column in range(table.model().columnCount())]


def tips_in(window: QWidget) -> Iterator[str]:
    """Every tooltip: of widgets, and of the cells of every list that is seen."""
    for widget in window.findChildren(QWidget):
        yield widget.toolTip()
        if isinstance(widget, QTableView) and widget.isVisible() and widget.model() is not None:
            model = widget.model()
            for row in range(min(model.rowCount(QModelIndex()), 40)):
                for column in range(model.columnCount(QModelIndex())):
                    yield str(model.index(row, column).data(Qt.ItemDataRole.ToolTipRole) or "")


def harmless(window: QWidget) -> None:
    """No label guesses, and no tooltip holds a tag that is not ours."""
    for label in window.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText or isinstance(label.parent(), QMenu), label.text()
    for words in tips_in(window):
        assert "<" not in words or _TIP.fullmatch(words), words


def test_every_sample_is_shown_letter_by_letter_at_every_place(qtbot, make_window, file: Path, faults: list) -> None:
    window = make_window(file)
    assert window.windowTitle().startswith("<b>x & y [*][*].db"), "Qt shows [*][*] as [*]"
    listed = threads(window)
    assert set(listed) == set(SAMPLES)
    for sample in SAMPLES:
        shown = format.one_line(sample)
        assert shown in listed[sample], "title"
        choose(qtbot, window, sample)
        (row,) = requests(window)
        assert row[1] == shown, "agent"
        error = repr(RuntimeError(sample))  # as LangGraph keeps it
        assert format.one_line(error) in row[-1]
        assert one_line(error) in said(window.desk.request.header)
        view = area(qtbot, window, MESSAGES)
        qtbot.waitUntil(lambda view=view: "→" in cell(view.table, 1, Column.TEXT), timeout=WAIT_MS)
        assert cell(view.table, 0, Column.TEXT) == one_line(sample.splitlines()[0].strip()), "first line"
        called = cell(view.table, 1, Column.TEXT)
        assert called.startswith(one_line(sample.splitlines()[0].strip())), "text"
        assert f"→ {one_line(sample, 60)}" in called, "tool name"
        assert one_line(sample) in cell(view.table, 2, Column.FROM)
        view.table.setCurrentIndex(view.table.model().index(1, Column.TEXT))
        qtbot.waitUntil(lambda view=view: view.message.state() == "content", timeout=WAIT_MS)
        qtbot.waitUntil(window.jobs.idle, timeout=WAIT_MS)
        labels = [piece.label for piece in view.message.pieces()]
        assert sample in labels, "argument key"
        assert f"Call {sample}" in labels
        menu = view.menu(view.table.model().index(2, Column.TEXT))
        (opens,) = [action.text() for action in menu.actions() if action.text().startswith("Open /")]
        assert opens.replace("&&", "&") == f"Open {format.one_line('/large_tool_results/' + sample, 60)}"
        assert not re.search(r"(?<!&)&(?!&)", opens.replace("&&", "")), "no letter becomes a key"
        menu.deleteLater()
        for name, path in PANES.items():
            table = pane(qtbot, window, name).findChild(QTableView)
            qtbot.waitUntil(lambda table=table: table.model().rowCount() == 1, timeout=WAIT_MS)
            assert format.one_line(path.format(sample)) in " ".join(row_of(table)), name
        harmless(window)
    assert not faults


@pytest.mark.parametrize("sample", SAMPLES)
def test_boxes_and_tooltips_show_every_sample(qtbot, sample: str) -> None:
    box = dialogs.ErrorDialog(sample, sample)
    qtbot.addWidget(box)
    assert format.marked(sample) in said(box)
    harmless(box)
    document = QTextDocument()
    document.setHtml(format.tip(sample))
    assert document.toPlainText() == format.marked(sample)
