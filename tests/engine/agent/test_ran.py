"""Each run keeps the settings that it had, whatever becomes of its thread's agent."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine import AgentSettings, Reader, Runner, Workspace, delete_for_good, plan_deletion
from engine.agent.ran import settings_of_request
from engine.agent.stored import assign_agent, save_agent

BRIEF = AgentSettings(model="scripted", system_prompt="Be brief.", offload_results=9_000)
LONG = AgentSettings(model="scripted", system_prompt="Take your time.", keep=("messages", 3))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = Workspace.create(tmp_path / "w.ctx").path
    agent = save_agent(file, "Analyst", BRIEF)
    assign_agent(file, "t", agent.id)
    runner = Runner(file)
    try:
        for change in (None, None, LONG, BRIEF):
            if change is not None:
                agent = save_agent(file, "Analyst", change, agent.id, agent.version)
            run = runner.start("t", "Hello")
            run.wait()
            assert run.error is None
    finally:
        runner.close()
    return file


def kept(path: Path) -> int:
    with closing(sqlite3.connect(path)) as db:
        return int(db.execute("SELECT count(*) FROM run_settings").fetchone()[0])


def test_each_request_tells_the_settings_of_its_run(path: Path) -> None:
    with closing(Reader(path)) as reader:
        rows = reader.requests("t")
        prompts = [json.dumps(reader.system_message(row.id)) for row in rows]
    found = [settings_of_request(path, row.id) for row in rows]
    assert found[0] == BRIEF and found[-1] == BRIEF and LONG in found
    for settings, prompt in zip(found, prompts, strict=True):
        assert settings is not None and settings.system_prompt is not None
        assert settings.system_prompt in prompt
    assert kept(path) == 2, "equal settings are kept once"


def test_what_is_not_recorded_has_none(path: Path) -> None:
    assert settings_of_request(path, 999) is None
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("ALTER TABLE run_settings RENAME TO not_yet")
    assert settings_of_request(path, 1) is None


def test_they_go_with_their_thread(path: Path) -> None:
    delete_for_good(path, plan_deletion(path, "t"))
    assert kept(path) == 0
    assert b"Take your time." not in path.read_bytes()
