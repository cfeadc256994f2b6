"""Why: its numbers are the engine's, its rows lead on, and nothing of it works on the GUI thread."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine import Explainer
from engine.errors import InspectorError
from engine.explain.model import Change, Step
from inspector import format
from inspector.explaining import Explaining
from inspector.jobs import Jobs
from inspector.models.marked_text import labelled
from inspector.models.why import AREAS, THE_REQUEST, did, tokens_of
from inspector.views.cache_use import in_all
from inspector.views.plain_text import Link
from inspector.views.request import MESSAGES, RAW_EFFECTIVE, WHY, RequestView
from inspector.views.waterfall import change_text
from inspector.views.why import CACHE, FATES, WhyView

MAIN = "competitor-report-week-22"


class Noting:
    """Passes everything on, and notes the threads that asked."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader
        self.threads: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        self.threads.add(threading.get_ident())
        return getattr(self._reader, name)


@pytest.fixture
def view(qtbot: Any, jobs: Jobs, reader: Any, colours: Any) -> Iterator[RequestView]:
    made = RequestView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    yield made
    made.close_jobs()


def of(reader: Any, number: int, thread: str = MAIN) -> Any:
    """The request with this number."""
    rows = reader.request_rows(reader.request_ids(thread))
    return reader.request(next(row.id for row in rows if row.number == number))


def explained(qtbot: Any, jobs: Jobs, view: RequestView, detail: Any) -> WhyView:
    """Show a request's Why, and wait for it."""
    view.show_request(detail, None)
    view.show_area(WHY)
    qtbot.waitUntil(lambda: view.why.why is not None and view.why.why.request == detail.row.id)
    qtbot.waitUntil(jobs.idle)
    return view.why


@pytest.mark.parametrize("number", [1, 2, 28, 30, 43, 55])
def test_the_waterfall_is_the_engines_and_sums_to_the_request(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any, number: int
) -> None:
    detail = of(reader, number)
    pane = explained(qtbot, jobs, view, detail).waterfall
    expected = Explainer(reader).waterfall(detail.row.id)
    *steps, whole = pane.model.items
    assert [turn.contributor for turn in steps] == [step.contributor for step in expected.steps]
    assert [turn.tokens() for turn in steps] == [tokens_of(step.amounts) for step in expected.steps]
    running = 0
    for turn in steps:
        running += turn.tokens()
        assert running == tokens_of(turn.total)
    assert whole.contributor == THE_REQUEST and tokens_of(whole.total) == running
    lists = {"system": detail.system, "messages": detail.messages, "tools": detail.tools}
    for area in AREAS:
        assert sum(turn.tokens(area) for turn in steps) == sum(row.tokens for row in lists[area])
    shown = pane.table.model().index(len(steps), 5).data()
    assert shown == format.size(running)


def test_a_contributor_shows_what_it_did_and_leads_to_it(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any
) -> None:
    detail = of(reader, 43)
    pane = explained(qtbot, jobs, view, detail).waterfall
    pane.select("MemoryMiddleware")
    qtbot.waitUntil(jobs.idle)
    (change,) = pane.changes.items
    assert (change.area, change.what) == ("system", "added")
    assert pane.text.marked.text.source == reader.text(change.parts[0])
    pane.did.opened.emit(change)
    block = view.system.model.block(view.system.table.currentIndex().row())
    assert view.area() == 0 and block is not None and block.part == change.parts[0]
    view.show_contributor()
    assert view.area() == WHY
    assert pane.table.current().contributor == "MemoryMiddleware"


def test_a_message_leads_to_who_put_it_there_before_anything_is_worked_out(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any
) -> None:
    view.show_request(of(reader, 43), None)
    view.show_area(MESSAGES)
    view.messages.table.setCurrentIndex(view.messages.model.index(0, 0))
    view.show_contributor()
    qtbot.waitUntil(jobs.idle)
    assert view.area() == WHY
    assert view.why.waterfall.table.current().contributor == "SummarizationMiddleware"


