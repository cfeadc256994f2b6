"""A fault in listening costs the wire and nothing else, and is counted (invariant 4)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from deepagents import create_deep_agent
from pytest_httpserver import HTTPServer

from engine import Reader, Recorder, Workspace
from tests.engine.wire.agents import KINDS, Kind, model
from tests.engine.wire.provider import Provider, listening


@pytest.fixture(scope="module")
def listener() -> Iterator[HTTPServer]:
    with listening() as made:
        yield made


@pytest.fixture
def server(listener: HTTPServer) -> Provider:
    return Provider(listener)


def broken(*_: Any, **__: Any) -> Any:
    raise RuntimeError("broken on purpose")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "door",
    ["engine.wire.tap.note_keys", "engine.wire.tap._tap", "engine.wire.tap._host", "engine.wire.tap.Answered",
     "engine.wire.entries.cut"],
)  # fmt: skip
def test_the_run_goes_on_and_the_loss_is_counted(
    server: Provider, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: Kind, door: str
) -> None:
    monkeypatch.setattr(door, broken)
    workspace = Workspace.create(tmp_path / "a.ctx")
    recorder = Recorder(workspace)
    with recorder.observing():
        agent = create_deep_agent(model=model(kind, server))
        recorder.begin_run(uuid.uuid4().hex, "t", "", None, {})
        config: Any = {"configurable": {"thread_id": "t"}, "callbacks": [recorder.handler]}
        answer = agent.invoke({"messages": [{"role": "user", "content": "Hello"}]}, config)
    recorder.close()
    assert answer["messages"][-1].text == "Done."
    assert len(server.received) == 1
    assert recorder.losses.count == 1
    with closing(Reader(workspace.path)) as reader:
        (row,) = reader.requests("t")
        assert row.status == "done"
        assert [event.data["count"] for event in reader.events("t") if event.kind == "lost"] == [1]
        if door != "engine.wire.tap._tap":  # its work is done once a process
            assert all(attempt.status is None for attempt in reader.wire(row.id))
