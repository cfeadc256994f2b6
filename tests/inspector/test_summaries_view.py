"""Summaries: every event in order, its text, what it evicted, and where one can go from it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt

from engine.errors import InspectorError
from inspector.jobs import Jobs
from inspector.views.plain_text import Link
from inspector.views.summaries import SummariesView
from tests.inspector.side_world import MARKUP, FakeReader, raw, rich_labels, summary, unnamed


@pytest.fixture
def jobs(qapp) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def reader() -> FakeReader:
    made = FakeReader()
    made.texts = {1001: "first summary", 1002: "second summary", 1003: MARKUP}
    made.evictions = {1: [raw(n, 5000 + n) for n in range(20)]}
    made.texts |= {5000 + n: f"whole message {n}" for n in range(20)}
    return made


@pytest.fixture
def view(qtbot, reader, jobs) -> SummariesView:
    made = SummariesView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(340, 500)
    return made


def settled(qtbot, jobs: Jobs) -> None:
    qtbot.waitUntil(jobs.idle)


def show(qtbot, view: SummariesView, jobs: Jobs) -> None:
    view.show()
    view.set_thread("t")
    settled(qtbot, jobs)


def cells(view: SummariesView, row: int) -> list[str]:
    proxy = view.table.proxy
    return [proxy.index(row, column).data() for column in range(proxy.columnCount())]


def links(view: SummariesView) -> dict[str, Link]:
    return {each.text(): each for each in view.facts.findChildren(Link) if not each.isHidden()}


def test_every_event_in_order_not_only_the_last(qtbot, view, reader, jobs, qtmodeltester) -> None:
    reader.put("summaries", "t", summary(1), summary(2, path=None), summary(3))
    show(qtbot, view, jobs)
    qtmodeltester.check(view.model)
    assert [cells(view, row)[0] for row in range(3)] == ["1", "2", "3"]
    first, second = cells(view, 0), cells(view, 1)
    assert first[2:] == ["#10", "20", "~38k → ~12k", "yes"]
    assert second[2:] == ["#20", "20", "~38k → ~12k", "no"]
    assert view.text.text() == "first summary"
    assert view.facts.text().startswith("Summary 1\n")
    view.table.select(2)
    settled(qtbot, jobs)
    assert view.text.text() == "second summary"
    said = view.facts.text()
    assert said.startswith("Summary 2, of a summary\n")
    assert "20 messages, raw 21 to 40" in said
    assert "the old messages were not saved" in said


def test_the_links_go_where_they_say(qtbot, view, reader, jobs) -> None:
    reader.put("summaries", "t", summary(1))
    show(qtbot, view, jobs)
    found = links(view)
    assert list(found) == ["Request 10", "Summarizing call", "History file"]
    with qtbot.waitSignal(view.go_to_request) as caught:
        found["Request 10"].click()
    assert caught.args == [101]
    with qtbot.waitSignal(view.go_to_request) as caught:
        found["Summarizing call"].click()
    assert caught.args == [201]
    with qtbot.waitSignal(view.open_artifact) as caught:
        found["History file"].click()
    assert caught.args == ["/conversation_history/session_1.md"]
    with qtbot.waitSignal(view.go_to_request) as caught:
        view.table.clicked.emit(view.table.proxy.index(0, 2))
    assert caught.args == [101]


def test_what_is_not_known_has_no_link(qtbot, view, reader, jobs) -> None:
    reader.put("summaries", "t", summary(1, request=None, request_number=None, summary_request=None, path=None))
    show(qtbot, view, jobs)
    assert links(view) == {}
    assert cells(view, 0)[2] == "–"
    assert "No request has been sent with it." in view.table.proxy.index(0, 2).data(Qt.ItemDataRole.ToolTipRole)


def test_selecting_by_event_now_and_before_it_is_read(qtbot, view, reader, jobs) -> None:
    reader.put("summaries", "t", summary(1), summary(2))
    view.show()
    view.set_thread("t")
    view.select(2)
    settled(qtbot, jobs)
    assert view.table.current().event == 2
    view.select(1)
    settled(qtbot, jobs)
    assert view.text.text() == "first summary"
    reader.put("summaries", "t", summary(1), summary(2), summary(3))
    view.select(3)
    settled(qtbot, jobs)
    assert view.text.text() == MARKUP


def test_evicted_messages_are_read_when_they_are_looked_at(qtbot, view, reader, jobs, qtmodeltester) -> None:
    reader.put("summaries", "t", summary(1), summary(2))
    show(qtbot, view, jobs)
    assert not any(what == "evicted" for what, _ in reader.asked)
    assert view.tabs.tabText(1) == "Evicted · 20"
    view.tabs.setCurrentIndex(1)
    settled(qtbot, jobs)
    qtbot.waitUntil(lambda: view.evicted.table.proxy.index(0, 2).data() == "first line of 5000")
    qtmodeltester.check(view.evicted.model)
    assert view.evicted.model.rowCount() == 20
    assert view.evicted.table.proxy.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "Human"
    view.evicted.table.selectRow(3)
    settled(qtbot, jobs)
    assert view.evicted.text.text() == "whole message 3"
    view.table.select(2)
    settled(qtbot, jobs)
    assert view.evicted.model.rowCount() == 0
    assert view.evicted.text.message() == "No message was evicted by this summary alone."


def test_first_lines_are_asked_for_in_pages(qtbot, view, reader, jobs) -> None:
    reader.evictions[1] = [raw(n, 5000 + n) for n in range(5_000)]
    reader.put("summaries", "t", summary(1, cutoff=5_000))
    show(qtbot, view, jobs)
    view.tabs.setCurrentIndex(1)
    qtbot.waitUntil(lambda: view.evicted.table.proxy.index(0, 2).data() == "first line of 5000")
    view.evicted.table.scrollToBottom()
    qtbot.waitUntil(lambda: view.evicted.table.proxy.index(4_999, 2).data() == "first line of 9999")
    asked = [parts for what, parts in reader.asked if what == "heads"]
    assert max(map(len, asked)) <= 128
    assert sum(map(len, asked)) < 1_000


def test_a_refresh_keeps_the_selection(qtbot, view, reader, jobs) -> None:
    reader.put("summaries", "t", summary(1), summary(2))
    show(qtbot, view, jobs)
    view.table.select(2)
    settled(qtbot, jobs)
    reads = [each for each in reader.asked if each[0] == "text"]
    reader.put("summaries", "t", summary(1), summary(2), summary(3))
    view.refresh()
    settled(qtbot, jobs)
    assert view.table.current().event == 2
    assert [each for each in reader.asked if each[0] == "text"] == reads


def test_the_states(qtbot, view, reader, jobs) -> None:
    show(qtbot, view, jobs)
    assert "Nothing has been summarized" in view.pane.message()
    reader.error = InspectorError("The record is damaged.")
    view.refresh()
    settled(qtbot, jobs)
    assert view.pane.state() == "error"
    assert "The record is damaged." in view.pane.message()
    view.set_thread(None)
    assert "No thread is selected." in view.pane.message()


def test_markup_shows_letter_by_letter_and_all_is_named(qtbot, view, reader, jobs) -> None:
    reader.put("summaries", "t", summary(3, path=f"/{MARKUP}"))
    show(qtbot, view, jobs)
    assert view.text.text() == MARKUP
    assert f"/{MARKUP}" in view.facts.text()
    assert "&lt;b&gt;" in view.table.proxy.index(0, 5).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;" in links(view)["History file"].toolTip()
    assert rich_labels(view) == []
    assert unnamed(view) == []
