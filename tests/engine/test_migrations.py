"""A file that was made without sqlite-utils can't be told from one that was made with it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import migrations as plain
from engine import schema
from engine.workspace import Workspace

MAKES = """
import sys
sys.path.insert(0, {root!r})
from engine.workspace import Workspace
sys.stdin.read(1)
Workspace.ensure({file!r})
"""


@pytest.fixture
def without_sqlite_utils(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = plain.Migrations(schema.migrations.name)
    for step in schema.migrations._migrations:
        steps()(step.fn)
    monkeypatch.setattr(schema, "migrations", steps)
    monkeypatch.setattr(schema, "Database", plain.Database)


def contents(workspace: Workspace) -> list[str]:
    """Everything but the times of the migrations."""
    with closing(workspace.connect()) as connection:
        connection.execute("UPDATE _sqlite_migrations SET applied_at = ''")
        return list(connection.iterdump())


def test_both_ways_make_the_same_file(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    one = Workspace.create(tmp_path / "one.ctx")
    request.getfixturevalue("without_sqlite_utils")
    other = Workspace.create(tmp_path / "other.ctx")
    assert contents(one) == contents(other)


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path, without_sqlite_utils: None) -> None:
    workspace = Workspace.create(tmp_path / "w.ctx")
    with closing(workspace.connect()) as connection:
        connection.execute("DELETE FROM _sqlite_migrations WHERE name = (SELECT max(name) FROM _sqlite_migrations)")
        connection.commit()
        before = list(connection.iterdump())
        with pytest.raises(sqlite3.OperationalError):  # its tables are there already
            schema.migrate(connection)
        assert list(connection.iterdump()) == before


def test_several_processes_make_one_file_at_once(tmp_path: Path) -> None:
    file = tmp_path / "shared.ctx"
    program = MAKES.format(root=str(Path(__file__).parents[2]), file=str(file))
    children = [
        subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for child in children:
        assert child.stdin is not None
        child.stdin.write(b"x")
        child.stdin.flush()
    for child in children:
        assert child.communicate() == (None, b"")
    assert [path.name for path in tmp_path.iterdir()] == ["shared.ctx"]
    Workspace.open(file)
