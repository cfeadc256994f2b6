"""The request: titles that count, one area at work, keys, states, and what it remembers while stepping."""

from dataclasses import replace

import pytest
from langchain_core.messages import HumanMessage
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLabel, QLineEdit, QPlainTextEdit, QWidget

from inspector import theme
from inspector.views.request import AREAS, MESSAGES, RequestView, titles
from inspector.views.request_header import EXACT, REWRITTEN, describe
from tests.inspector.request_samples import (
    PartsReader,
    at_once,
    make_detail,
    message_rows,
    raw_rows,
    same,
    system_blocks,
    tool_rows,
)
from tests.inspector.values import HOSTILE, request

READ = AREAS[:5]
"""Areas that are read from the record; Why and Diff are worked out from it, and have tests of their own."""


@pytest.fixture
def parts() -> PartsReader:
    return PartsReader()


@pytest.fixture
def view(qtbot, jobs, parts, colours) -> RequestView:
    made = RequestView(parts, jobs)
    qtbot.addWidget(made)
    made.resize(900, 600)
    made.show()
    return made


def whole(parts: PartsReader, number: int = 1, **changes):
    messages = message_rows(parts, [HumanMessage(f"text {n} of {number}") for n in range(40)])
    raw = raw_rows(parts, [HumanMessage(f"text {n} of {number}") for n in range(40)], ["sent"] * 40)
    values = {
        "system": system_blocks(parts, ("caller", "You are."), ("MemoryMiddleware", "x" * 40)),
        "messages": messages, "tools": tool_rows(parts, {"name": "look", "description": "Look."}),
        "raw": raw, "aligned": tuple(map(same, raw, messages)), "provider": {"model": "m"},
    }  # fmt: skip
    return make_detail(number, **{**values, **changes})


def test_titles_count_messages_tools_and_tokens(parts) -> None:
    detail = whole(parts)
    system, messages, tools, provider, both = titles(detail)
    assert system == "System ~12"
    assert messages.startswith("Messages 40 · ~")
    assert tools.startswith("Tools 1 · ~")
    assert (provider, both) == ("Provider", "Raw ↔ Effective")


def test_only_the_area_in_front_works(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    at_once(qtbot, jobs, view)
    assert view.area() == MESSAGES
    assert view.messages.model.rowCount() == 40
    assert view.system.model.rowCount() == view.tools.model.rowCount() == 0
    assert view.raw_effective.model.rowCount() == 0
    view.show_area(0)
    assert view.system.model.rowCount() == 3
    assert view.tools.model.rowCount() == 0
    view.show_area(4)
    assert view.raw_effective.model.rowCount() == 40


def test_hidden_it_does_nothing_until_it_is_shown(qtbot, jobs, view, parts) -> None:
    view.hide()
    view.show_request(whole(parts), None)
    qtbot.waitUntil(jobs.idle)
    assert parts.asked == []
    assert view.messages.model.rowCount() == 0
    view.show()
    at_once(qtbot, jobs, view)
    assert view.messages.model.rowCount() == 40
    assert parts.asked


def test_an_area_comes_to_the_front_and_the_keyboard_goes_along_inside_only(qtbot, jobs, view, parts) -> None:
    outside = QLineEdit()
    qtbot.addWidget(outside)
    outside.show()
    view.show_request(whole(parts), None)
    at_once(qtbot, jobs, view)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    view.show_area(MESSAGES)
    assert view.focusWidget() is view.messages.table
    for n in (0, 2, 3, 4, 1):
        view.bring_area(n)
        assert view.area() == n
        assert view.focusWidget() is view._areas[n].table
    outside.activateWindow()
    outside.setFocus()
    qtbot.waitUntil(outside.hasFocus)
    view.bring_area(2)
    assert view.area() == 2 and outside.hasFocus()
    at_once(qtbot, jobs, view)


def test_each_area_has_a_text_to_search(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    for n in range(len(READ)):
        view.show_area(n)
        at_once(qtbot, jobs, view)
        if n == 3:
            assert view.find_target() is None  # there is no response
            view.provider.tabs.setCurrentWidget(view.provider.json)
        view.find_target().open_find()
        assert view.find_target()._find.isVisible()


def test_the_chosen_area_and_selection_stay_while_stepping(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts, 1), None)
    view.show_area(0)
    view.system.table.setCurrentIndex(view.system.model.index(2, 0))
    view.show_request(whole(parts, 2), None)
    at_once(qtbot, jobs, view)
    assert view.area() == 0
    assert view.system.table.currentIndex().row() == 2
    assert view.header.title.text() == "Request 2"


def test_the_header_says_what_is_exact(qtbot, view, parts) -> None:
    view.show_request(whole(parts), None)
    assert view.header.exact.text() == EXACT
    view.show_request(whole(parts, 2, exact=False), None)
    assert view.header.exact.text() == REWRITTEN


def test_the_header_line_names_agent_purpose_model_and_time() -> None:
    row = request(3, agent="researcher", purpose="subagent", model="m", duration_ms=340.0)
    assert describe(row).startswith("researcher · subagent · m · ")
    assert describe(row).endswith(" · 340 ms")
    assert describe(request(1)).startswith("main agent · scripted · ")
    assert "summarizing call" in describe(request(1, purpose="summary"))
    assert " · running · " in describe(request(1, status="running"))


@pytest.mark.parametrize("text", HOSTILE)
def test_errors_and_names_are_shown_letter_by_letter(qtbot, jobs, view, parts, text) -> None:
    row = request(1, status="failed", error=text, agent=text, model=text)
    view.show_request(whole(parts, row=row), None)
    at_once(qtbot, jobs, view)
    assert view.header.error.isVisible()
    assert view.header.error.textFormat() == Qt.TextFormat.PlainText
    shown = view.header.error.text().replace("‹", "").replace("›", "")
    assert shown[:3] == text.replace("\x1b", "ESC")[:3]
    assert view.header.says.text().startswith(text)
    for label in view.findChildren(QLabel):
        assert label.textFormat() == Qt.TextFormat.PlainText or not label.text()
    view.show_request(whole(parts, 2), None)
    assert not view.header.error.isVisible()


def test_loading_leaves_what_is_shown_and_is_told_when_it_takes_its_time(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts, 1), None)
    view.show_loading(request(2))
    assert view.header.title.text() == "Request 1"
    assert view.pane.state() == "content"
    qtbot.waitUntil(lambda: view.pane.state() == "loading")
    qtbot.waitUntil(lambda: view.header.title.text() == "Request 2")
    view.show_request(whole(parts, 2), None)
    assert view.pane.state() == "content"
    assert view.header.exact.text() == EXACT


