"""Of every file the window says where it lies and what it survives; the whole table is a look away."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import AgentSettings, Reader, Runner, Workspace, lifetime_table
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.places import BackendSettings, Place
from inspector.jobs import Jobs
from inspector.views.file_places import FilePlaces
from inspector.views.files import FilesView
from tests.inspector.side_world import rich_labels, unnamed

FOLDER = "/work/report & <b>.md"


class World:
    """A thread whose agent wrote a file into each of three places."""

    def __init__(self, qtbot, folder: Path) -> None:
        self.qtbot, self.file, self.root = qtbot, folder / "w.ctx", folder / "on disk"
        self.root.mkdir()
        Workspace.create(self.file)
        routes = {
            "/work/": Place("filesystem", root=str(self.root)),
            "/kept/": Place("store", namespace=("kept", "here")),
        }
        calls = tuple(Call("write_file", {"file_path": path, "content": "x"}) for path in (FOLDER, "/kept/a", "/b"))
        settings = AgentSettings(
            model=ScriptedChat(script=[Turn("", calls), Turn("done")]), backend=BackendSettings(routes=routes)
        )
        runner = Runner(self.file)
        try:
            assert runner.start("t", "go on", settings=settings).wait(60)
        finally:
            runner.close()
        self.jobs, self.reader = Jobs(), Reader(self.file)

    def files(self) -> FilesView:
        view = FilesView(self.reader, self.jobs, self.file)
        self.qtbot.addWidget(view)
        view.resize(360, 700)
        view.set_thread("t")
        view.show()
        self.settle()
        return view

    def settle(self) -> None:
        self.qtbot.waitUntil(self.jobs.idle)

    def close(self) -> None:
        self.jobs.close()
        self.reader.close()


@pytest.fixture
def world(qtbot, qapp, tmp_path: Path) -> Iterator[World]:
    made = World(qtbot, tmp_path)
    yield made
    made.close()


def test_each_file_says_where_it_lies_and_what_it_survives(world: World, qapp) -> None:
    view = world.files()
    on_disk = str(world.root / "report & <b>.md")
    expected = {
        FOLDER: (f"Lies in: folder {world.root}", f"On the disk: {on_disk}", on_disk),
        "/kept/a": ("Lies in: store, namespace kept / here", "", "/kept/a"),
        "/b": ("Lies in: thread state", "Lost by: another thread, deletion of the thread", "/b"),
    }
    for path, (lies, more, copied) in expected.items():
        assert view.table.select(path)
        world.settle()
        said = view.facts.text()
        assert lies in said and more in said, path
        assert "Survives: another turn" in said
        view.copy_path()
        assert qapp.clipboard().text() == copied
    assert (world.root / "report & <b>.md").read_text() == "x"


@pytest.mark.parametrize("what", ["folder", "link out of the root", "too large"])
def test_what_can_not_be_read_of_a_folder_says_why(world: World, what: str) -> None:
    file = world.root / "report & <b>.md"
    file.unlink()
    if what == "folder":
        file.mkdir()
    elif what == "too large":
        with file.open("wb") as handle:
            handle.truncate(200 << 20)
    else:
        (world.file.parent / "secret.txt").write_text("nobody's")
        file.symlink_to(world.file.parent / "secret.txt")
    view = world.files()
    assert view.table.select(FOLDER)
    world.settle()
    assert view.text.state() == "error"
    assert FOLDER.rsplit("/", 1)[1] in view.text.message()
    assert "nobody's" not in view.text.text() + view.text.message()
    assert view.table.items.index(view.table.items.row_of(FOLDER), 0).data() == f"! {FOLDER}"


def test_the_table_is_the_measured_one_with_the_threads_own_places(world: World, qtbot) -> None:
    dialog = FilePlaces(world.jobs, world.file, "t")
    qtbot.addWidget(dialog)
    dialog.show()
    world.settle()
    model = dialog.table.items
    rows = [[model.index(row, column).data() for column in range(6)] for row in range(model.rowCount())]
    for row, life in zip(rows, lifetime_table(), strict=True):
        told = [life.next_turn, life.other_thread, life.new_process, life.thread_deleted]
        assert row[0].removeprefix("● ") == life.place
        assert row[1:5] == ["yes" if one else "no" for one in told]
    own = {row[0]: row[5] for row in rows}
    assert own == {
        "thread state, no checkpointer": "",
        "● thread state": "/",
        "● folder": f"/work/ → {world.root}",
        "● store": "/kept/ → namespace kept / here",
    }
    assert not rich_labels(dialog)
    assert not unnamed(dialog)
