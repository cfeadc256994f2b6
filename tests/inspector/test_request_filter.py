"""The filter over the requests: what it does to the chart, to what arrives, and how the baseline is signed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from engine import AgentSettings
from engine.agent.scripted import Call, ScriptedChat, Turn
from inspector.models.requests import MARKS
from tests.engine.agent.running import World
from tests.inspector.conftest import settle
from tests.inspector.test_chart import at


class Thread(World):
    """One thread, and the script of its model so far: the model counts what was said in it."""

    def __init__(self, file: Path) -> None:
        super().__init__(file)
        self.script: list[Turn] = []


def run(world: Thread, *said: Turn | str) -> None:
    """One run of the thread: a request a turn."""
    world.script += [turn if isinstance(turn, Turn) else Turn(turn) for turn in said]
    settings = AgentSettings(model=ScriptedChat(script=world.script))
    world.done(world.runner.start("t", "Go", settings=settings))


LS = Turn("", calls=[Call("ls", {"path": "/"})])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Thread]:
    """A thread of five requests, the second and the fourth of which call a tool."""
    made = Thread(tmp_path / "w.ctx")
    for turns in (("One.",), (LS, "Two."), (LS, "Three.")):
        run(made, *turns)
    yield made
    made.runner.close()


@pytest.fixture
def window(qtbot, make_window, world: Thread) -> Any:
    made = make_window(world.file)
    assert len(made.session.rows) == 5
    return made


def ask(qtbot: Any, window: Any, query: str) -> None:
    assert window.commands.run("go.filter")
    window.desk.filter.box.setText(query)
    window.desk.filter.box.tell_now()
    settle(qtbot, window)


def number(window: Any) -> int:
    return window.session.request_row().number


def test_a_click_on_a_bar_that_does_not_pass_selects_it_and_says_so(qtbot, window):
    ask(qtbot, window, "tool:ls")
    table, says = window.desk.requests.table, window.desk.filter.says
    assert table.model().rowCount() == 2
    window.session.select_index(1)
    settle(qtbot, window)
    assert says.text() == "2 of 5 requests pass"
    plot = window.desk.chart.plot
    qtbot.mouseClick(plot, Qt.MouseButton.LeftButton, pos=at(window.desk.chart, 2))
    settle(qtbot, window)
    assert number(window) == 3 and plot.selected == 2
    assert not table.selectionModel().hasSelection()
    assert says.text() == "2 of 5 requests pass; request 3, which is shown below, does not"
    assert window.commands.run("go.next")
    settle(qtbot, window)
    assert number(window) == 4 and says.text() == "2 of 5 requests pass"


def test_new_requests_are_selected_as_they_arrive_when_they_pass(qtbot, window, world):
    window.session.select_index(0)
    window.commands.action("thread.follow").trigger()
    ask(qtbot, window, "tool:ls")
    assert number(window) == 1
    run(world, "No tool.")
    qtbot.waitUntil(lambda: len(window.session.rows) == 6)
    settle(qtbot, window)
    assert number(window) == 1
    run(world, LS, "And one.")
    qtbot.waitUntil(lambda: number(window) == 7)
    settle(qtbot, window)
    qtbot.waitUntil(lambda: len(window.session.rows) == 8)
    settle(qtbot, window)
    assert number(window) == 7 and window.session.shown == [2, 4, 7]
    ask(qtbot, window, "purpose:agent")
    assert number(window) == 7  # another query is no arrival
    window.desk.filter.close_bar()
    run(world, "Last.")
    qtbot.waitUntil(lambda: number(window) == 9)


def test_the_baseline_has_a_sign_in_the_table_and_in_the_chart(qtbot, window):
    def lanes() -> dict[str, list[bool]]:
        return {lane.name: lane.marked.tolist() for lane in window.desk.chart.plot.scene.lanes}

    def words(row: int) -> str:
        return window.desk.requests.model.index(row, MARKS).data()

    window.session.select_index(2)
    settle(qtbot, window)
    assert window.commands.run("diff.baseline")
    settle(qtbot, window)
    assert "B baseline" in words(2) and "baseline" not in words(3)
    assert lanes()["baseline of Diff"] == [False, False, True, False, False]
    assert "B baseline" in window.desk.chart.describe(2)
    assert window.commands.run("diff.before")
    settle(qtbot, window)
    assert "baseline" not in words(2) and "baseline of Diff" not in lanes()
