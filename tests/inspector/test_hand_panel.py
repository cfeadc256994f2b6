"""Answers by hand: text and calls of the request's own tools, kept while one answers another."""

import json

import pytest
from PySide6.QtCore import Qt

from engine.running import HandCall, HandReply, HandRequest, HandTool
from inspector.running import template
from inspector.views.hand import HandPanel
from tests.inspector.conftest import WAIT_MS
from tests.inspector.values import HOSTILE

PROPERTIES = {"thing": {"type": "string"}, "grams": {"type": "integer"}}
WEIGH = HandTool("weigh", "Weighs a thing.", {"type": "object", "properties": PROPERTIES, "required": ["thing"]})
LS = HandTool("ls", "Lists.", {"type": "object", "properties": {}})


def asks(token="a", number=4, agent=None, purpose="agent", tools=(WEIGH, LS)) -> HandRequest:
    return HandRequest(token, "t", 40 + number, number, agent, purpose, (), tuple(tools))


@pytest.fixture
def panel(qtbot, jobs, colours):
    made = HandPanel(jobs)
    qtbot.addWidget(made)
    made.resize(1200, 260)
    made.show()
    return made


def show(panel, *requests, kept=None):
    panel.show_requests(requests, lambda request: (kept or {}).get(request.token, {}))


def add(qtbot, panel, name):
    field = panel.calls.tool.lineEdit()
    field.clear()
    qtbot.keyClicks(field, name)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_an_answer_has_text_and_calls(qtbot, panel):
    sent = []
    panel.replied.connect(lambda *what: sent.append(what))
    show(panel, asks())
    assert panel.title.text() == "You are the model: request 4" and not panel.can_send()
    qtbot.keyClicks(panel.text, "Let me see.")
    assert panel.can_send()
    add(qtbot, panel, "weigh")
    assert json.loads(panel.calls.args.text()) == {"thing": ""}
    qtbot.keyClicks(panel.calls.args.edit, "egg")  # the cursor is where the first value goes
    add(qtbot, panel, "ls")
    assert [panel.calls.list.item(n).text() for n in range(2)] == ["weigh", "ls"]
    qtbot.mouseClick(panel.send_button, Qt.MouseButton.LeftButton)
    assert sent == [
        ("a", HandReply("Let me see.", [HandCall("weigh", '{\n  "thing": "egg"\n}'), HandCall("ls", "{}")]))
    ]
    assert not panel.can_send()  # until it is known whether the run took it
    panel.refused("a", "This request waits no more.")
    assert panel.says.text() == "! This request waits no more." and panel.can_send()


def test_arguments_that_do_not_fit_are_said_and_not_sent(qtbot, panel):
    show(panel, asks())
    add(qtbot, panel, "weigh")
    qtbot.waitUntil(lambda: "Fits" in panel.calls.args.says.text(), timeout=WAIT_MS)
    panel.calls.args.edit.selectAll()
    qtbot.keyClicks(panel.calls.args.edit, '{"grams": "many"}')
    qtbot.waitUntil(lambda: panel.calls.has_fault(), timeout=WAIT_MS)
    assert not panel.can_send() and panel.calls.list.item(0).text() == "! weigh"
    panel.calls.remove()
    assert not panel.calls.has_fault()
    qtbot.keyClicks(panel.text, "No tool, then.")
    assert panel.can_send()


def test_a_tool_that_is_not_there_is_not_called(qtbot, panel):
    show(panel, asks())
    add(qtbot, panel, "rm")
    assert panel.calls.calls() == [] and not panel.calls.add_button.isEnabled()


def test_several_that_wait_have_a_form_each(qtbot, panel):
    kept = {}
    panel.typed.connect(lambda token, typed: kept.update({token: typed}))
    one, two = asks("a", 4, "helper", "subagent"), asks("b", 5, "helper", "subagent")
    show(panel, one)
    qtbot.keyClicks(panel.text, "for a")
    show(panel, one, two)  # another one comes meanwhile: nothing moves
    assert panel.text.text() == "for a" and panel.list.isVisible() and panel.list.count() == 2
    with qtbot.waitSignal(panel.show_request) as told:
        panel.list.setCurrentRow(1)
    assert panel.text.text() == "" and told.args == [45]
    qtbot.keyClicks(panel.text, "for b")
    panel.list.setCurrentRow(0)
    assert panel.text.text() == "for a"
    show(panel, two)  # the first one was answered
    assert panel.text.text() == "for b" and not panel.list.isVisible()
    assert {token: typed["text"] for token, typed in kept.items()} == {"a": "for a", "b": "for b"}
    show(panel)
    assert panel.current() is None and not panel.can_send() and panel.title.text() == "The agent goes on"
    show(panel, two, kept=kept)
    assert panel.text.text() == "for b"


def test_a_model_may_answer_one(qtbot, panel):
    asked = []
    panel.model_asked.connect(lambda *what: asked.append(what))
    show(panel, asks(purpose="summary", tools=()))
    assert "summary" in panel.title.text() and not panel.calls.tool.isEnabled()
    panel.let_model()
    assert asked == [] and panel.model.hasFocus()
    panel.model.setEditText(" acme:large ")
    assert panel.can_let_model()
    panel.let_model()
    assert asked == [("a", "acme:large")] and not panel.can_let_model()


@pytest.mark.parametrize("text", HOSTILE)
def test_names_are_shown_letter_by_letter(panel, text):
    tool = HandTool(text, text, {})
    kept = {"a": {"text": text, "calls": [{"name": text, "args": "{}"}]}}
    show(panel, asks(agent=text, tools=(tool,)), asks("b", agent=text), kept=kept)
    assert panel.text.text() == text
    assert panel.calls.about.text() == text


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({}, {}),
        ({"properties": {"a": {"type": "string"}}}, {}),
        (WEIGH.schema, {"thing": ""}),
        (
            {
                "properties": {
                    "n": {"type": "integer"}, "f": {"type": "number"}, "b": {"type": "boolean"},
                    "e": {"enum": ["x", "y"]}, "d": {"type": "string", "default": "as usual"},
                    "many": {"type": "array", "items": {"$ref": "#/$defs/Point"}, "minItems": 1},
                    "maybe": {"anyOf": [{"type": "object", "properties": {"z": {}}}, {"type": "null"}]},
                    "nothing": {"type": ["null", "string"]},
                },
                "required": ["n", "f", "b", "e", "d", "many", "maybe", "nothing"],
                "$defs": {"Point": {"type": "object", "properties": {"x": {"type": "integer"}}, "required": ["x"]}},
            },
            {"n": 0, "f": 0, "b": False, "e": "x", "d": "as usual", "many": [{"x": 0}], "maybe": {}, "nothing": None},
        ),
        (
            {"properties": {"a": {"$ref": "#/$defs/A"}}, "required": ["a"], "$defs": {"A": {"$ref": "#/$defs/A"}}},
            {"a": ""},
        ),
        ({"properties": [1], "required": ["a", 5]}, {"a": ""}),
        ({"properties": {"a": {"$ref": "#/nowhere"}}, "required": ["a"]}, {"a": ""}),
    ],
)  # fmt: skip
def test_what_is_required_is_there_to_fill_in(schema, wanted):
    assert json.loads(template(schema)) == wanted