def test_one_that_changed_nothing_says_so(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any) -> None:
    pane = explained(qtbot, jobs, view, of(reader, 43)).waterfall
    pane.select("PatchToolCallsMiddleware")
    qtbot.waitUntil(jobs.idle)
    assert pane.text.pane.message().startswith("It changed nothing.")
    assert pane.says.text() == "PatchToolCallsMiddleware passed the request on as it was"


def test_a_summarizing_call_says_why_no_steps_are_known(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any) -> None:
    why = explained(qtbot, jobs, view, of(reader, 42))
    assert why.waterfall.problem.isVisible() and "no middleware" in why.waterfall.problem.text()
    why.tabs.setCurrentIndex(FATES)
    assert why.fates.pane.state() == "empty"
    assert "not recorded" in why.fates.pane.message()


@pytest.mark.parametrize("number", [1, 12, 30, 43, 44])
def test_the_cache_is_the_engines(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any, number: int) -> None:
    detail = of(reader, number)
    why = explained(qtbot, jobs, view, detail)
    why.tabs.setCurrentIndex(CACHE)
    qtbot.waitUntil(jobs.idle)
    explainer = Explainer(reader)
    use = explainer.cache(detail.row.id)
    assert why.cache.reason.text() == use.reason
    words = [label.text() for label in why.cache.area.findChildren(Link)]
    if use.predecessor is None:
        assert words == []
    else:
        before = reader.request_rows([use.predecessor])[0]
        assert words[0].startswith(f"Request {before.number}")
        with qtbot.waitSignal(view.go_to_request) as asked:
            why.cache.area.findChildren(Link)[0].click()
        assert asked.args == [use.predecessor]
    uses, totals = explainer.thread_cache(MAIN)
    assert why.cache.use is not None and why.cache.use.totals == totals
    assert why.cache.says.text() == in_all(why.cache.use)
    assert f"{format.tokens(totals.reread)} read again" in why.cache.says.text()
    broken = [use.number for use in uses if use.cause not in ("extended", "first request")]
    assert [use.number for use in why.cache.model.items] == broken
    with qtbot.waitSignal(view.go_to_request) as asked:
        why.cache.table.link_clicked.emit(why.cache.model.items[0])
    assert asked.args == [why.cache.model.items[0].request]


def test_every_message_that_is_not_sent_as_it_is_has_its_rule_and_leads_to_it(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any
) -> None:
    detail = of(reader, 43)
    why = explained(qtbot, jobs, view, detail)
    why.tabs.setCurrentIndex(FATES)
    fates = Explainer(reader).fates(detail.row.id)
    told = [fate for fate in (*fates.made, *fates.raw) if fate.words or fate.fate != "sent"]
    assert why.fates.model.items == told
    counted = dict(why.why.counts)
    assert counted["summarized"] == sum(row.fate == "summarized" for row in detail.raw)
    assert sum(counted.values()) == len(detail.raw) + len(fates.made)
    fate = next(fate for fate in told if fate.fate == "summarized" and fate.raw_index == 12)
    assert why.fates.table.select((12, None))
    qtbot.waitUntil(jobs.idle)
    assert fate.words in why.fates.facts.text()
    assert why.fates.text.marked.text.source
    links = {link.text(): link for link in why.fates.facts.findChildren(Link)}
    with qtbot.waitSignal(view.open_summary) as asked:
        links["Summary"].click()
    assert asked.args == [fate.event]
    with qtbot.waitSignal(view.open_artifact) as asked:
        links["File with the whole of it"].click()
    assert asked.args == [fate.path]
    why.fates.table.opened.emit(fate)
    assert view.area() == RAW_EFFECTIVE
    index = view.raw_effective.table.currentIndex()
    assert view.raw_effective.model.rows[index.row()].raw.index == 12


def test_stepping_works_on_no_request_but_the_last_and_never_on_the_gui_thread(
    qtbot: Any, jobs: Jobs, reader: Any, colours: Any
) -> None:
    noting = Noting(reader)
    view = RequestView(noting, jobs)
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    details = [of(reader, number) for number in range(30, 56)]
    view.show_request(details[0], None)
    view.show_area(WHY)
    for detail in details:
        view.show_request(detail, None)
    qtbot.waitUntil(lambda: view.why.why is not None and view.why.why.request == details[-1].row.id)
    for tab in (CACHE, FATES):
        view.why.tabs.setCurrentIndex(tab)
        qtbot.waitUntil(jobs.idle)
    view.show_area(6)
    qtbot.waitUntil(jobs.idle)
    assert view.diff.compared is not None
    assert noting.threads and threading.get_ident() not in noting.threads


