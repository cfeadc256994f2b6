"""A demo workspace for the tests of searching, searched once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, make_demo
from engine.search import Search


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_demo(tmp_path_factory.mktemp("search") / "demo.ctx").path


@pytest.fixture(scope="session")
def reader(demo: Path) -> Iterator[Reader]:
    with closing(Reader(demo)) as reader:
        yield reader


@pytest.fixture(scope="session")
def search(demo: Path) -> Iterator[Search]:
    with closing(Search(demo)) as search:
        assert search.update()
        yield search
