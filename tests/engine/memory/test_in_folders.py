"""Memory and skills in a folder on the disk: seen as an agent meets them, saved without losing anybody's text."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import Reader, Runner, Workspace, fenced, next_request
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings, BackendSettings, Place
from engine.errors import EditConflict, InspectorError
from engine.governance import delete_for_good, plan_deletion
from engine.memory import delete_memory, read_memory, save_memory, version_of
from engine.memory.applying import apply_memory
from engine.memory.cli import skill_rows
from engine.memory.edits import revert_edit
from engine.memory.radius import blast_radius
from engine.memory.versions import restore_version
from engine.workbench import Edits

PATH, NAME, THREAD = "/memories/AGENTS.md", "AGENTS.md", "t"


class World:
    """A workspace with an agent whose memory and skills lie in folders."""

    def __init__(self, at: Path) -> None:
        self.file, self.folder, self.skills = at / "w.ctx", at / "notes", at / "know-how"
        self.folder.mkdir(parents=True)
        self.skills.mkdir()
        Workspace.ensure(self.file)

    def settings(self) -> AgentSettings:
        routes = {
            "/memories/": Place("filesystem", root=str(self.folder)),
            "/skills/": Place("filesystem", root=str(self.skills)),
        }
        return AgentSettings(model=ScriptedChat(script=[Turn("done")]), backend=BackendSettings(routes=routes))

    def turn(self, thread: str = THREAD, *calls: Call) -> None:
        """One turn, in which the agent makes these calls one after another."""
        script = [*(Turn("", (call,)) for call in calls), Turn("done"), Turn("more")]
        runner = Runner(self.file)
        run = runner.start(thread, "go on", settings=replace(self.settings(), model=ScriptedChat(script=script)))
        assert run.wait(60)
        runner.close()
        assert (run.error, run.lost) == (None, 0)

    def put(self, data: bytes) -> None:
        (self.folder / NAME).write_bytes(data)

    def on_disk(self) -> bytes:
        return (self.folder / NAME).read_bytes()

    def open(self) -> Any:
        return read_memory(self.file, PATH, THREAD)

    def save(self, content: str | bytes, base: str) -> Any:
        return save_memory(self.file, PATH, content, base, thread_id=THREAD)

    def reader(self) -> Reader:
        return Reader(self.file)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> World:
    """One that has run, with a skill; tests change its folder and put it back."""
    world = World(tmp_path_factory.mktemp("folders"))
    world.put(b"- likes tables\n")
    skill = world.skills / "brief"
    skill.mkdir()
    (skill / "SKILL.md").write_text("---\nname: brief\ndescription: Writes briefs\n---\nBe short.\n")
    (skill / "example.txt").write_text("an example")
    world.turn()
    return world


@pytest.fixture
def world(made: World) -> Any:
    yield made
    for left in made.folder.iterdir():
        left.rmdir() if left.is_dir() and not left.is_symlink() else left.unlink()
    made.put(b"- likes tables\n")


def test_what_lies_in_the_folder_is_told_and_read(world: World) -> None:
    reader = world.reader()
    (memory,) = reader.memory(THREAD)
    assert (memory.text, memory.place, memory.state, memory.read_only) == ("- likes tables\n", "folder", "loaded", "")
    assert (memory.drift, memory.within) == ("none", str(world.folder))
    (skill,) = reader.skills(THREAD)
    assert (skill.name, skill.listed, skill.place, skill.drift) == ("brief", True, "folder", "none")
    assert skill.helpers == (("/skills/brief/example.txt", 10),)
    files = {file.path: (file.kind, file.place, file.size) for file in reader.files(THREAD)}
    assert files == {
        PATH: ("memory", "folder", 15),
        "/skills/brief/SKILL.md": ("skill", "folder", 57),
        "/skills/brief/example.txt": ("skill", "folder", 10),
    }
    assert reader.file(THREAD, "/skills/brief/example.txt") == b"an example"
    reader.close()


def test_a_save_is_byte_exact_keeps_the_mode_and_leaves_nothing_beside(world: World) -> None:
    os.chmod(world.folder / NAME, 0o640)
    data = "\ufeffone\r\ntwo\rthree\u2028four\x00 é".encode()
    saved = world.save(data, world.open().version)
    assert world.on_disk() == data == world.open().data
    assert saved.version == version_of(data)
    assert stat.S_IMODE((world.folder / NAME).stat().st_mode) == 0o640
    assert [one.name for one in world.folder.iterdir()] == [NAME]


def test_a_file_that_changed_meanwhile_is_never_written_over(world: World) -> None:
    seen = world.open()
    world.put(b"- somebody else's\n")
    with pytest.raises(EditConflict) as raised:
        world.save("- mine\n", seen.version)
    assert (world.on_disk(), raised.value.current) == (b"- somebody else's\n", "- somebody else's\n")
    with pytest.raises(EditConflict):
        world.save("- new\n", "")
    with pytest.raises(EditConflict):
        delete_memory(world.file, PATH, seen.version, THREAD)
    assert world.on_disk() == b"- somebody else's\n"
    world.save("- both\n", raised.value.version)
    assert world.on_disk() == b"- both\n"


def test_versions_have_authors_and_can_be_had_back(world: World) -> None:
    world.save("- first\n", world.open().version)
    world.put(b"- outside\n")
    world.save("- second\n", world.open().version)
    delete_memory(world.file, PATH, world.open().version, THREAD)
    reader = world.reader()
    versions = reader.versions(PATH, THREAD)
    assert [(one.author, one.size) for one in versions[:4]] == [("user", 0), ("user", 9), ("outside", 10), ("user", 8)]
    restore_version(world.file, versions[2].id, "")
    assert world.on_disk() == b"- outside\n"
    assert reader.versions(PATH, THREAD)[0].note == "restored"
    assert reader.versions(PATH) == []  # another agent's file of the same path
    assert reader.memory(THREAD)[0].changed_by == "you, here"
    world.put(b"- by an editor\n")
    assert reader.memory(THREAD)[0].changed_by == "outside"
    reader.close()


ODD = {
    "not UTF-8": lambda at: at.write_bytes("café".encode("cp1252")),
    "a folder": lambda at: at.mkdir(),
    "no permission": lambda at: (at.write_text("x"), at.chmod(0)),
    "a link out": lambda at: ((at.parent.parent / "secret").write_text("s3cret"), at.symlink_to("../secret")),
    "a link in a circle": lambda at: at.symlink_to(at.name),
    "missing": lambda at: None,
    "empty": lambda at: at.write_bytes(b""),
    "a link inside": lambda at: ((at.parent / "real.md").write_text("- real\n"), at.symlink_to("real.md")),
}


@pytest.mark.parametrize("kind", ODD)
def test_an_odd_file_is_told_as_the_agent_meets_it(world: World, kind: str) -> None:
    if kind == "no permission" and os.getuid() == 0:
        pytest.skip("root may read everything")
    (world.folder / NAME).unlink()
    ODD[kind](world.folder / NAME)
    reader = world.reader()
    (told,) = reader.memory(THREAD)
    reader.close()
    try:
        request = next_request(world.file, "a new thread", settings=world.settings())
    except Exception:
        assert told.state == "stops"
        assert told.problem
        assert told.text is None
    else:
        loaded = "- real" in "".join(piece.text for piece in request.system)
        assert (told.state, loaded) in {("missing", False), ("loaded", kind == "a link inside")}


def test_a_link_out_of_the_folder_is_neither_read_nor_written_nor_deleted(world: World, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("s3cret")
    (world.folder / NAME).unlink()
    (world.folder / NAME).symlink_to(secret)
    (world.folder / "out").symlink_to(tmp_path)
    for path in (PATH, "/memories/out/secret.md", "/memories/../secret.md"):
        for act in (
            lambda path=path: read_memory(world.file, path, THREAD),
            lambda path=path: save_memory(world.file, path, "x", version_of(b"s3cret"), thread_id=THREAD),
            lambda path=path: save_memory(world.file, path, "x", "", thread_id=THREAD),
            lambda path=path: delete_memory(world.file, path, version_of(b"s3cret"), THREAD),
        ):
            with pytest.raises(InspectorError):
                act()
    reader = world.reader()
    with pytest.raises(InspectorError):
        reader.file(THREAD, PATH)
    reader.close()
    assert secret.read_text() == "s3cret"
    (world.folder / "out").unlink()


def test_a_pipe_does_not_hold_the_reader(world: World) -> None:
    (world.folder / NAME).unlink()
    os.mkfifo(world.folder / NAME)
    reader = world.reader()
    (told,) = reader.memory(THREAD)
    reader.close()
    assert (told.state, told.text) == ("stops", None)
    assert "pipe" in (told.problem or "")


def test_the_dry_run_carries_an_edit_and_leaves_the_folder_alone(world: World) -> None:
    before = {one: (one.stat().st_mtime_ns, one.read_bytes()) for one in world.folder.iterdir()}
    edits = Edits(files={PATH: b"- likes charts\n"}, apply=True)
    new = next_request(world.file, "a new thread", edits=edits, settings=world.settings())
    applied = next_request(world.file, THREAD, edits=edits, settings=world.settings())
    plain = next_request(
        world.file, THREAD, edits=Edits(files={PATH: b"- likes charts\n"}, apply=False), settings=world.settings()
    )
    told = ["- likes charts" in "".join(piece.text for piece in one.system) for one in (new, applied, plain)]
    assert told == [True, True, False]
    gone = next_request(world.file, "a new thread", edits=Edits(files={PATH: None}), settings=world.settings())
    assert "likes" not in "".join(piece.text for piece in gone.system)
    assert {one: (one.stat().st_mtime_ns, one.read_bytes()) for one in world.folder.iterdir()} == before


def test_an_edit_is_applied_to_the_thread(world: World) -> None:
    world.save("- likes maps\n", world.open().version)
    reader = world.reader()
    assert reader.memory(THREAD)[0].drift == "file-newer"
    reach = blast_radius(world.file, PATH, THREAD)
    assert [(one.thread_id, one.current) for one in reach.threads] == [(THREAD, False)]
    assert not reach.new_threads
    apply_memory(world.file, THREAD, settings=world.settings())
    assert reader.memory(THREAD)[0].in_thread == "- likes maps\n"
    reader.close()
    request = next_request(world.file, THREAD, settings=world.settings())
    assert "- likes maps" in "".join(piece.text for piece in request.system)


def test_an_agents_edit_is_told_and_reverted(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.put(b"- one\n\n- so\n\n- two\n")
    world.turn(
        THREAD,
        Call("edit_file", {"file_path": PATH, "old_string": "- two", "new_string": "- 2"}),
        Call("edit_file", {"file_path": PATH, "old_string": "- one", "new_string": "- 1"}),
        Call("write_file", {"file_path": "/memories/unwatched.md", "content": "x"}),
    )
    assert world.on_disk() == b"- 1\n\n- so\n\n- 2\n"
    reader = world.reader()
    first, second = reader.edits(THREAD)[:2]
    assert (first.before, first.after, first.certain) == ("- one\n\n- so\n\n- two\n", "- one\n\n- so\n\n- 2\n", True)
    assert (second.before, second.after) == ("- one\n\n- so\n\n- 2\n", "- 1\n\n- so\n\n- 2\n")
    assert [one.author for one in reader.versions(PATH, THREAD)] == ["agent", "agent", "outside"]
    assert reader.versions("/memories/unwatched.md", THREAD) == []
    assert reader.memory(THREAD)[0].changed_by == f"the agent's edit_file in request {second.request_number} of t"
    reader.close()
    revert_edit(world.file, first.request, first.tool_call_id, PATH, world.open().version)
    assert world.on_disk() == b"- 1\n\n- so\n\n- two\n"


SAVER = """
import sys
from pathlib import Path
from engine.errors import EditConflict
from engine.memory import read_memory, save_memory
file, who = sys.argv[1:]
for number in range(20):
    while True:
        now = read_memory(file, "/memories/AGENTS.md", "t")
        new = (now.text or "") + f"- {who} {number}\\n"
        try:
            save_memory(file, "/memories/AGENTS.md", new, now.version, thread_id="t")
            break
        except EditConflict:
            pass
