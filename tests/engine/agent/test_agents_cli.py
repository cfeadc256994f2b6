"""The terminal's words on stored agents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.agent.effective import effective
from engine.agent.settings import AgentSettings
from engine.agent.stored import agent_of, assign_agent, save_agent
from engine.agent.written import settings_form
from engine.cli import main
from engine.workspace import Workspace


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = Workspace.create(tmp_path / "w.ctx").path
    assign_agent(file, "t", save_agent(file, "Fine\u202e", AgentSettings(model="scripted")).id)
    save_agent(file, "Wrong", AgentSettings(model="hand", keep=("fraction", 0.2)))
    return file


def test_agents_are_told_with_their_problems_and_values(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", str(path)]) == 0
    told = capsys.readouterr().out
    fine, wrong = told.split("\n\n")
    assert fine.startswith("Fine\\u202e: scripted, 1 thread\n")
    for item in effective(AgentSettings(model="scripted")):
        assert item.name in fine and item.note in fine
    assert wrong.startswith("Wrong: hand, 0 threads\n  error: keep: A fraction needs the model's window")


def test_the_same_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["agents", str(path), "--json"]) == 0
    fine, wrong = json.loads(capsys.readouterr().out)
    assert fine["settings"] == json.loads(json.dumps(settings_form(AgentSettings(model="scripted"))))
    assert (fine["threads"], fine["problems"], fine["fault"]) == (["t"], [], None)
    assert [item["name"] for item in fine["effective"]] == [
        item.name for item in effective(AgentSettings(model="scripted"))
    ]
    assert [(item["field"], item["level"]) for item in wrong["problems"]] == [("keep", "error")]
    assert wrong["effective"] == []


def test_a_workspace_without_agents_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = Workspace.create(tmp_path / "w.ctx").path
    assert main(["agents", str(file)]) == 0
    assert capsys.readouterr().out == ""
    assert main(["agents", str(tmp_path / "none.ctx")]) == 2


def test_a_thread_is_run_with_a_named_agent(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", str(path), "--thread", "new", "--message", "Hello", "--agent"]
    assert main([*run, "Nobody"]) == 2
    assert "There is no agent 'Nobody'" in capsys.readouterr().err
    assert main([*run, "Fine\u202e"]) == 0
    agent = agent_of(path, "new")
    assert agent is not None and agent.name == "Fine\u202e"
