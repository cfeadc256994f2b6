"""What a source that is only read waits for, as its record tells it."""

import json

from engine.trace.model import Event
from inspector.running import seen
from tests.inspector.values import FakeReader

ASKED = {
    "action_requests": [{"name": "send", "args": {"to": "Ann"}, "description": "Sends."}, {"name": "wipe"}],
    "review_configs": [],
}


class Told(FakeReader):
    """A reader with these events."""

    def __init__(self, *events: Event) -> None:
        super().__init__()
        self._events = list(events)

    def events(self, _thread_id: str) -> list[Event]:
        return self._events


def event(number: int, kind: str, **data: object) -> Event:
    return Event(number, 7, 3, kind, 1_700_000_000.0, data)


def test_calls_and_questions_of_a_tools_own_are_told_apart():
    reader = Told(
        event(1, "interrupt", node="hitl", answered=False, values=[{"value": ASKED, "id": "x"}]),
        event(2, "interrupt", answered=False, values=["Which one?"], agent="helper"),
    )
    first, second = seen(reader, "t").questions
    assert [(call.tool, json.loads(call.args), call.allowed) for call in first.calls] == [
        ("send", {"to": "Ann"}, ()), ("wipe", {}, ()),
    ]  # fmt: skip
    assert (first.request, first.at, second.agent) == (7, 1_700_000_000.0, "helper")
    assert second.calls == () and json.loads(second.value) == "Which one?"


def test_what_was_answered_is_no_question():
    reader = Told(
        event(1, "interrupt", answered=True, values=[ASKED]),
        event(2, "interrupt", id="q", values=[ASKED]),
        event(3, "decision", id="q", decisions=[]),
        event(4, "interrupt", id="r", values=[ASKED]),
    )
    assert [question.id for question in seen(reader, "t").questions] == ["4.0"]
