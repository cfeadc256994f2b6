"""What a run was asked, answered, refused and handed on is marked in the table and told in sentences in Why."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.exceptions import ContextOverflowError
from PySide6.QtCore import Qt

from engine import AgentSettings, pending_questions
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.running import Decision
from engine.trace.model import Event
from inspector.models.events import words
from inspector.models.happened import TOLD, happened, told
from inspector.models.marks import marks
from inspector.views.plain_text import Link
from tests.engine.agent.running import World
from tests.inspector.conftest import settle
from tests.inspector.values import HOSTILE, request


def send(to: str) -> str:
    """Send a letter."""
    return f"sent to {to}"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a thread that asked and was answered, and one whose window overflowed."""
    world = World(tmp_path_factory.mktemp("events") / "w.ctx")
    model = ScriptedChat(
        script=[Turn("", calls=[Call("send", {"to": "<b>Ann"}), Call("send", {"to": "Bo"})]), Turn("Done.")]
    )
    settings = AgentSettings(model=model, tools=[send], interrupts={"send": ()})
    world.done(world.runner.start("asked", "Go", settings=settings))
    (question,) = pending_questions(world.file, "asked")
    decisions = [Decision("approve"), Decision("reject", "Not <i>Bo</i>.")]
    world.done(world.runner.answer("asked", {question.id: decisions}, settings=settings))
    full = ScriptedChat(
        script=[Turn("One."), Turn("Two."), Turn("Three."), ContextOverflowError("too long"), Turn("Four.")],
        summaries=["S"],
    )
    settings = AgentSettings(model=full, keep=("messages", 2))
    for _ in range(4):
        world.done(world.runner.start("full", "More " * 400, settings=settings))
    world.done(world.runner.start("open", "Go", settings=AgentSettings(
        model=ScriptedChat(script=[Turn("", calls=[Call("send", {"to": "Cy"})])]), tools=[send],
        interrupts={"send": ()},
    )))  # fmt: skip
    world.runner.close()
    return world.file


class Shown:
    """A window on it."""

    def __init__(self, qtbot: Any, make_window: Any, file: Path) -> None:
        self.qtbot = qtbot
        self.window = make_window(file)
        self.session, self.events = self.window.desk.session, self.window.desk.request.why.events

    def thread(self, thread_id: str) -> None:
        self.session.select_thread(thread_id)
        settle(self.qtbot, self.window)
        assert self.window.commands.run("why.events")
        settle(self.qtbot, self.window)

    def select(self, number: int) -> None:
        self.session.select_index(number - 1)
        settle(self.qtbot, self.window)

    def said(self, kind: str) -> str:
        return next(words(one) for one in self.events.model.items if one.kind == kind)

    def marks(self, number: int) -> list[str]:
        return [mark.word for mark in marks(self.session.rows.at(number - 1)) if mark.kind != "memory"]


def test_a_question_and_its_answer(qtbot, make_window, file: Path) -> None:
    shown = Shown(qtbot, make_window, file)
    shown.thread("asked")
    assert shown.marks(1) == ["asked", "decided"]
    assert shown.marks(2) == []
    shown.select(1)
    assert shown.said("interrupt") == "The run stopped to ask whether to call send."
    assert shown.said("decision") == "It was decided: send was approved, send was rejected (“Not <i>Bo</i>.”)."
    head = shown.window.desk.request.header.told
    assert "stopped to ask whether to call send: it was answered." in head.text()
    assert "(“Not <i>Bo</i>.”)" in head.text()
    assert head.textFormat() == Qt.TextFormat.PlainText
    shown.thread("open")
    assert shown.marks(1) == ["asked"]
    assert head.text() == "The run stopped to ask whether to call send: no answer came yet."


def test_an_overflow_leads_to_the_three_requests(qtbot, make_window, file: Path) -> None:
    shown = Shown(qtbot, make_window, file)
    shown.thread("full")
    rows = shown.session.rows.known()
    of = {row.number: row for row in rows if "overflow" in row.events}
    purposes = [row.purpose for row in of.values()]
    assert sorted(purposes) == ["agent", "agent", "summary"]
    assert all("overflow" in shown.marks(number) for number in of)
    rejected = next(row for row in of.values() if row.status == "failed")
    summary = next(row for row in of.values() if row.purpose == "summary")
    again = next(row for row in of.values() if row.purpose == "agent" and row.status == "done")
    shown.select(rejected.number)
    assert shown.said("overflow").startswith("The model's window did not hold a request: 1 summarizing call made room")
    shown.select(summary.number)
    at = next(place for place, one in enumerate(shown.events.model.items) if one.kind == "overflow")
    shown.events.table.setCurrentIndex(shown.events.table.model().index(at, 0))
    settle(qtbot, shown.window)
    links = [link for link in shown.events.facts.findChildren(Link) if "request" in link.accessibleName()]
    assert [link.accessibleName() for link in links] == [
        f"The one that was too long, request {rejected.number}", f"The one sent again, request {again.number}",
    ]  # fmt: skip
    links[0].click()
    settle(qtbot, shown.window)
    assert shown.session.request_row() == rejected


NOTED: dict[str, dict[str, Any]] = {
    "state rewritten": {"cleared": True, "by": "x"},
    "step failed": {"node": "tools", "error": "x"},
    "interrupt": {"id": "1", "agent": "x", "values": ["why?"]},
    "decision": {"id": "1", "asked": {"q": 1}, "answer": {"so": "x"}},
    "by hand": {"answered_by": "x"},
    "failure": {"kind": "rate limit", "class": "x", "message": "x", "status": 429, "host": "h", "retry_after": 20.0},
    "overflow": {"rejected": 1, "summaries": [], "retry": 2},
    "purpose guessed": {},
}


@pytest.mark.parametrize("kind", TOLD)
def test_every_kind_is_a_sentence_whatever_it_holds(kind: str) -> None:
    for text in ("plain", *HOSTILE):
        data = {key: text if value == "x" else value for key, value in NOTED[kind].items()}
        sentence = told(kind, data)
        assert sentence and not sentence.startswith("{")
        assert (text in sentence) == ("x" in NOTED[kind].values()) or kind == "decision"
        happened([Event(1, 1, 1, kind, 0.0, data)])
    assert told(kind, {})  # a record that lost its words


def test_a_failure_tells_its_class_and_how_long_to_wait() -> None:
    said = told("failure", NOTED["failure"] | {"class": "RateLimitError", "message": "slow down"})
    assert said == (
        "The provider takes no more requests for now (429, RateLimitError, h): slow down "
        "The provider asks to wait 20 seconds."
    )
    failed = request(1, status="failed", error="It failed.", events=("failure", "overflow"))
    assert [mark.word for mark in marks(failed)] == ["It failed.", "overflow"]
