import threading

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QLabel

from engine.errors import UsageError
from inspector.prefs import Drafts
from inspector.views.composer import SCRIPTED, Composer
from inspector.views.fields import MAX_LINES
from inspector.views.labels import ElidedLabel
from tests.inspector.values import HOSTILE, FakeRun


@pytest.fixture
def runs() -> list[FakeRun]:
    return []


@pytest.fixture
def asked() -> list[tuple]:
    return []


@pytest.fixture
def composer(qtbot, jobs, tmp_path, runs, asked, colours) -> Composer:
    made = Composer(jobs, Drafts(tmp_path / "drafts"))
    qtbot.addWidget(made)

    def start(thread_id, message, model):
        asked.append((thread_id, message, model))
        runs.append(FakeRun())
        return runs[-1]

    made.resize(900, 120)
    made.open("/work/a.sqlite", start)
    made.set_thread("t1")
    made.show()
    qtbot.waitUntil(jobs.idle)
    return made


def send(qtbot, composer, text="hello", thread="new"):
    composer.edit.setPlainText(text)
    composer.send(lambda: thread)
    qtbot.waitUntil(lambda: composer.turn.over or composer.turn._run is not None)
    return composer.turn


def test_the_text_stays_until_the_run_has_taken_it(qtbot, composer, runs, asked):
    turn = send(qtbot, composer)
    assert asked == [("t1", "hello", None)]
    assert composer.edit.text() == "hello" and not composer.can_send() and composer.can_stop()
    runs[0].tell("request")
    turn.drain()
    assert composer.edit.text() == ""
    runs[0].tell("done", "answer")
    turn.drain()
    assert not composer.running and "Done" in composer.line.text()


def test_a_run_that_cannot_start_leaves_the_text_and_says_why(qtbot, composer, jobs):
    def refuse(*_args):
        raise UsageError("There is no model <b>acme:x</b>.")

    composer.open("/work/b.sqlite", refuse)
    turn = send(qtbot, composer)
    assert turn.over and not turn.is_accepted
    assert composer.edit.text() == "hello" and composer.can_send()
    assert "There is no model <b>acme:x</b>. The message is still here." in composer.line.text()


def test_a_run_that_fails_before_its_first_request_leaves_the_text(qtbot, composer, runs):
    turn = send(qtbot, composer)
    runs[0].tell("failed", "The provider refused the key.")
    turn.drain()
    assert composer.edit.text() == "hello"
    assert composer.line.text().startswith("! The provider refused the key.")


def test_what_was_typed_meanwhile_stays(qtbot, composer, runs):
    turn = send(qtbot, composer)
    composer.edit.moveCursor(composer.edit.textCursor().MoveOperation.End)
    qtbot.keyClicks(composer.edit, " and more")
    runs[0].tell("token", "x")
    turn.drain()
    assert composer.edit.text() == " and more"


def test_text_that_was_changed_meanwhile_is_not_touched(qtbot, composer, runs):
    turn = send(qtbot, composer)
    composer.edit.setPlainText("something else")
    runs[0].tell("token", "x")
    turn.drain()
    assert composer.edit.text() == "something else"


def test_the_run_goes_on_while_another_thread_is_shown(qtbot, composer, runs):
    turn = send(qtbot, composer)
    composer.set_thread("t2")
    qtbot.waitUntil(composer._jobs.idle)
    composer.edit.setPlainText("for t2")
    runs[0].tell("token", "x")
    turn.drain()
    assert composer.edit.text() == "for t2"
    composer.set_thread("t1")
    assert composer.edit.text() == ""


def test_stop_asks_the_run_once_also_when_it_is_still_starting(qtbot, composer, runs, jobs):
    gate = threading.Event()

    def slow(*_args):
        gate.wait(5)
        runs.append(FakeRun())
        return runs[-1]

    composer.open("/work/c.sqlite", slow)
    composer.edit.setPlainText("hello")
    composer.send(lambda: "new")
    composer.stop()
    assert not composer.can_stop()
    gate.set()
    qtbot.waitUntil(lambda: bool(runs) and runs[0].stops == 1)
    runs[0].tell("stopped")
    composer.turn.drain()
    assert "Stopped" in composer.line.text() and composer.edit.text() == "hello"


