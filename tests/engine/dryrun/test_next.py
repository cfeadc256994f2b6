"""The next request of a thread, before and after an edit: it is what the next run sends, and no model is called."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Reader, Runner, Workspace
from engine.agent.build import build_agent
from engine.agent.scripted import Call, ScriptedChat, Turn
from engine.agent.settings import AgentSettings
from engine.dryrun import NEXT_MESSAGE, compare_requests, next_request
from engine.dryrun.capture import Capture, Stop
from engine.errors import InspectorError
from engine.memory import delete_memory, read_memory, save_memory
from engine.memory.applying import apply_memory, apply_skills
from engine.workbench import DryRequest, Edits, Piece
from tests.contract.models import Told

PATH, SKILL = "/memories/AGENTS.md", "/skills/report/SKILL.md"


def skill(description: str) -> str:
    return f"---\nname: report\ndescription: {description}\n---\nDo it.\n"


class World:
    """A workspace with a thread that has run once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        Workspace.create(file)
        turns = [Turn(f"answer {number}") for number in range(9)]
        self.settings = AgentSettings(model=ScriptedChat(script=turns), system_prompt="You are brief.")
        self.save(PATH, "Bullet points.\n")
        self.save(SKILL, skill("Old."))
        self.say("hello")

    def save(self, path: str, text: str) -> None:
        save_memory(self.file, path, text, read_memory(self.file, path).version)

    def say(self, text: str, thread: str = "t") -> None:
        runner = Runner(self.file)
        try:
            run = runner.start(thread, text, settings=self.settings)
            assert run.wait(60)
            assert run.error is None
        finally:
            runner.close()

    def sent(self, thread: str = "t") -> dict[str, object]:
        """The last request as recorded, without the ids that messages get by chance."""
        with closing(Reader(self.file)) as reader:
            detail = reader.request(reader.request_ids(thread)[-1])
            return {
                "tools": [reader.value(row.part) for row in detail.tools],
                "system": [reader.value(row.part) for row in detail.system],
                "messages": [without_id(reader.message(row.part)) for row in detail.messages],
                "tokens": detail.row.estimated_tokens,
            }

    def dry(self, edits: Edits | None = None, message: str | None = "again", thread: str = "t") -> DryRequest:
        return next_request(self.file, thread, message, edits, self.settings)


def without_id(message: dict[str, object]) -> dict[str, object]:
    data = message["data"]
    assert isinstance(data, dict)
    return {**message, "data": {**data, "id": None}}


def blocks(request: DryRequest) -> dict[str, object]:
    return {
        "tools": [piece.value for piece in request.tools],
        "system": [piece.value for piece in request.system],
        "messages": [without_id(piece.value) for piece in request.messages],
        "tokens": request.tokens,
    }


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield World(tmp_path / "w.ctx")


def test_the_next_request_is_what_the_next_run_sends(world: World) -> None:
    dry = world.dry()
    world.say("again")
    assert blocks(dry) == world.sent()


def test_after_a_memory_edit_that_is_applied(world: World) -> None:
    dry = world.dry(Edits(files={PATH: b"Paragraphs.\n<!-- why -->"}))
    world.save(PATH, "Paragraphs.\n<!-- why -->")
    apply_memory(world.file, "t", settings=world.settings)
    world.say("again")
    assert blocks(dry) == world.sent()
    assert any("Paragraphs." in piece.text for piece in dry.system)


def test_after_a_memory_edit_for_new_threads_only(world: World) -> None:
    edits = Edits(files={PATH: b"Paragraphs."}, apply=False)
    old, new = world.dry(edits), world.dry(edits, thread="new")
    world.save(PATH, "Paragraphs.")
    world.say("again")
    assert blocks(old) == world.sent()
    world.say("again", "new")
    assert blocks(new) == world.sent("new")
    assert any("Paragraphs." in piece.text for piece in new.system)
    assert not any("Paragraphs." in piece.text for piece in old.system)


def test_after_memory_is_deleted(world: World) -> None:
    dry = world.dry(Edits(files={PATH: None}))
    delete_memory(world.file, PATH, read_memory(world.file, PATH).version)
    apply_memory(world.file, "t", settings=world.settings)
    world.say("again")
    assert blocks(dry) == world.sent()
    assert any("(No memory loaded)" in piece.text for piece in dry.system)


def test_after_a_skill_is_edited_and_one_added(world: World) -> None:
    more = "/skills/more/SKILL.md"
    text = skill("More.").replace("report", "more")
    dry = world.dry(Edits(files={SKILL: skill("New.").encode(), more: text.encode()}))
    world.save(SKILL, skill("New."))
    world.save(more, text)
    apply_skills(world.file, "t", world.settings)
    world.say("again")
    assert blocks(dry) == world.sent()
    assert any("**more**: More." in piece.text for piece in dry.system)


