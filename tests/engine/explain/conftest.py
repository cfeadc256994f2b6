"""The demo workspace, made once, and what reads and explains it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from engine import Explainer, Reader, make_demo
from engine.trace.model import RequestRow

WEEK_22 = "competitor-report-week-22"


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo workspace's file; not to be changed."""
    return make_demo(tmp_path_factory.mktemp("explain") / "demo.ctx").path


@pytest.fixture
def reader(demo: Path) -> Iterator[Reader]:
    with closing(Reader(demo)) as reader:
        yield reader


@pytest.fixture
def explainer(reader: Reader) -> Explainer:
    return Explainer(reader)


@pytest.fixture
def rows(reader: Reader) -> list[RequestRow]:
    """All requests of the demo."""
    return [row for thread in reader.threads() for row in reader.requests(thread.thread_id)]


@pytest.fixture
def week(reader: Reader) -> dict[int, RequestRow]:
    """Requests of the long demo thread by number."""
    return {row.number: row for row in reader.requests(WEEK_22)}
