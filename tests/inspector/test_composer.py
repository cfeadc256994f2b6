import threading

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from engine.errors import UsageError
from engine.running import Compaction
from inspector.prefs import Drafts
from inspector.turns import Turns
from inspector.views.composer import Composer
from inspector.views.fields import MAX_LINES
from inspector.views.labels import ElidedLabel
from inspector.views.model_choice import HAND, SCRIPTED
from tests.inspector.values import HOSTILE, FakeRunning


@pytest.fixture
def door() -> FakeRunning:
    return FakeRunning()


@pytest.fixture
def runs(door) -> list:
    return door.runs


@pytest.fixture
def composer(qtbot, jobs, tmp_path, door, colours) -> Composer:
    made = new_composer(qtbot, jobs, tmp_path)
    made.resize(900, 120)
    made.open("/work/a.sqlite", door)
    made.set_thread("t1")
    made.show()
    qtbot.waitUntil(jobs.idle)
    return made


def new_composer(qtbot, jobs, tmp_path) -> Composer:
    made = Composer(jobs, Drafts(tmp_path / "drafts"), Turns(jobs, jobs))
    qtbot.addWidget(made, before_close_func=lambda widget: widget.turns.forget())
    return made


def send(qtbot, composer, text="hello", thread="new"):
    composer.edit.setPlainText(text)
    composer.send(lambda: thread)
    qtbot.waitUntil(lambda: composer.turn.over or composer.turn.run is not None)
    return composer.turn


def test_the_text_stays_until_the_run_has_taken_it(qtbot, composer, runs, door):
    send(qtbot, composer)
    assert door.asked == [("start", "t1", "hello", None)]
    assert composer.edit.text() == "hello" and not composer.can_send() and composer.can_stop()
    runs[0].tell("request")
    composer.turns.drain()
    assert composer.edit.text() == ""
    runs[0].tell("done", "answer")
    composer.turns.drain()
    assert not composer.running and "Done" in composer.line.text()


def test_a_run_that_cannot_start_leaves_the_text_and_says_why(qtbot, composer, door):
    door.fault = UsageError("There is no model <b>acme:x</b>.")
    turn = send(qtbot, composer)
    assert turn.over and not turn.is_accepted
    assert composer.edit.text() == "hello" and composer.can_send()
    assert "There is no model <b>acme:x</b>. The message is still here." in composer.line.text()


def test_a_run_that_fails_before_its_first_request_leaves_the_text(qtbot, composer, runs):
    send(qtbot, composer)
    runs[0].tell("failed", "The provider refused the key.")
    composer.turns.drain()
    assert composer.edit.text() == "hello"
    assert composer.line.text().startswith("! The provider refused the key.")


def test_what_was_typed_meanwhile_stays(qtbot, composer, runs):
    send(qtbot, composer)
    composer.edit.moveCursor(composer.edit.textCursor().MoveOperation.End)
    qtbot.keyClicks(composer.edit, " and more")
    runs[0].tell("token", "x")
    composer.turns.drain()
    assert composer.edit.text() == " and more"


def test_text_that_was_changed_meanwhile_is_not_touched(qtbot, composer, runs):
    send(qtbot, composer)
    composer.edit.setPlainText("something else")
    runs[0].tell("token", "x")
    composer.turns.drain()
    assert composer.edit.text() == "something else"


def test_the_run_goes_on_while_another_thread_is_shown(qtbot, composer, runs):
    send(qtbot, composer)
    composer.set_thread("t2")
    qtbot.waitUntil(composer._jobs.idle)
    composer.edit.setPlainText("for t2")
    runs[0].tell("token", "x")
    composer.turns.drain()
    assert composer.edit.text() == "for t2"
    composer.set_thread("t1")
    assert composer.edit.text() == ""


def test_stop_asks_the_run_once_also_when_it_is_still_starting(qtbot, composer, door, runs):
    gate, begin = threading.Event(), door.start

    def slow(*args):
        gate.wait(5)
        return begin(*args)

    door.start = slow
    composer.edit.setPlainText("hello")
    composer.send(lambda: "new")
    composer.stop()
    assert not composer.can_stop()
    gate.set()
    qtbot.waitUntil(lambda: bool(runs) and runs[0].stops == 1)
    runs[0].tell("stopped")
    composer.turns.drain()
    assert "Stopped" in composer.line.text() and composer.edit.text() == "hello"


def test_escape_stops(qtbot, composer, runs):
    send(qtbot, composer)
    qtbot.keyClick(composer.edit, Qt.Key.Key_Escape)
    assert runs[0].stops == 1
    runs[0].tell("stopped")
    composer.turns.drain()


