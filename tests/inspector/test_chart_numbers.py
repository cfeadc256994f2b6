"""The chart's numbers without a widget: heights, places, limits that change, costs that add up, pixels."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from inspector.models import raster
from inspector.models.bars import MAIN, SERIES, SUBAGENT, SUMMARY, Bars, sizes
from inspector.models.course import by_number, over_time
from inspector.models.request_facts import in_lines, in_one_line
from inspector.models.spending import NOT_REPORTED, Price, money, prices_of, spending
from tests.inspector.values import request


def heights(bars: Bars, name: str) -> list[float]:
    return bars.heights[:, SERIES.index(name)].tolist()


def test_a_bar_is_as_high_as_its_kinds_together():
    bars = Bars().with_rows([request(1), request(2, sizes={"system": 5, "hologram": 7})])
    assert bars.top == 1000 and bars.totals.tolist() == [1000, 12]
    assert heights(bars, "tool") == [450, 0] and heights(bars, "other") == [0, 7]


def test_the_callers_system_prompt_stands_apart_from_what_was_appended():
    told = request(1, sizes={"system": 100, "memory": 30}, system_base=40)
    old = request(2, sizes={"system": 100, "memory": 30})
    bars = Bars().with_rows([told, old])
    assert heights(bars, "system") == [40, 100] and heights(bars, "added") == [60, 0]
    assert bars.totals.tolist() == [130, 130]
    assert sum(sizes(told).values()) == told.estimated_tokens


def test_only_rows_that_are_others_are_looked_at_again():
    rows = [request(1), None, request(3)]
    bars = Bars().with_rows(rows)
    assert bars.totals.tolist() == [1000, 0, 1000]
    more = bars.with_rows([rows[0], request(2, sizes={"ai": 7}), rows[2], request(4, sizes={"ai": 9})])
    assert more.totals.tolist() == [1000, 7, 1000, 9] and bars.totals.tolist() == [1000, 0, 1000]
    assert more.with_rows(rows[:1]).totals.tolist() == [1000]
    assert Bars().top == 0 and not len(Bars().with_rows([]))


def test_limits_follow_the_main_agent_and_change_with_its_model():
    bars = Bars().with_rows([
        request(1, purpose="subagent", depth=1, window=5, trigger=4),
        request(2, window=200, trigger=170), request(3, purpose="summary", window=9, trigger=9),
        request(4, window=1000, trigger=None), request(5, purpose="subagent", depth=1, window=5),
    ])  # fmt: skip
    assert bars.windows.tolist() == [200, 200, 200, 1000, 1000]
    assert bars.triggers[:3].tolist() == [170, 170, 170] and all(math.isnan(each) for each in bars.triggers[3:])
    assert bars.makers.tolist() == [SUBAGENT, MAIN, SUMMARY, MAIN, SUBAGENT]
    assert np.isnan(Bars().with_rows([request(1, purpose="summary", window=7)]).windows).all()


def test_over_time_a_night_takes_little_room_and_says_how_long_it_was():
    started = np.array([0.0, 10, 20, 40_000, 40_010])
    course = over_time(started, started + 5)
    ((begin, end, length),) = course.pauses
    assert length == pytest.approx(40_000 - 25) and end - begin < 5
    assert course.left[:3].tolist() == [0, 10, 20] and course.left[3] == pytest.approx(end)
    assert course.left[3] - course.right[2] < 5
    assert course.clock(float(course.left[4])) == pytest.approx(40_010)
    assert [course.at(x) for x in (-9, 0, 10.5, 1e9)] == [0, 0, 1, 4]


def test_over_time_short_pauses_are_as_long_as_they_were_and_bars_never_overlap():
    started = np.array([0.0, 3, 3, 2, 20])
    course = over_time(started, np.array([9.0, 4, 8, 2, 0]))
    assert not course.pauses and course.left.tolist() == [0, 3, 3, 3, 20]
    assert (course.right >= course.left).all() and (course.right[:-1] <= course.left[1:]).all()
    assert not len(over_time(np.zeros(0), np.zeros(0)).left)


def test_where_requests_share_a_column_the_largest_stands():
    left = np.array([0, 0, 0, 1, 5])
    found = raster.owners(left, left + 1, np.array([3.0, 9, 1, 2, 0]), 4)
    assert found.tolist() == [1, 3, -1, -1]


def test_the_picture_has_each_part_at_its_height():
    paints = [raster.Paint(0xFF000001, 0xFF000011), raster.Paint(0xFF000002, 0xFF000012, raster.DOTS)]
    owner, tops = np.array([0, -1, 1]), np.array([[2, 6], [1, 1]])
    picture = raster.paint(owner, tops, paints, np.zeros(2, int), np.array([False, True]), 8, 1)
    assert picture[6:, 0].tolist() == [0xFF000001] * 2 and set(picture[2:6, 0].tolist()) == {0, 0xFF000002}
    assert not picture[:2, 0].any() and not picture[:, 1].any()
    assert picture[7, 2] == 0xFF000011 and not picture[:7, 2].any()


@pytest.mark.parametrize("pattern", [raster.SLANTS, raster.LINES])
def test_a_hatched_bar_lets_the_background_through_in_its_own_way(pattern):
    one = raster.paint(np.zeros(12, int), np.array([[12]]), [raster.Paint(7, 8)], np.array([pattern]),
                       np.zeros(1, bool), 12, 1)  # fmt: skip
    rows, columns = (one == 0).all(axis=1), (one == 0).all(axis=0)
    assert (one == 0).any() and (one == 7).any()
    assert rows.any() == (pattern == raster.LINES) and not columns.any()


def test_a_line_steps_where_its_value_changes_and_has_gaps_where_it_is_not_known():
    owner = np.array([-1, 0, -1, 1, 2, 3])
    assert raster.steps(owner, np.array([5.0, 5, np.nan, 7])) == [(0, 4, 5.0), (5, 6, 7.0)]
    assert raster.steps(np.full(3, -1), np.array([5.0])) == []


def test_costs_add_up_by_who_made_the_requests_and_what_is_not_known_is_counted():
    rows = [
        request(1, input=100), request(2, input=100, purpose="subagent", depth=1), request(3, purpose="summary"),
        request(4, input=100), None,
    ]  # fmt: skip
    prices = {1: Price(Decimal("0.5")), 2: Price(Decimal("0.25")), 3: NOT_REPORTED, 4: Price(None, "no such model")}
    spent = spending(rows, prices)
    assert spent.costs[-1].tolist() == [0.5, 0.25, 0] and spent.costs[0].tolist() == [0.5, 0, 0]
    assert (spent.known, spent.total()) == (2, Decimal("0.75"))
    assert spent.said() == "cost known for 2 of 5 requests"


def test_a_cost_is_asked_for_once_and_never_for_an_estimate(monkeypatch):
    import engine
    from engine.wire.model import Cost

    asked = []
    monkeypatch.setattr(engine, "request_cost", lambda reader, id: (asked.append(id), Cost(Decimal(id)))[1])
    rows = [request(1, input=5), request(2), request(3, input=5, status="running"), None]
    told = []
    found = prices_of(None, rows, {}, lambda *at: told.append(at))
    assert asked == [1] and found == {1: Price(Decimal(1)), 2: NOT_REPORTED} and told
    again = prices_of(None, [*rows[:2], request(3, input=5)], found, lambda *at: None)
    assert asked == [1, 3] and again[3].amount == 3


def test_the_share_read_from_the_cache_is_of_reported_tokens_only():
    from engine.trace.model import Usage

    rows = [request(1), request(2, input=100), request(3, input=300)]
    rows[2] = type(rows[2])(**{**{name: getattr(rows[2], name) for name in rows[2].__slots__},
                               "usage": Usage(300, 1, 200)})  # fmt: skip
    cached = spending(rows, {}).cached
    assert math.isnan(cached[0]) and cached[1:].tolist() == [0, 0.5]


@pytest.mark.parametrize(
    ("amount", "said"),
    [(0, "$0"), ("12.4", "$12.40"), ("0.0031", "$0.00310"), ("0.4", "$0.400"), (1234.5, "$1\u2009234.50")],
)
def test_small_sums_keep_their_digits(amount, said):
    assert money(Decimal(amount) if isinstance(amount, str) else amount) == said


def test_a_request_is_told_with_exact_numbers_and_where_they_come_from():
    row = request(7, input=53_210, window=200_000, events=("summary",), system_base=40)
    lines = in_lines(row, signs=["⚑ marked", "B baseline"], price=Price(None, "the price list has no model 'x'"))
    said = "\n".join(lines)
    assert lines[0] == "Request 7 · main agent · agent"
    assert "53\u2009210 tokens, reported by the provider\n27% of the window of 200\u2009000" in said
    assert "S+ Other system: ~60" in said and "S System: ~40" in said and "R Tool result: ~450" in said
    assert "not known: the price list has no model 'x'" in said and "⚑ marked\nB baseline\nΣ summary" in said
    short = in_one_line(row, signs=["⚑ marked"])
    assert "\n" not in short and "53\u2009210 tokens reported" in short and "S+ ~60" in short and "Σ summary" in short
    assert "1\u2009000 tokens estimated" in in_one_line(request(1))
    assert " · stopped · " in in_one_line(request(1, status="stopped")) and "· ·" not in in_one_line(
        request(1, status="stopped")
    )


def test_every_request_has_a_column_of_its_own_place():
    course = by_number(3)
    assert [course.at(x) for x in (-0.6, 0, 0.49, 0.51, 2, 99)] == [0, 0, 0, 1, 2, 2]
    assert course.whole[1] >= 23 and by_number(0).at(1) == -1


def test_the_axis_numbers_also_a_single_request():
    from inspector.views.chart_axes import dollars, heights, numbers

    assert numbers(-0.5, 23.5, 1, 10) == [(0, "1")] and numbers(-0.5, 23.5, 0, 10) == []
    assert [text for _, text in numbers(-0.5, 23.5, 9, 14)] == ["2", "4", "6", "8"]
    assert heights(68_000, 4) == [20_000, 40_000, 60_000] and heights(0, 4) == []
    assert [dollars(value) for value in (0.0005, 0.5, 2, 1200)] == ["$0.0005", "$0.5", "$2", "$1,200"]


def test_a_place_between_whole_tokens_has_no_number(qapp) -> None:
    from inspector.views.chart_plot import TokenAxis

    assert TokenAxis("left").tickStrings([-1.0, 0.0, 0.5, 1.0, 2_000.0], 1.0, 0.5) == ["", "0", "", "1", "2k"]
