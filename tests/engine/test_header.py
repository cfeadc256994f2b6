"""A look at a file's header leaves SQLite's locks on it as they are."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import Workspace
from engine.workspace import check_file

OTHER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS other (x)")
connection.close()
"""


@pytest.mark.skipif(os.name == "nt", reason="locks belong to a handle there")
def test_what_is_written_after_another_program_left_the_file_is_not_lost(tmp_path: Path) -> None:
    path = Workspace.create(tmp_path / "work.ctx").path
    with closing(sqlite3.connect(path)) as ours:
        ours.execute("CREATE TABLE ours (x)")
        ours.commit()
        wal = os.stat(f"{path}-wal").st_ino
        for number in range(2):
            check_file(path)
            subprocess.run([sys.executable, "-c", OTHER, path], check=True)
            assert os.stat(f"{path}-wal").st_ino == wal
            ours.execute("INSERT INTO ours VALUES (?)", (number,))
            ours.commit()
            with closing(sqlite3.connect(path)) as fresh:
                assert fresh.execute("SELECT max(x) FROM ours").fetchone() == (number,)
        check_file(path)
    subprocess.run([sys.executable, "-c", OTHER, path], check=True)
    with closing(sqlite3.connect(path)) as fresh:
        assert fresh.execute("SELECT count(*) FROM ours").fetchone() == (2,)
        assert fresh.execute("PRAGMA integrity_check").fetchone() == ("ok",)
