"""The answer of the request that is shown, as it streams."""

import pytest
from PySide6.QtCore import QObject, Qt, Signal

from inspector.streaming import Streaming
from inspector.turns import Turns
from inspector.views.live import SHOWN, LiveAnswer
from tests.inspector.values import HOSTILE, FakeRun, request

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


class Shown(QObject):
    """A session that shows one request."""

    request_changed = Signal(object)
    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.thread_id, self.row = "t", request(1, status="running")

    def request_row(self):
        return self.row


@pytest.fixture
def world(qtbot, jobs, colours):
    live, turns, session = LiveAnswer(), Turns(jobs, jobs), Shown()
    qtbot.addWidget(live)
    streaming = Streaming(turns, session, live, jobs)
    run = FakeRun()
    turns.begin("t", "message", lambda: run)
    qtbot.waitUntil(lambda: turns.of("t").run is run)
    yield live, turns, session, run
    run.tell("done")
    turns.drain()
    streaming.deleteLater()


def test_words_are_shown_while_they_come_and_go_with_the_recorded_response(world):
    live, turns, session, run = world
    run.tell("request")
    turns.drain()
    assert live.isHidden()
    run.tell("token", "One ")
    run.tell("token", "two")
    turns.drain()
    assert not live.isHidden() and live.edit.toPlainText() == "One two"
    run.tell("request", number=2, purpose="summary")  # its words are never told
    turns.drain()
    assert live.edit.toPlainText() == "One two"
    run.tell("request", number=3)
    run.tell("token", "Three")
    turns.drain()
    assert live.edit.toPlainText() == "Three"
    session.row = request(1, status="done")
    session.rows_changed.emit()
    assert live.isHidden()


def test_another_request_or_thread_shows_nothing_of_it(world):
    live, turns, session, run = world
    run.tell("request")
    run.tell("token", "words")
    turns.drain()
    assert not live.isHidden()
    session.row = request(2, status="running", purpose="subagent")
    session.request_changed.emit(session.row)
    assert live.isHidden()
    session.row, session.thread_id = request(3, status="running"), "other"
    session.request_changed.emit(session.row)
    assert live.isHidden()


def test_a_long_answer_costs_no_more_than_its_end(world):
    live, turns, _session, run = world
    run.tell("request")
    run.tell("token", "a" * 300_000 + " the end")
    turns.drain()
    text = live.edit.toPlainText()
    assert text.endswith(" the end") and len(text) == SHOWN + 1
    assert "300\u2009008 characters" in live.says.text()


def test_a_reader_who_scrolled_up_is_left_there(qtbot, world):
    live, turns, _session, run = world
    live.resize(500, 110)
    run.tell("request")
    run.tell("token", "\n".join(f"line {n}" for n in range(60)))
    turns.drain()
    bar = live.edit.verticalScrollBar()
    assert bar.value() == bar.maximum() > 0
    bar.setValue(3)
    run.tell("token", "\nmore")
    turns.drain()
    assert bar.value() == 3 and live.edit.toPlainText().endswith("more")


@pytest.mark.parametrize("text", [*HOSTILE, f"the key is {KEY} ", "\u202e"])
def test_words_are_shown_letter_by_letter_and_secrets_masked(world, text):
    live, turns, _session, run = world
    run.tell("request")
    run.tell("token", text)
    turns.drain()
    shown = live.edit.toPlainText()
    assert "\u202e" not in shown and KEY not in shown and "\x1b" not in shown
    assert live.says.textFormat() == Qt.TextFormat.PlainText
