"""The published table of lifetimes, row by row: a real agent writes a file with its tool, and reads it back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from langchain_core.messages import ToolMessage

from engine import Workspace, lifetime_table
from engine.agent.backends import make_backend
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import BackendSettings, Identity, Place
from engine.checkpoints import WorkspaceSaver, WorkspaceStore
from engine.lifetimes import WITHOUT_CHECKPOINTER

PATH, TEXT = "/kept/report.md", "the quarter in four words"
PLACES = {
    "thread state, no checkpointer": Place(),
    "thread state": Place(),
    "folder": Place("filesystem", root="{folder}"),
    "store": Place("store", namespace=("kept",)),
}
COLUMNS = ("next_turn", "other_thread", "new_process", "thread_deleted")


class World:
    """A workspace, a folder, and agents that stand on one place."""

    def __init__(self, at: Path, place: str, routed: bool = False) -> None:
        self.at, self.place, self.routed = at, place, routed
        self.folder = at / "folder"
        self.folder.mkdir(exist_ok=True)
        file = at / "w.ctx"
        self.workspace = Workspace.open(file) if file.exists() else Workspace.create(file)

    def settings(self) -> BackendSettings:
        place = PLACES[self.place]
        if place.root:
            place = Place("filesystem", root=str(self.folder))
        return BackendSettings(routes={"/kept/": place}) if self.routed else BackendSettings(place, {})

    @contextmanager
    def agent(self, *calls: Call) -> Iterator[Any]:
        saver, store = WorkspaceSaver(self.workspace), WorkspaceStore(self.workspace)
        with closing(saver.conn), closing(store.conn):
            yield create_deep_agent(
                model=ScriptedChat(script=[item for call in calls for item in (Turn("", (call,)), Turn("done"))]),
                backend=make_backend(self.settings(), store),
                checkpointer=None if self.place == WITHOUT_CHECKPOINTER else saver,
                store=store,
            )

    def turn(self, thread: str, call: Call, before: tuple[Call, ...] = ()) -> ToolMessage:
        """One turn in which the agent makes a call; ``before`` are those that the thread has made already."""
        with self.agent(*before, call) as agent:
            config = {"configurable": {"thread_id": thread}}
            given = {"messages": [{"role": "user", "content": "go on"}]}
            return [one for one in agent.invoke(given, config)["messages"] if isinstance(one, ToolMessage)][-1]

    def reads(self, thread: str, *before: Call) -> bool:
        """Whether the agent's read_file finds the text."""
        answer = self.turn(thread, READ, before)
        assert (TEXT in str(answer.content)) == (answer.status == "success" and "not found" not in str(answer.content))
        return TEXT in str(answer.content)

    def delete(self, thread: str) -> None:
        saver = WorkspaceSaver(self.workspace)
        with closing(saver.conn):
            saver.setup()
            saver.delete_thread(thread)


WRITE = Call("write_file", {"file_path": PATH, "content": TEXT})
READ = Call("read_file", {"file_path": PATH})


def seen(at: Path, place: str, routed: bool) -> dict[str, bool]:
    world = World(at, place, routed)
    assert world.turn("one", WRITE).status == "success"
    earlier = () if place == WITHOUT_CHECKPOINTER else (WRITE,)
    found = {"next_turn": world.reads("one", *earlier), "other_thread": world.reads("two")}
    if not routed:  # once a place is enough: starting Python and deepagents takes seconds
        found["new_process"] = in_another_process(at, place)
    world.delete("one")
    found["thread_deleted"] = world.reads("one")
    return found


