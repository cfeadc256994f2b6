"""Decisions: each call as it would run, what may be decided on it, and what is sent."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from engine.running import Answer, Decision, PendingCall, Question
from inspector.views.question import QuestionPanel
from tests.inspector.conftest import WAIT_MS
from tests.inspector.values import HOSTILE

ALL = ("approve", "edit", "reject", "respond")
SCHEMA = {"type": "object", "properties": {"to": {"type": "string"}, "copies": {"type": "integer"}}, "required": ["to"]}
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD"


def call(tool="send", args=None, allowed=ALL, about="", schema=SCHEMA) -> PendingCall:
    text = json.dumps({"to": "Ann"} if args is None else args, ensure_ascii=False, indent=2)
    return PendingCall(tool, text, about, "call_1", allowed, schema)


def question(id="q1", calls=(), value="null", agent=None) -> Question:
    return Question(id, "t", tuple(calls), value, agent, "", 1_700_000_000.0, 7)


@pytest.fixture
def panel(qtbot, jobs, colours):
    made = QuestionPanel(jobs)
    qtbot.addWidget(made)
    made.resize(1200, 260)
    made.show()
    return made


def show(panel, *questions, kept=None, read_only=False):
    panel.show_questions(questions, lambda id: (kept or {}).get(id, {}), read_only=read_only)


def test_decisions_are_sent_call_by_call(qtbot, panel):
    show(panel, question(calls=[call(), call("wipe", {"path": "/x"}, ("approve", "reject")), call()]))
    sent = []
    panel.answered.connect(sent.append)
    panel.send()
    assert sent == [] and not panel.send_button.isEnabled()
    panel.decide("approve")  # leads to the next one
    assert panel.form.call.tool == "wipe"
    assert not panel.can_decide("edit") and not panel.form.buttons["edit"].isVisible()
    panel.decide("reject")
    qtbot.keyClicks(panel.form.message, "Too much.")
    panel.list.setCurrentRow(2)
    panel.decide("respond")
    assert not panel.can_send()  # it has no words yet
    qtbot.keyClicks(panel.form.message, "It was sent.")
    assert panel.says.text().startswith("3 of 3 calls decided")
    qtbot.mouseClick(panel.send_button, Qt.MouseButton.LeftButton)
    assert sent == [{"q1": [Decision("approve"), Decision("reject", "Too much."), Decision("respond", "It was sent.")]}]


def test_an_edit_is_checked_while_it_is_typed_and_compared_with_what_was_asked(qtbot, panel):
    show(panel, question(calls=[call(args={"to": "Ann\u202e", "copies": 2})]))
    panel.decide("edit")
    edit = panel.form.edit
    assert json.loads(edit.text()) == {"to": "Ann\u202e", "copies": 2}
    assert "\\u202e" in edit.text() and "\u202e" not in edit.text()  # what is edited can be seen
    edit.edit.selectAll()
    qtbot.keyClicks(edit.edit, '{"to": 5}')
    qtbot.waitUntil(lambda: "don't fit" in edit.says.text(), timeout=WAIT_MS)
    assert not panel.can_send()
    edit.edit.selectAll()
    qtbot.keyClicks(edit.edit, '{"to": "Bo"}')
    qtbot.waitUntil(lambda: "Fits" in edit.says.text(), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: '+ {"to": "Bo"}' in panel.form.diff.text(), timeout=WAIT_MS)
    assert '-   "copies": 2' in panel.form.diff.text().replace("−", "-")
    assert panel.answers() == {"q1": [Decision("edit", args='{"to": "Bo"}')]}


def test_all_that_is_open_is_approved_at_once_and_nothing_else(panel):
    show(panel, question(calls=[call(), call("odd", {}, ("reject",)), call()]))
    panel.decide("reject")
    panel.approve_all()
    assert [item.typed.get("kind") for item in panel._items] == ["reject", None, "approve"]
    assert not panel.can_send()


def test_what_was_typed_comes_back(qtbot, panel):
    kept = {}
    panel.typed.connect(lambda id, typed: kept.update({id: json.loads(json.dumps(typed))}))
    both = question(calls=[call(), call()]), question("q2", value='{"ask": "Which one?"}', agent="helper")
    show(panel, *both)
    panel.decide("reject")
    qtbot.keyClicks(panel.form.message, "No <b>way</b>")
    panel.list.setCurrentRow(2)
    qtbot.keyClicks(panel.answer, '{"a": 1}')
    panel.as_json.click()
    show(panel, question("other", calls=[call()]))
    show(panel, *both, kept=kept)
    assert panel.form.message.text() == "No <b>way</b>"
    assert panel.answers() == {"q2": Answer('{"a": 1}', True)}  # the first one is decided on in part
    panel.list.setCurrentRow(2)
    assert "Which one?" in panel.value.text() and panel.title.text() == "helper asks"
    assert panel.answer.text() == '{"a": 1}' and panel.as_json.isChecked()


def test_the_request_is_a_link_away(qtbot, panel):
    show(panel, question(calls=[call()]))
    with qtbot.waitSignal(panel.show_request) as told:
        qtbot.mouseClick(panel.link, Qt.MouseButton.LeftButton)
    assert told.args == [7]


def test_secrets_and_hidden_characters_are_not_shown_as_they_are(panel):
    show(panel, question(calls=[call(args={"to": f"x\u202ey {KEY}"}, about=f"Sends {KEY} away")]))
    for view in (panel.form.args, panel.form.about):
        assert KEY not in view.edit.toPlainText() and "masked" in view.edit.toPlainText()
    assert "‹RLO›" in panel.form.args.edit.toPlainText()


def test_the_engines_own_description_is_not_said_again(panel):
    args = {"to": "Ann"}
    own = f"Tool execution requires approval\n\nTool: send\nArgs: {args}"
    show(panel, question(calls=[call(args=args, about=own)]))
    assert not panel.form.about.isVisible()


def test_a_source_that_is_only_read_shows_the_question_without_buttons(panel):
    show(panel, question(calls=[call(), call()]), question("q2", value='"?"'), read_only=True)
    assert not panel.can_decide("approve") and not panel.send_button.isVisible() and not panel.all_button.isVisible()
    assert not any(button.isVisible() for button in panel.form.buttons.values())
    panel.list.setCurrentRow(2)
    assert not panel.answer.isVisible() and "read only" in panel.says.text()


@pytest.mark.parametrize("text", HOSTILE)
def test_names_and_words_are_shown_letter_by_letter(panel, text):
    show(panel, question(calls=[call(text, {"to": text}, about=text), call(text)], agent=text))
    panel.decide("edit")
    labels = panel.findChildren(QLabel)
    assert {label.textFormat() for label in labels} <= {Qt.TextFormat.PlainText}
