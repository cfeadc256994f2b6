"""S12: memory files of a folder in odd states, and what the pane says the agent does with each."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import AgentSettings, Runner, Workspace
from engine.agent.scripted import ScriptedChat, Turn
from engine.places import BackendSettings, Place
from tests.cases.looking import cell, pane, tip
from tests.inspector.conftest import WAIT_MS

CASES: dict[str, bytes] = {"bom-crlf": b"\xef\xbb\xbfa\r\nb", "spaces": b" \n", "empty": b"", "cp1252": b"fine\n"}
LATER = ("folder", "missing")
"""No file stood there when the thread began."""

SAYS: dict[str, tuple[str, str, str, str]] = {
    "bom-crlf": ("loaded", "loaded · 7 bytes · ~2 tokens · UTF-8 · CRLF · byte order mark", "= the file", "= the copy"),
    "spaces": ("empty", "empty: the model gets nothing of it", "= the file", "= the copy"),
    "empty": ("empty", "empty: the model gets nothing of it", "= the file", "= the copy"),
    "cp1252": ("not UTF-8", "! not UTF-8: byte 3 is 0xe9", "≠ the file", "= the copy, not the file"),
    "folder": ("! stops the agent", "! it is a folder", "none: there was no file then", "carried nothing of it"),
    "missing": ("missing", "missing: the agent skips it", "none: there was no file then", "carried nothing of it"),
}
"""Name → the word in the table, and how the file, the copy and the last request stand to each other."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A thread that loaded what it could; since then a file is of another encoding, and a folder came."""
    folder = tmp_path_factory.mktemp("s12")
    memories = folder / "memories"
    for name in (*CASES, *LATER):
        (memories / name).mkdir(parents=True)
    for name, data in CASES.items():
        (memories / name / "AGENTS.md").write_bytes(data)
    settings = AgentSettings(
        model=ScriptedChat(script=[Turn("x")]),
        backend=BackendSettings(routes={"/memories/": Place("filesystem", root=str(memories))}),
        memory=tuple(f"/memories/{name}/AGENTS.md" for name in (*CASES, *LATER)),
    )
    runner = Runner(Workspace.create(folder / "w.ctx").path)
    try:
        assert runner.start("t", "hello", settings=settings).wait(60)
    finally:
        runner.close()
    (memories / "cp1252" / "AGENTS.md").write_bytes("caf\u00e9".encode("cp1252"))
    (memories / "folder" / "AGENTS.md").mkdir()
    return folder / "w.ctx"


def test_each_source_says_what_the_agent_does_with_it(qtbot: Any, make_window: Any, file: Path) -> None:
    view = pane(qtbot, make_window(file), "memory")
    table = view.table
    rows = {cell(table, row, 0).split("/")[2]: row for row in range(table.model().rowCount())}
    assert set(rows) == set(SAYS)
    for name, (word, now, copy, request) in SAYS.items():
        assert cell(table, rows[name], 2) == word, name
        table.setCurrentIndex(table.model().index(rows[name], 0))
        rest = view.drift
        qtbot.waitUntil(lambda rest=rest, now=now: rest.file.text().startswith(now), timeout=WAIT_MS)
        assert (rest.copy.text(), rest.request.text()) == (copy, request), name
    assert "the model gets nothing of it" in tip(table, rows["empty"], 2)