def in_another_process(at: Path, place: str) -> bool:
    code = "import sys, json; from tests.contract.test_lifetimes import again; print(json.dumps(again(*sys.argv[1:])))"
    root = Path(__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-c", code, str(at), place],
        cwd=root, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return bool(json.loads(done.stdout.splitlines()[-1]))


def again(at: str, place: str) -> bool:
    earlier = () if place == WITHOUT_CHECKPOINTER else (WRITE, READ)
    return World(Path(at), place).reads("one", *earlier)


@pytest.mark.parametrize("routed", [False, True], ids=["default", "routed"])
@pytest.mark.parametrize("row", lifetime_table(), ids=lambda row: row.place)
def test_the_published_table_is_what_an_agent_sees(tmp_path: Path, row: Any, routed: bool) -> None:
    found = seen(tmp_path, row.place, routed)
    assert found == {name: getattr(row, name) for name in COLUMNS if not routed or name != "new_process"}


def test_every_place_has_a_row_of_its_own() -> None:
    assert [row.place for row in lifetime_table()] == list(PLACES)


@pytest.mark.parametrize("place", ["folder", "store", "thread state"])
def test_a_routes_prefix_is_no_part_of_the_name_there_and_the_virtual_path_reads(tmp_path: Path, place: str) -> None:
    world = World(tmp_path, place, routed=True)
    world.turn("one", WRITE)
    if place == "folder":
        assert (world.folder / "report.md").read_text() == TEXT
        assert [entry.name for entry in world.folder.iterdir()] == ["report.md"]
    elif place == "store":
        store = WorkspaceStore(world.workspace)
        with closing(store.conn):
            assert [item.key for item in store.search(("kept",))] == ["/report.md"]
    else:
        with world.agent() as agent:
            assert list(agent.get_state({"configurable": {"thread_id": "one"}}).values["files"]) == ["/report.md"]
    assert world.reads("one", WRITE)


def test_a_store_that_is_falsy_is_still_the_one_used(tmp_path: Path) -> None:
    class Falsy(WorkspaceStore):
        def __bool__(self) -> bool:
            return False

        def __len__(self) -> int:
            return 0

    store = Falsy(Workspace.create(tmp_path / "w.ctx"))
    with closing(store.conn):
        backend = make_backend(BackendSettings(), store)
        assert backend.write("/memories/a.md", "kept").error is None
        assert store.get(("memories",), "/a.md").value["content"] == "kept"


def test_two_tenants_and_two_users_are_apart_and_no_tool_takes_an_identity(tmp_path: Path) -> None:
    from langchain_core.messages import AIMessage

    from tests.contract.models import Told

    workspace = Workspace.create(tmp_path / "w.ctx")
    saver, store = WorkspaceSaver(workspace), WorkspaceStore(workspace)
    people = [Identity("acme", "ann"), Identity("acme", "bob"), Identity("beta", "ann"), Identity("acme.ann", "x")]
    settings = BackendSettings(routes={"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))})
    with closing(saver.conn), closing(store.conn):
        for who in people:
            backend = make_backend(settings, store, who)
            backend.upload_files([("/memories/AGENTS.md", f"I am {who.user} of {who.tenant}".encode())])
        for at, who in enumerate(people):
            model = Told(
                turns=[AIMessage("", tool_calls=[{"name": "ls", "args": {"path": "/memories/"}, "id": "c"}]), "done"]
            )
            agent = create_deep_agent(
                model=model, backend=make_backend(settings, store, people[0]), memory=["/memories/AGENTS.md"],
                checkpointer=saver, store=store, context_schema=Identity,
            )  # fmt: skip
            config = {"configurable": {"thread_id": str(at)}}
            agent.invoke({"messages": [{"role": "user", "content": "hello"}]}, config, context=who)
            system = model.given[0].system
            assert [other for other in people if f"I am {other.user} of {other.tenant}" in system] == [who]
            assert not {"tenant", "user", "context", "runtime", "identity"} & {
                name for tool in model.given[0].tools for name in tool["function"]["parameters"]["properties"]
            }


@pytest.mark.parametrize("tool", ["ls", "grep", "glob"])
def test_an_agent_finds_nothing_of_a_namespace_below_its_own(tmp_path: Path, tool: str) -> None:
    store = WorkspaceStore(Workspace.create(tmp_path / "w.ctx"))
    with closing(store.conn):
        below = make_backend(BackendSettings(Place("store", namespace=("memories", "acme")), {}), store)
        below.write("/a.md", "hidden")
        above = make_backend(BackendSettings(Place("store", namespace=("memories",)), {}), store)
        found = {"ls": lambda: above.ls("/").entries, "grep": lambda: above.grep("hidden").matches,
                 "glob": lambda: above.glob("**/*").matches}[tool]()  # fmt: skip
        assert found == []
        assert above.delete("/a.md").error is not None
