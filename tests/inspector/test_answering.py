"""Runs in the window: by hand without a network, decisions of yesterday, failures that are gone on with."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytest_httpserver import HTTPServer

from engine import AgentSettings, Reader, Runner, Workspace, assign_agent, pending_questions, save_agent
from engine.running import HandCall, HandReply
from inspector.prefs import Prefs
from tests.engine.agent.running import until
from tests.engine.wire.provider import KEY, Provider, Say, fails, listening
from tests.inspector.conftest import WAIT_MS, close, settle

AGENT = AgentSettings(model="hand", interrupts={"write_file": ()})
CALL = {"file_path": "/notes.md", "content": "one\u202e"}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Workspace.create(tmp_path / "work.ctx").path


def asked_of(run):
    return until(run, lambda update: update.kind == "hand").hand


def wait(qtbot, condition):
    qtbot.waitUntil(lambda: bool(condition()), timeout=WAIT_MS)


def send(qtbot, window, text):
    window.composer.edit.setPlainText(text)
    assert window.commands.run("thread.send")


def stop_at_a_question(path: Path) -> None:
    """A thread whose agent wants to write a file, left so; its agent is the workspace's."""
    with closing(Runner(path)) as runner:
        run = runner.start("t", "Write it down", settings=AGENT)
        run.reply(asked_of(run).token, HandReply("", [HandCall("write_file", json.dumps(CALL))]))
        assert run.wait(60) and run.interrupted
    assign_agent(path, "t", save_agent(path, "clerk", AGENT).id)


def test_a_question_of_yesterday_is_edited_answered_and_the_run_goes_on_by_hand(qtbot, make_window, path, prefs):
    stop_at_a_question(path)
    window = make_window(path)
    panel = window.parts.answer
    wait(qtbot, panel.asks_decision)
    assert window.threads.list.model().index(0).data(Qt.ItemDataRole.AccessibleTextRole).find("waits for you") > 0
    assert panel.question.form.call.tool == "write_file" and not window.commands.run("thread.compact")
    assert "‹RLO›" in panel.question.form.args.edit.toPlainText()
    assert window.commands.run("answer.edit")
    field = panel.question.form.edit
    field.edit.selectAll()
    qtbot.keyClicks(field.edit, json.dumps({**CALL, "content": "two"}))
    wait(qtbot, panel.can_send)
    close(qtbot, window)  # a day later
    window = make_window(path, prefs)
    panel = window.parts.answer
    wait(qtbot, panel.asks_decision)
    assert json.loads(panel.question.form.edit.text())["content"] == "two"
    assert window.commands.run("thread.send")
    wait(qtbot, panel.asks_hand)
    assert "/notes.md" in panel.hand.current().messages[-1]["data"]["content"]  # what the tool said
    qtbot.keyClicks(panel.hand.text, "It is written.")
    assert window.commands.run("thread.send")
    wait(qtbot, lambda: not window.turns.running() and not panel.open)
    assert window.composer.line.text() == "Done."
    assert pending_questions(path, "t") == ()
    with closing(Reader(path)) as reader:
        decisions = [event.data["decisions"][0] for event in reader.events("t") if event.kind == "decision"]
        assert [(each["decision"], each["after"]["args"]["content"]) for each in decisions] == [("edit", "two")]
        assert next(file for file in reader.files("t") if file.path == "/notes.md")


def test_the_keyboard_stays_with_the_answer_and_goes_to_the_message_after_it(qtbot, make_window, path):
    """What is typed after an answer is sent never lands in another part of the window."""
    assign_agent(path, "t", save_agent(path, "clerk", AGENT).id)
    with closing(Runner(path)) as runner:
        run = runner.start("t", "Write it down", settings=AGENT)
        run.reply(asked_of(run).token, HandReply("Later.", []))
        assert run.wait(60)
    window = make_window(path)
    window.activateWindow()
    panel, composer = window.parts.answer, window.composer
    qtbot.waitUntil(lambda: window.session is not None and window.session.thread_id == "t", timeout=WAIT_MS)

    def has_keyboard(part):
        focus = window.focusWidget()
        return focus is part or part.isAncestorOf(focus)

    composer.edit.setFocus()
    send(qtbot, window, "Now")
    wait(qtbot, panel.asks_hand)
    wait(qtbot, panel.hand.text.hasFocus)
    panel.hand.calls.tool.setEditText("write_file")
    panel.hand.calls.add()
    wait(qtbot, panel.can_send)
    panel.hand.send_button.setFocus()
    qtbot.keyClick(panel.hand.send_button, Qt.Key.Key_Space)
    assert has_keyboard(panel)
    wait(qtbot, panel.asks_decision)
    assert has_keyboard(panel.question) or composer.edit.hasFocus()
    panel.take_focus()
    assert window.commands.run("answer.reject")
    assert window.commands.run("thread.send")
    wait(qtbot, panel.asks_hand)
    assert has_keyboard(panel) or composer.edit.hasFocus()
    panel.take_focus()
    qtbot.keyClicks(panel.hand.text, "Not written.")
    assert window.commands.run("thread.send")
    assert has_keyboard(panel)
    wait(qtbot, lambda: not window.turns.running() and not panel.open)
    assert composer.edit.hasFocus()


