"""``export`` and ``import`` in a terminal: files, exit codes, sentences."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import closing, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from engine import Reader
from engine.share import export_thread
from inspector.main import main
from tests.engine.share.world import ODD_THREAD, SECRETS

THREAD = "competitor-report-week-23"


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


@pytest.mark.parametrize("form", ["html", "markdown"])
def test_a_page_is_the_librarys(form: str, demo: Path, reader: Reader, tmp_path: Path) -> None:
    out = tmp_path / "page"
    stdout, stderr = call("export", demo, "--thread", THREAD, f"--{form}", out)
    assert stdout == f"{out}\n"
    export = export_thread(reader, THREAD, form)  # type: ignore[arg-type]
    assert out.read_text("utf-8") == export.text
    assert f"17 requests; {export.artifacts} artifacts, {export.artifact_bytes:,} bytes, without" in stderr
    call("export", demo, "--thread", THREAD, "--request", "3", f"--{form}", tmp_path / "one", "--with-artifacts")
    assert "Request 3" in (tmp_path / "one").read_text("utf-8")
    assert "Request 4" not in (tmp_path / "one").read_text("utf-8")


def test_json_out_and_in(demo: Path, reader: Reader, tmp_path: Path) -> None:
    out, into = tmp_path / "out.json", tmp_path / "into.ctx"
    assert process("export", demo, "--thread", THREAD, "--json", out) == f"{out}\n"
    assert json.loads(out.read_text())["thread"]["thread_id"] == THREAD
    stdout, stderr = call("import", into, out)
    assert stdout == f"{THREAD}\n"
    assert "17 requests, 8 events and 6 files of the thread were imported." in stderr
    assert "Put into the store, where agents of this workspace read them: /memories/AGENTS.md" in stderr
    assert process("import", into, out) == f"{THREAD} (2)\n"
    stdout, stderr = call("import", into, out)
    assert stdout == f"{THREAD} (3)\n"
    assert f"There is a thread '{THREAD}' here already" in stderr
    for command in ("requests", "events", "files"):
        assert call(command, into, "--thread", THREAD)[0]
    shown = [
        json.loads(call("show", file, str(reader_of.request_ids(THREAD)[9]), "--json")[0])
        for file, reader_of in ((demo, reader), (into, Reader(into)))
    ]
    for name in ("system", "system_message", "messages", "tools", "provider", "raw", "response", "usage", "cutoff"):
        assert shown[0][name] == shown[1][name]


def test_secrets_are_said_to_be_masked_or_not(odd: Reader, tmp_path: Path) -> None:
    _, stderr = call("export", odd.path, "--thread", ODD_THREAD, "--html", tmp_path / "a.html")
    assert "likely secrets masked: " in stderr
    assert "private key" in stderr
    _, stderr = call("export", odd.path, "--thread", ODD_THREAD, "--json", tmp_path / "a.json", "--unmasked")
    assert "Likely secrets are not masked in it." in stderr
    _, stderr = call("import", tmp_path / "a.ctx", tmp_path / "a.json")
    assert "\x1b" not in stderr
    assert "\u202e" not in stderr


def test_what_can_not_be_done_is_one_sentence(demo: Path, tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    for words, code in (
        (("export", demo, "--thread", "nobody", "--html", tmp_path / "x"), 2),
        (("export", demo, "--thread", THREAD, "--request", "99", "--html", tmp_path / "x"), 2),
        (("export", demo, "--thread", THREAD, "--html", there), 2),
        (("export", demo, "--thread", THREAD, "--html", tmp_path / "no" / "x"), 1),
        (("import", tmp_path / "new.ctx", there), 3),
        (("import", tmp_path / "new.ctx", tmp_path / "none"), 2),
        (("import", there, there), 3),
    ):
        stdout, stderr = call(*words, code=code)
        assert stdout == ""
        assert len(stderr.splitlines()) == 1, stderr
    call("export", demo, "--thread", THREAD, code=2)
    call("export", demo, "--thread", THREAD, "--html", "a", "--json", "b", code=2)
    assert there.read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_another_programs_database_goes_into_pages(tmp_path: Path) -> None:
    from langgraph.checkpoint.base import empty_checkpoint
    from langgraph.checkpoint.sqlite import SqliteSaver

    from engine import open_source

    file = tmp_path / "foreign.db"
    with SqliteSaver.from_conn_string(str(file)) as saver:
        from langchain_core.messages import AIMessage, HumanMessage

        for step, messages in enumerate(([HumanMessage("<b>hi</b>", id="1")],
                                         [HumanMessage("<b>hi</b>", id="1"), AIMessage("hello", id="2")])):  # fmt: skip
            checkpoint = empty_checkpoint()
            checkpoint["channel_values"] = {"messages": messages}
            checkpoint["channel_versions"] = {"messages": str(step + 1)}
            config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
            saver.put(config, checkpoint, {"source": "loop", "step": step}, {"messages": str(step + 1)})  # type: ignore[arg-type]
    with closing(open_source(file)) as source:
        requests = source.requests("t")
    call("export", file, "--thread", "t", "--html", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "&lt;b&gt;hi&lt;/b&gt;" in page
    assert page.count("<section") == len(requests)
    _, stderr = call("export", file, "--thread", "t", "--json", tmp_path / "out.json", code=2)
    assert "Export HTML or Markdown" in stderr


def test_what_the_terminal_shows_is_masked_unless_asked(odd: Reader) -> None:
    lines = [secret.split("\n")[0] for secret in SECRETS]
    for row in odd.requests(ODD_THREAD):
        for command in (("show", odd.path, str(row.id)), ("diff", odd.path, str(row.id), str(row.id))):
            shown = call(*command)[0]
            assert not any(line in shown for line in lines)
        assert json.loads(call("show", odd.path, str(row.id), "--json")[0])
    bare = "".join(call("show", odd.path, str(row.id), "--unmasked")[0] for row in odd.requests(ODD_THREAD))
    exact = "".join(call("show", odd.path, str(row.id), "--json")[0] for row in odd.requests(ODD_THREAD))
    masked = "".join(call("show", odd.path, str(row.id))[0] for row in odd.requests(ODD_THREAD))
    assert "[masked: " in masked and "[masked: " not in bare and "[masked: " not in exact
    assert any(line[:20] in bare for line in lines)
    events = call("events", odd.path, "--thread", ODD_THREAD)[0]
    assert not any(line in events for line in lines)
