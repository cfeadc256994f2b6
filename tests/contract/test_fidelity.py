"""Invariant 1: the four areas of every request equal what the model object itself received."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import message_to_dict

from engine import Reader, Workspace
from engine.agent.build import build_agent
from engine.agent.demo import seed
from engine.agent.runner import Runner
from engine.agent.scenarios import Scenario, demo_scenarios
from tests.received import Witness, differences, text, witnessed

SCENARIOS = [scenario.name for scenario in demo_scenarios()]


def run_witnessed(workspace: Workspace, scenario: Scenario, witness: Witness) -> None:
    """Run a scenario's threads with witnesses at all of its models."""
    seed(workspace, scenario.seed_files)
    runner = Runner(workspace.path)
    for thread in scenario.threads:
        for model in (thread.settings.model, *(subagent.model for subagent in thread.settings.subagents)):
            if model is not None:
                witnessed(model, witness)
        for turn in thread.turns:
            run = runner.start(thread.thread_id, turn, settings=thread.settings, title=thread.title)
            assert run.wait(120)
            assert run.error is None
            assert run.lost == 0
    runner.close()


@pytest.fixture(scope="module", params=SCENARIOS)
def recorded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A scenario that was run: scenario, workspace, reader and witness."""
    scenario = next(scenario for scenario in demo_scenarios() if scenario.name == request.param)
    workspace = Workspace.create(tmp_path_factory.mktemp("fidelity") / "a.ctx")
    witness = Witness()
    run_witnessed(workspace, scenario, witness)
    reader = Reader(workspace.path)
    yield scenario, workspace, reader, witness
    reader.close()


def test_every_area_equals_what_the_model_received(recorded: Any) -> None:
    scenario, _, reader, witness = recorded
    missing, invented = differences(witness, reader)
    assert witness.calls
    assert not missing
    assert not invented
    for thread in scenario.threads:
        assert all(reader.request(id).exact for id in reader.request_ids(thread.thread_id))


def test_raw_equals_the_state_at_its_checkpoint(recorded: Any) -> None:
    scenario, workspace, reader, _ = recorded
    checked = 0
    for thread in scenario.threads:
        agent = build_agent(workspace, thread.settings)
        try:
            for row in reader.requests(thread.thread_id):
                if row.purpose != "agent":
                    continue
                config = {"configurable": {"thread_id": thread.thread_id, "checkpoint_id": row.checkpoint_id}}
                state = agent.graph.get_state(config)
                raw = [text(reader.message(item.part)) for item in reader.request(row.id).raw]
                assert raw == [text(message_to_dict(message)) for message in state.values["messages"]]
                checked += 1
        finally:
            agent.close()
    assert checked


def test_every_raw_message_has_a_known_fate(recorded: Any) -> None:
    scenario, _, reader, _ = recorded
    for thread in scenario.threads:
        for row in reader.requests(thread.thread_id):
            detail = reader.request(row.id)
            assert [item.index for item in detail.raw if item.fate == "not sent"] == []
            assert len([item for item in detail.aligned if item.sent]) == (len(detail.messages) if detail.raw else 0)


def test_sizes_sum_to_the_request(recorded: Any) -> None:
    scenario, _, reader, _ = recorded
    for thread in scenario.threads:
        for row in reader.requests(thread.thread_id):
            detail = reader.request(row.id)
            assert sum(row.sizes.values()) == row.estimated_tokens
            assert row.estimated_tokens == sum(
                part.tokens for part in (*detail.system, *detail.messages, *detail.tools)
            )
            assert row.chars == sum(message.chars for message in detail.messages)


def test_responses_and_usage_are_those_of_the_model(recorded: Any) -> None:
    scenario, _, reader, _ = recorded
    for thread in scenario.threads:
        for row in reader.requests(thread.thread_id):
            detail = reader.request(row.id)
            assert detail.response is not None
            answer = reader.message(detail.response)["data"]
            assert row.usage.input_tokens == answer["usage_metadata"]["input_tokens"]
            assert row.usage.output_tokens == answer["usage_metadata"]["output_tokens"]
            assert json.dumps(detail.usage) == json.dumps(answer["usage_metadata"])


def test_subagents_hang_under_the_call_that_started_them(recorded: Any) -> None:
    scenario, _, reader, _ = recorded
    for thread in scenario.threads:
        rows = {row.id: row for row in reader.requests(thread.thread_id)}
        for row in rows.values():
            if row.purpose != "subagent":
                continue
            parent = rows[row.parent]
            answer = reader.message(reader.request(parent.id).response)["data"]
            calls = {call["id"]: call for call in answer["tool_calls"]}
            assert calls[row.parent_call]["name"] == "task"
            assert calls[row.parent_call]["args"]["subagent_type"] == row.agent


def test_recording_leaves_other_files_alone(recorded: Any) -> None:
    _, workspace, _, _ = recorded
    names = {path.name for path in Path(workspace.path).parent.iterdir()}
    assert names <= {"a.ctx", "a.ctx-wal", "a.ctx-shm"}
