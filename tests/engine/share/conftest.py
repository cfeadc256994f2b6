"""Workspaces to be exported: the demo, and one with everything that is odd."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, make_demo
from tests.engine.share.world import odd_workspace


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo(tmp_path_factory.mktemp("share") / "demo.ctx").path


@pytest.fixture(scope="session")
def reader(demo: Path) -> Iterator[Reader]:
    with closing(Reader(demo)) as reader:
        yield reader


@pytest.fixture(scope="session")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    with closing(Reader(odd_workspace(tmp_path_factory.mktemp("odd") / "odd.ctx"))) as reader:
        yield reader
