"""Runs side by side: one timer, one state a thread."""

import pytest

from engine.running import HandRequest
from inspector.turns import Turns
from inspector.views.runs import RunsButton
from tests.inspector.values import HOSTILE, FakeRun, thread


def hand(number=4, agent=None) -> HandRequest:
    return HandRequest(f"token {number}", "a", number, number, agent, "agent", (), ())


@pytest.fixture
def turns(jobs):
    made = Turns(jobs, jobs)
    yield made
    made.forget()


def begin(qtbot, turns, thread_id, what="message") -> FakeRun:
    run = FakeRun()
    turns.begin(thread_id, what, lambda: run)
    qtbot.waitUntil(lambda: turns.of(thread_id).run is run)
    return run


def test_each_thread_has_a_state_of_its_own(qtbot, turns):
    runs = {name: begin(qtbot, turns, name) for name in "abcd"}
    told, ended = [], []
    turns.changed.connect(told.append)
    turns.ended.connect(lambda turn: ended.append((turn.thread_id, turn.how)))
    runs["a"].tell("request")
    runs["b"].ask(hand())
    runs["c"].tell("interrupted")
    runs["d"].tell("failed", "No.")
    turns.drain()
    assert {name: turns.of(name).state for name in "abcd"} == {
        "a": "running", "b": "waiting", "c": "interrupted", "d": "failed",
    }  # fmt: skip
    assert sorted(told) == ["a", "b", "c", "d"] and ended == [("c", "interrupted"), ("d", "failed")]
    assert [turn.thread_id for turn in turns.running()] == ["a", "b"]
    assert turns.of("b").line() == "Request 4 waits for your answer" and turns.of("d").line() == "No."
    turns.stop_all()
    assert [run.stops for run in runs.values()] == [1, 1, 0, 0]
    runs["a"].tell("stopped")
    runs["b"].tell("stopped")
    turns.drain()
    assert not turns.running() and turns.of("b").hands == []


def test_the_line_names_requests_tools_and_agents(qtbot, turns):
    run = begin(qtbot, turns, "a")
    line = lambda: turns.of("a").line()  # noqa: E731

    def tell(kind, **more):
        run.tell(kind, more.pop("text", ""), **more)
        turns.drain()
        return line()

    assert line() == "Starting the agent"
    assert tell("request", number=1) == "Request 1 of the run"
    assert tell("token", text="Let me\nsee") == "Request 1 of the run · Let me see"
    tell("request", number=1, state="done")
    tell("tool", name="task", number=1, state="started")
    assert tell("tool", name="read_file", number=2, state="started") == "calling task, read_file"
    tell("request", number=2, name="helper", purpose="subagent")
    assert tell("request", number=3, name="critic", purpose="subagent") == (
        "Requests 2, 3 of the run (helper, critic) · calling task, read_file"
    )
    for number, kind in ((2, "request"), (3, "request"), (1, "tool"), (2, "tool")):
        tell(kind, number=number, state="done")
    assert tell("request", number=4, purpose="summary") == "Request 4 of the run, writing a summary · Let me see"
    run.tell("done")
    turns.drain()
    assert line() == "Done."


def test_several_that_wait_are_counted_and_what_is_answered_is_not(qtbot, turns):
    run, asked = begin(qtbot, turns, "a"), []
    turns.hand_asked.connect(lambda *what: asked.append(what))
    run.ask(hand(4, "helper"))
    run.ask(hand(5, "helper"))
    turns.drain()
    assert turns.of("a").line() == "2 requests wait for your answer" and asked == [("a", True)]
    run.ask(hand(3))
    turns.drain()
    assert asked[1:] == [("a", False)] and [each.number for each in turns.of("a").hands] == [3, 4, 5]
    run.hands = [run.hands[1]]
    turns.drain()
    assert turns.of("a").line() == "Request 5 of helper waits for your answer"
    run.tell("done")
    turns.drain()


def test_nothing_is_heard_of_runs_of_a_source_that_was_left(qtbot, turns):
    run, told = begin(qtbot, turns, "a"), []
    turns.forget()
    turns.changed.connect(told.append)
    run.tell("done")
    turns.drain()
    assert run.stops == 1 and told == [] and turns.of("a") is None


def test_the_status_line_leads_to_each_run(qtbot, turns, colours):
    button, chosen = RunsButton(), []
    qtbot.addWidget(button)
    button.chosen.connect(chosen.append)
    runs = [begin(qtbot, turns, text) for text in HOSTILE]
    button.show_runs(turns.running(), [thread(text, title=text) for text in HOSTILE])
    assert button.text() == f"{len(HOSTILE)} runs under way ▾"
    button.entries.aboutToShow.emit()
    assert len(button.entries.actions()) == len(HOSTILE)
    assert not any("&b" in action.text().replace("&&", "") for action in button.entries.actions())
    button.entries.actions()[3].trigger()
    assert chosen == [HOSTILE[3]]
    for run in runs:
        run.tell("done")
    turns.drain()
    button.show_runs(turns.running(), None)
    assert button.isHidden()
