"""``context-inspector memory`` and ``skills``: what a script reads of a workspace's memory and skills."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from engine import Reader
from engine.memory import read_memory, save_memory

PATH = "/memories/AGENTS.md"
WEEK_22, WEEK_23 = "competitor-report-week-22", "competitor-report-week-23"


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "inspector", *map(str, arguments)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    )


def rows(*arguments: object) -> list[dict[str, Any]]:
    done = run(*arguments, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    return list(json.loads(done.stdout))


def test_memory_of_a_thread(demo_file: Path) -> None:
    (row,) = rows("memory", demo_file, "--thread", WEEK_22)
    data = read_memory(demo_file, PATH).data
    assert data is not None
    assert (row["path"], row["backend"], row["state"], row["bytes"]) == (PATH, "store", "loaded", len(data))
    assert (row["drift"], row["encoding"], row["line_ends"], row["reason"]) == ("file-newer", "UTF-8", "LF", None)
    assert 0 < row["tokens"] < len(data) / 4
    assert row["changed_by"] == f"the agent's edit_file in request 53 of {WEEK_22}"
    with closing(Reader(demo_file)) as reader:
        versions = reader.versions(PATH)
    assert [one["id"] for one in row["versions"]] == [one.id for one in versions]
    assert [one["author"] for one in row["versions"]] == ["agent", "agent", "agent", "outside"]
    assert [one["request_number"] for one in row["versions"]] == [53, 50, 21, None]
    assert row["threads"] == [{"thread_id": WEEK_22, "drift": "file-newer", "request": 55}]


def test_memory_of_every_thread(demo_copy: Path) -> None:
    (row,) = rows("memory", demo_copy)
    assert {one["thread_id"]: one["drift"] for one in row["threads"]} == {WEEK_22: "file-newer", WEEK_23: "none"}
    assert row["drift"] == "file-newer"
    save_memory(demo_copy, PATH, b"caf\xe9", read_memory(demo_copy, PATH).version)
    (row,) = rows("memory", demo_copy, "--thread", WEEK_23)
    assert (row["state"], row["tokens"], row["drift"]) == ("stops", None, "file-newer")
    assert "byte 3 is 0xe9" in row["reason"]


def test_skills_of_a_thread_and_of_every_one(demo_copy: Path) -> None:
    save_memory(demo_copy, "/skills/odd/SKILL.md", "---\nname: odd\ndescription: Use when: asked\n---\n", "")
    found = {row["name"]: row for row in rows("skills", demo_copy, "--thread", WEEK_22)}
    assert sorted(found) == ["battlecard", "churn-analysis", "odd", "press-release", "qbr-report"]
    report, odd = found["qbr-report"], found["odd"]
    assert (report["listed"], report["reason"], report["drift"]) == (True, None, "none")
    assert 0 < report["menu_tokens"] < report["full_tokens"]
    assert report["threads"][0]["read_in"] == [44]
    assert (odd["listed"], odd["line"], odd["menu_tokens"]) == (False, 3, 0)
    assert "a colon and a space" in odd["reason"]
    assert (odd["backend"], odd["state"], odd["bytes"]) == ("store", "loaded", 47)
    assert [version["author"] for version in odd["versions"]] == ["user"]
    every = {row["name"]: row for row in rows("skills", demo_copy)}
    assert sorted(every) == sorted(found)
    assert {one["thread_id"] for one in every["qbr-report"]["threads"]} == {WEEK_22, WEEK_23}
    assert every["qbr-report"]["drift"] == "none"


def test_tables_for_the_eye_and_a_thread_that_is_not_there(demo_file: Path) -> None:
    for command in ("memory", "skills"):
        done = run(command, demo_file, "--thread", WEEK_22)
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.splitlines()[0].split()[:2] == (
            ["path", "backend"] if command == "memory" else ["name", "path"]
        )
        wrong = run(command, demo_file, "--thread", "nobody")
        assert (wrong.returncode, wrong.stdout) == (2, "")
        assert "There is no thread 'nobody'" in wrong.stderr
    assert run("memory", demo_file.with_name("none.ctx")).returncode == 2
