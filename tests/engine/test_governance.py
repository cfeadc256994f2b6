"""Deleting everything known about a thread or a namespace: shown before, gone afterwards, the rest untouched."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, Runner, Workspace
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings
from engine.errors import EditConflict, InspectorError, UsageError
from engine.governance import delete_for_good, plan_deletion
from engine.memory import read_memory, save_memory
from engine.transactions import transaction
from tests.received import as_recorded

MARKER = "quetzalcoatlus-northropi"
PATH = "/memories/AGENTS.md"
WEEK_22, WEEK_23 = "competitor-report-week-22", "competitor-report-week-23"


def settings(said: str = "fine") -> AgentSettings:
    write = Call("write_file", {"file_path": "/notes.md", "content": f"{said} notes"})
    return AgentSettings(model=ScriptedChat(script=[Turn(said, (write,)), Turn(f"{said} again"), Turn("more")]))


class World:
    """A workspace with a runner that is kept, as the window keeps it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        Workspace.create(file)
        self.runner = Runner(file)

    def say(self, thread: str, text: str, said: str = "fine") -> None:
        run = self.runner.start(thread, text, settings=settings(said))
        assert run.wait(60)
        assert (run.error, run.lost) == (None, 0)

    def holds(self, text: str) -> bool:
        """Whether a text stands in the bytes of the file or of its log."""
        names = (self.file, self.file.with_name(f"{self.file.name}-wal"))
        return any(text.encode() in name.read_bytes() for name in names if name.exists())

    def dangling(self) -> list[str]:
        """Parts and nodes that something names and that aren't there."""
        with closing(sqlite3.connect(self.file)) as db:
            found = []
            for column in ("system_node", "tools_node", "messages_node", "raw_node"):
                query = f"SELECT count(*) FROM requests WHERE {column} > 0 AND {column} NOT IN (SELECT id FROM chain)"
                found += [column] * db.execute(query).fetchone()[0]
            for table, column in (
                ("chain", "part"),
                ("requests", "params_part"),
                ("requests", "origin_part"),
                ("requests", "response_part"),
            ):
                query = f"SELECT count(*) FROM {table} WHERE {column} > 0 AND {column} NOT IN (SELECT id FROM parts)"
                found += [column] * db.execute(query).fetchone()[0]
            query = "SELECT count(*) FROM chain WHERE parent > 0 AND parent NOT IN (SELECT id FROM chain)"
            found += ["parent"] * db.execute(query).fetchone()[0]
            assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            return found


@pytest.fixture
def world(tmp_path: Path):
    made = World(tmp_path / "w.ctx")
    yield made
    made.runner.close()


def recorded(file: Path, thread: str) -> list[dict[str, object]]:
    with closing(Reader(file)) as reader:
        return [as_recorded(reader, id) for id in reader.request_ids(thread)]


@pytest.mark.parametrize("vacuum", [False, True])
def test_a_thread_goes_from_every_table_and_from_the_bytes_of_the_file(world: World, vacuum: bool) -> None:
    world.say("kept", "hello")
    world.say("gone", f"I like {MARKER}", f"{MARKER} it is")
    assert world.holds(MARKER)
    kept = recorded(world.file, "kept")
    plan = plan_deletion(world.file, thread_id="gone")
    assert {"requests", "runs", "threads", "parts of requests", "checkpoints of the thread's state"} <= {
        item.what for item in plan.items
    }
    assert plan.files == (("/notes.md", len(f"{MARKER} it is notes")),)
    proof = delete_for_good(world.file, plan, vacuum=vacuum)
    assert proof.gone
    assert proof.note == ""
    assert proof.searched > 3
    assert proof.deleted == plan.items
    assert not world.holds(MARKER)
    assert not world.holds('"gone"')
    assert recorded(world.file, "kept") == kept
    assert world.dangling() == []
    with closing(Reader(world.file)) as reader:
        assert [row.thread_id for row in reader.threads()] == ["kept"]
    with pytest.raises(UsageError, match="There is no thread 'gone'"):
        plan_deletion(world.file, thread_id="gone")


def test_of_the_demo_one_thread_goes_and_the_others_stay_as_they_were(demo_copy: Path) -> None:
    with closing(Reader(demo_copy)) as reader:
        others = [row.thread_id for row in reader.threads() if row.thread_id != WEEK_22]
    before = {thread: recorded(demo_copy, thread) for thread in others}
    plan = plan_deletion(demo_copy, thread_id=WEEK_22)
    assert any(path.startswith("/large_tool_results/") for path, _ in plan.files)
    assert any(PATH in sentence for sentence in plan.kept)
    proof = delete_for_good(demo_copy, plan)
    assert proof.gone
    assert proof.size_after < proof.size_before
    assert {thread: recorded(demo_copy, thread) for thread in others} == before
    assert read_memory(demo_copy, PATH).data is not None
    with closing(Reader(demo_copy)) as reader:
        for thread in others:
            assert reader.files(thread)
            assert reader.memory(thread) or thread.startswith("eight")


def test_a_runner_that_is_open_goes_on_with_other_threads_and_with_the_deleted_one(world: World) -> None:
    world.say("kept", "hello", "other")
    world.say("gone", MARKER)
    delete_for_good(world.file, plan_deletion(world.file, thread_id="gone"))
    # Everything of these that the recorder had stored before is known to it, and went with "gone".
    world.say("new", "hello")
    world.say("gone", MARKER)
    world.say("kept", "more", "other")
    assert world.dangling() == []
    assert [len(recorded(world.file, thread)) for thread in ("kept", "new", "gone")] == [3, 2, 2]
    with closing(Reader(world.file)) as reader:
        assert not [event for row in reader.threads() for event in reader.events(row.thread_id) if event.kind == "lost"]
        texts = [reader.text(row.part) for row in reader.request(reader.request_ids("gone")[0]).messages]
    assert texts == [MARKER]


