"""S10: files in two formats, and bytes. S11, S12: what a database has of skills and memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import HumanMessage
from PySide6.QtWidgets import QTableView

from tests.cases.databases import of_state
from tests.cases.looking import cell, pane, said, tip
from tests.inspector.conftest import WAIT_MS

FILES: dict[str, Any] = {
    "/v1.txt": {"content": ["one", "two", ""], "created_at": "x", "modified_at": "2025-11-01T00:00:00+00:00"},
    "/v2.txt": {"content": "one\r\ntwo\n", "encoding": "utf-8", "created_at": "x", "modified_at": None},
    "/pic.png": {"content": "iVBORw0KGgo=", "encoding": "base64"},
    "/lied.png": {"content": "iVBORw0KGgo=", "encoding": "utf-8"},
    "/js.bin": {"content": {"0": 137, "1": 80}},
    "/gone": None,
    "/none": {"content": None},
    "/bad64": {"content": "%%%", "encoding": "base64"},
    "/a/../b": {"content": "dots"},
    "no-slash": {"content": ""},
    "/dir/": {"content": "trailing slash"},
}
PROBLEMS = {
    "/lied.png": "stored as text, but it reads as the base64 of a PNG picture",
    "/js.bin": "the content is dict, which no release writes",
    "/gone": "the entry is empty",
    "/none": "the entry is empty",
    "/bad64": "the base64 is damaged",
}
MEMORY = {"/m/AGENTS.md": "\ufeffa\r\nb\u2028c", "/m/empty.md": ""}
SKILLS: list[Any] = [
    {"name": "long", "path": "/s/long/SKILL.md", "description": "w" * 1024},
    {"name": "null", "path": "/s/null/SKILL.md", "description": "None"},
    "damaged",
]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One thread with all of them."""
    return of_state(
        tmp_path_factory.mktemp("s10") / "case.db",
        messages=[HumanMessage("a")],
        files=FILES,
        memory_contents=MEMORY,
        skills_metadata=SKILLS,
    )


def test_files_of_both_formats_bytes_and_damaged_ones(qtbot, make_window, file: Path) -> None:
    window = make_window(file)
    view = pane(qtbot, window, "files")
    table: QTableView = view.table
    listed = {cell(table, row, 0): row for row in range(table.model().rowCount())}
    assert set(listed) == {("! " if path in PROBLEMS else "") + path for path in FILES}
    for path, problem in PROBLEMS.items():
        assert problem in tip(table, listed[f"! {path}"], 0)
    for path, shown in {"/v1.txt": "one\ntwo\n", "/v2.txt": "one\r\ntwo\n", "/a/../b": "dots"}.items():
        view.open_path(path)
        qtbot.waitUntil(lambda shown=shown: view.text.text() == shown, timeout=WAIT_MS)
    view.open_path("/pic.png")
    qtbot.waitUntil(lambda: "a PNG picture" in view.note.text(), timeout=WAIT_MS)
    assert "89 50 4e 47" in view.text.text().casefold()
    for path, problem in PROBLEMS.items():
        view.open_path(path)
        qtbot.waitUntil(lambda problem=problem: problem in view.note.text(), timeout=WAIT_MS)


def test_memory_and_skills_are_the_states_copies_and_nothing_more_is_claimed(qtbot, make_window, file: Path) -> None:
    window = make_window(file)
    memory = pane(qtbot, window, "memory")
    table = memory.findChild(QTableView)
    assert [Path(cell(table, row, 0).removeprefix("! ")).name for row in range(table.model().rowCount())] == [
        "AGENTS.md", "empty.md",
    ]  # fmt: skip
    assert "The file is not in this database" in said(memory)
    assert "no such file" not in said(memory)
    qtbot.waitUntil(lambda: memory.edit.editor.toPlainText() != "", timeout=WAIT_MS)
    assert memory.edit.editor.toPlainText() == "a\nb\nc"
    assert memory.edit.editor.isReadOnly()
    assert [cell(table, row, 2) for row in (0, 1)] == ["copy only", "empty copy"]
    table.selectRow(1)
    qtbot.waitUntil(lambda: "the copy that the thread loaded is empty" in memory.edit.note.text(), timeout=WAIT_MS)
    skills = pane(qtbot, window, "skills")
    table = skills.findChild(QTableView)
    names = [cell(table, row, 0).removeprefix("! ") for row in range(table.model().rowCount())]
    assert names == ["long", "null"]
    assert "its file is not in this database" in tip(table, 0, 0) + said(skills)