def test_after_the_system_prompt_is_another_one(world: World) -> None:
    dry = world.dry(Edits(system_prompt="You are thorough."))
    world.settings = replace(world.settings, system_prompt="You are thorough.")
    world.say("again")
    assert blocks(dry) == world.sent()


def test_before_and_after_side_by_side(world: World) -> None:
    before, after = world.dry(), world.dry(Edits(files={PATH: b"Paragraphs, and then some more of them."}))
    found = compare_requests(before, after)
    changed = [row for row in found.rows if not row.same]
    (row,) = changed
    assert row.before is not None
    assert row.after is not None
    assert (row.before.contributor, row.before.kind) == ("MemoryMiddleware", "memory")
    at = before.pieces.index(row.before)
    assert found.kept_tokens == sum(piece.tokens for piece in before.pieces[:at])
    assert found.kept_tokens + found.invalidated_tokens == found.tokens_before == before.tokens
    assert found.tokens_after - found.tokens_before == row.after.tokens - row.before.tokens
    assert all(row.same for row in compare_requests(before, before).rows)
    assert compare_requests(before, before).invalidated_tokens == 0


def test_a_piece_that_was_added_before_another_faces_nothing() -> None:
    def request(*texts: tuple[str, str]) -> DryRequest:
        pieces = tuple(Piece(kind, "", {"text": text}, text, len(text), 1) for kind, text in texts)
        return DryRequest("agent", (), pieces, (), None, {}, None, None)

    before = request(("skills", "the menu of skills"), ("memory", "what is known"))
    after = request(
        ("system", "Be brief."), ("skills", "\n\nthe menu of skills"), ("memory", "\n\nwhat is known by now")
    )
    rows = [
        (row.before and row.before.kind, row.after and row.after.kind) for row in compare_requests(before, after).rows
    ]
    assert rows == [(None, "system"), ("skills", "skills"), ("memory", "memory")]
    back = [
        (row.before and row.before.kind, row.after and row.after.kind) for row in compare_requests(after, before).rows
    ]
    assert back == [("system", None), ("skills", "skills"), ("memory", "memory")]


def test_without_a_message_words_stand_for_it(world: World) -> None:
    assert world.dry(message=None).messages[-1].text == NEXT_MESSAGE


def test_nothing_is_called_and_nothing_is_written(world: World) -> None:
    world.settings = replace(world.settings, model=Told(turns=[]))
    before = world.file.read_bytes()
    world.dry(Edits(files={PATH: b"x", SKILL: None}, system_prompt="y"))
    assert isinstance(world.settings.model, Told)
    assert world.settings.model.given == []
    assert world.file.read_bytes() == before
    log = world.file.with_name("w.ctx-wal")
    assert not log.exists() or log.stat().st_size == 0


def test_tools_are_never_run(world: World) -> None:
    ran = []

    def delete_everything() -> str:
        """Delete everything."""
        ran.append(1)
        return "done"

    world.settings = AgentSettings(
        model=ScriptedChat(script=[Turn(calls=(Call("delete_everything", {}),)), Turn("x")]), tools=(delete_everything,)
    )
    agent = build_agent(Workspace.open(world.file), world.settings)
    config = {"configurable": {"thread_id": "stopped"}}
    agent.graph.invoke({"messages": [("user", "go")]}, config, interrupt_before=["tools"])
    agent.close()
    with pytest.raises(InspectorError, match=r"runs tools \(delete_everything\)"):
        world.dry(message=None, thread="stopped")
    assert ran == []
    # with a message the call is given up, and what is sent with it is known
    said = world.dry(message="never mind", thread="stopped")
    assert [piece.kind for piece in said.messages] == ["human", "ai", "tool", "human"]
    assert ran == []


def test_a_thread_that_stopped_before_its_model_goes_on_there(world: World) -> None:
    world.settings = AgentSettings(model=ScriptedChat(script=[Turn(calls=(Call("ls", {"path": "/"}),)), Turn("x")]))
    agent = build_agent(Workspace.open(world.file), world.settings)
    config = {"configurable": {"thread_id": "stopped"}}
    agent.graph.invoke({"messages": [("user", "go")]}, config, interrupt_after=["tools"])
    agent.close()
    dry = world.dry(message=None, thread="stopped")
    assert [piece.kind for piece in dry.messages] == ["human", "ai", "tool"]


def test_a_summary_comes_first_where_one_is_due(world: World) -> None:
    world.settings = replace(world.settings, summarize=("messages", 3), keep=("messages", 1))
    dry = world.dry()
    assert dry.purpose == "summary"
    assert "hello" in dry.messages[0].text


def test_another_model_of_the_agent_is_not_reached_either() -> None:
    """A summarizer may have a model of its own."""
    other, capture = Told(turns=["never"]), Capture()
    with pytest.raises(Stop):
        other.invoke("summarize", {"callbacks": [capture.guard], "metadata": {"lc_source": "summarization"}})
    assert other.given == []
    assert capture.found is not None
    assert capture.found.summarizing