"""


def test_two_processes_that_edit_one_file_lose_no_edit(world: World) -> None:
    running = [
        subprocess.Popen([sys.executable, "-c", SAVER, str(world.file), who], cwd=Path(__file__).parents[3])
        for who in ("a", "b")
    ]
    assert [one.wait(120) for one in running] == [0, 0]
    lines = world.on_disk().decode().splitlines()
    for who in ("a", "b"):
        assert [line for line in lines if line.startswith(f"- {who} ")] == [f"- {who} {at}" for at in range(20)]


def test_a_folder_of_another_agent_under_the_same_path_is_another_file(world: World, tmp_path: Path) -> None:
    other = World(tmp_path)
    other.file = world.file
    other.put(b"- of another agent\n")
    other.turn("other")
    assert read_memory(world.file, PATH, "other").text == "- of another agent\n"
    save_memory(world.file, PATH, "- changed\n", read_memory(world.file, PATH, "other").version, thread_id="other")
    assert (world.on_disk(), other.on_disk()) == (b"- likes tables\n", b"- changed\n")
    assert [one.thread_id for one in blast_radius(world.file, PATH, "other").threads] == ["other"]


def test_a_file_that_is_saved_again_and_again_is_read_whole(world: World) -> None:
    texts = {f"- {letter}\n".encode() * 5_000 for letter in "ab"}
    over = threading.Event()

    def save() -> None:
        while not over.is_set():
            for data in sorted(texts):
                fenced.write(world.folder, f"/{NAME}", data, fenced.read(world.folder, f"/{NAME}").version)

    world.put(min(texts))
    saving = threading.Thread(target=save)
    saving.start()
    try:
        found = [fenced.read(world.folder, f"/{NAME}") for _ in range(500)]
    finally:
        over.set()
        saving.join()
    assert {one.problem for one in found} == {""}
    assert {one.data for one in found} <= texts


WRITER = """
import sys
from pathlib import Path
from engine import fenced
root = Path(sys.argv[1])
texts = [f"- {letter}\\n".encode() * 200_000 for letter in "ab"]
while True:
    for data in texts:
        fenced.write(root, "/AGENTS.md", data, fenced.read(root, "/AGENTS.md").version)
        print("saved", flush=True)
