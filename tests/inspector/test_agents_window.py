"""The window Agents over a real workspace: every field is kept, problems stand at theirs, and nothing typed is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

import engine
from engine.agent.settings import (
    AgentSettings,
    ArgumentCut,
    BackendSettings,
    Identity,
    Permission,
    Place,
    SubagentSettings,
)
from inspector.tab_order import in_order
from tests.inspector.agents_world import World
from tests.inspector.side_world import MARKUP, rich_labels, unnamed

FULL = AgentSettings(
    model="openai:gpt-5.5",
    name="support",
    model_parameters={"temperature": 0.25, "stop": ["a", {"b": None}]},
    base_url="http://127.0.0.1:9/v1",
    profile={"max_input_tokens": 90_000, "image_inputs": True},
    system_prompt="Be exact.\nTabs\tand\u00a0spaces stay.",
    tools=("/nowhere/tools.py", "json:dumps"),
    subagents=(
        SubagentSettings("searcher", "Searches", "Search.", model="scripted", skills=("/skills/a/",)),
        SubagentSettings("twin", "Goes on", "More.", tools=("json:loads",), mode="fork"),
    ),
    memory=("/memories/AGENTS.md", "/memories/team.md"),
    skills=(),
    backend=BackendSettings(
        Place("filesystem", root="/nowhere/at/all"),
        {"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))},
        "/kept/",
    ),
    identity=Identity("acme", "ann"),
    permissions=(
        Permission(("write",), ("/a,b/**", "/c"), "deny"),
        Permission(("read", "write"), ("/**",), "interrupt"),
    ),
    interrupts={"write_file": ("approve", "reject"), "execute": ()},
    offload_results=1234,
    offload_messages="off",
    summarize=("fraction", 0.5),
    keep=("messages", 12),
    cut_arguments=ArgumentCut(("tokens", 7000), ("messages", 3), 99),
    summary_prompt="Short: {messages}",
    summary_model="scripted",
    compact_tool=True,
    compact_prompt="Compact when it is long.",
    tags={"team": "support"},
    other={"of_later_versions": {"a": [1]}},
)


@pytest.fixture
def world(qtbot, colours: QApplication, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_looking_at_every_section_changes_nothing(world: World) -> None:
    id = engine.save_agent(world.path, "Full", FULL).id
    window = world.open(id)
    form = window.form
    for section in range(len(form.pages)):
        form.show_section(section)
        world.settle()
    form.subagents.list.setCurrentIndex(form.subagents.names.index(1))
    world.settle()
    assert form.edit is not None
    assert not form.edit.dirty
    assert form.state.text() == "Saved"
    assert not form.save_button.isEnabled()
    # One thing is typed: all others are stored as they were, also what no field shows.
    world.type(form.name, "Renamed")
    window.commands.run("agent.save")
    world.settle()
    assert world.stored(id).settings == FULL
    assert world.stored(id).name == "Renamed"


def test_an_agent_is_made_and_every_field_typed_saved_and_read_again(world: World) -> None:
    window = world.open()
    assert "New makes one" in window.pane.message()
    window.commands.run("agent.new")
    world.settle()
    form = window.form
    assert form.edit is not None
    id = form.edit.id
    world.type(form.name, "Support")
    world.type(form.model.model, "openai:gpt-5.5")
    world.type(form.model.parameters, '{"temperature": 0.25}')
    world.type(form.model.base_url, "http://127.0.0.1:9/v1")
    world.type(form.model.name, "support")
    world.type(form.model.tags, '{"team": "support"}')
    form.model.window_size.number.setValue(90_000)
    form.show_section(1)
    world.type(form.prompt.prompt, "Be exact.")
    form.show_section(2)
    form.tools.sources.add()
    world.type(form.tools.sources.sources()[0].field, "json:dumps")
    form.show_section(3)
    world.click(form.subagents.add_button)
    sub = form.subagents.form
    world.type(sub.name, "searcher")
    world.type(sub.description, "Searches.")
    world.type(sub.prompt, "Search.")
    world.type(sub.model, "scripted")
    world.choose(sub.mode, "fork")
    sub.tools.inherit.click()
    sub.tools.sources.add()
    world.type(sub.tools.sources.sources()[0].field, "json:loads")
    form.show_section(4)
    world.click(form.memory.memory.add_button)
    field = form.memory.memory.members()[1].field  # type: ignore[attr-defined]
    world.type(field, "/memories/team.md")
    QTest.keyClick(field, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    form.memory.skills.remove(0)
    form.show_section(5)
    context = form.context
    world.choose(context.results.choice, "over")
    context.results.number.setValue(1234)
    world.choose(context.messages.choice, "off")
    for unit in ("tokens", "messages", "fraction"):  # what is kept begins below what it is kept of
        world.choose(context.summarize.choice, unit)
        world.choose(context.keep.choice, unit)
        assert 0 < context.keep.value()[1] < context.summarize.value()[1]
    context.summarize.number.setValue(0.5)
    world.choose(context.keep.choice, "messages")
    context.keep.number.setValue(12)
    world.type(context.summary_model, "scripted")
    world.type(context.summary_prompt, "Short: {messages}")
    world.choose(context.cut.trigger.choice, "tokens")
    context.cut.trigger.number.setValue(7000)
    context.cut.keep.number.setValue(3)
    context.cut.length.setValue(99)
    context.compact.click()
    world.type(context.compact_prompt, "Compact when it is long.")
    form.show_section(6)
    world.choose(form.files.default.kind, "folder")
    world.type(form.files.default.root, str(world.folder))
    routes = form.files.routes
    routes.add()
    route = routes.members()[-1]
    world.type(route.prefix, "/notes/")  # type: ignore[attr-defined]
    world.type(route.place.namespace, "{tenant} / {user} / notes")  # type: ignore[attr-defined]
    world.type(form.files.artifacts, "/kept/")
    form.show_section(7)
    world.type(form.rules.identity.tenant, "acme")
    world.type(form.rules.identity.user, "ann")
    form.rules.permissions.add()
    rule = form.rules.permissions.members()[0]
    world.type(rule.paths, "/private/**, /c")  # type: ignore[attr-defined]
    rule.operations.boxes["read"].click()  # type: ignore[attr-defined]
    form.rules.interrupts.add()
    asked = form.rules.interrupts.members()[0]
    world.type(asked.tool, "write_file")  # type: ignore[attr-defined]
    asked.decisions.boxes["approve"].click()  # type: ignore[attr-defined]
    world.settle()
    assert form.state.text() == "Not saved"
    QTest.keyClick(window, Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)
    world.settle()
    assert form.state.text() == "Saved"
    defaults = BackendSettings().routes
    assert world.stored(id).settings == AgentSettings(
        model="openai:gpt-5.5",
        name="support",
        model_parameters={"temperature": 0.25},
        base_url="http://127.0.0.1:9/v1",
        profile={"max_input_tokens": 90_000},
        system_prompt="Be exact.",
        tools=("json:dumps",),
        subagents=(
            SubagentSettings("searcher", "Searches.", "Search.", tools=("json:loads",), model="scripted", mode="fork"),
        ),
        memory=("/memories/team.md", "/memories/AGENTS.md"),
        skills=(),
        backend=BackendSettings(
            Place("filesystem", root=str(world.folder)),
            {**defaults, "/notes/": Place("store", namespace=("{tenant}", "{user}", "notes"))},
            "/kept/",
        ),
        identity=Identity("acme", "ann"),
        permissions=(Permission(("write",), ("/private/**", "/c"), "deny"),),
        interrupts={"write_file": ("approve",)},
        offload_results=1234,
        offload_messages="off",
        summarize=("fraction", 0.5),
        keep=("messages", 12),
        cut_arguments=ArgumentCut(("tokens", 7000), ("messages", 3), 99),
        summary_prompt="Short: {messages}",
        summary_model="scripted",
        compact_tool=True,
        compact_prompt="Compact when it is long.",
        tags={"team": "support"},
    )
    typed = form.edit.snapshot()
    world.close_window()
    again = world.open(id).form.edit
    assert again is not None
    assert again.snapshot() == typed


def test_no_command_takes_a_key_that_a_field_of_text_needs(world: World) -> None:
    window = world.open(world.agent("One"))
    keys = QKeySequence.StandardKey
    edits = [keys.Delete, keys.DeleteCompleteLine, keys.DeleteEndOfLine, keys.Undo, keys.Redo, keys.Cut, keys.Copy,
             keys.Paste, keys.SelectAll, keys.DeleteStartOfWord, keys.DeleteEndOfWord]  # fmt: skip
    bound = {key.toString() for edit in edits for key in QKeySequence.keyBindings(edit)}
    bound |= {"Ctrl+D", "Ctrl+U", "Ctrl+K"}  # as X11 binds them, whatever runs the test
    commands = {key: command.id for command in window.commands.all() for key in command.keys}
    assert not bound & commands.keys()


def test_what_is_added_takes_the_keyboard(world: World) -> None:
    window = world.open()
    window.commands.run("agent.new")
    world.settle()
    form = window.form
    assert world.focused() is form.name
    form.show_section(2)
    world.click(form.tools.sources.add_button)
    assert world.focused() is form.tools.sources.sources()[0].field
    form.show_section(3)
    world.click(form.subagents.add_button)
    assert world.focused() is form.subagents.form.name
    form.show_section(7)
    world.click(form.rules.interrupts.add_button)
    assert world.focused() is form.rules.interrupts.members()[0].tool  # type: ignore[attr-defined]
    world.click(form.rules.interrupts._lines[0].remove_button)
    assert world.focused() is form.rules.interrupts.add_button


def test_problems_are_counted_stand_at_their_fields_and_lead_there(world: World) -> None:
    id = world.agent(
        "Wrong",
        model="nobody:at-all",
        subagents=(SubagentSettings("a", "d", "p"), SubagentSettings("b", "", "p", skills=("relative",))),
        memory=("/fine", "not/fine"),
        backend=BackendSettings(routes={"/x/": Place("filesystem", root="/nowhere/at/all")}),
        permissions=(Permission((), ("/a",)),),
    )
    window = world.open(id)
    form = window.form
    told = engine.check_settings(world.stored(id).settings)
    assert list(form.problems.problems()) == list(told)
    errors = sum(problem.level == "error" for problem in told)
    assert form.problems.says.text().startswith(f"{errors} errors")
    reached: dict[str, QWidget | None] = {}
    for problem in told:
        assert form.show_field(problem.field), problem
        reached[problem.field] = world.focused()
        field = world.focused()
        assert isinstance(field, QWidget)
        assert form.stack.currentWidget().isAncestorOf(field), problem
        shown = [
            label.text() for label in form.stack.currentWidget().findChildren(type(form.state)) if label.isVisible()
        ]
        assert any(problem.sentence in text for text in shown), problem
    assert reached["model"] is form.model.model
    assert reached["subagents[1].description"] is form.subagents.form.description
    assert reached["memory[1]"] is form.memory.memory.members()[1].field  # type: ignore[attr-defined]
    # The keys go through them, and what is put right is gone.
    QTest.keyClick(window, Qt.Key.Key_F8)
    assert world.focused() is form.model.model
    world.type(form.model.model, "hand")
    world.settle()
    assert not any(problem.field == "model" for problem in form.problems.problems())
    assert len([each for each in form.problems.problems() if each.level == "error"]) == errors - 1


def test_a_text_that_is_no_json_is_a_problem_kept_as_typed_and_not_stored(world: World) -> None:
    id = world.agent()
    window = world.open(id)
    form = window.form
    world.type(form.model.parameters, '{"temperature": }')
    world.settle()
    (problem,) = [each for each in form.problems.problems() if each.field == "model_parameters"]
    assert problem.sentence.startswith("Line 1, column 17 is no JSON")
    window.commands.run("agent.save")
    world.settle()
    assert "Nothing was saved" in form.note.text()
    assert world.stored(id).version == 1
    for wrong in ('{"a": 1, "a": 2}', "[1]", "NaN"):
        world.type(form.model.parameters, wrong)
        world.settle()
        assert any(each.field == "model_parameters" for each in form.problems.problems()), wrong
    world.type(form.model.parameters, '{"temperature": 0}')
    world.settle()
    window.commands.run("agent.save")
    world.settle()
    assert world.stored(id).settings.model_parameters == {"temperature": 0}


def test_a_key_is_never_stored_with_an_agent(world: World) -> None:
    id = world.agent(model="openai:gpt-5.5")
    window = world.open(id)
    key = "sk-proj-" + "a1B2" * 12
    world.type(window.form.model.parameters, f'{{"api_key": "{key}"}}')
    window.commands.run("agent.save")
    world.settle()
    assert "looks like a key" in window.form.note.text()
    assert key.encode() not in world.path.read_bytes()


def test_where_the_key_comes_from_is_said_and_one_goes_to_the_keyring_alone(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    import keyring
    from keyring.backend import KeyringBackend

    class InMemory(KeyringBackend):
        priority = 1  # type: ignore[assignment]
        kept: dict[tuple[str, str], str] = {}

        def get_password(self, service: str, username: str) -> str | None:
            return self.kept.get((service, username))

        def set_password(self, service: str, username: str, password: str) -> None:
            self.kept[service, username] = password

        def delete_password(self, service: str, username: str) -> None:
            del self.kept[service, username]

    monkeypatch.setattr(keyring.core, "_keyring_backend", InMemory())
    id = world.agent(model="openai:gpt-5.5")
    window = world.open(id)
    key = window.form.model.key
    assert key.text().startswith("Missing: neither OPENAI_API_KEY")
    world.click(key.open_button)
    assert key.field.echoMode() == QLineEdit.EchoMode.Password
    QTest.keyClicks(key.field, "a-key-of-nobody")
    world.click(key.keep_button)
    assert InMemory.kept == {("context-inspector", "OPENAI_API_KEY"): "a-key-of-nobody"}
    assert key.text() == "From the system’s keyring, under OPENAI_API_KEY."
    assert key.field.text() == ""
    assert not key.field.isVisible()
    world.click(key.forget_button)
    assert InMemory.kept == {}
    monkeypatch.setenv("OPENAI_API_KEY", "another")
    window.form.checks.ask()
    world.settle()
    assert key.text() == "From OPENAI_API_KEY in the environment."
    world.type(window.form.model.model, "hand")
    world.settle()
    assert key.text() == "This model needs no key."


def test_effective_values_follow_what_is_typed(world: World) -> None:
    id = world.agent()
    form = world.open(id).form
    form.show_section(5)
    rows = {row.effective: row for row in form.context.rows if row.effective}
    assert set(rows) <= {value.name for value in engine.effective(AgentSettings("hand"))}
    told = rows["summarize at"]
    assert told.value is not None
    assert told.note is not None
    assert told.value.text().endswith("tokens · engine default")
    assert "Whatever the model's window is" in told.note.text()
    assert any(problem.field == "profile" for problem in form.problems.problems())
    form.model.window_size.number.setValue(50_000)
    world.settle()
    assert told.value.text() == "85 % of the window · model profile"
    assert not any(problem.field == "profile" for problem in form.problems.problems())
    world.choose(form.context.summarize.choice, "messages")
    form.context.summarize.number.setValue(40)
    world.settle()
    assert told.value.text() == "40 messages · set here"
    world.choose(form.context.summarize.choice, "off")
    world.settle()
    assert told.value.text() == "off · set here"


def test_somebody_elses_change_is_not_overwritten_and_mine_is_not_lost(world: World) -> None:
    id = world.agent("One", system_prompt="First.")
    window = world.open(id)
    form = window.form
    form.show_section(1)
    world.type(form.prompt.prompt, "Mine.")
    engine.save_agent(world.path, "One", AgentSettings("hand", system_prompt="Theirs."), id, 1)
    window.commands.run("agent.save")
    world.settle()
    assert "changed after it was opened" in form.note.text()
    assert world.stored(id).settings.system_prompt == "Theirs."
    assert form.prompt.prompt.text() == "Mine."
    world.click(form.note.buttons()["Keep mine as a copy"])
    agents = {agent.name: agent.settings.system_prompt for agent in engine.list_agents(world.path)}
    assert agents == {"One": "Theirs.", "One (mine)": "Mine."}
    assert form.edit is not None
    assert form.edit.name == "One (mine)"
    window.list.chosen.emit(id)
    world.settle()
    assert form.prompt.prompt.text() == "Theirs."
    assert not form.edit.dirty


def test_theirs_can_be_loaded_instead(world: World) -> None:
    id = world.agent("One", system_prompt="First.")
    window = world.open(id)
    form = window.form
    world.type(form.prompt.prompt, "Mine.")
    engine.save_agent(world.path, "One", AgentSettings("hand", system_prompt="Theirs."), id, 1)
    window.commands.run("agent.save")
    world.settle()
    world.click(form.note.buttons()["Load theirs"])
    assert form.prompt.prompt.text() == "Theirs."
    assert form.state.text() == "Saved"
    world.type(form.prompt.prompt, "Mine again.")
    window.commands.run("agent.save")
    world.settle()
    assert world.stored(id).settings.system_prompt == "Mine again."


def test_what_is_typed_is_there_again_after_another_agent_and_after_the_window_was_closed(world: World) -> None:
    one, two = world.agent("One"), world.agent("Two")
    window = world.open(one)
    said: list[str] = []
    window.left_unsaved.connect(said.append)
    world.type(window.form.prompt.prompt, "Not saved.")
    world.type(window.form.model.parameters, '{"half')
    window.list.chosen.emit(two)
    world.settle()
    assert window.form.prompt.prompt.text() == ""
    assert window.list.model.index(window.list.model.row_of(one)).data().endswith("*")
    window.list.chosen.emit(one)
    world.settle()
    assert window.form.prompt.prompt.text() == "Not saved."
    world.close_window()
    assert said == ["What you changed in “One” is kept, and not saved."]
    form = world.open(one).form
    assert form.prompt.prompt.text() == "Not saved."
    assert form.model.parameters.text() == '{"half'
    assert "It is not saved" in form.note.text()
    assert world.stored(one).version == 1
    world.click(form.note.buttons()["Give it up…"])
    assert form.prompt.prompt.text() == ""
    world.close_window()
    assert not world.open(one).form.note.text()


def test_what_is_typed_outlives_a_killed_program(world: World) -> None:
    id = world.agent("One")
    script = f"""
        import os, sys
        from pathlib import Path
        from PySide6.QtWidgets import QApplication
        from inspector.agents import Agents
        from inspector.drafts import Drafts
        from inspector.jobs import Jobs
        from inspector.views.agents import AgentsWindow
        app, jobs = QApplication([]), Jobs()
        agents = Agents(Path({str(world.path)!r}), jobs, Drafts(Path({str(world.folder / "drafts")!r})))
        window = AgentsWindow(agents, jobs, None)
        window.show()
        window.show_agent({id})
        def spin(done):
            while not done():
                app.processEvents()
        spin(lambda: window.form.edit is not None)
        window.form.prompt.prompt.insertPlainText("Typed before the end.")
        spin(lambda: list(Path({str(world.folder)!r}).glob("drafts/*.draft.json")))
        os.kill(os.getpid(), 9)
    """
    child = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], cwd=Path(__file__).parents[2],
                           env=os.environ, capture_output=True, timeout=60)  # fmt: skip
    assert child.returncode == -signal.SIGKILL, child.stderr
    engine.save_agent(world.path, "One", AgentSettings("scripted"), id, 1)
    form = world.open(id).form
    assert form.prompt.prompt.text() == "Typed before the end."
    assert "changed elsewhere since" in form.note.text()
    assert "Keep mine as a copy" in form.note.buttons()


def test_deleting_names_the_threads_and_is_asked(world: World) -> None:
    id, other = world.agent("One"), world.agent("Two")
    engine.assign_agent(world.path, "thread <b>1</b>", id)
    window = world.open(id)
    world.answer = False
    window.commands.run("agent.delete")
    world.settle()
    assert "1 thread goes on with it: thread <b>1</b>." in world.asked[-1]
    assert len(engine.list_agents(world.path)) == 2
    world.answer = True
    window.commands.run("agent.delete")
    world.settle()
    assert [agent.id for agent in engine.list_agents(world.path)] == [other]
    assert engine.agent_of(world.path, "thread <b>1</b>") is None
    assert window.form.edit is not None
    assert window.form.edit.id == other


def test_duplicate_search_and_a_damaged_agent(world: World) -> None:
    id = world.agent("One", system_prompt="Copied.")
    window = world.open(id)
    window.commands.run("agent.duplicate")
    world.settle()
    assert window.form.edit is not None
    assert window.form.edit.name == "One copy"
    assert window.form.prompt.prompt.text() == "Copied."
    world.type(window.list.search, "copy")
    assert window.list.model.rowCount() == 1
    world.type(window.list.search, "nothing so")
    assert "No agent matches" in window.list.pane.message()
    QTest.keyClick(window.list.search, Qt.Key.Key_Escape)
    assert window.list.model.rowCount() == 2
    from tests.inspector.agents_world import damage

    damage(world.path, id)
    window.agents.refresh()
    world.settle()
    world.close_window()
    window = world.open(id)
    assert "damaged" in window.pane.message()
    window.commands.run("agent.delete")
    world.settle()
    assert [agent.name for agent in engine.list_agents(world.path)] == ["One copy"]


def test_everything_has_a_name_a_place_in_the_order_of_tab_and_no_markup(world: World) -> None:
    id = world.agent(
        MARKUP,
        system_prompt=MARKUP,
        tools=(MARKUP,),
        memory=(MARKUP,),
        subagents=(SubagentSettings(MARKUP, MARKUP, MARKUP),),
        interrupts={MARKUP: ()},
        backend=BackendSettings(routes={MARKUP: Place("store", namespace=(MARKUP,))}),
    )
    window = world.open(id)
    form = window.form
    for section in range(len(form.pages)):
        form.show_section(section)
        world.settle()
        page = form.stack.currentWidget()
        stops = [each for each in in_order(window) if page.isAncestorOf(each)]
        assert stops
        visited = []
        stops[0].setFocus()
        for _each in stops:
            visited.append(world.focused())
            QTest.keyClick(world.focused(), Qt.Key.Key_Tab)
        assert visited == stops, section
    assert not rich_labels(window)
    assert not unnamed(window)
    assert form.edit is not None
    assert not form.edit.dirty


def test_fifty_subagents_and_long_lists_stay_as_they_are(world: World) -> None:
    many = tuple(SubagentSettings(f"sub-{n}", "d", "p") for n in range(50))
    settings = AgentSettings("hand", subagents=many, memory=tuple(f"/memories/{n}.md" for n in range(130)))
    id = engine.save_agent(world.path, "Many", settings).id
    window = world.open(id)
    form = window.form
    form.show_section(4)
    field = form.memory.memory.members()[0].field  # type: ignore[attr-defined]
    world.type(field, "/memories/first.md")
    form.show_section(3)
    form.subagents.list.setCurrentIndex(form.subagents.names.index(49))
    form.subagents.list.setFocus()
    QTest.keyClick(form.subagents.list, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    window.commands.run("agent.save")
    world.settle()
    expected = replace(
        settings,
        memory=("/memories/first.md", *settings.memory[1:]),
        subagents=(*many[:48], many[49], many[48]),
    )
    assert world.stored(id).settings == expected
