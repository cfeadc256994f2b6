"""Writing memory and skills into a thread: its next request carries them, and it can be taken back."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langgraph.types import Command

from engine import Reader, Runner, Workspace
from engine.agent.build import build_agent
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings
from engine.errors import EditConflict, InspectorError, UsageError
from engine.memory import delete_memory, read_memory, save_memory
from engine.memory.applying import apply_memory, apply_skills, undo_apply
from engine.transactions import transaction
from tests.contract.models import Told, call, recorded
from tests.contract.models import thread as config_of

PATH, TEAM, SKILL = "/memories/AGENTS.md", "/memories/team.md", "/skills/report/SKILL.md"
MENU_LINE = "- **report**: {}"


def skill(description: str) -> str:
    return f"---\nname: report\ndescription: {description}\n---\nDo it.\n"


class World:
    """A workspace with one thread of an agent that has two memory files and a skill."""

    def __init__(self, file: Path) -> None:
        self.file = file
        Workspace.create(file)
        self.settings = AgentSettings(
            model=ScriptedChat(script=[Turn("one"), Turn("two"), Turn("three"), Turn("four")]), memory=(PATH, TEAM)
        )
        self.save(PATH, "Bullet points.")
        self.save(TEAM, "The team.")
        self.save(SKILL, skill("Old."))

    def save(self, path: str, text: str) -> None:
        save_memory(self.file, path, text, read_memory(self.file, path).version)

    def say(self, text: str = "hello") -> str:
        """Run a turn and give the system message of its last request."""
        runner = Runner(self.file)
        try:
            run = runner.start("t", text, settings=self.settings)
            assert run.wait(60)
            assert run.error is None
        finally:
            runner.close()
        with closing(Reader(self.file)) as reader:
            detail = reader.request(reader.request_ids("t")[-1])
            return "".join(reader.text(block.part) for block in detail.system)

    def drift(self, path: str = PATH) -> str | None:
        with closing(Reader(self.file)) as reader:
            return {file.path: file.drift for file in reader.memory("t")}[path]

    def events(self) -> list[tuple[int, str, object]]:
        with closing(Reader(self.file)) as reader:
            return [(e.id, e.kind, e.data["changed"]) for e in reader.events("t") if e.kind.endswith("applied")]

    def checkpoints(self) -> int:
        with transaction(self.file) as db:
            return int(db.execute("SELECT count(*) FROM checkpoints").fetchone()[0])


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield World(tmp_path / "w.ctx")


def test_the_next_request_carries_what_was_applied(world: World) -> None:
    assert "Bullet points." in world.say()
    world.save(PATH, "Paragraphs.")
    assert "Bullet points." in world.say("again")
    applied = apply_memory(world.file, "t", settings=world.settings)
    assert applied.changed == (PATH,)
    assert world.drift() == "request-older"
    system = world.say("and again")
    assert "Paragraphs." in system
    assert "The team." in system
    assert "Bullet points." not in system
    assert world.drift() == "none"
    assert world.events() == [(applied.event, "memory applied", [PATH])]


def test_only_the_files_named_are_applied_and_one_that_is_gone_is_left_out(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    delete_memory(world.file, TEAM, read_memory(world.file, TEAM).version)
    apply_memory(world.file, "t", [TEAM], world.settings)
    assert (world.drift(), world.drift(TEAM)) == ("file-newer", "request-older")
    system = world.say("again")
    assert "Bullet points." in system
    assert "The team." not in system


def test_it_can_be_taken_back_and_put_again(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    applied = apply_memory(world.file, "t", settings=world.settings)
    undone = undo_apply(world.file, applied.event, world.settings)
    assert (undone.undoes, undone.changed) == (applied.event, (PATH,))
    assert undone.checkpoint_id > applied.checkpoint_id
    assert "Bullet points." in world.say("again")
    again = undo_apply(world.file, undone.event, world.settings)
    assert again.undoes == undone.event
    assert "Paragraphs." in world.say("and again")


def test_what_was_applied_since_is_not_taken_back_unseen(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    first = apply_memory(world.file, "t", settings=world.settings)
    world.save(PATH, "A table.")
    apply_memory(world.file, "t", settings=world.settings)
    before = world.checkpoints()
    with pytest.raises(EditConflict, match="changed since it was applied"):
        undo_apply(world.file, first.event, world.settings)
    assert world.checkpoints() == before


def test_the_menu_of_skills_is_applied_and_taken_back(world: World) -> None:
    assert MENU_LINE.format("Old.") in world.say()
    world.save(SKILL, skill("New."))
    applied = apply_skills(world.file, "t", world.settings)
    assert applied.changed == (SKILL,)
    assert MENU_LINE.format("New.") in world.say("again")
    undo_apply(world.file, applied.event, world.settings)
    assert MENU_LINE.format("Old.") in world.say("and again")
    assert [kind for _, kind, _ in world.events()] == ["skills applied", "skills applied"]


def test_a_thread_goes_on_as_it_would_have(world: World) -> None:
    """Messages, files and what comes next are the same as before."""
    world.say()
    world.save(PATH, "Paragraphs.")
    config = {"configurable": {"thread_id": "t"}}
    agent = build_agent(Workspace.open(world.file), world.settings)
    before = agent.graph.get_state(config)
    apply_memory(world.file, "t", settings=world.settings)
    after = agent.graph.get_state(config)
    agent.close()
    assert after.next == before.next == ()
    assert {name for name in after.values if after.values[name] != before.values.get(name)} == {"memory_contents"}
    assert after.parent_config == before.config


def test_nothing_is_written_where_there_is_nothing_to_apply(world: World) -> None:
    world.say()
    before = world.checkpoints()
    with pytest.raises(UsageError, match="has its memory as it stands already"):
        apply_memory(world.file, "t", settings=world.settings)
    world.save(PATH, "x")
    with transaction(world.file) as db:
        db.execute("UPDATE store SET value = ? WHERE prefix = 'memories' AND key = '/AGENTS.md'", (
            b'{"content":"Y2Fm6Q==","encoding":"base64"}',
        ))  # fmt: skip
    with pytest.raises(InspectorError, match="not UTF-8"):
        apply_memory(world.file, "t", settings=world.settings)
    assert world.checkpoints() == before
    assert world.events() == []


def test_a_thread_that_has_loaded_nothing_is_told_so(world: World) -> None:
    bare = AgentSettings(model=ScriptedChat(script=[Turn("one")]), memory=(), skills=())
    runner = Runner(world.file)
    try:
        runner.start("bare", "hello", settings=bare).wait(60)
    finally:
        runner.close()
    with pytest.raises(UsageError, match="has not loaded its memory yet"):
        apply_memory(world.file, "bare", settings=world.settings)
    with pytest.raises(UsageError, match="There is no thread 'nobody'"):
        apply_memory(world.file, "nobody", settings=world.settings)


def test_a_running_thread_is_left_alone(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    with transaction(world.file) as db:
        db.execute("UPDATE runs SET status = 'running', pid = ?", (os.getpid(),))
    before = world.checkpoints()
    with pytest.raises(InspectorError, match="This thread is running"):
        apply_memory(world.file, "t", settings=world.settings)
    assert world.checkpoints() == before


def test_a_run_whose_process_is_gone_does_not_count(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    with transaction(world.file) as db:
        db.execute("UPDATE runs SET status = 'running', pid = ?", (child.pid,))
    assert apply_memory(world.file, "t", settings=world.settings).changed == (PATH,)


def test_a_thread_that_stopped_before_its_tools_runs_them_afterwards(world: World) -> None:
    world.settings = AgentSettings(
        model=ScriptedChat(script=[Turn(calls=(Call("ls", {"path": "/"}),)), Turn("done")]), memory=(PATH,)
    )
    config = {"configurable": {"thread_id": "t"}}
    runner = Runner(world.file)
    runner.recorder().begin_run("r", "t", "t", None, {"memory": [PATH]})
    runner.recorder().end_run("r", "t", "stopped")
    runner.close()
    agent = build_agent(Workspace.open(world.file), world.settings)
    agent.graph.invoke({"messages": [("user", "list")]}, config, interrupt_before=["tools"])
    assert agent.graph.get_state(config).next == ("tools",)
    world.save(PATH, "Paragraphs.")
    apply_memory(world.file, "t", settings=world.settings)
    assert agent.graph.get_state(config).next == ("tools",)
    messages = agent.graph.invoke(None, config)["messages"]
    agent.close()
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]


def test_an_agent_whose_model_can_not_be_had_here_is_no_hindrance(world: World) -> None:
    world.say()
    world.save(PATH, "Paragraphs.")
    elsewhere = AgentSettings(model="nobody:knows", memory=(PATH, TEAM))
    assert apply_memory(world.file, "t", settings=elsewhere).changed == (PATH,)
    assert "Paragraphs." in world.say("again")


def test_a_thread_that_waits_for_a_decision_is_left_alone(tmp_path: Path) -> None:
    model = Told(turns=[call("write_file", "c1", file_path="/a", content="x"), "done"])
    thread = recorded(tmp_path, model, memory=[PATH], interrupt_on={"write_file": True})
    save_memory(thread.workspace.path, PATH, "Bullet points.", "")
    thread.say("write")
    with thread.agent() as (agent, _):
        (waiting,) = agent.get_state(config_of("t")).next
        save_memory(thread.workspace.path, PATH, "Paragraphs.", read_memory(thread.workspace.path, PATH).version)
        with pytest.raises(InspectorError, match=f"stands before {waiting}"):
            apply_memory(thread.workspace.path, "t", settings=AgentSettings(model=ScriptedChat(), memory=(PATH,)))
        messages = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), config_of("t"))["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
