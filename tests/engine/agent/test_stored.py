"""Agents that a workspace keeps."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import delete_for_good, plan_deletion
from engine.agent.defaults import settings_for
from engine.agent.settings import AgentSettings
from engine.agent.stored import (
    agent_named,
    agent_of,
    assign_agent,
    delete_agent,
    duplicate_agent,
    list_agents,
    rename_agent,
    save_agent,
)
from engine.agent.written import settings_form
from engine.errors import EditConflict, UsageError
from engine.workspace import Workspace

BRIEF = AgentSettings(model="hand", system_prompt="Be brief.")
LONG = AgentSettings(model="hand", system_prompt="Take your time.")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return Workspace.create(tmp_path / "w.ctx").path


def change(path: Path, statement: str, *values: Any) -> None:
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(statement, values)


def test_an_agent_is_kept(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    assert list_agents(path) == [made] == [agent_named(path, "Analyst")]
    assert (made.settings, made.version, made.threads, made.unread, made.fault) == (BRIEF, 1, (), (), None)


def test_agents_are_listed_by_name(path: Path) -> None:
    for name in ("b", "C", "a"):
        save_agent(path, name, BRIEF)
    assert [agent.name for agent in list_agents(path)] == ["a", "b", "C"]


def test_a_change_names_the_version_it_was_made_from(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    changed = save_agent(path, "Analyst", LONG, made.id, made.version)
    assert (changed.settings, changed.version) == (LONG, 2)
    with pytest.raises(EditConflict) as conflict:
        save_agent(path, "Analyst", BRIEF, made.id, made.version)
    assert json.loads(conflict.value.current or "") == settings_form(LONG)
    assert conflict.value.version == "2"
    with pytest.raises(EditConflict):
        rename_agent(path, made.id, "Other", made.version)
    with pytest.raises(EditConflict):
        delete_agent(path, made.id, made.version)
    assert list_agents(path) == [changed]


def test_an_agent_that_is_gone_is_not_written(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    delete_agent(path, made.id, made.version)
    delete_agent(path, made.id, made.version)
    with pytest.raises(EditConflict, match="deleted meanwhile"):
        save_agent(path, "Analyst", LONG, made.id, made.version)
    again = save_agent(path, "Analyst", LONG)
    assert again.id != made.id
    with pytest.raises(UsageError):
        assign_agent(path, "t", made.id)


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "half \ud83d"])
def test_a_name_is_one_line(path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="needs a name"):
        save_agent(path, name, BRIEF)


def test_no_two_agents_have_one_name(path: Path) -> None:
    one, other = save_agent(path, "one", BRIEF), save_agent(path, "other", BRIEF)
    for attempt in (
        lambda: save_agent(path, "one", LONG),
        lambda: rename_agent(path, other.id, "one", other.version),
        lambda: duplicate_agent(path, other.id, "one"),
        lambda: save_agent(path, "one", LONG, other.id, other.version),
    ):
        with pytest.raises(UsageError, match="There is an agent 'one' already"):
            attempt()
    assert list_agents(path) == [one, other]


def test_a_copy_has_what_the_agent_has(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    change(path, "UPDATE agents SET settings = json_set(settings, '$.mood', 'new')")
    names = [duplicate_agent(path, made.id).name for _ in range(3)]
    assert names == ["Analyst copy", "Analyst copy 2", "Analyst copy 3"]
    assert {agent.unread for agent in list_agents(path)} == {("mood",)}


def test_a_thread_goes_on_with_its_agent(path: Path) -> None:
    assert agent_of(path, "t") is None
    made = save_agent(path, "Analyst", BRIEF)
    assign_agent(path, "t", made.id)
    assert settings_for("t", workspace=path) == BRIEF
    assert settings_for("t", "openai:x", path).model == "openai:x"
    assert settings_for("u", workspace=path).model == "scripted"
    save_agent(path, "Renamed", LONG, made.id, made.version)
    assert settings_for("t", workspace=path) == LONG
    assert list_agents(path)[0].threads == ("t",)
    assign_agent(path, "t", None)
    assert agent_of(path, "t") is None


def test_an_agent_with_threads_is_deleted_only_when_they_may_go(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    for n in range(5):
        assign_agent(path, f"t{n}", made.id)
    with pytest.raises(UsageError, match="t0, t1, t2 and 2 more"):
        delete_agent(path, made.id, made.version)
    delete_agent(path, made.id, made.version, let_threads_go=True)
    assert list_agents(path) == [] and agent_of(path, "t0") is None


def test_settings_that_cannot_be_read_are_listed_and_not_run(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    assign_agent(path, "t", made.id)
    for damaged in ("{", "[1]", "null", '"x"'):
        change(path, "UPDATE agents SET settings = ?", damaged)
        (agent,) = list_agents(path)
        assert agent.fault is not None and "damaged" in agent.fault
        with pytest.raises(UsageError, match="damaged"):
            settings_for("t", workspace=path)
    saved = save_agent(path, "Analyst", LONG, made.id, made.version)
    assert (saved.fault, saved.settings) == (None, LONG)


@pytest.mark.parametrize(
    "given",
    [
        {"model_parameters": {"api_key": "abcdef"}},
        {"model_parameters": {"default_headers": {"Authorization": "Bearer abcdefghijklmnop1"}}},
        {"model_parameters": {"extra": ["sk-" + "ant-" + "a1B2" * 8]}},
        {"base_url": "https://ann:secret@example.org/v1"},
        {"base_url": "https://example.org/v1?api_key=abcdef"},
        {"tags": {"note": "sk-abcdefghijklmnopqrstuvwxyz"}},
    ],
)
def test_a_key_is_never_kept(path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="looks like a key"):
        save_agent(path, "Analyst", AgentSettings(model="hand", **given))
    assert list_agents(path) == []


@pytest.mark.parametrize(
    "parameters", [{"max_tokens": 5_000, "temperature": 0.1}, {"stop": ["token:", "password"]}, {"seed": 123_456_789}]
)
def test_parameters_that_are_no_keys_are_kept(path: Path, parameters: dict[str, Any]) -> None:
    assert save_agent(path, "a", AgentSettings(model="hand", model_parameters=parameters)).version == 1


def test_a_workspace_of_an_older_version_has_no_agents(path: Path) -> None:
    change(path, "DROP TABLE thread_agents")
    before = path.read_bytes()
    assert list_agents(path) == [] and agent_of(path, "t") is None
    assert path.read_bytes() == before


def test_deleting_a_thread_for_good_forgets_its_agent(path: Path) -> None:
    made = save_agent(path, "Analyst", BRIEF)
    change(path, "INSERT INTO threads(thread_id, title, created_at, updated_at) VALUES ('t', 't', 0, 0)")
    assign_agent(path, "t", made.id)
    delete_for_good(path, plan_deletion(path, "t"))
    assert list_agents(path)[0].threads == ()
