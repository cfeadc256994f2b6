"""The store page: namespaces apart, items by page and search, and edits that write over nothing unseen."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.store.sqlite import SqliteStore

from engine import Workspace, delete_item, save_item, store_item, store_items, store_namespaces
from engine.agent.backends import make_backend
from engine.agent.settings import BackendSettings, Identity, Place
from engine.checkpoints import WorkspaceStore
from engine.errors import EditConflict, UsageError
from engine.governance import delete_for_good, plan_deletion
from engine.memory import read_memory
from engine.store import file_in, save_file

TRAPS = [
    ("a", "b"), ("a",), ("a", "b", "c"), ("A", "b"), ("ab",), ("a_b",), ("axb",), ("a%",), ("aZ",), ("a*",),
    ("a[b]",), ("ab", "c"), ("é",), ("a b",),
]  # fmt: skip


class World:
    """A workspace with a store of its own."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.store = WorkspaceStore(Workspace.create(file))

    def keys(self, namespace: str, query: str = "") -> list[str]:
        return [item.key for item in store_items(self.file, namespace, query).items]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "w.ctx")
    with closing(made.store.conn):
        yield made


def test_items_of_one_namespace_never_show_under_another(world: World) -> None:
    for at, namespace in enumerate(TRAPS):
        world.store.put(namespace, f"key {at}", {"n": at})
    assert {one.text: one.items for one in store_namespaces(world.file)} == {".".join(ns): 1 for ns in TRAPS}
    for at, namespace in enumerate(TRAPS):
        assert world.keys(".".join(namespace)) == [f"key {at}"]


def test_deleting_a_namespace_takes_no_other_that_looks_alike(world: World) -> None:
    for at, namespace in enumerate(TRAPS):
        world.store.put((*namespace, "memories"), f"/{at}.md", {"content": str(at), "encoding": "utf-8"})
    delete_for_good(world.file, plan_deletion(world.file, namespace="a"))
    left = {one.text for one in store_namespaces(world.file)}
    assert left == {".".join((*ns, "memories")) for ns in TRAPS if ns[0] != "a"}
    delete_for_good(world.file, plan_deletion(world.file, namespace="a_b"))
    assert {one.text for one in store_namespaces(world.file)} == left - {"a_b.memories"}


def test_pages_and_search(world: World) -> None:
    for at in range(25):
        world.store.put(("facts",), f"{at:02}", {"text": f'Ärger "{at}"\nwith a\\slash', "n": at})
    page = store_items(world.file, "facts", limit=10, offset=20)
    assert (page.total, page.offset, [item.key for item in page.items]) == (25, 20, ["20", "21", "22", "23", "24"])
    assert world.keys("facts", 'ÄRGER "7"\nwith') == ["07"]
    assert world.keys("facts", "a\\SLASH")[:2] == ["00", "01"]
    assert world.keys("facts", "2%") == []
    assert world.keys("facts", "19") == ["19"]


def test_the_page_on_which_a_key_stands(world: World) -> None:
    for at in range(0, 50, 2):
        world.store.put(("facts",), f"{at:02}", {"n": at})
    for around, offset in {"00": 0, "20": 10, "21": 10, "48": 20, "99": 20}.items():
        page = store_items(world.file, "facts", limit=10, around=around)
        assert page.offset == offset, around
    assert store_items(world.file, "none", limit=10, around="x").offset == 0
    assert [item.key for item in store_items(world.file, "facts", "8", limit=2, around="48").items] == ["48"]


def test_a_file_is_read_and_saved_as_its_text(world: World) -> None:
    make_backend(BackendSettings(), world.store).upload_files([("/memories/a.md", "- é\n".encode())])
    item = store_item(world.file, "memories", "/a.md")
    seen = file_in(item)
    assert seen.text == "- é\n"
    save_file(world.file, "memories", "/a.md", "- two\n", seen.version)
    now = store_item(world.file, "memories", "/a.md")
    assert now.value == item.value | {"content": "- two\n", "modified_at": now.value["modified_at"]}
    with pytest.raises(EditConflict):
        save_file(world.file, "memories", "/a.md", "- three\n", seen.version)
    world.store.put(("memories",), "free", {"liked": []})
    with pytest.raises(UsageError):
        file_in(store_item(world.file, "memories", "free"))


def test_an_item_has_its_times_and_files_are_told_from_free_items(world: World) -> None:
    make_backend(BackendSettings(), world.store).upload_files([("/memories/a.md", b"kept"), ("/memories/b", b"\xff")])
    world.store.put(("memories",), "free", {"liked": ["tables"]}, ttl=5)
    found = {item.key: item for item in store_items(world.file, "memories").items}
    assert {key: (item.is_file, item.path) for key, item in found.items()} == {
        "/a.md": (True, "/memories/a.md"),
        "/b": (True, "/memories/b"),
        "free": (False, None),
    }
    assert found["free"].value == {"liked": ["tables"]}
    assert found["free"].created_at == found["free"].updated_at is not None
    assert found["free"].expires_at > found["free"].created_at


