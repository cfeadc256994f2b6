"""Whatever is read of a workspace's bytes leaves SQLite's locks on it as they are."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from engine import Workspace, raw_bytes
from engine.sources.access import Access
from engine.workspace import check_file

OTHER = """
import sqlite3, sys
with sqlite3.connect(sys.argv[1]) as connection:
    connection.execute("CREATE TABLE IF NOT EXISTS other (x)")
connection.close()
"""


def look(path: Path) -> None:
    check_file(path)


def copied(path: Path) -> None:
    raw_bytes.copy(path, path.with_name("copy"))


def searched(path: Path) -> None:
    assert not any(b"nowhere to be found" in piece for piece in raw_bytes.chunks(path, 18))


def through_a_private_copy(path: Path) -> None:
    Access(path).close()


def left_half_way(path: Path) -> None:
    next(raw_bytes.chunks(path))


@pytest.mark.parametrize("read", [look, copied, searched, through_a_private_copy, left_half_way])
def test_what_is_written_after_another_program_left_the_file_is_not_lost(
    tmp_path: Path, read: Callable[[Path], None]
) -> None:
    path = Workspace.create(tmp_path / "work.ctx").path
    with closing(sqlite3.connect(path)) as ours:
        ours.execute("CREATE TABLE ours (x)")
        ours.commit()
        wal = os.stat(f"{path}-wal").st_ino
        for number in range(2):
            read(path)
            subprocess.run([sys.executable, "-c", OTHER, path], check=True)
            assert os.stat(f"{path}-wal").st_ino == wal
            ours.execute("INSERT INTO ours VALUES (?)", (number,))
            ours.commit()
            with closing(sqlite3.connect(path)) as fresh:
                assert fresh.execute("SELECT max(x) FROM ours").fetchone() == (number,)
        read(path)
    subprocess.run([sys.executable, "-c", OTHER, path], check=True)
    with closing(sqlite3.connect(path)) as fresh:
        assert fresh.execute("SELECT count(*) FROM ours").fetchone() == (2,)
        assert fresh.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_pieces_overlap_so_that_nothing_is_missed_between_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw_bytes, "CHUNK", 10)
    body = bytes(range(256)) * 3
    (tmp_path / "file").write_bytes(body)
    for length in (1, 2, 9, 11, 40):
        pieces = list(raw_bytes.chunks(tmp_path / "file", length - 1))
        assert all(any(body[at : at + length] in piece for piece in pieces) for at in range(len(body) - length + 1))
    raw_bytes.copy(tmp_path / "file", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == body
    (tmp_path / "empty").touch()
    assert list(raw_bytes.chunks(tmp_path / "empty")) == []
