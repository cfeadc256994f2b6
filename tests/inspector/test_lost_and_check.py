"""What summaries lost, what tools cost over the thread, and the check of a file: the engine's answers, with links."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import engine
from engine import Explainer
from engine.explain.model import Integrity, IntegrityDifference, MissingArtifact
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.check import findings, verdict
from inspector.models.lost import kinds
from inspector.models.tools import NEVER, Column
from inspector.views.check import CheckDialog
from inspector.views.plain_text import Link
from inspector.views.request import RequestView
from inspector.views.summaries import SummariesView
from tests.inspector.conftest import settle
from tests.inspector.test_why_view import MAIN, of


@pytest.fixture
def summaries(qtbot: Any, jobs: Jobs, reader: Any, colours: Any) -> Iterator[SummariesView]:
    made = SummariesView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(360, 700)
    made.show()
    yield made
    made.close_jobs()


def test_what_a_summary_lost_is_the_engines_and_leads_to_the_requests(
    qtbot: Any, jobs: Jobs, summaries: SummariesView, reader: Any
) -> None:
    summaries.set_thread(MAIN)
    qtbot.waitUntil(jobs.idle)
    assert summaries.lost.lost is None  # nothing is worked out before somebody looks
    summaries.tabs.setCurrentWidget(summaries.lost)
    qtbot.waitUntil(jobs.idle)
    reports = Explainer(reader).summaries(MAIN)
    ids = {row.number: row.id for row in reader.request_rows(reader.request_ids(MAIN))}
    for report in reports:
        summaries.select(report.summary.event)
        qtbot.waitUntil(jobs.idle)
        pane = summaries.lost
        assert set(pane.model.items) == set(report.needed)
        assert pane.says.text().startswith(format.count(len(report.needed), "thing"))
        assert f"Not in the summary: {kinds(report.lost)}" in pane.says.text()
        fact = next(fact for fact in report.needed if fact.read_back_in and fact.used_in)
        pane.table.select((fact.kind, fact.text))
        assert f"raw message {fact.raw_index + 1}" in pane.facts.text()
        row = pane.facts._links
        (back, *used) = [link for n in range(row.count()) if isinstance(link := row.itemAt(n).widget(), Link)]
        for link, number in ((back, fact.read_back_in[0]), (used[0], fact.used_in[0])):
            with qtbot.waitSignal(summaries.go_to_request) as asked:
                link.click()
            assert asked.args == [ids[number]]


def test_a_summary_that_lost_nothing_that_was_needed_says_so(
    qtbot: Any, jobs: Jobs, summaries: SummariesView, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    reports = [replace(report, needed=()) for report in Explainer(reader).summaries(MAIN)]
    monkeypatch.setattr(Explainer, "summaries", lambda *_args: reports)
    summaries.tabs.setCurrentWidget(summaries.lost)
    summaries.set_thread(MAIN)
    qtbot.waitUntil(jobs.idle)
    assert summaries.lost.inner.message().startswith("Nothing that it lost was needed later.")
    assert summaries.lost.says.text().startswith("0 things")


def test_tools_show_what_they_cost_over_the_thread(qtbot: Any, jobs: Jobs, reader: Any, colours: Any) -> None:
    view = RequestView(reader, jobs)
    qtbot.addWidget(view)
    view.resize(1100, 500)
    view.show()
    view.show_request(of(reader, 55), None)
    view.show_area(2)
    qtbot.waitUntil(jobs.idle)
    costs = {cost.name: cost for cost in Explainer(reader).tools(MAIN).tools}
    model = view.tools.model
    for n, tool in enumerate(model.tools):
        cost = costs[tool.name]
        shown = [model.index(n, column).data() for column in (Column.SENT, Column.RESULTS, Column.ERRORS)]
        results = format.size(cost.result_tokens) if cost.calls else NEVER
        assert shown == [format.size(cost.tokens_sent), results, format.exact(cost.errors)]
    assert {model.tools[n].name for n in range(len(model.tools)) if model.index(n, Column.RESULTS).data() == NEVER} == {
        cost.name for cost in Explainer(reader).tools(MAIN).never_called if cost.name in {t.name for t in model.tools}
    }
    view.close_jobs()


@pytest.fixture
def tampered(demo_copy: Path) -> Path:
    """The demo workspace with a preview that nobody's rule makes."""
    with closing(engine.Reader(demo_copy)) as reader:
        row = next(row for row in reader.request_rows(reader.request_ids(MAIN)) if row.number == 30)
        (offloaded,) = [one for one in reader.request(row.id).messages if one.fate == "offloaded"]
        message = reader.message(offloaded.part)
    head, *lines = message["data"]["content"].split("\n")
    changed = [f"{line}!" if line.lstrip().startswith("3  ") else line for line in lines]
    message["data"]["content"] = "\n".join([head, *changed])
    with sqlite3.connect(demo_copy) as db:
        db.execute("UPDATE parts SET packed = 0, body = ? WHERE id = ?", (json.dumps(message).encode(), offloaded.part))
    db.close()
    return demo_copy


