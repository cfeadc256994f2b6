"""Saving memory: what the agent's own backend wrote and reads, and what is never overwritten."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.workspace
from engine.agent.build import backend_over
from engine.checkpoints import WorkspaceStore
from engine.errors import EditConflict, InspectorError, UsageError, WorkspaceError
from engine.memory import earlier_versions, read_memory, save_memory, version_of
from engine.places import in_store
from engine.workspace import Workspace

PATH = "/memories/AGENTS.md"


class World:
    """A workspace's store, and the backend an agent has over it."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.store = WorkspaceStore(Workspace.create(file))
        self.connection = self.store.conn
        self.agent = backend_over(self.store)

    def agent_bytes(self, path: str = PATH) -> bytes | None:
        (answer,) = self.agent.download_files([path])
        return answer.content

    def agent_puts(self, data: bytes, path: str = PATH) -> None:
        assert self.agent.upload_files([(path, data)])[0].error is None

    def value(self, path: str = PATH) -> dict[str, object]:
        prefix, key = in_store(path) or ("", "")
        item = self.store.get((prefix,), key)
        assert item is not None
        return dict(item.value)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "w.sqlite")
    yield made
    made.connection.close()


@pytest.mark.parametrize("path", [PATH, "/memories/a/b c.md", "/skills/qbr/SKILL.md", "/memories/<b>&%_?.md"])
@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"plain\n",
        "\ufeffé\r\nb\rc\u2028d\u2029\u0085\x00 \U0001f469".encode(),
        b"\xff\xfe not text",
        b"x" * 240_000,
    ],
)
def test_what_is_saved_is_what_the_agent_reads_and_the_other_way_round(world: World, path: str, data: bytes) -> None:
    created = save_memory(world.file, path, data, "")
    assert world.agent_bytes(path) == data
    assert created == read_memory(world.file, path)

    world.agent_puts(b"from the agent\n", path)
    seen = read_memory(world.file, path)
    assert seen.data == b"from the agent\n"
    save_memory(world.file, path, data, seen.version)
    assert world.agent_bytes(path) == data


@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_comes_back_byte_for_byte(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    world = World(tmp_path_factory.mktemp("any") / "w.sqlite")
    try:
        saved = save_memory(world.file, PATH, text, "")
        assert world.agent_bytes() == text.encode() == saved.data
        assert saved.text == text
        assert saved.version == version_of(text.encode())
    finally:
        world.connection.close()


@settings(max_examples=60, deadline=None)
@given(steps=st.lists(st.binary(max_size=200) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "ignore"))))
def test_any_bytes_come_back_whatever_stood_there_before(
    tmp_path_factory: pytest.TempPathFactory, steps: list[bytes]
) -> None:
    world = World(tmp_path_factory.mktemp("bytes") / "w.sqlite")
    try:
        version, kept = "", []
        for data in steps:
            saved = save_memory(world.file, PATH, data, version)
            assert world.agent_bytes() == data == saved.data
            if not kept or kept[-1] != data:
                kept.append(data)
            version = saved.version
        assert [one.data for one in earlier_versions(world.file, PATH)] == kept[:-1][::-1]
    finally:
        world.connection.close()


def test_the_stored_form_is_the_backends_own(world: World) -> None:
    world.agent_puts(b"theirs")
    theirs = world.value()
    save_memory(world.file, "/memories/ours.md", "ours", "")
    ours = world.value("/memories/ours.md")
    assert list(ours) == list(theirs)
    assert {k: type(v) for k, v in ours.items()} == {k: type(v) for k, v in theirs.items()}
    (kinds,) = world.connection.execute("SELECT group_concat(DISTINCT typeof(value)) FROM store").fetchone()
    assert kinds == "blob"


def test_a_save_keeps_created_at_and_fields_it_does_not_know(world: World) -> None:
    world.store.put(
        ("memories",),
        "/AGENTS.md",
        {"content": "a", "encoding": "utf-8", "created_at": "2020-01-01", "modified_at": "2020-01-01", "note": [1]},
    )
    before = world.connection.execute("SELECT created_at FROM store").fetchone()
    saved = save_memory(world.file, PATH, "b", read_memory(world.file, PATH).version)
    value = world.value()
    assert value["created_at"] == "2020-01-01"
    assert value["note"] == [1]
    assert value["content"] == "b"
    assert value["modified_at"] == saved.modified_at != "2020-01-01"
    after = world.connection.execute("SELECT created_at FROM store WHERE prefix = 'memories'").fetchone()
    assert after == before


def test_line_lists_of_older_releases_are_read_and_saved(world: World) -> None:
    world.store.put(("memories",), "/AGENTS.md", {"content": ["a", "b"], "created_at": "x", "modified_at": "y"})
    old = read_memory(world.file, PATH)
    assert old.text == "a\nb"
    assert world.agent_bytes() == old.data
    save_memory(world.file, PATH, "a\nc", old.version)
    assert world.agent_bytes() == b"a\nc"


def test_a_change_that_was_not_seen_is_never_overwritten(world: World) -> None:
    world.agent_puts(b"first")
    base = read_memory(world.file, PATH).version
    world.agent_puts(b"second")
    with pytest.raises(EditConflict) as caught:
        save_memory(world.file, PATH, "mine", base)
    assert world.agent_bytes() == b"second"
    assert caught.value.current == "second"
    assert caught.value.version == version_of(b"second")
    assert PATH in str(caught.value)
    # the version it names is the one that a decided save gives
    save_memory(world.file, PATH, "mine", caught.value.version)
    assert world.agent_bytes() == b"mine"


