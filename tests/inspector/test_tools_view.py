"""Tools: schemas in any spelling, in the order in which they were bound."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from inspector.models.shown_text import one_line
from inspector.models.tools import Column, parameters_of
from inspector.views.tools import ToolsView
from tests.inspector.request_samples import PartsReader, at_once, make_detail, tool_rows
from tests.inspector.values import HOSTILE

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}, "limit": {}}, "required": ["query"]}
OPENAI = {"type": "function", "function": {"name": "search", "description": "Find <b>it</b>.", "parameters": SCHEMA}}
ANTHROPIC = {"name": "fetch", "description": "Get.", "input_schema": SCHEMA}
RESPONSES = {"type": "function", "name": "look", "parameters": {"type": "object", "properties": {}}}
OWN = {"type": "web_search_20250305", "name": "web_search"}


@pytest.fixture
def parts() -> PartsReader:
    return PartsReader()


@pytest.fixture
def view(qtbot, jobs, parts) -> ToolsView:
    made = ToolsView(parts, jobs)
    qtbot.addWidget(made)
    made.resize(1000, 400)
    made.show()
    return made


def column(view: ToolsView, which: Column) -> list[str]:
    return [view.model.index(n, which).data() for n in range(view.model.rowCount())]


@pytest.mark.parametrize(
    ("schema", "line"),
    [
        (OPENAI, "2: query*, limit"), (ANTHROPIC, "2: query*, limit"), (RESPONSES, "none"),
        (OWN, "the provider's own tool"), ({"name": "x"}, "none named"), ("odd", "not an object"),
        ({"type": "function", "function": {"name": "x", "parameters": {"properties": None}}}, "none"),
    ],
)  # fmt: skip
def test_parameters_are_found_in_every_spelling(schema: object, line: str) -> None:
    assert parameters_of(schema).line == line


def test_tools_stand_as_they_were_bound(qtbot, jobs, view, parts) -> None:
    tools = tool_rows(parts, OPENAI, ANTHROPIC, RESPONSES, OWN)
    view.show_request(make_detail(tools=tools), None)
    at_once(qtbot, jobs, view)
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert column(view, Column.NAME) == ["search", "fetch", "look", "web_search"]
    assert column(view, Column.ABOUT) == ["Find <b>it</b>.", "Get.", "no description", "no description"]
    assert column(view, Column.PARAMETERS)[0] == "2: query*, limit"
    assert column(view, Column.CALLS) == ["0", "1", "2", "3"]
    assert view.description.text() == "Find <b>it</b>."
    assert json.loads(view.schema.text()) == OPENAI
    assert view.schema.text() == parts.json_text(tools[0].part)
    view.table.setCurrentIndex(view.model.index(3, 0))
    at_once(qtbot, jobs, view)
    assert view.description.message() == "This tool has no description."
    assert json.loads(view.schema.text()) == OWN


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter(qtbot, jobs, view, parts, text) -> None:
    tool = {"name": text, "description": text, "input_schema": {"properties": {text: {}}}}
    view.show_request(make_detail(tools=tool_rows(parts, tool)), None)
    at_once(qtbot, jobs, view)
    assert column(view, Column.NAME) == [one_line(text)]
    assert column(view, Column.PARAMETERS) == [f"1: {one_line(text)}"]
    assert view.description.text() == text
    tip = view.model.index(0, Column.ABOUT).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip.removeprefix("<qt>")
    assert view.title.text().startswith(text)


def test_the_tool_stays_chosen_by_its_name(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(1, tools=tool_rows(parts, OPENAI, ANTHROPIC)), None)
    view.table.setCurrentIndex(view.model.index(1, 0))
    view.show_request(make_detail(2, tools=tool_rows(parts, ANTHROPIC, OPENAI)), None)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 0
    assert view.description.text() == "Get."


def test_no_tools_is_said(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(), None)
    assert view.pane.message().startswith("This request was sent without tools.")


def test_tools_of_the_demo_are_shown_as_recorded(qtbot, jobs, reader) -> None:
    view = ToolsView(reader, jobs)
    qtbot.addWidget(view)
    view.resize(1000, 400)
    view.show()
    seen: set[tuple[int, ...]] = set()
    for thread in reader.threads():
        for id in reader.request_ids(thread.thread_id):
            detail = reader.request(id)
            bound = tuple(tool.part for tool in detail.tools)
            if bound in seen or not bound:
                continue
            seen.add(bound)
            view.show_request(detail, None)
            at_once(qtbot, jobs, view)
            assert column(view, Column.NAME) == [tool.name for tool in detail.tools]
            assert "…" not in column(view, Column.PARAMETERS)
            for tool in detail.tools:
                view.table.setCurrentIndex(view.model.index(tool.index, 0))
                at_once(qtbot, jobs, view)
                assert view.schema.text() == reader.json_text(tool.part)
                assert view.description.text() == tool.description
    assert seen