"""


def test_a_save_that_is_killed_leaves_the_old_text_or_the_new(world: World) -> None:
    texts = {f"- {letter}\n".encode() * 200_000 for letter in "ab"}
    for lines in (1, 2, 3):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(world.folder)], cwd=Path(__file__).parents[3], stdout=subprocess.PIPE
        ) as running:
            assert running.stdout is not None
            for _ in range(lines):
                assert running.stdout.readline() == b"saved\n"
            running.kill()
        assert world.on_disk() in texts
        save_memory(world.file, PATH, "- mine\n", world.open().version, thread_id=THREAD)  # no lock is left
        assert world.on_disk() == b"- mine\n"
        assert [one.name for one in world.folder.iterdir()] == [NAME]


def test_what_is_kept_of_a_folders_texts_can_be_deleted_and_no_other_folders(tmp_path: Path) -> None:
    world, alike = World(tmp_path), World(tmp_path / "alike")
    alike.file = world.file
    alike.folder = alike.folder.rename(world.folder.with_name("notes.d"))
    for one, thread in ((world, THREAD), (alike, "other")):
        one.put(b"- a secret\n")
        one.turn(thread)
        seen = read_memory(world.file, PATH, thread)
        save_memory(world.file, PATH, "- none\n", seen.version, thread_id=thread)
    delete_for_good(world.file, plan_deletion(world.file, namespace=f"file:{world.folder}"))
    with closing(world.reader()) as reader:
        assert [len(reader.versions(PATH, thread)) for thread in (THREAD, "other")] == [0, 2]
    assert world.on_disk() == b"- none\n"


def skill(at: Path, name: str) -> None:
    at.mkdir(parents=True)
    (at / "SKILL.md").write_text(f"---\nname: {name}\ndescription: Does {name}\n---\nBody.\n")


def test_skills_behind_links_are_listed_as_the_agent_lists_them(tmp_path: Path) -> None:
    world = World(tmp_path / "w")
    skill(world.skills / "plain", "plain")
    skill(world.skills / "shared" / "deep", "deep")
    skill(world.skills / "shared" / "unlinked", "unlinked")
    skill(tmp_path / "outside", "outside")
    for name, to in (("a", "shared/deep"), ("b", "plain"), ("c", str(tmp_path / "outside")), ("e", "no")):
        (world.skills / name).symlink_to(to)

    world.turn()
    with closing(world.reader()) as reader:
        rows = {row.path: row for row in reader.skills(THREAD)}
        listed = {path for path, row in rows.items() if row.listed}
        assert listed == {"/skills/plain/SKILL.md", "/skills/shared/deep/SKILL.md"}
        assert all(row.menu == row.menu_now for row in rows.values() if row.listed)
        assert {row.drift for row in rows.values() if row.listed} == {"none"}, "a new thread would list otherwise"
        other = rows["/skills/shared/unlinked/SKILL.md"]
        assert (other.listed, "looks no deeper" in (other.problem or "")) == (False, True)
        assert not any("outside" in path for path in rows)
        assert {row.within for row in rows.values()} == {str(world.skills)}
        linked = rows["/skills/shared/deep/SKILL.md"]
        before = linked.version
    saved = save_memory(world.file, linked.path, linked.text + "More.\n", before, thread_id=THREAD)
    assert (world.skills / "shared" / "deep" / "SKILL.md").read_text().endswith("More.\n")
    with closing(world.reader()) as reader:
        (row,) = (one for one in skill_rows(reader, [THREAD]) if one["path"] == linked.path)
    assert [one["version"] for one in row["versions"]][:1] == [saved.version]


def test_a_link_in_a_circle_keeps_a_whole_source_from_being_listed(tmp_path: Path) -> None:
    world = World(tmp_path)
    skill(world.skills / "plain", "plain")
    (world.skills / "round").symlink_to("round")
    world.turn()
    with closing(world.reader()) as reader:
        (row,) = reader.skills(THREAD)
    assert (row.listed, row.drift) == (False, "none")
    assert "circle (round)" in (row.problem or "")


def test_equal_paths_of_two_agents_are_two_rows(world: World, tmp_path: Path) -> None:
    other = World(tmp_path / "other")
    other.file = world.file
    skill(other.skills / "brief", "brief")
    other.turn("skills-of-another")
    with closing(world.reader()) as reader:
        rows = [row for row in skill_rows(reader, [THREAD, "skills-of-another"]) if row["name"] == "brief"]
    assert [row["threads"][0]["thread_id"] for row in rows] == [THREAD, "skills-of-another"]
    assert rows[0]["description"] != rows[1]["description"]
