import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QTextDocument, QWheelEvent
from PySide6.QtWidgets import QApplication

from inspector import format, theme
from inspector.models.bars import Bars
from inspector.models.rows import Rows
from inspector.session import Session
from inspector.views.chart import ChartView
from tests.inspector.values import HOSTILE, FakeReader, request, thread


def rows_of(*given_rows) -> Rows:
    made = Rows([row.id for row in given_rows])
    made.put(given_rows)
    return made


@pytest.fixture
def opened(qtbot, jobs, colours):
    def open_(rows, selected=None):
        reader = FakeReader([thread("t")], {"t": rows})
        session = Session(reader, jobs)
        session.setParent(jobs)
        view = ChartView(session)
        qtbot.addWidget(view)
        view.resize(800, 180)
        view.show()
        session.select_thread("t", selected)
        qtbot.waitUntil(lambda: session.rows.complete and len(session.rows) == len(rows) and jobs.idle())
        view.draw()
        return session, view, reader

    return open_


def at(view: ChartView, index: int) -> QPoint:
    """The place of a bar in the plot, in pixels."""
    plot = view.plot
    scene = plot.getPlotItem().vb.mapViewToScene(QPointF(index / view._bars.group, 1.0))
    return plot.mapFromScene(scene)


def test_a_bar_is_as_high_as_its_kinds_together():
    bars = Bars(rows_of(request(1), request(2, sizes={"system": 5, "hologram": 7})))
    assert bars.count == 2 and bars.top == 1000
    assert bars.heights["tool"].tolist() == [450, 0]
    assert bars.heights["other"].tolist() == [0, 7]
    assert sum(bars.heights[kind] for kind in theme.KINDS).tolist() == bars.totals.tolist() == [1000, 12]


def test_requests_share_bars_when_there_are_too_many_and_the_largest_stands():
    rows = rows_of(*(request(i, sizes={"human": i}) for i in range(1, 101)))
    bars = Bars(rows, limit=25)
    assert (bars.count, bars.group) == (25, 4)
    assert bars.totals.tolist() == [float(n) for n in range(4, 101, 4)]


def test_rows_that_have_not_come_leave_a_gap():
    rows = Rows([1, 2, 3])
    rows.put([request(2)])
    assert Bars(rows).totals.tolist() == [0, 1000, 0]
    assert Bars(Rows()).count == 0 and Bars(Rows()).top == 0


def test_one_selection_for_the_chart_and_the_session(qtbot, opened):
    session, view, _reader = opened([request(i) for i in range(1, 31)], 10)
    assert view._band.getRegion() == pytest.approx((8.5, 9.5))
    qtbot.mouseClick(view.plot.viewport(), Qt.MouseButton.LeftButton, pos=at(view, 20))
    assert session.request_id == 21
    assert sum(view._band.getRegion()) / 2 == pytest.approx(20)
    session.select_request(3)
    assert sum(view._band.getRegion()) / 2 == pytest.approx(2)


def test_the_wheel_is_left_to_others(opened):
    _session, view, _reader = opened([request(i) for i in range(1, 31)])
    before = view.plot.getPlotItem().vb.viewRange()
    event = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view.plot.viewport(), event)
    assert not event.isAccepted()
    assert view.plot.getPlotItem().vb.viewRange() == before


def test_limits_are_drawn_when_they_are_near_and_written_when_they_are_far(opened):
    _session, view, _reader = opened([request(1, window=1200, trigger=1100)])
    assert view._lines["window"].isVisible() and view._lines["window"].value() == 1200
    assert view._lines["trigger"].isVisible()
    assert view.plot.getPlotItem().vb.viewRange()[1][1] > 1200
    _session, view, _reader = opened([request(1, window=200_000, trigger=170_000)])
    assert not view._lines["window"].isVisible()
    assert "window 200k, above" in view.legend.accessibleDescription()


def test_the_legend_names_the_kinds_that_are_there(opened):
    _session, view, _reader = opened([request(1, sizes={"system": 5, "summary": 9})])
    assert view.legend.accessibleDescription() == "S System, Σ Summary"


@pytest.mark.parametrize("text", HOSTILE)
def test_hovering_tells_letter_by_letter(opened, text):
    _session, view, _reader = opened([request(1, agent=text, error=text, status="failed")])
    document = QTextDocument()
    document.setHtml(format.tip(view.describe(0)))
    assert format.one_line(text) in document.toPlainText()
    assert "R Tool result: ~450" in document.toPlainText()


def test_more_requests_than_pixels_can_still_each_be_selected(qtbot, opened):
    session, view, _reader = opened([request(i, sizes={"human": i}) for i in range(1, 3001)], 1500)
    assert view._bars.group == 3
    assert sum(view._band.getRegion()) / 2 == pytest.approx(1499 // 3)
    assert view.index_at(499.0) == 1497
    session.step(1)
    assert session.request_id == 1501


def test_new_requests_are_drawn_without_moving_the_selection(qtbot, opened):
    session, view, reader = opened([request(i) for i in range(1, 41)], 10)
    reader.rows["t"].append(request(41, sizes={"human": 9000}))
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: view._bars.count == 41)
    assert session.request_id == 10 and view._bars.top == 9000


def test_a_hidden_chart_draws_nothing_until_it_is_seen(qtbot, opened):
    session, view, reader = opened([request(i) for i in range(1, 6)])
    view.hide()
    reader.rows["t"].append(request(6))
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: len(session.rows) == 6 and not view._redraw.isActive())
    assert view._bars.count == 5
    view.show()
    qtbot.waitUntil(lambda: view._bars.count == 6)


def test_another_scheme_recolours_the_bars(opened, colours):
    _session, view, _reader = opened([request(1, sizes={"human": 9})])
    theme.choose(colours, "dark")
    assert view._items[0].opts["brush"] == theme.kind_colour("human")
    assert theme.kind_hex("human") == "#79b0ff"


def test_the_limits_can_be_seen(opened):
    _session, view, _reader = opened([request(1, window=1200, trigger=1100)])
    image = view.plot.grab().toImage()
    plot = view.plot
    for name, kind in (("window", "error"), ("trigger", "summary")):
        scene = plot.getPlotItem().vb.mapViewToScene(QPointF(10.0, view._lines[name].value()))
        y = plot.mapFromScene(scene).y()
        row = {image.pixelColor(x, y + d).name() for x in range(200, 700) for d in (-1, 0, 1)}
        assert theme.kind_hex(kind) in row, name


def test_only_requests_that_exist_are_numbered(opened):
    _session, view, _reader = opened([request(i) for i in range(1, 10)])
    ((_step, values),) = view.plot.numbers.tickValues(-0.7, 23.7, 760)
    assert view.plot.numbers.tickStrings(values, 1, 1) == ["2", "4", "6", "8"]


def test_without_a_request_it_says_what_would_be_here(qtbot, opened):
    session, view, _reader = opened([])
    assert view.pane.state() == "empty" and "nothing to draw" in view.pane.message()
    assert view.legend.isHidden()
    session.select_thread(None)
    view.draw()
    assert "No thread" in view.pane.message()