def test_creating_only_works_while_it_is_missing(world: World) -> None:
    save_memory(world.file, PATH, "mine", "")
    with pytest.raises(EditConflict) as caught:
        save_memory(world.file, PATH, "again", "")
    assert caught.value.current == "mine"
    assert world.agent_bytes() == b"mine"


def test_a_file_removed_meanwhile_is_a_conflict_and_can_be_made_again(world: World) -> None:
    world.agent_puts(b"first")
    base = read_memory(world.file, PATH).version
    world.store.delete(("memories",), "/AGENTS.md")
    with pytest.raises(EditConflict) as caught:
        save_memory(world.file, PATH, "mine", base)
    assert (caught.value.current, caught.value.version) == (None, "")
    save_memory(world.file, PATH, "mine", caught.value.version)
    assert world.agent_bytes() == b"mine"


def test_a_conflict_with_bytes_that_are_no_text_carries_no_text(world: World) -> None:
    world.agent_puts(b"\xff\xfe")
    with pytest.raises(EditConflict) as caught:
        save_memory(world.file, PATH, "mine", "")
    assert caught.value.current is None
    assert caught.value.version == version_of(b"\xff\xfe")


def test_the_replaced_text_can_be_had_back(world: World) -> None:
    version = ""
    for text in ("one", "two", "three"):
        version = save_memory(world.file, PATH, text, version).version
    save_memory(world.file, "/memories/other.md", "elsewhere", "")
    assert [one.data for one in earlier_versions(world.file, PATH)] == [b"two", b"one"]
    assert earlier_versions(world.file, "/memories/other.md") == []
    # and no agent sees it as memory
    entries = world.agent.ls("/memories/").entries or []
    assert sorted(entry["path"] for entry in entries) == [PATH, "/memories/other.md"]


def test_saving_what_is_there_already_changes_nothing(world: World) -> None:
    saved = save_memory(world.file, PATH, "same", "")
    changes = world.connection.total_changes
    before = world.value()
    assert save_memory(world.file, PATH, "same", saved.version) == saved
    assert world.value() == before
    assert world.connection.total_changes == changes
    assert earlier_versions(world.file, PATH) == []


def test_of_many_writers_with_one_base_exactly_one_wins(world: World) -> None:
    base = save_memory(world.file, PATH, "base", "").version
    outcomes: list[str] = []
    gate = threading.Barrier(6)

    def write(text: str) -> None:
        gate.wait()
        try:
            save_memory(world.file, PATH, text, base)
            outcomes.append(text)
        except EditConflict:
            outcomes.append("conflict")

    threads = [threading.Thread(target=write, args=(f"text {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    won = [outcome for outcome in outcomes if outcome != "conflict"]
    assert len(won) == 1
    assert len(outcomes) == 6
    assert world.agent_bytes() == won[0].encode()


def test_a_locked_file_loses_nothing_and_says_so(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = save_memory(world.file, PATH, "base", "")
    monkeypatch.setattr(engine.workspace, "BUSY_SECONDS", 0.0)
    world.connection.execute("BEGIN IMMEDIATE")
    with pytest.raises(InspectorError, match="locked"):
        save_memory(world.file, PATH, "mine", saved.version)
    world.connection.execute("ROLLBACK")
    assert world.agent_bytes() == b"base"


def test_a_path_outside_the_store_is_refused(world: World) -> None:
    for path in ("/AGENTS.md", "/memories/", "/memories", "memories/a", "", "/large_tool_results/x"):
        with pytest.raises(UsageError, match="not kept in the workspace's store"):
            save_memory(world.file, path, "x", "")


def test_half_a_surrogate_pair_is_refused_in_words(world: World) -> None:
    with pytest.raises(UsageError, match="character 3 is half of a surrogate pair"):
        save_memory(world.file, PATH, "ab\ud800", "")
    assert world.agent_bytes() is None


def test_the_first_save_of_a_workspace_in_which_nothing_has_run(tmp_path: Path) -> None:
    file = tmp_path / "new.sqlite"
    Workspace.create(file)
    assert read_memory(file, PATH).data is None
    save_memory(file, PATH, "mine", "")
    store = WorkspaceStore(Workspace.open(file))
    try:
        assert backend_over(store).download_files([PATH])[0].content == b"mine"
    finally:
        store.conn.close()


def test_files_that_are_no_workspace_stay_as_they_are(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file"):
        save_memory(tmp_path / "missing.sqlite", PATH, "x", "")
    other = tmp_path / "other.sqlite"
    foreign = sqlite3.connect(other)
    foreign.execute("CREATE TABLE store (prefix, key, value, created_at, updated_at)")
    foreign.commit()
    foreign.close()
    before = other.read_bytes()
    for call in (lambda: save_memory(other, PATH, "x", ""), lambda: read_memory(other, PATH)):
        with pytest.raises(WorkspaceError, match="neither a workspace"):
            call()
    assert other.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["other.sqlite"]


@pytest.mark.parametrize(
    "raw", [b"{not json", b"[1]", json.dumps({"content": 7}).encode(), b'{"content": "aGk", "encoding": "base64"}']
)
def test_a_damaged_entry_is_named_and_left(world: World, raw: bytes) -> None:
    world.connection.execute("INSERT INTO store (prefix, key, value) VALUES ('memories', '/AGENTS.md', ?)", (raw,))
    with pytest.raises(InspectorError, match="left as it is"):
        save_memory(world.file, PATH, "x", "")
    assert world.connection.execute("SELECT value FROM store").fetchone() == (raw,)