def test_clear_and_errors_are_said(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    view.clear()
    assert view.pane.message().startswith("No request is selected.")
    assert view.tabs.tabText(MESSAGES) == AREAS[MESSAGES]
    assert view.detail() is None
    view.show_error("Request 3 is damaged.")
    assert "Request 3 is damaged." in view.pane.message()


def test_the_header_leads_to_the_request_that_started_it(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    assert not view.header.parent_button.isVisible()
    view.show_request(whole(parts, row=request(2, purpose="subagent", parent=17)), None)
    with qtbot.waitSignal(view.go_to_request) as asked:
        view.header.parent_button.click()
    assert asked.args == [17]
    view.show_request(whole(parts, row=request(3, purpose="summary", parent=18)), None)
    assert "written for" in view.header.parent_button.text()


def test_signals_of_the_areas_come_through(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    for area in (view.messages, view.provider, view.raw_effective):
        with qtbot.waitSignal(view.open_artifact) as opened:
            area.open_artifact.emit("/a")
        assert opened.args == ["/a"]
    with qtbot.waitSignal(view.open_summary):
        view.raw_effective.open_summary.emit(3)


def test_the_keyboard_reaches_everything_and_everything_has_a_name(qtbot, jobs, view, parts) -> None:
    view.show_request(whole(parts), None)
    for n in range(len(READ)):
        view.show_area(n)
        at_once(qtbot, jobs, view)
    named = (QAbstractButton, QAbstractItemView, QPlainTextEdit, QLineEdit)
    for widget in view.findChildren(QWidget):
        if isinstance(widget, named) and widget.focusPolicy() != Qt.FocusPolicy.NoFocus:
            interface = QAccessible.queryAccessibleInterface(widget)
            assert interface.text(QAccessible.Text.Name), widget
    view.show_area(MESSAGES)
    index = view.messages.model.index(39, 2)
    spoken = index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken == "39: human, text 39 of 1, 12 characters"


def test_both_schemes_are_painted(qtbot, jobs, view, parts, colours) -> None:
    view.show_request(whole(parts), None)
    pictures = []
    for dark in (False, True):
        theme.apply(colours, dark)
        for n in range(len(READ)):
            view.show_area(n)
            at_once(qtbot, jobs, view)
        pictures.append(view.grab().toImage().pixelColor(5, view.height() - 5).lightness())
    assert pictures[0] > 200 > 80 > pictures[1]


def test_the_report_can_be_stepped_through_in_every_area(qtbot, jobs, reader, colours) -> None:
    view = RequestView(reader, jobs)
    qtbot.addWidget(view)
    view.resize(900, 600)
    view.show()
    thread = next(row.thread_id for row in reader.threads() if "week-22" in row.thread_id)
    previous = None
    for n, id in enumerate(reader.request_ids(thread)):
        detail = reader.request(id)
        view.show_request(detail, previous)
        view.show_area(n % len(READ))
        at_once(qtbot, jobs, view)
        assert view.header.title.text() == f"Request {detail.row.number}"
        assert view.tabs.tabText(MESSAGES).startswith(f"Messages {len(detail.messages)} · ")
        assert view._areas[n % len(READ)].pane.state() == ("content" if _filled(detail, n) else "empty")
        previous = replace(detail)
    view.clear()
    at_once(qtbot, jobs, view)


def _filled(detail, n: int) -> bool:
    lists = (detail.system, detail.messages, detail.tools, (1,), detail.aligned)
    return bool(lists[n % len(READ)])