def test_escape_stops(qtbot, composer, runs):
    send(qtbot, composer)
    qtbot.keyClick(composer.edit, Qt.Key.Key_Escape)
    assert runs[0].stops == 1
    runs[0].tell("stopped")
    composer.turn.drain()


def test_a_run_that_ends_without_a_word_is_over(qtbot, composer, runs):
    turn = send(qtbot, composer)
    runs[0].finished = True
    turn.drain()
    assert turn.over


def test_what_the_record_lost_is_said(qtbot, composer, runs):
    turn = send(qtbot, composer)
    runs[0].lost, runs[0].lost_reason = 2, "disk <b>full</b>"
    runs[0].tell("done")
    turn.drain()
    assert composer.line.text() == "! Done. 2 entries of the record lost: disk <b>full</b>."


def test_the_wheel_over_the_model_changes_nothing(qtbot, composer):
    composer.set_models(["a:b", "c:d"], "")
    before = composer.model.currentText()
    event = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(0, -120), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(composer.model, event)
    assert composer.model.currentText() == before and not event.isAccepted()


def test_many_tokens_make_one_line(qtbot, composer, runs):
    turn, lines = send(qtbot, composer), []
    turn.progressed.connect(lines.append)
    for i in range(3000):
        runs[0].tell("token", f"word{i}\n")
    turn.drain()
    assert len(lines) == 1 and "word2999" in lines[0] and "\n" not in lines[0] and len(lines[0]) < 200
    runs[0].tell("done")
    turn.drain()


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_run_tells_is_shown_letter_by_letter(qtbot, composer, runs, text):
    turn = send(qtbot, composer)
    runs[0].tell("tool", text)
    runs[0].tell("token", text)
    turn.drain()
    runs[0].tell("failed", text)
    turn.drain()
    labels = [label for label in composer.findChildren(QLabel) if label.parent() is composer]
    assert {label.textFormat() for label in labels} <= {Qt.TextFormat.PlainText}
    assert composer.line.text().startswith(f"! {text}") and type(composer.line) is ElidedLabel  # paints plain text


def test_a_model_is_passed_on_as_it_was_written(qtbot, composer, runs, asked):
    chosen = []
    composer.model_chosen.connect(chosen.append)
    composer.model.setCurrentText(" anthropic:claude-x ")
    turn = send(qtbot, composer)
    assert asked[0][2] == "anthropic:claude-x" and chosen == []
    runs[0].tell("done")
    turn.drain()
    assert chosen == ["anthropic:claude-x"]
    composer.set_models(["a:b"], "")
    assert composer.model.currentText() == SCRIPTED and composer.models() == ["a:b"]


def test_a_draft_is_kept_for_each_thread_and_outlives_the_window(qtbot, composer, jobs, tmp_path):
    composer.edit.setPlainText("draft of t1\u00a0with\na no-break space")
    composer.set_thread("t2")
    assert composer.edit.text() == ""
    composer.edit.setPlainText("draft of t2")
    composer._save_timer.timeout.emit()  # a second later
    qtbot.waitUntil(jobs.idle)
    other = Composer(jobs, Drafts(tmp_path / "drafts"))
    qtbot.addWidget(other)
    other.open("/work/a.sqlite", lambda *_: FakeRun())
    other.set_thread("t1")
    qtbot.waitUntil(lambda: other.edit.text() == "draft of t1\u00a0with\na no-break space")
    other.set_thread("t2")
    qtbot.waitUntil(lambda: other.edit.text() == "draft of t2")
    other.open("/work/other.sqlite", lambda *_: FakeRun())
    other.set_thread("t1")
    qtbot.waitUntil(jobs.idle)
    assert other.edit.text() == ""


def test_a_sent_message_is_no_draft_any_more(qtbot, composer, runs, jobs, tmp_path):
    turn = send(qtbot, composer)
    qtbot.waitUntil(jobs.idle)
    assert Drafts(tmp_path / "drafts").read("/work/a.sqlite", "t1") == "hello"
    runs[0].tell("done")
    turn.drain()
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
    assert composer.edit.isReadOnly() and not composer.can_send()


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
