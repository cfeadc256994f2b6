"""From the window Agents to what a model received: code is trusted once, tools are listed, and the agent runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

import engine
from engine.agent.settings import AgentSettings
from engine.workspace import Workspace
from inspector.views.agents_trust import TrustDialog
from tests.inspector.agents_world import TOOLS, WAIT_MS, World
from tests.inspector.conftest import settle


@pytest.fixture
def world(qtbot, colours: QApplication, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def trust_dialogs(window: Any) -> list[TrustDialog]:
    return [each for each in window.findChildren(TrustDialog) if each.isVisible()]


def test_code_is_shown_before_it_runs_once_a_file_and_again_when_it_was_changed(world: World) -> None:
    marker = world.folder / "ran"
    file = world.folder / "tools.py"
    file.write_text(f"open({str(marker)!r}, 'a').write('x')\n{TOOLS}", encoding="utf-8")
    id = world.agent("One", tools=(str(file), f"{file}:add"))
    window = world.open(id)
    form = window.form
    form.show_section(2)
    world.settle()
    first, second = form.tools.sources.sources()
    assert any("was not allowed to run yet" in problem.sentence for problem in form.problems.problems())
    world.click(first.list_button)
    (dialog,) = trust_dialogs(window)
    assert str(file) in dialog.text.text() or "def add" in dialog.text.text()
    assert not marker.exists(), "it ran before it was allowed"
    dialog.reject()
    world.settle()
    assert not marker.exists()
    assert not engine.tool_source(str(file)).trusted
    world.click(first.list_button)
    (dialog,) = trust_dialogs(window)
    world.click(dialog.allow_button)
    assert marker.exists()
    assert first.status.text() == "2 tools: add, weather"
    assert form.tools.names.stringList() == ["add", "weather"]
    form.tools.list.setCurrentIndex(form.tools.names.index(1))
    assert "Tell the <b>weather</b> of a city." in form.tools.schema.text()
    assert '"days"' in form.tools.schema.text()
    world.click(second.list_button)
    assert not trust_dialogs(window), "the same file is not asked for again"
    assert second.status.text() == "1 tool: add"
    assert not any("allowed" in problem.sentence for problem in form.problems.problems())
    file.write_text(TOOLS.replace("two", "three"), encoding="utf-8")
    form.checks.ask()
    world.settle()
    assert form.tools.names.stringList() == [], "what was listed is of other code"
    world.click(first.list_button)
    (dialog,) = trust_dialogs(window)
    assert dialog.says.text().startswith("It was changed since you let it run.")
    world.click(dialog.allow_button)
    world.click(first.forbid_button)
    assert not engine.tool_source(str(file)).trusted


def test_code_that_changed_while_it_was_looked_at_is_not_trusted(world: World) -> None:
    file = world.folder / "tools.py"
    file.write_text(TOOLS, encoding="utf-8")
    form = world.open(world.agent("One", tools=(str(file),))).form
    form.show_section(2)
    (source,) = form.tools.sources.sources()
    world.click(source.list_button)
    (dialog,) = trust_dialogs(world.window)
    file.write_text(TOOLS + "\nraise SystemExit\n", encoding="utf-8")
    world.click(dialog.allow_button)
    assert "changed after it was shown" in source.status.text()
    assert not engine.tool_source(str(file)).trusted


def test_broken_code_is_a_sentence_at_its_source(world: World) -> None:
    file = world.folder / "broken.py"
    file.write_text("import nothing_that_is_there\n", encoding="utf-8")
    engine.trust_tool(str(file))
    form = world.open(world.agent("One", tools=(str(file),))).form
    form.show_section(2)
    (source,) = form.tools.sources.sources()
    world.click(source.list_button)
    assert "line 1: ModuleNotFoundError" in source.status.text()
    assert form.tools.names.stringList() == []


def test_an_agent_made_in_the_window_runs_and_its_model_gets_what_was_typed(qtbot, tmp_path: Path, make_window) -> None:
    path = tmp_path / "work.ctx"
    Workspace.create(path)
    runner = engine.Runner(path)
    runner.start("before", "Hello", settings=AgentSettings("scripted")).wait()
    runner.close()
    file = tmp_path / "tools.py"
    file.write_text(TOOLS, encoding="utf-8")
    engine.trust_tool(str(file))
    w = make_window(path)
    w.commands.run("thread.agents")
    window = w.agents.window
    form = window.form

    def done() -> bool:
        return w.jobs.idle() and not form.checks.waits() and (form.edit is None or not form.edit.waits())

    def wait() -> None:
        qtbot.waitUntil(done, timeout=WAIT_MS)

    wait()
    window.commands.run("agent.new")
    wait()
    form.name.selectAll()
    QTest.keyClicks(form.name, "Calculator")
    form.model.model.selectAll()
    QTest.keyClicks(form.model.model, "scripted")
    QTest.keyClicks(form.prompt.prompt, "You only add numbers.")
    form.tools.sources.insert(str(file))
    wait()
    assert form.problems.problems() == ()
    window.commands.run("agent.start")
    wait()
    assert w.composer.agent_button.text() == "Calculator"
    w.composer.edit.setPlainText("What is 2 and 3?")
    w.send()
    qtbot.waitUntil(lambda: w.session.thread_id not in (None, "before"), timeout=WAIT_MS)
    qtbot.waitUntil(lambda: not w.turns.running(), timeout=WAIT_MS)
    settle(qtbot, w)
    thread = w.session.thread_id
    assert engine.agent_of(path, thread).name == "Calculator"
    assert w.composer.agent_button.text() == "Calculator"
    assert w.composer.model.name() is None, "its own model, not one that was chosen for it"
    with_engine = engine.Reader(path)
    request = with_engine.requests(thread)[0]
    system = json.dumps([with_engine.value(block.part) for block in with_engine.request(request.id).system])
    tools = [with_engine.value(row.part) for row in with_engine.request(request.id).tools]
    with_engine.close()
    assert "You only add numbers." in system
    assert {"add", "weather"} <= {tool["function"]["name"] if "function" in tool else tool["name"] for tool in tools}
    # Another thread is given the agent, and its button leads back to it.
    w.choose_thread("before")
    settle(qtbot, w)
    assert not w.composer.agent_button.isVisible()
    assert window.form.use_button.isEnabled()
    qtbot.mouseClick(window.form.use_button, Qt.MouseButton.LeftButton)
    wait()
    assert engine.agent_of(path, "before").name == "Calculator"
    assert w.composer.agent_button.isVisible()
    assert not window.form.use_button.isEnabled()
    qtbot.mouseClick(w.composer.agent_button, Qt.MouseButton.LeftButton)
    wait()
    assert window.form.edit.name == "Calculator"
    window.commands.run("agent.use_none")
    wait()
    assert engine.agent_of(path, "before") is None
