"""The side panes on the demo workspace, as the engine really recorded it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel

from inspector.drafts import Drafts
from inspector.jobs import Jobs
from inspector.views.files import FilesView
from inspector.views.memory import CACHED, MemoryView
from inspector.views.plain_text import Link
from inspector.views.skills import SkillsView
from inspector.views.summaries import SummariesView
from tests.inspector.side_world import unnamed

WEEK = "competitor-report-week-22"


@pytest.fixture
def opened(qtbot: Any, reader: Any, jobs: Jobs) -> Any:
    """Shows a pane on the thread with everything in it."""

    def open_pane(view: Any, thread: str = WEEK) -> Any:
        qtbot.addWidget(view)
        view.resize(340, 700)
        view.set_thread(thread)
        view.show()
        qtbot.waitUntil(jobs.idle, timeout=20_000)
        return view

    return open_pane


def link(qtbot: Any, view: Any, words: str) -> Link:
    """The link that says so, once Qt has shown it."""

    def shown() -> list[Link]:
        return [each for each in view.facts.findChildren(Link) if not each.isHidden() and each.text() == words]

    qtbot.waitUntil(lambda: len(shown()) == 1)
    return shown()[0]


def test_every_file_of_the_thread_can_be_shown(opened, qtbot, reader, jobs) -> None:
    view = opened(FilesView(reader, jobs))
    artifacts = reader.files(WEEK)
    assert {row.artifact.kind for row in view.model.items} >= {
        "offloaded result", "offloaded message", "history", "memory", "skill", "file",
    }  # fmt: skip
    for artifact in artifacts:
        view.open_path(artifact.path)
        qtbot.waitUntil(jobs.idle)
        assert view.table.current().artifact == artifact
        assert view.text.text().encode() == reader.file(WEEK, artifact.path)
    offloaded = next(row for row in view.model.items if row.artifact.kind == "offloaded result")
    assert offloaded.artifact.size > 240_000
    view.table.select(offloaded.artifact.path)
    with qtbot.waitSignal(view.go_to_request) as asked:
        link(qtbot, view, f"From request {offloaded.number}").click()
    assert reader.request(asked.args[0]).row.number == offloaded.number
    assert unnamed(view) == []


def test_the_chained_summaries_and_their_links(opened, qtbot, reader, jobs) -> None:
    view = opened(SummariesView(reader, jobs))
    files = opened(FilesView(reader, jobs))
    assert view.model.rowCount() >= 2
    assert [item.chained for item in view.model.items] == [False] + [True] * (view.model.rowCount() - 1)
    for item in view.model.items:
        view.select(item.event)
        qtbot.waitUntil(jobs.idle)
        assert view.text.text() == reader.text(item.part)
        view.tabs.setCurrentIndex(1)
        qtbot.waitUntil(jobs.idle)
        assert view.evicted.model.items == list(reader.evicted(item.event))
        assert view.evicted.model.rowCount() == item.cutoff - item.evicted_from
        with qtbot.waitSignal(view.go_to_request) as asked:
            link(qtbot, view, "Summarizing call").click()
        assert reader.request(asked.args[0]).row.purpose == "summary"
        with qtbot.waitSignal(view.open_artifact) as opens:
            link(qtbot, view, "History file").click()
        files.open_path(opens.args[0])
        qtbot.waitUntil(jobs.idle)
        assert files.table.current().artifact.path == item.path
        assert files.text.text()


def test_the_memory_that_the_agent_edited_has_drifted_from_its_thread(
    opened, qtbot, reader, jobs, demo_path: Path, tmp_path: Path
) -> None:
    view = opened(MemoryView(reader, jobs, demo_path, drafts=Drafts(tmp_path)))
    (file,) = view.model.items
    assert file.in_thread is not None and file.in_thread != file.text
    assert view.table.proxy.index(0, 2).data() == "≠ changed since"
    assert view.standing.text() == CACHED
    assert view.edit.editor.shown_text().source == file.text
    view.differences.click()
    qtbot.waitUntil(jobs.idle)
    assert "\n+ " in view.edit.compare.text()
    assert not view.has_unsaved()
    view.set_thread("competitor-report-week-23")
    qtbot.waitUntil(jobs.idle)
    assert view.table.proxy.index(0, 2).data() == "loaded"


def test_the_skill_that_was_read_only_when_it_was_needed(opened, qtbot, reader, jobs) -> None:
    view = opened(SkillsView(reader, jobs))
    read = [item for item in view.model.items if item.skill.read_in]
    assert [item.skill.name for item in read] == ["qbr-report"]
    view.table.select(read[0].skill.path)
    qtbot.waitUntil(jobs.idle)
    assert view.menu.text() == read[0].skill.menu
    assert view.full.text().encode() == reader.file(WEEK, read[0].skill.path)
    number = read[0].skill.read_in[0]
    with qtbot.waitSignal(view.go_to_request) as asked:
        link(qtbot, view, f"#{number}").click()
    assert reader.request(asked.args[0]).row.number == number


def test_a_row_that_is_current_with_the_focus_alone_is_selected(opened, reader, jobs) -> None:
    view = opened(SkillsView(reader, jobs))
    selection = view.table.selectionModel()
    selection.clear()
    selection.setCurrentIndex(view.table.proxy.index(1, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
    assert view.table.currentIndex().row() == 1 and not selection.hasSelection()  # as Qt does it on FocusIn
    view.table.select_first()
    assert [index.row() for index in selection.selectedRows()] == [1]