def test_a_new_user_answers_by_hand_in_threads_side_by_side(qtbot, make_window, path):
    window = make_window(path)
    window.activateWindow()
    panel, session = window.parts.answer, window.session
    assert window.commands.run("thread.new")
    window.composer.edit.setFocus()
    send(qtbot, window, "First")
    wait(qtbot, panel.asks_hand)
    first = session.thread_id
    wait(qtbot, panel.hand.text.hasFocus)  # nothing was typed where the keyboard was
    wait(qtbot, lambda: session.request_id == panel.hand.current().request)
    assert window.threads.list.currentIndex().data(Qt.ItemDataRole.AccessibleTextRole).find("waits for you") > 0
    qtbot.keyClicks(panel.hand.text, "half an answ")
    assert window.commands.run("thread.new") and not panel.open
    send(qtbot, window, "Second")
    wait(qtbot, lambda: panel.asks_hand() and session.thread_id not in (None, first))
    second = session.thread_id
    assert panel.hand.text.text() == ""
    assert window.status.runs.isVisible() and "2 runs under way, 2 of them for you" in window.status.runs.text()
    assert window.commands.run("thread.next_run") and session.thread_id == first
    assert panel.hand.text.text() == "half an answ"
    wait(qtbot, lambda: session.request_id is not None)
    selected = session.request_id
    panel.hand.text.put("")
    panel.hand.text.setFocus()
    qtbot.keyClicks(panel.hand.text, "Done with it.")
    assert window.commands.run("thread.send")
    wait(qtbot, lambda: not window.turns.is_running(first))
    wait(qtbot, lambda: session.thread_row().status == "idle")
    assert session.request_id == selected and window.turns.is_running(second)
    assert "1 run waits for you" in window.status.runs.text()
    questions = []
    window.ask = lambda _parent, sentence, *_: questions.append(sentence) or False
    window.close()
    assert "A run is under way" in questions[0] and window.isVisible()
    window.choose_thread(second)
    assert window.commands.run("thread.stop")
    wait(qtbot, lambda: not window.turns.running())
    wait(qtbot, window.composer.can_resume)
    settle(qtbot, window)
    assert window.commands.run("thread.resume")
    wait(qtbot, panel.asks_hand)
    before = len(session.rows)
    panel.hand.calls.tool.setEditText("ls")
    panel.hand.calls.add()
    qtbot.keyClicks(panel.hand.calls.args.edit, "")
    panel.hand.calls.args.edit.selectAll()
    qtbot.keyClicks(panel.hand.calls.args.edit, '{"path": "/"}')
    wait(qtbot, panel.can_send)
    panel.hand.send()
    wait(qtbot, lambda: panel.hand.current() is not None and len(session.rows) > before)
    wait(qtbot, lambda: session.request_id == panel.hand.current().request)  # who drives sees what to answer


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Provider:
    made = Provider(listener)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_BASE_URL", f"{made.url}/v1")
    return made


def test_a_run_that_failed_says_why_and_goes_on(qtbot, make_window, path, server, prefs: Prefs):
    window = make_window(path)
    window.commands.run("thread.new")
    window.composer.model.setEditText("openai:gpt-4o")
    server.will(fails(401, "no <b>such</b> key"))
    send(qtbot, window, "Hello")
    wait(qtbot, lambda: not window.turns.running() and window.session.thread_id is not None)
    assert "did not accept the key" in window.composer.line.text()
    wait(qtbot, window.composer.can_resume)
    wait(qtbot, lambda: window.desk.request.detail() is not None and window.desk.request.detail().row.error)
    assert "did not accept the key" in window.desk.request.header.error.text()
    assert window.commands.run("thread.failure")
    details = next(each for each in QApplication.topLevelWidgets() if each.windowTitle() == "Text" and each.isVisible())
    wait(qtbot, lambda: "AuthenticationError" in details.text.edit.toPlainText())
    assert KEY not in details.text.edit.toPlainText()
    details.close()
    assert prefs.model_of(str(path), window.session.thread_id) == "openai:gpt-4o"
    server.will(Say("Here I am."))
    assert window.commands.run("thread.resume")
    wait(qtbot, lambda: not window.turns.running())
    assert window.composer.line.text() == "Done." and not window.composer.can_resume()
    assert window.commands.run("thread.compact")
    wait(qtbot, lambda: not window.turns.running())
    assert "There is nothing to summarize" in window.composer.line.text()
