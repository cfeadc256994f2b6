"""The ledger pane on the demo: its numbers are the engine's, its tables can be saved, its rows lead on."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import engine
from inspector.jobs import Jobs
from inspector.views.ledger import LedgerView

MAIN = "competitor-report-week-22"


@pytest.fixture
def view(qtbot: Any, demo_path: Path) -> Any:
    jobs, reader = Jobs(), engine.open_source(demo_path)
    made = LedgerView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(360, 700)
    made.show()
    yield made
    jobs.close()
    reader.close()
    if made.chart is not None:  # pyqtgraph keeps menus of its own until Python lets go of its plot
        made.chart.deleteLater()
        made.chart = None


def loaded(qtbot: Any, view: LedgerView, thread: str) -> Any:
    """Show a thread and wait until its ledger is there."""
    view.set_thread(thread)
    qtbot.waitUntil(lambda: view._ledger is not None and view._ledger.thread_id == thread, timeout=20_000)
    return view._ledger


def test_rows_and_totals_are_the_engines(qtbot: Any, view: LedgerView, demo_path: Path) -> None:
    ledger = loaded(qtbot, view, MAIN)
    with_reader = engine.open_source(demo_path)
    assert ledger == engine.ledger_of(with_reader, MAIN)
    with_reader.close()
    assert [row.number for row in view.requests.items] == [row.number for row in ledger.rows]
    assert {item.path for item in view.texts.items} == {item.path for item in ledger.artifacts}
    assert not view.tabs.isTabVisible(view.tabs.indexOf(view.published))


def test_published_figures_stand_beside_ours(qtbot: Any, view: LedgerView) -> None:
    ledger = loaded(qtbot, view, "eight-rounds-defaults")
    assert ledger.published
    assert view.tabs.isTabVisible(view.tabs.indexOf(view.published))
    assert "153 835" in view.published.edit.toPlainText().replace("\u2009", " ").replace("\u202f", " ")


def test_both_tables_are_saved_as_csv(qtbot: Any, view: LedgerView, tmp_path: Path) -> None:
    ledger = loaded(qtbot, view, MAIN)
    for what, rows in (("requests", ledger.rows), ("put-away", ledger.artifacts)):
        target = tmp_path / f"{what}.csv"
        view.save_to(what, str(target))
        qtbot.waitUntil(target.exists, timeout=10_000)
        found = list(csv.DictReader(io.StringIO(target.read_text(encoding="utf-8"))))
        assert len(found) >= len(rows)
    view.save_to("requests", str(tmp_path / "no" / "folder.csv"))
    qtbot.waitUntil(lambda: "could not be written" in view.note.text(), timeout=10_000)


def test_a_row_and_a_bar_lead_to_their_request(qtbot: Any, view: LedgerView) -> None:
    ledger = loaded(qtbot, view, MAIN)
    with qtbot.waitSignal(view.go_to_request) as asked:
        view.table.link_clicked.emit(ledger.rows[4])
    assert asked.args == [ledger.rows[4].id]
    with qtbot.waitSignal(view.go_to_request) as asked:
        view.chart.chosen.emit(7)
    assert asked.args == [ledger.rows[7].id]


def test_the_chart_numbers_every_request_that_has_room(qtbot: Any, view: LedgerView) -> None:
    ledger = loaded(qtbot, view, MAIN)
    view.chart.resize(900, 200)
    axis = view.chart.plot.getAxis("bottom")
    ((_step, places),) = axis.tickValues(*view.chart.plot.viewRange()[0], 900)
    numbers = [int(text) for text in axis.tickStrings(places, 1, 1)]
    assert len(numbers) > 4 and len(ledger.rows) - numbers[-1] < numbers[1] - numbers[0]


def test_without_requests_it_says_so(qtbot: Any, view: LedgerView) -> None:
    view.set_thread("nobody")
    qtbot.waitUntil(lambda: view.pane.state() in {"empty", "error"}, timeout=10_000)
    assert view.pane.message()
