"""Stepping from any pane, through what the filter lets through, and along one agent."""

import pytest

from inspector.models.rows import Rows, same_agent
from tests.inspector.conftest import settle
from tests.inspector.test_keys import press
from tests.inspector.test_window import open_thread
from tests.inspector.values import request


@pytest.fixture
def window(qtbot, make_window, demo_path):
    made = make_window(demo_path)
    open_thread(qtbot, made)
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def filter_by(qtbot, window, query: str) -> None:
    window.desk.filter.open()
    window.desk.filter.box.setText(query)
    window.desk.filter.box.tell_now()
    settle(qtbot, window)


def test_steps_and_jumps_visit_only_what_the_filter_lets_through(qtbot, window):
    session, table = window.session, window.desk.requests.table
    everything = list(session.rows.ids)
    filter_by(qtbot, window, "purpose:subagent")
    passing = [row.id for row in session.rows.known() if row.purpose == "subagent"]
    assert 2 < len(passing) < len(everything) and list(session.shown) == passing
    says = window.desk.filter.says
    passed = f"{len(passing)} of {len(everything)} requests pass"
    assert says.text() == f"{passed}; request {session.request_row().number}, which is shown below, does not"
    table.setFocus()
    press(qtbot, table, "Home")
    assert says.text() == passed
    walked = [session.request_id]
    for _ in passing:
        press(qtbot, table, "J")
        walked.append(session.request_id)
    assert walked == [*passing, passing[-1]]
    press(qtbot, table, "K")
    assert session.request_id == passing[-2]
    press(qtbot, table, "End")
    assert session.request_id == passing[-1]
    window.desk.chart.plot.setFocus()
    press(qtbot, window.desk.chart.plot, "Left")
    assert session.request_id == passing[-2]
    table.setFocus()
    press(qtbot, table, "N")  # subagents of the demo write no summary
    assert session.request_id == passing[-2]
    assert "that the filter lets through" in window.status.problem.text()
    filter_by(qtbot, window, "purpose:agent")
    passing = list(session.shown)
    table.setFocus()
    outside = next(id for id in everything if passing[0] < id < passing[-1] and id not in passing)
    session.select_request(outside)
    press(qtbot, table, "J")
    assert session.request_id == next(id for id in passing if id > outside)
    session.select_request(outside)
    press(qtbot, table, "K")
    assert session.request_id == [id for id in passing if id < outside][-1]
    window.desk.filter.close_bar()
    assert session.shown is None
    session.select_index(0)
    press(qtbot, table, "J")
    assert session.request_id == everything[1]


def test_where_nothing_passes_it_says_what_to_do(qtbot, window):
    session, before = window.session, window.session.request_id
    filter_by(qtbot, window, "agent:nobody-of-that-name")
    assert window.desk.filter.says.text().startswith("0 of ")
    assert window.desk.requests.pane.state() == "empty"
    assert "passes the filter" in window.desk.requests.pane.message()
    for key in ("Alt+Down", "Alt+Up", "Alt+Home", "Alt+End", "Ctrl+Alt+N", "Ctrl+Alt+Shift+O"):
        window.status.problem.set_text("")
        press(qtbot, window.desk.filter.box, key)
        assert window.status.problem.text() == (
            "No request passes the filter. Change it, or close it to step through all."
        )
    assert session.request_id == before
    press(qtbot, window.desk.filter.box, "Escape")
    assert window.desk.requests.pane.state() == "content"
    assert window.desk.requests.model.rowCount() == len(session.rows)


def test_a_filter_stays_when_another_thread_is_chosen(qtbot, window):
    session = window.session
    filter_by(qtbot, window, "purpose:agent")
    other = next(row for row in session.threads if row.thread_id != session.thread_id and row.requests > 3)
    window.choose_thread(other.thread_id)
    settle(qtbot, window)
    assert list(session.shown) == [row.id for row in session.rows.known() if row.purpose == "agent"]
    assert window.desk.requests.model.rowCount() == len(session.shown)


def test_it_works_from_every_pane_and_while_typing(qtbot, window):
    session = window.session
    for name in ("threads", "requests", "request", "files", "summaries", "memory", "skills", "composer", "ledger",
                 "find"):  # fmt: skip
        window.focus(name)
        settle(qtbot, window)
        holder = window.focusWidget()
        assert holder is not None, name
        session.select_index(3)
        for key, expected in (("Alt+Down", 4), ("Alt+Up", 3), ("Alt+End", len(session.rows) - 1), ("Alt+Home", 0)):
            press(qtbot, holder, key)
            assert session.rows.index(session.request_id) == expected, (name, key)
        settle(qtbot, window)
        assert window.focusWidget() is holder, name
    window.focus("composer")
    window.composer.edit.setPlainText("half a sentence")
    press(qtbot, window.composer.edit, "Ctrl+Alt+N")
    assert session.rows.index(session.request_id) > 0
    assert window.composer.edit.toPlainText() == "half a sentence"
    window.composer.edit.clear()


def test_the_same_agent_is_followed_past_the_others(qtbot, window):
    session, table = window.session, window.desk.requests.table
    table.setFocus()
    keys = {same_agent(row) for row in session.rows.known()} - {None}
    assert len(keys) > 1
    for agent in keys:
        own = [row.id for row in session.rows.known() if same_agent(row) == agent]
        session.select_request(own[0])
        walked = [own[0]]
        for _ in own[1:]:
            press(qtbot, table, "Shift+J")
            walked.append(session.request_id)
        assert walked == own
        press(qtbot, table, "Shift+J")
        assert "There is no request of this agent after this request" in window.status.problem.text()
        if len(own) > 1:
            press(qtbot, table, "Shift+K")
            assert session.request_id == own[-2]
    alone = next(row for row in session.rows.known() if same_agent(row) is None)
    session.select_request(alone.id)
    press(qtbot, table, "Alt+Shift+Down")
    assert session.request_id == alone.id and "stands alone" in window.status.problem.text()


def test_every_place_steps_to_its_neighbours():
    rows = Rows(range(10, 20))
    shown = [11, 14, 15, 18]
    for start in (None, *range(10, 20)):
        after = [id for id in shown if start is None or id > start]
        before = [id for id in shown if start is not None and id < start]
        assert rows.step(start, 1, shown) == (after[0] if after else shown[-1])
        if start is not None:
            assert rows.step(start, -1, shown) == (before[-1] if before else shown[0])
    assert rows.step(12, 1, []) is None and rows.step(12, 1) == 13 and rows.step(19, 1) == 19
    assert Rows().step(None, 1) is None
    rows.put([request(10)])
    assert rows.step(10, -1) == 10
