"""Memory sources of a thread: what an agent does with each, and how file, thread and last request differ."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, Recorder, Workspace
from engine.agent.build import backend_over
from engine.checkpoints import WorkspaceStore
from engine.memory import delete_memory, read_memory, save_memory
from engine.trace.model import MemoryFile
from tests.contract.models import Recorded, Told, call, recorded, thread

PATH, OTHER = "/memories/AGENTS.md", "/memories/team.md"


class World:
    """A recorded thread whose agent has two memory files."""

    def __init__(self, folder: Path, *turns: object) -> None:
        self.model = Told(turns=turns or ["one", "two", "three", "four"])
        self.thread: Recorded = recorded(folder, self.model, memory=[PATH, OTHER])
        self.file = self.thread.workspace.path

    def put(self, data: bytes, path: str = PATH) -> None:
        """Write as another program does: through the engine's own backend."""
        store = WorkspaceStore(self.thread.workspace)
        with closing(store.conn):
            assert backend_over(store).upload_files([(path, data)])[0].error is None

    def say(self, text: str = "hello") -> None:
        self.thread.say(text)

    def state(self, values: dict[str, object]) -> None:
        with self.thread.agent() as (agent, _):
            agent.update_state(thread(), values)

    def memory(self) -> dict[str, MemoryFile]:
        with self.thread.reader() as reader:
            return {file.path: file for file in reader.memory("t")}

    def of(self, path: str = PATH) -> MemoryFile:
        return self.memory()[path]


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield World(tmp_path)


CASES = {
    "cp1252": ("prefer caf\u00e9".encode("cp1252"), "stops", "not UTF-8", ""),
    "utf16": ("hello".encode("utf-16"), "stops", "UTF-16 LE", ""),
    "bom-crlf": ("\ufeffa\r\nb".encode(), "loaded", "UTF-8", "CRLF"),
    "cr": (b"a\rb", "loaded", "UTF-8", "CR"),
    "seps": ("a\u2028b\u0085c\n".encode(), "loaded", "UTF-8", "LF"),
    "nul": (b"a\0b", "loaded", "UTF-8", ""),
    "empty": (b"", "loaded", "", ""),
    "big": (b"- x\n" * 300_000, "loaded", "UTF-8", "LF"),
}


@pytest.mark.parametrize("case", CASES)
def test_what_the_agent_does_with_an_odd_file_is_what_is_said_of_it(tmp_path: Path, case: str) -> None:
    data, state, encoding, ends = CASES[case]
    world = World(tmp_path)
    world.put(b"other", OTHER)
    world.put(data)
    if state == "stops":
        with pytest.raises(UnicodeDecodeError):
            world.say()
        assert world.model.given == []
        declare(world.file, PATH, OTHER)
    else:
        world.say()
        assert (f"{PATH}\n\n{data.decode().rstrip()}" in world.model.given[0].system) is bool(data)
    file = world.of()
    assert (file.state, file.size, file.place) == (state, len(data), "store")
    assert file.facts is not None
    assert (file.facts.encoding, file.facts.line_ends) == (encoding, ends)
    assert file.facts.bom is (case in {"utf16", "bom-crlf"})
    assert file.drift == ("not-loaded" if state == "stops" else "none")


def declare(file: Path, *paths: str) -> None:
    """Note a run of an agent with these memory files that ended before its first request."""
    recorder = Recorder(Workspace.open(file))
    recorder.begin_run("declared", "t", "title", None, {"memory": list(paths)})
    recorder.end_run("declared", "t", "failed")
    recorder.close()


def test_drift_from_an_edit_to_the_request_that_carries_it(world: World) -> None:
    world.put(b"Bullet points.")
    world.put(b"The team.", OTHER)
    world.say()
    assert [(file.drift, file.in_request) for file in world.memory().values()] == [
        ("none", "Bullet points."),
        ("none", "The team."),
    ]
    save_memory(world.file, PATH, "Paragraphs.", read_memory(world.file, PATH).version)
    edited = world.of()
    assert (edited.drift, edited.text, edited.in_thread, edited.in_request) == (
        "file-newer",
        "Paragraphs.",
        "Bullet points.",
        "Bullet points.",
    )
    assert edited.changed_by == "you, here"
    assert world.of(OTHER).drift == "none"
    world.state({"memory_contents": {PATH: "Paragraphs.", OTHER: "The team."}})
    applied = world.of()
    assert (applied.drift, applied.in_thread, applied.in_request) == ("request-older", "Paragraphs.", "Bullet points.")
    world.say("again")
    assert (world.of().drift, world.of().in_request) == ("none", "Paragraphs.")
    assert world.of().request_number == 2


def test_a_file_removed_and_one_made_after_the_thread_began(world: World) -> None:
    world.put(b"Bullet points.")
    world.say()
    missing = world.of(OTHER) if OTHER in world.memory() else None
    assert missing is None or missing.state == "missing"
    delete_memory(world.file, PATH, read_memory(world.file, PATH).version)
    gone = world.of()
    assert (gone.drift, gone.state, gone.text, gone.in_thread) == ("file-gone", "missing", None, "Bullet points.")
    world.put(b"Bullet points.")
    assert world.of().drift == "none"
    world.state({"memory_contents": {PATH: "Something else."}})
    assert world.of().drift == "thread-differs"
    world.put(b"A third text.")
    assert world.of().drift == "all-differ"


def test_comments_are_no_part_of_what_was_sent_and_no_drift(world: World) -> None:
    world.put(b"One.\n<!-- not sent -->\nTwo.\n\n")
    world.say()
    file = world.of()
    assert (file.drift, file.in_request, file.tokens) == ("none", "One.\n\nTwo.", 3)


def test_an_agents_own_edit_is_named_as_the_last_change(tmp_path: Path) -> None:
    edit = call("edit_file", "c1", file_path=PATH, old_string="Bullet", new_string="Numbered")
    world = World(tmp_path, edit, "done")
    world.put(b"Bullet points.")
    world.say()
    file = world.of()
    assert (file.text, file.drift) == ("Numbered points.", "file-newer")
    assert file.changed_by == "the agent's edit_file in request 1 of t"


def test_a_thread_in_which_nothing_has_run_has_loaded_nothing(tmp_path: Path) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    declare(workspace.path, PATH)
    save_memory(workspace.path, PATH, b"caf\xe9", "")
    with closing(Reader(workspace.path)) as reader:
        (file,) = reader.memory("t")
    assert (file.drift, file.state, file.in_thread, file.in_request) == ("not-loaded", "stops", None, None)
    assert file.problem == "not UTF-8: byte 3 is 0xe9; the agent stops on it"
