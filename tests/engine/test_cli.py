"""The terminal commands, as another program sees them: their JSON, their exit codes, their sentences."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import Reader, Workspace
from engine.cli import main as engine_main
from inspector.main import TERMINAL_COMMANDS

MAIN = "competitor-report-week-22"


def call(*words: str | Path, code: int = 0) -> tuple[str, str]:
    """Run the command in a process of its own; returns what it printed."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}
    command = [sys.executable, "-m", "inspector", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


def read(*words: str | Path) -> Any:
    """JSON that the command printed."""
    return json.loads(call(*words, "--json")[0], parse_constant=lambda name: pytest.fail(name))


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "demo.ctx"
    stdout, _ = call("demo", path)
    assert stdout.strip() == str(path)
    return path


@pytest.fixture(scope="module")
def reader(demo: Path) -> Iterator[Reader]:
    with closing(Reader(demo)) as reader:
        yield reader


def test_threads(demo: Path) -> None:
    rows = read("threads", demo)
    assert len(rows) == 5
    names = {"thread_id", "title", "agent", "requests", "created_at", "updated_at", "source", "status"}
    assert all(set(row) >= names for row in rows)
    main = next(row for row in rows if row["thread_id"] == MAIN)
    assert main["requests"] > 40
    assert main["status"] == "idle"


def test_requests(demo: Path) -> None:
    rows = read("requests", demo, "--thread", MAIN)
    names = {
        "id", "number", "purpose", "agent", "parent", "step", "checkpoint_id", "input_tokens",
        "output_tokens", "tokens", "duration_ms", "error", "events",
    }  # fmt: skip
    assert all(set(row) >= names for row in rows)
    assert [row["number"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["purpose"] for row in rows} == {"agent", "subagent", "summary"}
    assert {row["tokens"] for row in rows} == {"reported"}
    kinds = {kind for row in rows for kind in row["events"]}
    assert kinds >= {"memory loaded", "skill listed", "skill read", "offload", "summary", "memory edited"}
    ids = {row["id"] for row in rows}
    assert all(row["parent"] in ids for row in rows if row["purpose"] != "agent")


def test_show_is_what_the_reader_says(demo: Path, reader: Reader) -> None:
    row = next(row for row in reader.requests(MAIN) if "summary" in row.events)
    shown = read("show", demo, str(row.id))
    detail = reader.request(row.id)
    assert set(shown) >= {"system", "messages", "tools", "provider", "raw", "response", "usage", "events"}
    assert [block["contributor"] for block in shown["system"]] == [
        "caller",
        "SkillsMiddleware",
        "MemoryMiddleware",
    ]
    assert shown["messages"] == [reader.message(item.part) for item in detail.messages]
    assert [message["fate"] for message in shown["raw"]] == [item.fate for item in detail.raw]
    assert {"summarized", "sent", "offloaded"} <= {message["fate"] for message in shown["raw"]}
    assert shown["provider"]["wire"] is None
    assert shown["usage"] == shown["response"]["data"]["usage_metadata"]
    assert "summary" in {event["kind"] for event in shown["events"]}


def test_events_files_and_the_bytes_of_a_file(demo: Path, reader: Reader) -> None:
    events = read("events", demo, "--thread", MAIN)
    summaries = [event for event in events if event["kind"] == "summary"]
    assert len(summaries) >= 2
    assert summaries[1]["data"]["chained"]
    assert summaries[1]["data"]["evicted_from"] == summaries[0]["data"]["cutoff"]
    files = read("files", demo, "--thread", MAIN)
    offloaded = next(file for file in files if file["kind"] == "offloaded result")
    stdout, _ = call("file", demo, "--thread", MAIN, offloaded["path"])
    assert stdout.encode() == reader.file(MAIN, offloaded["path"])
    assert len(stdout.encode()) == offloaded["size"]


def test_without_json_there_is_a_table(demo: Path) -> None:
    stdout, _ = call("requests", demo, "--thread", MAIN)
    head, *lines = stdout.splitlines()
    assert head.split()[:4] == ["id", "number", "purpose", "agent"]
    assert len(lines) == len(read("requests", demo, "--thread", MAIN))
    for words in (["threads"], ["events", "--thread", MAIN], ["files", "--thread", MAIN]):
        assert len(call(words[0], demo, *words[1:])[0].splitlines()) > 2
    assert "SkillsMiddleware" in call("show", demo, "1")[0]


def test_run_makes_a_thread_and_goes_on_with_it(tmp_path: Path) -> None:
    path = tmp_path / "new.ctx"
    _, told = call("run", path, "--message", "Hello <b>there</b>")
    (row,) = read("threads", path)
    assert row["thread_id"] in told
    before = row["requests"]
    answer, _ = call("run", path, "--message", "And again", "--thread", row["thread_id"])
    assert answer.strip()
    (row,) = read("threads", path)
    assert row["requests"] > before
    assert row["title"] == "Hello <b>there</b>"


def test_a_demo_thread_goes_on(demo: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.ctx"
    copy.write_bytes(demo.read_bytes())
    answer, _ = call("run", copy, "--message", "What else?", "--thread", MAIN)
    assert answer.strip()


def test_an_unknown_model_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "new.ctx"
    _, told = call("run", path, "--message", "Hi", "--model", "nobody:nothing", code=1)
    assert "nobody:nothing" in told
    assert len(told.strip().splitlines()) == 1
    _, told = call("run", path, "--message", "  ", code=2)
    assert "empty" in told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["threads", "{tmp}/missing.ctx"], 2),
        (["threads", "{tmp}"], 2),
        (["threads", "{tmp}/text.ctx"], 3),
        (["threads", "{tmp}/empty.ctx"], 3),
        (["threads", "{tmp}/other.db"], 3),
        (["requests", "{tmp}/good.ctx", "--thread", "nobody"], 2),
        (["show", "{tmp}/good.ctx", "7"], 2),
        (["file", "{tmp}/good.ctx", "--thread", "nobody", "/x"], 2),
        (["demo", "{tmp}/good.ctx"], 2),
        (["requests", "{tmp}/good.ctx"], 2),
        (["show", "{tmp}/good.ctx", "x"], 2),
        (["nonsense"], 2),
    ],
)
def test_bad_use_and_bad_files(tmp_path: Path, words: list[str], code: int) -> None:
    import sqlite3

    Workspace.create(tmp_path / "good.ctx")
    (tmp_path / "text.ctx").write_text("no database at all")
    (tmp_path / "empty.ctx").write_bytes(b"")
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE t(x)")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    _, told = call(*[word.replace("{tmp}", str(tmp_path)) for word in words], code=code)
    assert told.strip()
    kept = {name: (tmp_path / name).read_bytes() for name in before}
    assert kept == before


