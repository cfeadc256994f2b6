"""The demo workspace, made once for all tests here that only read it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine import make_demo


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's file. Never write to it: take ``demo_copy``."""
    return make_demo(tmp_path_factory.mktemp("demo") / "demo.ctx").path


@pytest.fixture
def demo_copy(demo_file: Path, tmp_path: Path) -> Path:
    """A copy of the demo's file, to be changed."""
    return Path(shutil.copy(demo_file, tmp_path / "copy.ctx"))
