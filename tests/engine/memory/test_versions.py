"""Every text that a file has had: who wrote it, and how to have it back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, Runner, Workspace
from engine.agent.build import backend_over
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings
from engine.checkpoints import WorkspaceStore
from engine.errors import EditConflict, UsageError
from engine.memory import delete_memory, earlier_versions, read_memory, save_memory
from engine.memory.versions import restore_version
from engine.workbench import FileVersion

PATH = "/memories/AGENTS.md"


def edit(old: str, new: str, path: str = PATH) -> Call:
    return Call("edit_file", {"file_path": path, "old_string": old, "new_string": new})


class World:
    """A workspace that people, agents and other programs write to."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.workspace = Workspace.create(file)

    def outside(self, text: str, path: str = PATH) -> None:
        store = WorkspaceStore(self.workspace)
        with closing(store.conn):
            assert backend_over(store).upload_files([(path, text.encode())])[0].error is None

    def user(self, text: str) -> None:
        save_memory(self.file, PATH, text, read_memory(self.file, PATH).version)

    def agent(self, *calls: Call, thread: str = "t") -> None:
        """A turn in which an agent calls these tools, one after another."""
        turns = [Turn("so", (call,)) for call in calls]
        settings = AgentSettings(model=ScriptedChat(script=[*turns, Turn("done")]))
        runner = Runner(self.file)
        try:
            run = runner.start(thread, "go", settings=settings)
            assert run.wait(60)
            assert run.error is None
        finally:
            runner.close()

    def versions(self, path: str = PATH) -> list[FileVersion]:
        with closing(Reader(self.file)) as reader:
            return reader.versions(path)

    def text(self, version: FileVersion) -> str:
        with closing(Reader(self.file)) as reader:
            return reader.version(version.id).decode()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield World(tmp_path / "w.ctx")


def test_who_wrote_each_text(world: World) -> None:
    world.outside("one\n")
    world.user("one\ntwo\n")
    world.agent(edit("two", "TWO"), edit("one", "ONE"))
    world.outside("something else\n")
    found = world.versions()
    assert [(one.author, world.text(one)) for one in found] == [
        ("outside", "something else\n"),
        ("agent", "ONE\nTWO\n"),
        ("agent", "one\nTWO\n"),
        ("user", "one\ntwo\n"),
        ("outside", "one\n"),
    ]
    assert [one.current for one in found] == [True, False, False, False, False]
    by_agent = [one for one in found if one.author == "agent"]
    assert [(one.thread_id, one.request_number) for one in by_agent] == [("t", 2), ("t", 1)]
    assert len({one.tool_call_id for one in by_agent}) == 2
    assert [one.at for one in found] == sorted((one.at for one in found), reverse=True)
    assert all(one.size == len(world.text(one).encode()) for one in found)


def test_an_edit_that_failed_made_no_text(world: World) -> None:
    world.user("one\n")
    world.agent(edit("not there", "x"))
    assert [one.author for one in world.versions()] == ["user"]


def test_the_same_words_written_by_somebody_else_are_not_the_agents(world: World) -> None:
    """A call explains a text only where it makes it of the one before, and only one text."""
    world.user("one\n")
    world.agent(edit("one", "two"))
    world.user("one\n")
    world.outside("two\n")
    assert [one.author for one in world.versions()] == ["outside", "user", "agent", "user"]


def test_skills_and_files_written_whole_are_kept_too(world: World) -> None:
    path = "/skills/x/SKILL.md"
    world.agent(Call("write_file", {"file_path": path, "content": "---\nname: x\n---\n"}))
    (only,) = world.versions(path)
    assert (only.author, only.request_number, only.current) == ("agent", 1, True)


def test_a_deleted_file_keeps_its_texts(world: World) -> None:
    world.user("one\n")
    delete_memory(world.file, PATH, read_memory(world.file, PATH).version)
    gone, before = world.versions()
    assert (gone.version, gone.size, gone.author, gone.current) == ("", 0, "user", True)
    assert world.text(before) == "one\n"
    with pytest.raises(UsageError, match=f"no version {gone.id}"):
        world.text(gone)
    with pytest.raises(EditConflict, match="was removed"):
        delete_memory(world.file, PATH, before.version)


def test_any_text_can_be_had_back(world: World) -> None:
    world.user("one\n")
    world.user("two\n")
    old = world.versions()[1]
    restore_version(world.file, old.id, read_memory(world.file, PATH).version)
    assert read_memory(world.file, PATH).text == "one\n"
    latest = world.versions()[0]
    assert (latest.author, latest.note, latest.version) == ("user", "restored", old.version)
    with pytest.raises(EditConflict):
        restore_version(world.file, world.versions()[1].id, "what was seen long ago")
    assert read_memory(world.file, PATH).text == "one\n"


def test_writing_the_same_bytes_again_is_no_new_text(world: World) -> None:
    world.outside("one\n")
    world.outside("one\n")
    assert len(world.versions()) == 1


def test_a_program_that_only_knows_the_store_leaves_versions_too(world: World) -> None:
    world.user("one\n")
    with closing(sqlite3.connect(world.file)) as db:
        value = json.dumps({"content": "theirs\n", "encoding": "utf-8"})
        db.execute("UPDATE store SET value = ? WHERE prefix = 'memories'", (value,))
        db.execute("INSERT OR REPLACE INTO store(prefix, key, value) VALUES ('memories', '/AGENTS.md', 'damaged')")
        db.execute("DELETE FROM store WHERE prefix = 'memories'")
        db.commit()
    assert [(one.author, one.size) for one in world.versions()] == [("outside", 0), ("outside", 7), ("user", 4)]


def test_a_workspace_of_the_first_format_keeps_what_it_knew(world: World) -> None:
    """There, saves kept what they replaced among the store's own entries."""
    world.user("two\n")
    with closing(sqlite3.connect(world.file)) as db:
        for trigger in ("file_put", "file_changed", "file_deleted"):
            db.execute(f"DROP TRIGGER {trigger}")
        db.execute("DROP TABLE file_versions")
        old = {
            "content": "one\n",
            "encoding": "utf-8",
            "modified_at": "2026-01-01T00:00:00+00:00",
            "path": PATH,
            "replaced_at": "2026-01-02T00:00:00+00:00",
        }
        db.execute("INSERT INTO store(prefix, key, value) VALUES ('memory_earlier', 'x', ?)", (json.dumps(old),))
        names = ("m004_file_versions", "m005_deletions")
        db.execute("DROP TABLE deletions")
        (table,) = db.execute("SELECT name FROM sqlite_master WHERE name LIKE '\\_sqlite%' ESCAPE '\\'").fetchone()
        db.execute(f"DELETE FROM {table} WHERE name IN (?, ?)", names)
        db.execute("PRAGMA user_version = 3")
        db.commit()
    assert earlier_versions(world.file, PATH) == []
    assert world.versions() == []  # reading it changes nothing, and knows nothing
    Workspace.open(world.file)
    assert [one.data for one in earlier_versions(world.file, PATH)] == [b"one\n"]
    world.user("three\n")
    found = world.versions()
    assert [world.text(one) for one in found] == ["three\n", "two\n", "one\n"]
    assert found[-1].at == 1767225600.0
    with closing(sqlite3.connect(world.file)) as db:
        assert db.execute("SELECT count(*) FROM store WHERE prefix = 'memory_earlier'").fetchone() == (0,)
