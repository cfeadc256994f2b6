"""The terminal's reading commands over a LangGraph database: the same shapes as over a workspace."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from engine import open_source, shapes
from tests.contract.models import Told, call, deep_agent, say, summarizing
from tests.engine.sources.databases import everything, put_state, saver_over

ROOT = Path(__file__).resolve().parents[3]


def run(*words: str | Path, code: int = 0) -> tuple[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "engine.cli", *map(str, words)], capture_output=True, text=True, env=environment
    )
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout, done.stderr


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thread with two summaries, of which the second chains, and one with an odd name."""
    file = tmp_path_factory.mktemp("terminal") / "their sessions.db"
    model = Told(turns=[call("ls", "c", path="/"), *[f"answer {n}" for n in range(6)]], summaries=["S"] * 6)
    with saver_over(file) as saver:
        agent = deep_agent(model, checkpointer=saver, middleware=[summarizing(model, 6, 2)()])
        for n in range(6):
            say(agent, f"question {n}")
        put_state(saver, "é\u202e <b>", {"messages": [HumanMessage("\ud83dhalf"), AIMessage("x\x1b[8m")]})
    return file


def test_every_reading_command_gives_what_the_source_says(file: Path) -> None:
    before = everything(file.parent)

    def read(*words: str | Path) -> Any:
        return json.loads(run(*words, "--json")[0])

    with closing(open_source(file)) as source:
        assert read("threads", file) == [shapes.thread(row) for row in source.threads()]
        rows = read("requests", file, "--thread", "t")
        assert rows == [shapes.request(row) for row in source.requests("t")]
        assert {"id", "number", "purpose", "checkpoint_id", "branch", "follows", "problem"} <= set(rows[0])
        chosen = next(row for row in rows if "summary" in row["events"])
        shown = read("show", file, str(chosen["id"]))
        assert shown["request"] == chosen
        assert shown["system"] == shown["tools"] == [] and shown["system_message"] is None
        assert set(shown["not_recorded"]) == {"system", "tools", "provider", "messages"}
        assert shown["messages"][0]["data"]["additional_kwargs"]["lc_source"] == "summarization"
        assert [row["fate"] for row in shown["raw"]][: shown["cutoff"]] == ["summarized"] * shown["cutoff"]
        events = read("events", file, "--thread", "t")
        assert [event["kind"] for event in events].count("summary") == len(source.summaries("t")) > 1
        (history,) = read("files", file, "--thread", "t")
        assert run("file", file, "--thread", "t", history["path"])[0].encode() == source.file("t", history["path"])
    assert everything(file.parent) == before


def test_without_json_a_request_says_what_is_not_recorded(file: Path) -> None:
    with closing(open_source(file)) as source:
        id = source.request_ids("t")[-1]
    shown = run("show", file, str(id))[0]
    assert "System\n  not recorded: The system message is not in a LangGraph database" in shown
    assert "Tools\n  not recorded:" in shown
    assert "Rebuilt from the checkpoint" in shown


def test_an_odd_thread_is_shown_letter_by_letter(file: Path) -> None:
    listed = run("threads", file)[0]
    assert "\u202e" not in listed and "\x1b" not in listed
    rows = json.loads(run("requests", file, "--thread", "é\u202e <b>", "--json")[0])
    assert [row["purpose"] for row in rows] == ["other"]
    assert "\x1b" not in run("show", file, str(rows[0]["id"]))[0]


@pytest.mark.parametrize(
    ("words", "code", "sentence"),
    [
        (["requests", "FILE", "--thread", "nobody"], 2, "There is no thread"),
        (["show", "FILE", "99999"], 2, "There is no request 99999"),
        (["file", "FILE", "--thread", "t", "/etc/passwd"], 2, "no file at /etc/passwd in its state"),
        (["run", "FILE", "--message", "hello"], 3, "can be read, and nothing is ever written to it"),
        (["demo", "FILE"], 2, "is there already"),
    ],
)
def test_what_is_not_there_or_not_allowed_is_a_sentence(file: Path, words: list[str], code: int, sentence: str) -> None:
    before = everything(file.parent)
    _, told = run(*[str(file) if word == "FILE" else word for word in words], code=code)
    assert sentence in told
    assert everything(file.parent) == before