def test_a_run_that_ends_without_a_word_is_over(qtbot, composer, runs):
    turn = send(qtbot, composer)
    runs[0].finished = True
    composer.turns.drain()
    assert turn.over


def test_what_the_record_lost_is_said(qtbot, composer, runs):
    send(qtbot, composer)
    runs[0].lost, runs[0].lost_reason = 2, "disk <b>full</b>"
    runs[0].tell("done")
    composer.turns.drain()
    assert composer.line.text() == "! Done. 2 entries of the record lost: disk <b>full</b>."


def test_the_wheel_over_the_model_changes_nothing(qtbot, composer):
    composer.model.set_models(["a:b", "c:d"], "")
    before = composer.model.currentText()
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, -120), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(composer.model, event)
    assert composer.model.currentText() == before and not event.isAccepted()


def test_many_tokens_make_one_line(qtbot, composer, runs):
    send(qtbot, composer)
    lines = []
    composer.turns.changed.connect(lambda _thread: lines.append(composer.line.text()))
    for i in range(3000):
        runs[0].tell("token", f"word{i}\n")
    composer.turns.drain()
    assert len(lines) == 1 and "word2999" in lines[0] and "\n" not in lines[0] and len(lines[0]) < 200
    runs[0].tell("done")
    composer.turns.drain()


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_run_tells_is_shown_letter_by_letter(qtbot, composer, runs, text):
    send(qtbot, composer)
    runs[0].tell("tool", text)
    runs[0].tell("token", text)
    composer.turns.drain()
    runs[0].tell("failed", text)
    composer.turns.drain()
    labels = [label for label in composer.findChildren(QLabel) if label.parent() is composer]
    assert {label.textFormat() for label in labels} <= {Qt.TextFormat.PlainText}
    assert composer.line.text().startswith(f"! {text}") and type(composer.line) is ElidedLabel  # paints plain text


def test_a_model_is_passed_on_as_it_was_written(qtbot, composer, runs, door):
    chosen = []
    composer.model_chosen.connect(lambda *what: chosen.append(what))
    composer.model.setCurrentText(" anthropic:claude-x ")
    send(qtbot, composer)
    assert door.asked[0][3] == "anthropic:claude-x" and chosen == []
    runs[0].tell("done")
    composer.turns.drain()
    assert chosen == [("t1", "anthropic:claude-x")]
    composer.model.set_models(["a:b"], "")
    assert composer.model.models() == ["a:b"]


def test_a_thread_keeps_its_own_model_until_another_is_chosen_for_it_alone(qtbot, composer, door, runs):
    assert composer.model.currentText() == "" and composer.model.name() is None
    composer.model.set_own("analyst", "acme:large")
    assert composer.model.lineEdit().placeholderText() == "acme:large"
    qtbot.keyClicks(composer.model.lineEdit(), "acme:small")
    composer.set_thread("t2")
    assert composer.model.name() is None
    composer.set_thread("t1")
    assert composer.model.name() == "acme:small"
    composer.model.lineEdit().clear()
    composer.model.lineEdit().textEdited.emit("")
    send(qtbot, composer)
    assert door.asked == [("start", "t1", "hello", None)]
    runs[0].tell("done")
    composer.turns.drain()


def test_a_new_thread_is_answered_by_hand_unless_a_model_was_chosen(qtbot, composer, door, runs):
    composer.set_thread(None)
    assert composer.model.currentText() == HAND
    send(qtbot, composer)
    assert door.asked == [("start", "new", "hello", "hand")]
    runs[0].tell("done")
    composer.turns.drain()
    composer.set_thread("other")
    composer.model.set_models([], SCRIPTED)
    composer.set_thread(None)
    assert composer.model.name() == "scripted"


def test_each_thread_has_its_own_run_line_and_stop(qtbot, composer, door, runs):
    send(qtbot, composer)
    composer.set_thread("t2")
    assert composer.line.text() == "" and not composer.can_stop()
    send(qtbot, composer, "to two")
    runs[0].tell("request", number=1)
    runs[1].tell("tool", name="ls", state="started", number=1)
    composer.turns.drain()
    assert composer.line.text() == "calling ls"
    composer.stop()
    assert (runs[0].stops, runs[1].stops) == (0, 1)
    composer.set_thread("t1")
    assert composer.line.text() == "Request 1 of the run" and composer.can_stop()
    runs[0].tell("failed", "The key was refused.")
    runs[1].tell("stopped")
    composer.turns.drain()
    assert composer.line.text() == "! The key was refused." and composer.details_button.isVisibleTo(composer)
    composer.set_thread("t2")
    assert "Stopped" in composer.line.text()
    composer.set_thread("t1")
    assert composer.line.text() == "! The key was refused."
    composer.set_thread("t2")
    assert composer.line.text() == ""  # it was seen