def test_hidden_it_explains_nothing(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any) -> None:
    view.show_request(of(reader, 5), None)
    qtbot.waitUntil(jobs.idle)
    assert view.area() == MESSAGES and view.why.why is None and view.diff.compared is None
    assert view.why.pane.state() == "empty"


def test_what_fails_is_said_and_can_be_tried_again(
    qtbot: Any, jobs: Jobs, view: RequestView, reader: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_args: Any) -> Any:
        raise InspectorError("The record is damaged.")

    with monkeypatch.context() as patched:
        patched.setattr(Explainer, "fates", broken)
        view.show_request(of(reader, 5), None)
        view.show_area(WHY)
        qtbot.waitUntil(lambda: view.why.pane.state() == "error")
        assert view.why.pane.message() == "! The record is damaged."
    view.why.pane._message_page.retry_button.click()
    qtbot.waitUntil(lambda: view.why.pane.state() == "content")


def test_cancelled_it_says_so(qtbot: Any, jobs: Jobs, view: RequestView, reader: Any,
                              monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    going, go_on = threading.Event(), threading.Event()

    def slow(*_args: Any) -> Any:
        going.set()
        go_on.wait(10)
        raise InspectorError("never shown")

    monkeypatch.setattr(Explainer, "waterfall", slow)
    view.show_request(of(reader, 5), None)
    view.show_area(WHY)
    qtbot.waitUntil(going.is_set)
    qtbot.waitUntil(lambda: view.why.pane.state() == "loading")
    view.why.pane._loading_page.cancel_button.click()
    go_on.set()
    qtbot.waitUntil(jobs.idle)
    assert view.why.pane.message() == "! This request was not explained: cancelled."


def test_markup_of_contributors_tools_and_settings_is_shown_letter_by_letter(reader: Any, jobs: Jobs) -> None:
    evil = "<b>x</b>&amp;<img src=x>"
    change = Change("provider", "changed", 0, (), (), (), evil, old=evil, new=[evil])
    assert did(Step(evil, (change,), (), ())) == "changed 1 setting"
    marked = change_text(Explaining(reader), change, None)  # type: ignore[arg-type]
    assert marked.of("removed") == f'"{evil}"'
    assert evil in marked.of("added")
    from inspector.models.why import ChangeModel

    model = ChangeModel()
    model.set_items([change])
    assert model.index(0, 1).data() == f"Setting {evil}"
    assert "<b>" not in model.index(0, 1).data(Qt.ItemDataRole.ToolTipRole).removeprefix("<qt>")
    assert evil in labelled([(evil, evil)]).text.text


def test_where_steps_were_not_recorded_it_says_so(qtbot: Any, jobs: Jobs, reader: Any, colours: Any) -> None:
    from dataclasses import replace

    class Older:
        """A record without the contributors' layers, as older ones and foreign databases are."""

        def __getattr__(self, name: str) -> Any:
            if name == "lists":
                raise AttributeError(name)
            return getattr(reader, name)

    older = Older()
    view = RequestView(older, jobs)
    qtbot.addWidget(view)
    view.resize(900, 500)
    view.show()
    detail = replace(of(reader, 43), not_recorded={"system": "No system.", "messages": "Rebuilt."})
    why = explained(qtbot, jobs, view, detail)
    assert why.waterfall.problem.text() == (
        "The contributors' steps were not recorded with this request. Not recorded: system."
    )
    assert tokens_of(why.waterfall.model.items[-1].total) == sum(
        row.tokens for row in (*detail.system, *detail.messages, *detail.tools)
    )
    model = why.waterfall.model
    last = [model.index(model.rowCount() - 1, column).data() for column in range(4)]
    assert last[1] == "–", "what was not recorded is not nothing"
    assert "–" not in last[2:]
    assert "not recorded" in model.index(model.rowCount() - 1, 1).data(Qt.ItemDataRole.ToolTipRole)
