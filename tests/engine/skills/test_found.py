"""Every SKILL.md of a workspace as a thread's agent sees it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from engine import Reader
from engine.memory import delete_memory, read_memory, save_memory
from engine.skills import costs_of
from engine.trace.model import SkillRow
from tests.contract.models import Recorded, Told, call, recorded, thread

WEEK_22 = "competitor-report-week-22"


def skill(name: str, description: str = "Does it.", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: {description}\n{more}---\nDo it, step by step.\n"


class World:
    """A thread whose agent looks for skills in two folders, the later one winning."""

    def __init__(self, folder: Path, *turns: object) -> None:
        self.model = Told(turns=turns or ["one", "two", "three"])
        self.thread: Recorded = recorded(folder, self.model, skills=["/skills/base/", "/skills/team/"])
        self.file = self.thread.workspace.path

    def save(self, path: str, text: str | bytes) -> None:
        save_memory(self.file, path, text, read_memory(self.file, path).version)

    def say(self, text: str = "hello") -> None:
        with self.thread.agent() as (agent, recorder):
            settings = {"skills": ["/skills/base/", "/skills/team/"]}
            recorder.begin_run(text, "t", "", None, settings)
            with recorder.observing():
                agent.invoke({"messages": [HumanMessage(text)]}, thread(callbacks=[recorder.handler]))
            recorder.end_run(text, "t", "done")

    def skills(self) -> dict[str, SkillRow]:
        with closing(Reader(self.file)) as reader:
            return {row.path: row for row in reader.skills("t")}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    yield World(tmp_path)


def test_of_two_equal_names_the_later_source_is_listed_and_the_other_says_so(world: World) -> None:
    base, team = "/skills/base/report/SKILL.md", "/skills/team/report/SKILL.md"
    world.save(base, skill("report", "Of base."))
    world.save(team, skill("report", "Of team."))
    world.say()
    found = world.skills()
    assert (found[team].listed, found[team].description, found[team].problem) == (True, "Of team.", None)
    assert (found[base].listed, found[base].overridden_by) == (False, team)
    assert team in (found[base].problem or "")
    assert found[team].menu in self_system(world)
    assert "Of base." not in self_system(world)


def self_system(world: World) -> str:
    return world.model.given[-1].system


def test_why_a_skill_is_not_listed(world: World) -> None:
    bad, deep, right = "/skills/base/bad/SKILL.md", "/skills/base/a/b/SKILL.md", "/skills/base/right/SKILL.md"
    world.save(bad, "---\nname: bad\ndescription: Use when: asked\n---\n")
    world.save(deep, skill("b"))
    world.save(right, skill("right"))
    world.save("/skills/elsewhere/SKILL.md", skill("elsewhere"))
    world.say()
    found = world.skills()
    assert set(found) == {bad, deep, right}  # what lies under no source is none of this agent's
    assert (found[bad].listed, found[bad].line, found[bad].menu, found[bad].menu_tokens) == (False, 3, "", 0)
    assert "a colon and a space begin a value" in (found[bad].problem or "")
    assert "the engine looks no deeper" in (found[deep].problem or "")
    assert found[right].listed
    assert [path for path, row in found.items() if row.listed] == [right]


def test_drift_of_the_menu(world: World) -> None:
    kept, changed, gone, new, broken = (
        f"/skills/base/{name}/SKILL.md" for name in ("kept", "changed", "gone", "new", "broken")
    )
    for path in (kept, changed, gone, broken):
        world.save(path, skill(path.split("/")[-2]))
    assert {row.drift for row in world.skills().values()} == {"not-loaded"}
    world.say()
    assert {row.drift for row in world.skills().values()} == {"none"}
    world.save(kept, skill("kept") + "More text, which the menu doesn't show.\n")
    world.save(changed, skill("changed", "Another line."))
    world.save(new, skill("new"))
    world.save(broken, "---\nname: broken\n")
    delete_memory(world.file, gone, read_memory(world.file, gone).version)
    found = world.skills()
    assert {path: row.drift for path, row in found.items()} == {
        kept: "none",
        changed: "file-newer",
        gone: "file-gone",
        new: "file-new",
        broken: "file-newer",
    }
    assert (found[changed].menu != found[changed].menu_now, found[changed].listed) == (True, True)
    assert (found[gone].listed, found[gone].problem, found[gone].full_tokens) == (
        True,
        "its file is no longer there",
        None,
    )
    assert (found[new].listed, found[new].menu, bool(found[new].menu_now)) == (False, "", True)
    assert "a new thread lists it" in (found[new].problem or "")
    assert (found[broken].listed, found[broken].menu_now) == (True, "")
    world.say("again")
    assert "Another line." not in self_system(world)


def test_in_which_requests_it_was_listed_read_and_pinned(tmp_path: Path) -> None:
    path = "/skills/base/report/SKILL.md"
    world = World(tmp_path, call("read_file", "c1", file_path=path), "done", "pinned")
    world.save(path, skill("report"))
    world.say()
    with world.thread.agent() as (agent, recorder):
        recorder.begin_run("p", "t", "", None, {"skills": ["/skills/base/", "/skills/team/"]})
        with recorder.observing():
            agent.invoke(
                {"messages": [HumanMessage("use it")], "pinned_skills": ["report"]},
                thread(callbacks=[recorder.handler]),
            )
        recorder.end_run("p", "t", "done")
    row = world.skills()[path]
    assert (row.listed_requests, row.listed_in) == ((1, 2, 3), 3)
    assert row.read_in == (1,)
    assert row.pinned_in == (3,)


def test_helpers_tools_and_text(world: World) -> None:
    path = "/skills/base/report/SKILL.md"
    more = "metadata:\n  include_tools: make_chart send_mail\nallowed-tools: read_file, ls\n"
    world.save(path, skill("report", more=more))
    world.save("/skills/base/report/template.md", "# Title\n")
    world.save("/skills/base/report/lib/a.py", "x = 1\n")
    world.say()
    row = world.skills()[path]
    assert row.helpers == (("/skills/base/report/lib/a.py", 6), ("/skills/base/report/template.md", 8))
    assert row.tools == ("make_chart", "send_mail")
    assert row.allowed_tools == ("read_file", "ls")
    assert row.disclosed == ()
    assert row.text == skill("report", more=more)
    assert (row.place, row.version) == ("store", read_memory(world.file, path).version)
    assert row.menu in self_system(world)


def test_what_skills_cost(demo_file: Path) -> None:
    with closing(Reader(demo_file)) as reader:
        rows = reader.skills(WEEK_22)
        main = [row for row in reader.requests(WEEK_22) if row.purpose == "agent"]
    costs = costs_of(rows)
    assert (costs.skills, len(rows)) == (4, 4)
    assert costs.menu_tokens == sum(row.menu_tokens for row in rows)
    assert costs.full_tokens == sum(row.full_tokens or 0 for row in rows)
    assert costs.ten_listed == round(2.5 * costs.menu_tokens)
    assert costs.ten_loaded == round(2.5 * costs.full_tokens) > 3 * costs.ten_listed
    assert all(row.listed_requests == tuple(one.number for one in main) for row in rows)
    assert {row.name: row.read_in for row in rows}["qbr-report"] == (44,)
    assert all(row.findings == () and row.drift == "none" for row in rows)
    assert costs_of([]).ten_listed == 0