def test_the_thread_of_a_first_message_is_shown_only_while_its_writer_waits_for_it(qtbot, composer, runs):
    started = []
    composer.started.connect(started.append)
    composer.set_thread(None)
    send(qtbot, composer, "one", "first")
    composer.set_thread("t2")
    runs[0].tell("request")
    composer.turns.drain()
    assert started == []
    composer.set_thread(None)
    assert composer.edit.text() == ""
    send(qtbot, composer, "two", "second")
    runs[1].tell("request")
    composer.turns.drain()
    assert started == ["second"]
    for run in runs:
        run.tell("done")
    composer.turns.drain()


def test_a_run_that_failed_can_be_gone_on_with(qtbot, composer, door, runs):
    composer.set_standing("The last run failed: no.", failed=True, can_go_on=True)
    assert composer.line.text() == "! The last run failed: no." and composer.go_on_button.isVisibleTo(composer)
    qtbot.mouseClick(composer.go_on_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bool(runs))
    assert door.asked == [("resume", "t1", None)]
    assert not composer.go_on_button.isVisibleTo(composer)
    qtbot.waitUntil(lambda: composer.turn.run is not None)
    runs[0].tell("done")
    composer.turns.drain()


def test_what_a_summary_on_demand_did_is_said(qtbot, composer, door, runs):
    composer.compact()
    qtbot.waitUntil(lambda: composer.turn.run is not None)
    assert door.asked == [("compact", "t1", None)] and composer.line.text() == "Summarizing older messages"
    runs[0].result = Compaction("t1", 12, 6, 48_000, 9_100, "/conversation_history/t1.md")
    runs[0].tell("done")
    composer.turns.drain()
    assert composer.line.text() == (
        "12 messages summarized, 6 kept: ~48k → ~9.1k tokens. The history is in /conversation_history/t1.md."
    )


def test_a_draft_is_kept_for_each_thread_and_outlives_the_window(qtbot, composer, jobs, tmp_path):
    composer.edit.setPlainText("draft of t1\u00a0with\na no-break space")
    composer.set_thread("t2")
    assert composer.edit.text() == ""
    composer.edit.setPlainText("draft of t2")
    composer._save_timer.timeout.emit()  # a second later
    qtbot.waitUntil(jobs.idle)
    other = new_composer(qtbot, jobs, tmp_path)
    other.open("/work/a.sqlite", FakeRunning())
    other.set_thread("t1")
    qtbot.waitUntil(lambda: other.edit.text() == "draft of t1\u00a0with\na no-break space")
    other.set_thread("t2")
    qtbot.waitUntil(lambda: other.edit.text() == "draft of t2")
    other.open("/work/other.sqlite", FakeRunning())
    other.set_thread("t1")
    qtbot.waitUntil(jobs.idle)
    assert other.edit.text() == ""


def test_a_sent_message_is_no_draft_any_more(qtbot, composer, runs, jobs, tmp_path):
    send(qtbot, composer)
    qtbot.waitUntil(jobs.idle)
    assert Drafts(tmp_path / "drafts").read("/work/a.sqlite", "t1") == "hello"
    runs[0].tell("done")
    composer.turns.drain()
    qtbot.waitUntil(jobs.idle)
    assert Drafts(tmp_path / "drafts").read("/work/a.sqlite", "t1") == ""


def test_a_disk_that_refuses_a_draft_is_said(qtbot, composer, jobs, tmp_path):
    (tmp_path / "drafts").write_text("a file where the folder should be")
    composer.edit.setPlainText("x")
    composer.save_draft()
    qtbot.waitUntil(lambda: "could not be written" in composer.line.text())
    assert composer.edit.text() == "x"


def test_a_source_that_is_read_only_says_so(qtbot, composer):
    composer.open("/work/foreign.db", None, "This source is read only.")
    assert composer.edit.placeholderText() == "This source is read only."
    assert composer.edit.isReadOnly() and not composer.can_send() and not composer.model.isEnabled()


def test_the_field_grows_with_its_lines_up_to_eight(qtbot, composer):
    low = composer.edit.height()
    composer.edit.setPlainText("\n".join("abcdef"))
    middle = composer.edit.height()
    composer.edit.setPlainText("\n".join("x" * 40))
    high = composer.edit.height()
    composer.edit.setPlainText("\n".join("x" * 400))
    assert low < middle < high == composer.edit.height()
    line = composer.edit.fontMetrics().lineSpacing()
    assert high < (MAX_LINES + 1) * line


def test_tab_leaves_the_field(qtbot, composer):
    composer.edit.setFocus()
    assert composer.edit.tabChangesFocus()
