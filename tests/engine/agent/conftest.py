"""A workspace to run in."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.agent.running import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path / "run.ctx")
    yield made
    made.runner.close()
