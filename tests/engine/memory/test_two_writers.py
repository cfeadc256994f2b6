"""Two processes that edit one file, and one that is killed while it saves."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from engine import Reader, Workspace
from engine.memory import read_memory, save_memory, version_of

PATH = "/memories/AGENTS.md"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.getcwd()}

EDITOR = """
import sys
from engine.errors import EditConflict
from engine.memory import read_memory, save_memory
from engine.memory.merge import merge_texts

file, path, who, times = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
print("ready", flush=True)
sys.stdin.readline()
opened = read_memory(file, path)
text, version, merged = opened.text, opened.version, 0
for number in range(times):
    base = text
    mine = text.replace(f"## {who}\\n", f"## {who}\\n- {who} {number}\\n")
    while True:
        try:
            version = save_memory(file, path, mine, version).version
            break
        except EditConflict as conflict:
            merge = merge_texts(base, mine, conflict.current)
            assert merge.clean, merge.text
            base, mine, version, merged = conflict.current, merge.text, conflict.version, merged + 1
    text = mine
print(merged, flush=True)
"""

SAVER = """
import sys
from engine.memory import read_memory, save_memory

file, path = sys.argv[1], sys.argv[2]
version = read_memory(file, path).version
number = 0
while True:
    version = save_memory(file, path, f"{number} " * 400_000, version).version
    print(number, flush=True)
    number += 1
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=ENVIRONMENT,
    )


def test_two_processes_edit_one_file_and_neither_edit_is_lost(tmp_path: Path) -> None:
    file, times = tmp_path / "w.ctx", 25
    Workspace.create(file)
    save_memory(file, PATH, "## first\n\nbetween\n\n## second\n\n", "")
    children = [start(EDITOR, file, PATH, who, times) for who in ("first", "second")]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    answers = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    text = read_memory(file, PATH).text
    assert text is not None
    assert sorted(line for line in text.splitlines() if line.startswith("- ")) == sorted(
        f"- {who} {number}" for who in ("first", "second") for number in range(times)
    )
    with closing(Reader(file)) as reader:
        versions = reader.versions(PATH)
    assert len(versions) == 1 + 2 * times
    assert {one.author for one in versions} == {"user"}
    assert all(answer.strip().isdigit() for answer in answers)


@pytest.mark.parametrize("after", [0, 1, 2, 5])
def test_killed_while_saving_the_file_is_the_old_or_the_new_one(tmp_path: Path, after: int) -> None:
    file = tmp_path / "w.ctx"
    Workspace.create(file)
    save_memory(file, PATH, "before", "")
    child = start(SAVER, file, PATH)
    assert child.stdout is not None
    said = [child.stdout.readline() for _ in range(after + 1)]
    child.send_signal(signal.SIGKILL)
    assert child.wait(30) == -signal.SIGKILL
    child.stdout.close()
    assert child.stdin is not None
    child.stdin.close()
    last = int(said[-1])
    now = read_memory(file, PATH)
    # What was said to be saved is saved; the next one is there whole or not at all, unless it came as far as saying so.
    number = int((now.text or "").split(" ", 1)[0])
    assert number >= last
    assert now.text == f"{number} " * 400_000
    with closing(sqlite3.connect(file)) as db:
        assert db.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with closing(Reader(file)) as reader:
        versions = reader.versions(PATH)
        assert versions[0].version == version_of(reader.version(versions[0].id)) == now.version
    assert save_memory(file, PATH, "after", now.version).text == "after"
