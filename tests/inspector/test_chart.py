"""The chart as a widget: one selection, hover, zoom, modes, what is dimmed and marked."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication

from inspector import format, theme
from inspector.session import Session
from inspector.views.chart import ChartView
from tests.inspector.values import HOSTILE, FakeReader, request, thread


@pytest.fixture
def opened(qtbot, jobs, colours):
    def open_(rows, selected=None, mode="requests"):
        reader = FakeReader([thread("t")], {"t": rows})
        session = Session(reader, jobs)
        session.setParent(jobs)
        view = ChartView(session)
        view.set_mode(mode)
        qtbot.addWidget(view)
        view.resize(800, 180)
        view.show()
        session.select_thread("t", selected)
        rest(qtbot, view, len(rows))
        return session, view, reader

    return open_


def rest(qtbot, view: ChartView, count: int) -> None:
    qtbot.waitUntil(
        lambda: len(view.bars) == count == len(view.bars.rows) - view.bars.rows.count(None)
        and view._session.jobs.idle() and not view._gather.isActive()
    )  # fmt: skip


def at(view: ChartView, index: int) -> QPoint:
    """The middle of a bar at its foot, in pixels."""
    course = view.plot.scene.course
    x = view.plot.x_of(float(course.left[index] + course.right[index]) / 2)
    return QPoint(round(x), view.plot.area().bottom() - 1)


def wheel(view: ChartView, index: int, delta: int, modifiers=Qt.KeyboardModifier.NoModifier) -> None:
    where = QPointF(at(view, index))
    event = QWheelEvent(where, where, QPoint(), QPoint(0, delta), Qt.MouseButton.NoButton, modifiers,
                        Qt.ScrollPhase.NoScrollPhase, False)  # fmt: skip
    QApplication.sendEvent(view.plot, event)


def many(count: int, **changes):
    return [request(i, **changes) for i in range(1, count + 1)]


def pixel(view: ChartView, point: QPoint) -> str:
    return view.plot.grab().toImage().pixelColor(point).name()


# -- One selection ---------------------------------------------------------------------------------------


def test_one_selection_for_the_chart_and_the_session(qtbot, opened):
    session, view, _reader = opened(many(30), 10)
    assert view.plot.selected == 9
    qtbot.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=at(view, 20))
    assert session.request_id == 21 and view.plot.selected == 20
    session.select_request(3)
    assert view.plot.selected == 2


def test_what_is_selected_is_told_to_whoever_cannot_see_it(opened):
    session, view, _reader = opened([request(1), request(2, input=900, window=1000)], 2)
    assert view.told.text() == view.plot.accessibleDescription().splitlines()[0]
    assert "900 tokens reported · 90% of 1\u2009000" in view.told.text()
    session.select_request(1)
    assert "1\u2009000 tokens estimated" in view.told.text()


@pytest.mark.parametrize("text", HOSTILE)
def test_hovering_tells_letter_by_letter(opened, text):
    _session, view, _reader = opened([request(1, agent=text, error=text, status="failed")])
    document = QTextDocument()
    document.setHtml(format.tip(view.describe(0)))
    assert format.one_line(text) in document.toPlainText()
    assert "R Tool result: ~450" in document.toPlainText()


def test_the_mouse_points_at_the_bar_under_it_and_at_none_beside(qtbot, opened):
    _session, view, _reader = opened(many(5))
    told = []
    view.plot.hovered.connect(lambda index, _where: told.append(index))
    qtbot.mouseMove(view.plot, at(view, 3))
    qtbot.waitUntil(lambda: told == [3] and view.plot.pointed == 3)
    qtbot.mouseMove(view.plot, QPoint(view.plot.width() - 20, 60))
    qtbot.waitUntil(lambda: view.plot.pointed == -1)


def test_more_requests_than_pixels_can_still_each_be_selected(qtbot, opened):
    session, view, _reader = opened([request(i, sizes={"human": 5000 + i % 7}) for i in range(1, 3001)], 1500)
    area = view.plot.area()
    assert len({view.plot.index_at(x) for x in range(area.left(), area.right() + 1)}) > area.width() * 0.9
    session.step(1)
    assert session.request_id == 1501 and view.plot.selected == 1500
    for _ in range(30):
        view.zoom(True)
    low, high = view.plot.shown()
    assert low < 1500 < high and high - low == pytest.approx(5)
    qtbot.mouseClick(view.plot, Qt.MouseButton.LeftButton, pos=at(view, 1501))
    assert session.request_id == 1502


# -- Zoom ------------------------------------------------------------------------------------------------


def test_keys_zoom_around_the_selected_request_and_back_to_the_whole(opened):
    _session, view, _reader = opened(many(200), 50)
    whole = view.plot.shown()
    view.zoom(True)
    view.zoom(True)
    low, high = view.plot.shown()
    assert high - low == pytest.approx((whole[1] - whole[0]) / 2.25) and low < 49 < high
    view.zoom(False)
    view.show_whole()
    assert view.plot.range is None and view.plot.shown() == whole


def test_the_wheel_zooms_around_the_mouse_and_with_shift_moves(opened):
    _session, view, _reader = opened(many(200), 50)
    before = at(view, 150)
    wheel(view, 150, 120)
    low, high = view.plot.shown()
    assert abs(at(view, 150).x() - before.x()) <= 1 and high - low < 200
    wheel(view, 150, 120, Qt.KeyboardModifier.ShiftModifier)
    assert view.plot.shown()[0] < low
    for _ in range(20):
        wheel(view, 150, -120)
    assert view.plot.range is None


def test_dragging_chooses_a_range_and_selects_nothing(qtbot, opened):
    session, view, _reader = opened(many(100), 5)
    qtbot.mousePress(view.plot, Qt.MouseButton.LeftButton, pos=at(view, 20))
    qtbot.mouseMove(view.plot, at(view, 30))
    qtbot.mouseMove(view.plot, at(view, 60))
    qtbot.mouseRelease(view.plot, Qt.MouseButton.LeftButton, pos=at(view, 60))
    low, high = view.plot.shown()
    assert (low, high) == (pytest.approx(20, abs=0.3), pytest.approx(60, abs=0.3)) and session.request_id == 5


def test_stepping_brings_the_selected_request_into_view(opened):
    session, view, _reader = opened(many(200), 50)
    for _ in range(6):
        view.zoom(True)
    span = view.plot.shown()[1] - view.plot.shown()[0]
    for id in (200, 1, 90):
        session.select_request(id)
        low, high = view.plot.shown()
        assert low <= id - 1 <= high and high - low == pytest.approx(span)


def test_new_requests_are_followed_at_the_end_and_move_nothing_elsewhere(qtbot, opened):
    session, view, reader = opened(many(100), 10)

    def arrive(count: int) -> None:
        have = len(reader.rows["t"])
        reader.rows["t"] += [request(i, sizes={"human": 9000}) for i in range(have + 1, have + count + 1)]
        reader.commit()
        session.poll()
        rest(qtbot, view, have + count)

    arrive(1)
    assert session.request_id == 10 and view.bars.top == 9000 and view.plot.shown()[1] == 100.5
    view.plot.set_range(20, 40)
    arrive(3)
    assert view.plot.shown() == (20, 40)
    view.plot.set_range(83.5, 103.5)
    arrive(2)
    assert view.plot.shown() == (85.5, 105.5)
    assert session.request_id == 10


def test_another_thread_is_shown_whole(qtbot, jobs, opened):
    session, view, reader = opened(many(100))
    reader.rows["u"] = many(50)
    view.plot.set_range(20, 40)
    session.select_thread("u")
    rest(qtbot, view, 50)
    assert view.plot.range is None


# -- What is drawn ---------------------------------------------------------------------------------------


def test_limits_are_drawn_when_they_are_near_and_written_when_they_are_far(opened):
    _session, view, _reader = opened([request(1, window=1200, trigger=1100)])
    assert [(line.name, line.values.tolist()) for line in view.plot.scene.lines] == [
        ("window", [1200]), ("trigger", [1100]),
    ]  # fmt: skip
    assert view.plot.scene.top > 1200
    _session, view, _reader = opened([request(1, window=200_000, trigger=170_000)])
    assert not view.plot.scene.lines and view.plot.scene.top < 1200
    assert "window 200k, above ↑" in view.legend.accessibleDescription()


def test_a_window_that_changes_on_the_way_steps(opened):
    _session, view, _reader = opened([request(1, window=1200), request(2, window=2000)])
    (line,) = view.plot.scene.lines
    assert line.values.tolist() == [1200, 2000]
    assert "window 2k, changed" in view.legend.accessibleDescription()
    image, plot = view.plot.grab().toImage(), view.plot
    for index, value in enumerate((1200, 2000)):
        area = plot.area()
        y = round(area.bottom() + 1 - value / plot.scene.top * area.height())
        assert image.pixelColor(at(view, index).x(), y).name() == theme.kind_hex("error")


def test_the_legend_names_the_parts_that_are_there(opened):
    _session, view, _reader = opened([request(1, sizes={"system": 5, "summary": 9}, system_base=2)])
    assert view.legend.accessibleDescription() == "S System, S+ Other system, Σ Summary"
    _session, view, _reader = opened([
        request(1, sizes={"ai": 1}, purpose="subagent", events=("offload",)),
        request(2, sizes={"ai": 1}, purpose="summary", error="no", status="failed"),
    ])  # fmt: skip
    view.set_signs(frozenset({2}), None)
    assert view.legend.accessibleDescription() == (
        "A AI, subagent, summary call, Marks over the bars: ⚑ marked by you, Σ summary, R offload, ! failed"
    )


def test_parts_have_the_colours_of_their_kinds_and_follow_the_scheme(opened, colours):
    _session, view, _reader = opened([request(1, sizes={"human": 9})])
    assert pixel(view, at(view, 0)) == theme.kind_hex("human", dark=False)
    theme.choose(colours, "dark")
    assert pixel(view, at(view, 0)) == theme.kind_hex("human", dark=True) == "#79b0ff"


def test_bars_of_subagents_and_summary_calls_are_hatched(opened):
    rows = [request(1, sizes={"human": 9}), request(2, sizes={"human": 9}, purpose="subagent"),
            request(3, sizes={"human": 9}, purpose="summary")]  # fmt: skip
    _session, view, _reader = opened(rows)
    image = view.plot.grab().toImage()
    holes = []
    for index in range(3):
        foot, base = at(view, index), theme.base_colour().name()
        inside = [(x, y) for x in range(foot.x() - 6, foot.x() + 6) for y in range(foot.y() - 30, foot.y())]
        bare = {"#ffffff", base, theme.scheme().line} | {image.pixelColor(at(view, 2).x(), 0).name()}
        holes.append([image.pixelColor(x, y).name() != theme.kind_hex("human") for x, y in inside])
        assert bare
    assert not any(holes[0]) and any(holes[1]) and any(holes[2]) and holes[1] != holes[2]


def test_marks_that_change_while_another_thread_is_opened_draw_nothing_of_the_one_before(qtbot, jobs, colours):
    reader = FakeReader([thread("t"), thread("u")], {"t": many(3), "u": [request(9, thread_id="u")]})
    session, view = Session(reader, jobs), None
    session.setParent(jobs)
    session.thread_changed.connect(lambda _id: view.set_signs(frozenset(), None))  # before the chart hears of it
    view = ChartView(session)
    qtbot.addWidget(view)
    view.show()
    session.select_thread("t")
    rest(qtbot, view, 3)
    view.set_signs(frozenset({1}), 2)
    session.select_thread("u")
    rest(qtbot, view, 1)
    assert len(view.plot.scene.edges) == 1


def test_marks_stand_over_their_bars_in_a_row_of_their_own(opened):
    rows = [request(1), request(2, events=("summary",)), request(3, events=("offload",), error="no")]
    _session, view, _reader = opened(rows)
    view.set_signs(frozenset({1}), 3)
    assert [(lane.letter, lane.marked.tolist()) for lane in view.plot.scene.lanes] == [
        ("⚑", [True, False, False]), ("B", [False, False, True]), ("Σ", [False, True, False]),
        ("R", [False, False, True]), ("!", [False, False, True]),
    ]  # fmt: skip
    image, plot = view.plot.grab().toImage(), view.plot
    left = round(plot.x_of(1 - 0.5)) + 4
    rows_of = [image.pixelColor(left, y).name() for y in range(2, plot.area().top())]
    assert rows_of.count(theme.kind_hex("summary")) > 2 and theme.kind_hex("tool") not in rows_of


def test_what_the_filter_keeps_out_is_dimmed(opened):
    session, view, _reader = opened([request(i, sizes={"human": 9}) for i in range(1, 4)], 3)
    session.show_only([2])
    assert view.plot.dimmed.tolist() == [True, False, True]
    assert pixel(view, at(view, 1)) == theme.kind_hex("human") != pixel(view, at(view, 0))
    session.show_only(None)
    assert pixel(view, at(view, 0)) == theme.kind_hex("human")


def test_what_the_filter_lets_through_is_seen_also_where_larger_requests_share_its_column(opened):
    session, view, _reader = opened([request(i, sizes={"human": 9 if i == 900 else 900}) for i in range(1, 3001)])
    around = [view.plot.x_of(899) + pixels for pixels in (-1, 0, 1)]
    assert 899 not in [view.plot.index_at(x) for x in around]
    session.show_only([900])
    assert 899 in [view.plot.index_at(x) for x in around]


# -- Modes -----------------------------------------------------------------------------------------------


def test_over_time_a_request_stands_where_it_began(opened):
    rows = [request(i, started_at=1e9 + s, duration_ms=40_000.0) for i, s in ((1, 0), (2, 50), (3, 90_000))]
    session, view, _reader = opened(rows, 1, mode="time")
    course = view.plot.scene.course
    assert len(course.pauses) == 1 and course.left[1] == 50
    assert view.plot.x_of(course.left[1]) - view.plot.x_of(course.left[0]) > view.plot.area().width() / 3
    session.select_request(3)
    assert view.plot.selected == 2
    view.plot.set_range(0, 20)
    view.set_mode("requests")
    assert view.plot.range is None


def test_costs_are_looked_up_and_what_is_not_known_is_said(qtbot, opened, monkeypatch):
    import engine
    from engine.wire.model import Cost

    monkeypatch.setattr(engine, "request_cost", lambda _reader, id: Cost(Decimal(id) / 10))
    _session, view, _reader = opened([request(1, input=5), request(2), request(3, input=5, purpose="summary")])
    view.set_mode("cost")
    qtbot.waitUntil(lambda: view.plot.scene.mode == "cost" and bool(view.plot.scene.words))
    assert view.plot.scene.words[0] == "$0.400 · cost known for 2 of 3 requests"
    np.testing.assert_allclose(view.plot.scene.edges[-1], [0.1, 0.1, 0.4])
    assert "Cost: $0.100" in view.describe(0)
    assert "not known: the provider reported no tokens" in view.describe(1)


def test_without_any_known_cost_it_says_why(qtbot, opened):
    _session, view, _reader = opened(many(3), mode="cost")
    qtbot.waitUntil(lambda: view.pane.state() == "empty")
    assert "cost of none" in view.pane.message() and "3 × the provider reported no tokens" in view.pane.message()
    view.set_mode("requests")
    assert view.pane.state() == "content"


def test_the_mode_of_the_chart_is_remembered(qtbot, make_window, demo_path, prefs):
    from tests.inspector.conftest import settle

    window = make_window(demo_path)
    assert window.desk.chart.mode == "requests"
    assert window.commands.run("chart.time")
    settle(qtbot, window)
    assert window.desk.chart.plot.scene.mode == "time" and window.commands.action("chart.time").isChecked()
    assert window.commands.run("chart.closer") and window.desk.chart.plot.range is not None
    assert window.commands.run("chart.whole") and window.desk.chart.plot.range is None
    again = make_window(demo_path, prefs)
    assert again.desk.chart.mode == "time"


# -- States ----------------------------------------------------------------------------------------------


def test_a_hidden_chart_draws_nothing_until_it_is_seen(qtbot, opened):
    session, view, reader = opened(many(5))
    view.hide()
    reader.rows["t"].append(request(6))
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: len(session.rows) == 6 and not view._gather.isActive())
    assert len(view.bars) == 5
    view.show()
    rest(qtbot, view, 6)


def test_without_a_request_it_says_what_would_be_here(qtbot, opened):
    session, view, _reader = opened([])
    assert view.pane.state() == "empty" and "nothing to draw" in view.pane.message()
    session.select_thread(None)
    qtbot.waitUntil(lambda: "No thread" in view.pane.message())