def checked(qtbot: Any, window: Any) -> CheckDialog:
    """Run the command, and wait for its answer."""
    assert window.commands.run("file.check")
    dialog = window.findChild(CheckDialog)
    qtbot.waitUntil(lambda: dialog.found is not None, timeout=20_000)
    return dialog


def test_a_clean_workspace_has_nothing_wrong(qtbot: Any, make_window: Any, demo_path: Path) -> None:
    window = make_window(demo_path)
    dialog = checked(qtbot, window)
    assert dialog.pane.state() == "empty"
    assert dialog.pane.message().startswith("Nothing wrong in 100 requests. 3 of them were made without raw messages")
    dialog.close()


def test_differences_are_listed_and_lead_to_their_requests(qtbot: Any, make_window: Any, tampered: Path) -> None:
    window = make_window(tampered)
    dialog = checked(qtbot, window)
    expected = dialog.found
    assert expected is not None and expected.differences
    assert dialog.pane.state() == "content"
    assert dialog.verdict.text().startswith(f"{len(expected.differences)} difference")
    assert [row.request for row in dialog.model.items] == [one.request for one in expected.differences]
    window.session.select_thread("competitor-report-week-23")
    settle(qtbot, window)
    row = dialog.model.items[0]
    dialog.table.link_clicked.emit(row)
    settle(qtbot, window)
    assert (window.session.thread_id, window.session.request_id) == (row.thread_id, row.request)
    dialog.close()


def test_closing_the_check_stops_it(qtbot: Any, jobs: Jobs, reader: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    going = threading.Event()
    ended = threading.Event()

    def endless(_self: Any, _threads: Any, progress: Any) -> Any:
        going.set()
        try:
            while True:
                progress(3, 100, "<b>thread</b>")
                ended.wait(0.01)
        finally:
            ended.set()

    monkeypatch.setattr(Explainer, "check", endless)
    dialog = CheckDialog(jobs, Explaining(reader), "file.ctx")
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: dialog.pane.state() == "loading" and "3 of 100" in dialog.pane._loading_page.far.text())
    assert "<b>thread</b>" in dialog.pane._loading_page.far.text()
    dialog.hide()
    qtbot.waitUntil(ended.is_set)
    qtbot.waitUntil(jobs.idle)
    assert dialog.found is None


def test_findings_say_what_and_where() -> None:
    found = Integrity(
        12, 1,
        (IntegrityDifference("t", 5, 3, "SomeMiddleware", 7, None, "changed", "It differs in: content"),
         IntegrityDifference("t", 6, 4, "", None, 2, "missing", "It is gone")),
        (MissingArtifact("t", "/a", "history", 6, 4, "Request 4 speaks of it."),),
        ("A note.",),
    )  # fmt: skip
    rows = findings(found)
    assert [row.what for row in rows] == [
        "Message 8: changed", "Raw message 3: missing", "History is gone: /a", "Note",
    ]  # fmt: skip
    assert [row.wrong for row in rows] == [True, True, True, False]
    assert verdict(found) == (
        "2 differences and 1 missing file in 12 requests. "
        "1 of them was made without raw messages and can't be compared."
    )
    assert len({row.place for row in rows}) == 4
