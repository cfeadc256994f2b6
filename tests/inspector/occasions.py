"""Occasions for commands: states of the window in which something can be done, each made by what a user does."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from contextlib import closing
from typing import Any

from engine import AgentSettings, Runner, assign_agent, save_agent
from engine.running import HandCall, HandReply
from inspector.commands import Command
from inspector.models.rows import has_summary
from inspector.views.request import RAW_EFFECTIVE
from tests.engine.agent.running import until
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.test_window import open_thread

_AGENT = AgentSettings(model="hand", interrupts={"write_file": ()})


def reading(qtbot: Any, window: Any) -> None:
    """A request with a summary in front, things that were looked at behind and ahead, a baseline, a message typed."""
    session, request = window.session, window.desk.request
    open_thread(qtbot, window)
    rows = session.rows.known()
    cut = next(row for row in rows if has_summary(row) and row.purpose == "agent" and row.checkpoint_id)
    for row in (rows[0], rows[20], cut):
        session.select_request(row.id)
        settle(qtbot, window)
    window.desk.going.move(-1)  # something lies ahead and behind
    settle(qtbot, window)
    session.select_request(cut.id)
    settle(qtbot, window)
    if not window.desk.going.can(1):
        session.select_request(rows[1].id)
        window.desk.going.move(-1)
        settle(qtbot, window)
    request.bring_area(RAW_EFFECTIVE)
    request.diff.use_baseline(rows[0])
    for name in ("files", "store", "memory"):
        window.around.show(name)
        settle(qtbot, window)
    memory = window.desk.around["memory"]
    if not memory.edit.can_save():
        memory.edit.editor.insertPlainText("x")
    window.composer.edit.setPlainText("Hello")
    settle(qtbot, window)
    window.focus("requests")


def editing_memory(qtbot: Any, window: Any) -> None:
    """A memory file in its editor, which has the keyboard."""
    open_thread(qtbot, window)
    window.focus("memory")
    settle(qtbot, window)
    window.desk.around["memory"].edit.editor.setFocus()


def an_agents_edit(qtbot: Any, window: Any) -> None:
    """A request on which an agent edited its memory."""
    for thread in window.session.threads:
        window.session.select_thread(thread.thread_id)
        settle(qtbot, window)
        for row in window.session.rows.known():
            if "memory edited" in row.events:
                window.session.select_request(row.id)
                settle(qtbot, window)
                return


def an_item_of_the_store(qtbot: Any, window: Any) -> None:
    """An item is selected in Store."""
    window.focus("store")
    settle(qtbot, window)
    table = window.desk.around["store"].table
    table.setCurrentIndex(table.model().index(0, 0))
    settle(qtbot, window)


def a_question(qtbot: Any, window: Any) -> None:
    """A thread, with an agent of its own, that waits for a decision on a call."""
    path, id = window.desk.opened.path, f"asks {uuid.uuid4().hex[:6]}"
    with closing(Runner(path)) as runner:
        run = runner.start(id, "Write it down", settings=_AGENT)
        asked = until(run, lambda update: update.kind == "hand").hand
        call = HandCall("write_file", json.dumps({"file_path": f"/{uuid.uuid4().hex}.md", "content": "x"}))
        run.reply(asked.token, HandReply("", [call]))
        assert run.wait(60) and run.interrupted
    assign_agent(path, id, save_agent(path, id, _AGENT).id)
    window.session.poll()
    qtbot.waitUntil(lambda: any(row.thread_id == id for row in window.session.threads), timeout=WAIT_MS)
    window.session.select_thread(id)
    qtbot.waitUntil(window.parts.answer.asks_decision, timeout=WAIT_MS)
    settle(qtbot, window)
    window.focus("answer")


def by_hand(qtbot: Any, window: Any) -> None:
    """A run under way that waits for an answer by hand."""
    assert window.commands.run("thread.new")
    window.composer.edit.setPlainText("Hello")
    assert window.commands.run("thread.send")
    qtbot.waitUntil(window.parts.answer.asks_hand, timeout=WAIT_MS)
    settle(qtbot, window)


def a_stopped_run(qtbot: Any, window: Any) -> None:
    """A run that was stopped before it was done."""
    by_hand(qtbot, window)
    stop_runs(qtbot, window)
    qtbot.waitUntil(window.composer.can_resume, timeout=WAIT_MS)


def stop_runs(qtbot: Any, window: Any) -> None:
    """No run is under way."""
    if window.turns.running():
        window.turns.stop_all()
        qtbot.waitUntil(lambda: not window.turns.running(), timeout=WAIT_MS)
        settle(qtbot, window)


OCCASIONS: tuple[Callable[[Any, Any], None], ...] = (
    reading, editing_memory, an_agents_edit, an_item_of_the_store, a_question, by_hand, a_stopped_run,
)  # fmt: skip
"""The one for most commands first."""


def bring_about(qtbot: Any, window: Any, command: Command) -> None:
    """Make a state in which the command can be run. A command without any needs an occasion of its own here."""
    for occasion in OCCASIONS:
        if command.enabled():
            return
        occasion(qtbot, window)
        window.commands.refresh()
    assert command.enabled(), f"No occasion for {command.id}: {command.title}"