def test_odd_thread_ids_are_found_and_shown_letter_by_letter(tmp_path: Path) -> None:
    path = tmp_path / "odd.ctx"
    ids = ["../../etc/passwd", "<b>x</b>", "é\u202e", "x" * 300, "user:42|tools:1", "%s {0}"]
    for thread in ids:
        call("run", path, "--message", "Hi", "--thread", thread)
    assert {row["thread_id"] for row in read("threads", path)} == set(ids)
    assert "\u202e" not in call("threads", path)[0]
    for thread in ids:
        assert read("requests", path, "--thread", thread)


def test_no_command_imports_qt(demo: Path) -> None:
    code = "import sys; from engine.cli import main; main(sys.argv[1:]); sys.exit('PySide6' in sys.modules)"
    command = [sys.executable, "-c", code, "threads", str(demo)]
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": os.getcwd()}, capture_output=True).returncode == 0


def test_every_command_of_the_engine_is_one_of_the_program() -> None:
    """A command that the program doesn't know would be opened as a file, in a window."""
    with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", heard := io.StringIO())
        engine_main(["--help"])
    commands = set(re.findall(r"^    (\S+)", heard.getvalue(), re.MULTILINE))
    assert {"run", "agents", "rebuild"} <= commands
    assert commands == set(TERMINAL_COMMANDS)