def test_ids_are_not_given_again_so_an_open_reader_shows_nothing_else(world: World) -> None:
    world.say("kept", "hello")
    world.say("gone", MARKER)
    with closing(Reader(world.file)) as reader:
        parts = [row.part for row in reader.request(reader.request_ids("gone")[-1]).messages]
        texts = [reader.text(part) for part in parts]
        delete_for_good(world.file, plan_deletion(world.file, thread_id="gone"))
        world.say("kept", "something new")
        new = [row.part for row in reader.request(reader.request_ids("kept")[-1]).messages]
        assert [reader.text(part) for part in new][-1] not in texts or not set(new) & set(parts)
        assert max(parts) < max(new)


def test_what_came_since_is_not_deleted_unseen(world: World) -> None:
    world.say("gone", "hello")
    plan = plan_deletion(world.file, thread_id="gone")
    world.say("gone", "more")
    with pytest.raises(EditConflict, match="something else by now"):
        delete_for_good(world.file, plan)
    assert len(recorded(world.file, "gone")) == 3


def test_a_running_thread_is_not_deleted(world: World) -> None:
    world.say("gone", "hello")
    plan = plan_deletion(world.file, thread_id="gone")
    with transaction(world.file) as db:
        db.execute("UPDATE runs SET status = 'running', pid = ?", (os.getpid(),))
    with pytest.raises(InspectorError, match="Thread gone is running"):
        delete_for_good(world.file, plan)
    assert len(recorded(world.file, "gone")) == 2


def test_a_namespace_goes_with_its_versions_and_the_copies_are_named(world: World) -> None:
    save_memory(world.file, PATH, f"old {MARKER}", "")
    save_memory(world.file, PATH, f"new {MARKER}", read_memory(world.file, PATH).version)
    save_memory(world.file, "/skills/x/SKILL.md", "another namespace", "")
    plan = plan_deletion(world.file, namespace="memories")
    assert [(item.what, item.count) for item in plan.items] == [
        ("files and items in the store", 1),
        ("versions of files", 2),
    ]
    assert [path for path, _ in plan.files] == [PATH]
    assert delete_for_good(world.file, plan).gone
    assert not world.holds(MARKER)
    assert read_memory(world.file, PATH).data is None
    assert read_memory(world.file, "/skills/x/SKILL.md").data is not None
    with pytest.raises(UsageError, match="nothing in the namespace"):
        plan_deletion(world.file, namespace="memories")


def test_threads_that_hold_copies_go_with_a_namespace_where_that_is_asked(world: World) -> None:
    save_memory(world.file, PATH, MARKER, "")
    world.say("copied", "hello")
    plan = plan_deletion(world.file, namespace="memories")
    assert plan.copies == ("copied",)
    assert delete_for_good(world.file, plan).gone
    assert world.holds(MARKER)
    save_memory(world.file, PATH, "again", "")
    plan = plan_deletion(world.file, namespace="memories", with_threads=True)
    assert (plan.threads, plan.copies) == (("copied",), ())
    assert delete_for_good(world.file, plan).gone
    assert not world.holds(MARKER)


def test_a_namespace_is_not_a_pattern_and_takes_only_what_is_below_it(world: World) -> None:
    world.say("any", "hello")
    with transaction(world.file) as db:
        for prefix in ("a_b", "a_b.c", "axb", "a_bc"):
            db.execute("INSERT INTO store(prefix, key, value) VALUES (?, '/k', ?)", (prefix, json.dumps({"v": 1})))
    plan = plan_deletion(world.file, namespace="a_b")
    assert [item.count for item in plan.items] == [2]
    delete_for_good(world.file, plan)
    with transaction(world.file) as db:
        assert sorted(row[0] for row in db.execute("SELECT prefix FROM store")) == ["a_bc", "axb"]


def test_tables_that_are_added_later_are_emptied_too(world: World) -> None:
    world.say("gone", "hello")
    world.say("kept", "hello")
    with transaction(world.file) as db:
        db.execute("CREATE TABLE later (id INTEGER PRIMARY KEY, request INTEGER REFERENCES requests(id), t TEXT)")
        db.execute("INSERT INTO later(request, t) SELECT id, 'x' FROM requests")
        db.execute("CREATE TABLE by_name (thread_id TEXT, t TEXT)")
        db.execute("INSERT INTO by_name SELECT thread_id, 'y' FROM threads")
    plan = plan_deletion(world.file, thread_id="gone")
    assert {"rows of later", "rows of by_name"} <= {item.what for item in plan.items}
    assert delete_for_good(world.file, plan).gone
    with transaction(world.file) as db:
        assert db.execute("SELECT count(*) FROM later").fetchone() == (2,)
        assert db.execute("SELECT thread_id FROM by_name").fetchall() == [("kept",)]


def test_another_programs_reading_is_said_to_keep_old_pages(world: World) -> None:
    world.say("gone", MARKER)
    plan = plan_deletion(world.file, thread_id="gone")
    with closing(sqlite3.connect(world.file)) as other:
        other.execute("BEGIN")
        other.execute("SELECT count(*) FROM requests").fetchone()
        proof = delete_for_good(world.file, plan)
        assert not proof.gone
        assert proof.left == ()
        assert "Another program is reading" in proof.note
    assert plan.items == proof.deleted


def test_what_is_deleted_has_to_be_named(world: World) -> None:
    with pytest.raises(UsageError, match="Name a thread or a namespace"):
        plan_deletion(world.file)
    with pytest.raises(UsageError, match="Name a thread or a namespace"):
        plan_deletion(world.file, thread_id="x", namespace="y")
