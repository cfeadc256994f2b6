"""``search`` in a terminal: the same hits as the library's, and a sentence for a bad query."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from engine.search import Search
from inspector.main import main


def call(*words: str | Path, code: int = 0) -> tuple[str, str]:
    """What the command printed; in this process, since starting one for each takes most of the time."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        assert main([*map(str, words)]) == code, err.getvalue()
    return out.getvalue(), err.getvalue()


def process(*words: str | Path) -> str:
    """What the command printed in a process of its own."""
    command = [sys.executable, "-m", "inspector", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120, check=True)
    assert "Traceback" not in done.stderr
    return done.stdout


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@pytest.mark.parametrize(
    "query", ["week agent:researcher", "has:summary", '"qbr-report" kind:skills', "nothingofthekind"]
)
def test_json_is_what_the_library_finds(query: str, demo: Path, search: Search) -> None:
    found = json.loads(call("search", demo, query, "--json")[0])
    expected = search.find(query, seconds=None)
    assert found == as_json(
        {"hits": [asdict(hit) for hit in expected.hits], "more": expected.more, "candidates": expected.candidates}
    )


def test_limit_rank_and_the_table(demo: Path, search: Search) -> None:
    found = json.loads(call("search", demo, "week", "--json", "--limit", "3", "--rank")[0])
    best = search.find("week", limit=3, order="rank", seconds=None).hits
    assert [hit["part"] for hit in found["hits"]] == [hit.part for hit in best]
    assert found["more"] is True
    stdout = process("search", demo, "week", "--limit", "3")
    lines = stdout.splitlines()
    assert lines[0].split() == ["thread", "request", "of", "where", "kind", "text"]
    assert lines[4] == "There are more; --limit shows them."
    assert all("week" in line.lower() for line in lines[1:4])
    assert call("search", demo, "nothingofthekind")[0] == "Nothing was found.\n"


@pytest.mark.parametrize("query", ["kind:foo", "agnet:x", "tokens>many"])
def test_a_bad_query_is_one_sentence(query: str, demo: Path) -> None:
    stdout, stderr = call("search", demo, query, code=2)
    assert stdout == ""
    assert len(stderr.splitlines()) == 1
    assert stderr.startswith("context-inspector: ")


def test_a_file_that_is_no_workspace(tmp_path: Path) -> None:
    call("search", tmp_path / "none.ctx", "x", code=2)
    (tmp_path / "text.ctx").write_text("no database")
    call("search", tmp_path / "text.ctx", "x", code=3)