def test_the_namespace_of_an_identity_reads_as_its_ids(world: World) -> None:
    place = Place("store", namespace=("{tenant}", "{user}"))
    make_backend(BackendSettings(place, {}), world.store, Identity("acme", "ann@x.org")).write("/a.md", "x")
    (namespace,) = store_namespaces(world.file)
    assert namespace.parts == ("acme", "ann@x.org")
    assert world.keys(namespace.text) == ["/a.md"]


@settings(max_examples=30, deadline=None)
@given(
    value=st.dictionaries(st.text(st.characters(codec="utf-8")), st.text(st.characters(codec="utf-8")) | st.none()),
    key=st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1),
)
def test_what_is_saved_is_what_an_agents_store_gives(
    tmp_path_factory: pytest.TempPathFactory, value: dict[str, str | None], key: str
) -> None:
    world = World(tmp_path_factory.mktemp("w") / "w.ctx")
    with closing(world.store.conn):
        made = save_item(world.file, "facts.x", key, value, "")
        assert world.store.get(("facts", "x"), key).value == value == made.value
        assert store_item(world.file, "facts.x", key) == made


def test_an_item_that_changed_is_neither_written_over_nor_deleted(world: World) -> None:
    seen = save_item(world.file, "facts", "k", '{"n": 1}', "")
    world.store.put(("facts",), "k", {"n": 2})
    for act in (
        lambda: save_item(world.file, "facts", "k", {"n": 3}, seen.version),
        lambda: save_item(world.file, "facts", "k", {"n": 3}, ""),
        lambda: delete_item(world.file, "facts", "k", seen.version),
    ):
        with pytest.raises(EditConflict) as raised:
            act()
    assert world.store.get(("facts",), "k").value == {"n": 2}
    saved = save_item(world.file, "facts", "k", {"n": 3}, raised.value.version)
    assert saved.created_at == seen.created_at
    delete_item(world.file, "facts", "k", saved.version)
    with pytest.raises(UsageError):
        store_item(world.file, "facts", "k")
    with pytest.raises(EditConflict):
        save_item(world.file, "facts", "k", {}, saved.version)


@pytest.mark.parametrize(
    ("namespace", "key", "value"),
    [
        ("facts", "k", "{"),
        ("facts", "k", "[1]"),
        ("facts", "k", '{"n": NaN}'),
        ("facts", "k", '{"n": 1, "n": 2}'),
        ("", "k", {}),
        ("a..b", "k", {}),
        ("langgraph", "k", {}),
        ("a", "", {}),
    ],
)
def test_what_no_store_can_hold_is_refused(world: World, namespace: str, key: str, value: object) -> None:
    with pytest.raises(UsageError):
        save_item(world.file, namespace, key, value, "")
    assert store_namespaces(world.file) == []


def test_a_memory_file_saved_as_an_item_has_its_version(world: World) -> None:
    made = save_item(world.file, "memories", "/AGENTS.md", {"content": "- one", "encoding": "utf-8"}, "")
    delete_item(world.file, "memories", "/AGENTS.md", made.version)
    with closing(sqlite3.connect(world.file)) as db:
        rows = db.execute("SELECT author, value IS NULL FROM file_versions ORDER BY id").fetchall()
    assert rows == [("user", 0), ("user", 1)]
    assert read_memory(world.file, "/memories/AGENTS.md").data is None


def test_of_two_saves_at_once_one_is_told_of_the_other(world: World) -> None:
    seen = save_item(world.file, "facts", "k", {"n": 0}, "")
    told: list[str] = []

    def save(number: int) -> None:
        try:
            save_item(world.file, "facts", "k", {"n": number}, seen.version)
            told.append("saved")
        except EditConflict:
            told.append("conflict")

    threads = [threading.Thread(target=save, args=(number,)) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["conflict", "conflict", "saved"]


def test_a_damaged_value_is_told_and_a_long_one_waits(world: World) -> None:
    world.store.put(("facts",), "long", {"text": "x" * 400_000})
    world.store.put(("facts",), "torn", {"n": 1})
    world.store.conn.execute("UPDATE store SET value = '{\"n\": ' WHERE key = 'torn'")
    long, torn = store_items(world.file, "facts").items
    assert (long.whole, long.value, long.version) == (False, None, "")
    assert store_item(world.file, "facts", "long").value == {"text": "x" * 400_000}
    assert (torn.value, torn.json, torn.problem) == (None, '{"n": ', "the value is no JSON")


def test_a_strangers_store_is_read_and_left_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "theirs.sqlite"
    with closing(sqlite3.connect(file, isolation_level=None)) as db:
        SqliteSaver(db).setup()
        store = SqliteStore(db)
        store.setup()
        store.put(("users", "ann"), "likes", {"food": "soup"})
    before = file.read_bytes()
    assert [one.text for one in store_namespaces(file)] == ["users.ann"]
    assert [item.value for item in store_items(file, "users.ann").items] == [{"food": "soup"}]
    assert file.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == [file.name]


def test_a_workspace_without_a_store_has_none(tmp_path: Path) -> None:
    Workspace.create(tmp_path / "w.ctx")
    assert store_namespaces(tmp_path / "w.ctx") == []
    assert store_items(tmp_path / "w.ctx", "facts").total == 0
