"""Backends made of settings: what is refused and in which words, and what an agent can't reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.store.memory import InMemoryStore

from engine import AgentSettings, Reader, SubagentSettings
from engine.agent.backends import make_backend
from engine.agent.scripted import Call, Exchange, ScriptedChat, Turn
from engine.agent.settings import BackendSettings, Identity, Place
from engine.errors import UsageError
from engine.namespaces import id_of, label_of
from engine.places import Layout, Located
from tests.engine.agent.running import World

ANN = Identity("acme", "ann")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (BackendSettings(Place("store")), "no namespace is named"),
        (BackendSettings(Place("store", namespace=("a.b",))), "can't be a part"),
        (BackendSettings(Place("store", namespace=("a", ""))), "can't be a part"),
        (BackendSettings(Place("store", namespace=("*",))), "can't be a part"),
        (BackendSettings(Place("store", namespace=("{tenant}-{user}",))), "can't be a part"),
        (BackendSettings(Place("store", namespace=("langgraph",))), "for itself"),
        (BackendSettings(Place("filesystem")), "none is named"),
        (BackendSettings(Place("filesystem", root="/no/such/folder")), "doesn't exist"),
        (BackendSettings(Place("filesystem", root=__file__)), "is no folder"),
        (BackendSettings(Place("tape")), "state, store or filesystem"),  # type: ignore[arg-type]
        (BackendSettings(routes={"memories/": Place()}), "begins and ends with /"),
        (BackendSettings(routes={"/memories": Place()}), "begins and ends with /"),
        (BackendSettings(routes={"/a/../b/": Place()}), "begins and ends with /"),
        (BackendSettings(artifacts_root="large"), "begins with /"),
        (
            BackendSettings(Place("store", namespace=("{tenant}",)), {"/m/": Place("store", namespace=("memories",))}),
            "the same for some identities",
        ),
    ],
)
def test_settings_that_make_no_backend_are_refused_with_a_sentence(settings: BackendSettings, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_backend(settings, InMemoryStore(), ANN)


OWN = BackendSettings(Place("store", namespace=("{tenant}", "{user}")), {})


@pytest.mark.parametrize(
    ("identity", "words"),
    [
        (None, "needs the identity"),
        (Identity("", "ann"), "tenant of the run's identity is empty"),
        (Identity("acme", "  "), "user of the run's identity is empty"),
        (Identity("acme", None), "is empty"),  # type: ignore[arg-type]
        (Identity("acme", "*"), "can't name a namespace"),
        (Identity("acme/x", "ann"), "can't name a namespace"),
        (Identity("acme", "a\0"), "can't name a namespace"),
        (Identity("acme", "jürgen"), "can't name a namespace"),
    ],
)
def test_a_namespace_takes_no_identity_that_could_be_anothers(identity: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        make_backend(OWN, InMemoryStore(), identity)
    with pytest.raises(UsageError, match=words):
        Layout(OWN, identity).locate("/a")


_IDS = st.text("ab.~27e@", min_size=1, max_size=8)


@given(one=_IDS, other=_IDS)
def test_no_two_ids_share_a_namespace_and_each_can_be_read_back(one: str, other: str) -> None:
    assert (label_of("user", one) == label_of("user", other)) == (one == other)
    assert id_of(label_of("user", one)) == one
    assert "." not in label_of("user", one)


_PARTS = st.sampled_from(["memories", "skills", "a", "memories2", "x.md", ""])
_PATHS = st.lists(_PARTS, max_size=4).map(lambda parts: "/" + "/".join(parts))


@given(path=_PATHS)
def test_a_path_lies_where_the_engines_backend_puts_it(path: str) -> None:
    settings = BackendSettings(
        Place("store", namespace=("rest",)),
        {
            "/memories/": Place("store", namespace=("memories",)),
            "/memories/a/": Place("store", namespace=("deeper",)),
            "/skills/": Place("store", namespace=("{tenant}", "skills")),
        },
    )
    store = InMemoryStore()
    make_backend(settings, store, ANN).upload_files([(path, b"x")])
    (item,) = store.search(())
    layout = Layout(settings, ANN)
    located = layout.locate(path)
    assert located == Located("store", ".".join(item.namespace), item.key)
    if path != path.rstrip("/") + "/" and path.rstrip("/") not in {"/memories", "/memories/a", "/skills"}:
        assert layout.path_of(located) == path


def test_one_place_is_its_own_backend_and_routes_make_a_composite() -> None:
    names = [
        type(make_backend(settings, InMemoryStore())).__name__
        for settings in (
            BackendSettings(routes={}),
            BackendSettings(routes={}, artifacts_root="/kept"),
            BackendSettings(),
        )
    ]
    assert names == ["StateBackend", "CompositeBackend", "CompositeBackend"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "root"
    made.mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "secret.txt").write_text("s3cret")
    (made / "link.txt").symlink_to(tmp_path / "outside" / "secret.txt")
    (made / "out").symlink_to(tmp_path / "outside")
    (made / "in.txt").write_text("inside")
    return made


OUT = ["/link.txt", "/out/secret.txt", "/../outside/secret.txt", "/out/new.txt"]


@pytest.mark.parametrize("path", OUT)
def test_nothing_leads_out_of_a_folder(folder: Path, path: str) -> None:
    backend = make_backend(BackendSettings(Place("filesystem", root=str(folder)), {}), InMemoryStore())
    for act in (
        lambda: backend.read(path),
        lambda: backend.write(path, "mine"),
        lambda: backend.edit(path, "s3cret", "mine"),
        lambda: backend.delete(path),
        lambda: backend.download_files([path])[0],
        lambda: backend.upload_files([(path, b"mine")])[0],
        lambda: backend.ls(path),
    ):
        answer: Any = act()
        assert answer.error
        assert "s3cret" not in repr(answer)
    assert "s3cret" not in repr([backend.grep("s3cret"), backend.glob("**/*"), backend.ls("/")])
    outside = folder.parent / "outside"
    assert [(one.name, one.read_text()) for one in outside.iterdir()] == [("secret.txt", "s3cret")]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "run.ctx")
    yield made
    made.runner.close()


@pytest.mark.parametrize("path", ["/", "/kept", "/kept/", "/kept/.", "/kept//"])
def test_the_folder_itself_is_not_deleted(folder: Path, path: str) -> None:
    place = Place("filesystem", root=str(folder))
    settings = BackendSettings(place, {}) if path == "/" else BackendSettings(routes={"/kept/": place})
    assert make_backend(settings, InMemoryStore()).delete(path).error
    assert (folder / "in.txt").read_text() == "inside"


def test_a_model_that_follows_a_link_out_is_told_and_goes_on(world: World, folder: Path) -> None:
    calls = [Call("read_file", {"file_path": path}) for path in OUT]
    settings = AgentSettings(
        model=ScriptedChat(script=[*(Turn("", (call,)) for call in calls), Turn("I went on.")]),
        memory=(),
        skills=(),
        backend=BackendSettings(Place("filesystem", root=str(folder)), {}),
    )
    run = world.runner.start("t", "Go", settings=settings)
    world.done(run)
    assert (run.error, run.answer) == (None, "I went on.")
    with closing(Reader(world.file)) as reader:
        texts = [reader.text(row.part) for row in reader.request(world.rows()[-1].id).messages if row.kind == "tool"]
    assert len(texts) == len(calls)
    assert all("error" in text.lower() for text in texts)
    assert not any("s3cret" in text or str(folder) in text for text in texts)


def test_offloaded_results_lie_in_the_folder_and_are_read_from_it(world: World, tmp_path: Path) -> None:
    root = tmp_path / "disk"
    root.mkdir()

    def report() -> str:
        """A long report."""
        return "a line of the report\n" * 2_000

    calls = [Turn("", (Call("report", {}),)), Turn("", (Call("write_file", {"file_path": "/own.md", "content": "x"}),))]
    settings = AgentSettings(
        model=ScriptedChat(script=[*calls, Turn("done")]),
        tools=[report],
        offload_results=1_000,
        memory=(),
        skills=(),
        backend=BackendSettings(Place("filesystem", root=str(root)), {}, artifacts_root="/kept"),
    )
    world.done(world.runner.start("t", "Go", settings=settings))
    (root / "somebody's.txt").write_text("not the thread's")
    with closing(Reader(world.file)) as reader:
        files = {file.path: file for file in reader.files("t")}
        (offloaded,) = [path for path in files if path.startswith("/kept/large_tool_results/")]
        assert set(files) == {offloaded, "/own.md"}
        told = files[offloaded]
        assert (told.kind, told.place, told.within, told.size) == ("offloaded result", "folder", str(root), 42_000)
        assert told.lifetime == "across threads, until it is deleted"
        assert reader.file("t", offloaded) == ("a line of the report\n" * 2_000).encode()
        with pytest.raises(UsageError, match="no file at"):
            reader.file("t", "/none.md")


def test_a_subagent_runs_for_the_same_identity(world: World) -> None:
    write = Call("write_file", {"file_path": "/memories/note.md", "content": "by the subagent"})
    script = [
        Exchange("Go", (Turn("", (Call("task", {"description": "Note it", "subagent_type": "clerk"}),)), Turn("done"))),
        Exchange("Note it", (Turn("", (write,)), Turn("noted"))),
    ]
    settings = AgentSettings(
        model=ScriptedChat(script=script),
        memory=(),
        skills=(),
        identity=ANN,
        subagents=(SubagentSettings("clerk", "Notes things", "You note."),),
        backend=BackendSettings(routes={"/memories/": Place("store", namespace=("{tenant}", "{user}", "memories"))}),
    )
    run = world.runner.start("t", "Go", settings=settings)
    world.done(run)
    assert run.error is None
    with closing(Reader(world.file)) as reader:
        (file,) = reader.files("t")
        assert (file.path, file.place, file.within) == ("/memories/note.md", "store", "acme.ann.memories")
