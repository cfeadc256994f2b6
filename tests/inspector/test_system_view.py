"""System: blocks in order with who added them, each one's text, and the whole."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester

from inspector.models.shown_text import shown
from inspector.views.system import SystemView
from tests.inspector.request_samples import PartsReader, at_once, make_detail, system_blocks
from tests.inspector.values import HOSTILE


@pytest.fixture
def parts() -> PartsReader:
    return PartsReader()


@pytest.fixture
def view(qtbot, jobs, parts) -> SystemView:
    made = SystemView(parts, jobs)
    qtbot.addWidget(made)
    made.resize(900, 400)
    made.show()
    return made


def names(view: SystemView) -> list[str]:
    return [view.model.index(n, 0).data() for n in range(view.model.rowCount())]


def choose(qtbot, jobs, view: SystemView, row: int) -> None:
    view.table.setCurrentIndex(view.model.index(row, 0))
    at_once(qtbot, jobs, view)


def test_blocks_stand_in_order_with_their_contributors(qtbot, jobs, view, parts) -> None:
    blocks = system_blocks(
        parts, ("caller", "You are."), ("SkillsMiddleware", "Skills: <b>"), ("MemoryMiddleware", "Memory"), ("", "x")
    )
    view.show_request(make_detail(system=blocks), None)
    at_once(qtbot, jobs, view)
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert names(view) == ["Whole message", "caller's prompt", "SkillsMiddleware", "MemoryMiddleware", "not known"]
    assert [view.model.cell(n).kind for n in range(1, 5)] == ["system", "skills", "memory", "system"]
    for row, text in ((1, "You are."), (2, "Skills: <b>"), (3, "Memory")):
        choose(qtbot, jobs, view, row)
        assert view.text.text.text() == text
    view.text.show_json()
    at_once(qtbot, jobs, view)
    assert view.text.json.text() == parts.json_text(blocks[2].part)


def test_the_whole_message_is_all_blocks_with_drawn_labels(qtbot, jobs, view, parts) -> None:
    blocks = system_blocks(parts, ("caller", "One."), ("MemoryMiddleware", "\n\nTwo."))
    view.show_request(make_detail(system=blocks), None)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 0
    assert view.text.text.text() == "One.\n\nTwo."
    assert view.text.text.edit.toPlainText() == "S  0  caller's prompt\nOne.\nM  1  MemoryMiddleware\n\n\nTwo."
    view.text.text.copy_all()
    assert QGuiApplication.clipboard().text() == "One.\n\nTwo."


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter(qtbot, jobs, view, parts, text) -> None:
    view.show_request(make_detail(system=system_blocks(parts, (text, text))), None)
    choose(qtbot, jobs, view, 1)
    assert view.text.text.text() == text
    assert view.text.text.edit.toPlainText() == shown(text).text
    tip = view.model.index(1, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<b>" not in tip.removeprefix("<qt>")


def test_the_block_stays_chosen_by_its_contributor(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(1, system=system_blocks(parts, ("caller", "a"), ("MemoryMiddleware", "b"))), None)
    choose(qtbot, jobs, view, 2)
    more = system_blocks(parts, ("caller", "a"), ("SkillsMiddleware", "s"), ("MemoryMiddleware", "c"))
    view.show_request(make_detail(2, system=more), None)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 3
    assert view.text.text.text() == "c"
    view.show_request(make_detail(3, system=system_blocks(parts, ("caller", "a"))), None)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 1


def test_cache_markers_stand_at_their_block(qtbot, jobs, view, parts) -> None:
    markers = [{"area": "system", "index": 1, "marker": {"type": "ephemeral"}}, {"area": "tools", "index": 0}]
    blocks = system_blocks(parts, ("caller", "a"), ("MemoryMiddleware", "b"))
    view.show_request(make_detail(system=blocks, provider={"cache_markers": markers}), None)
    assert [len(view.model.cell(n).badges) for n in range(3)] == [0, 0, 1]


def test_no_system_message_is_said(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(), None)
    assert view.pane.message() == "This request was sent without a system message."
    view.clear()
    assert "No request is selected." in view.pane.message()


def test_every_block_of_the_demo_is_shown_as_recorded(qtbot, jobs, reader) -> None:
    view = SystemView(reader, jobs)
    qtbot.addWidget(view)
    view.resize(900, 400)
    view.show()
    seen: set[int] = set()
    for thread in reader.threads():
        for id in reader.request_ids(thread.thread_id):
            detail = reader.request(id)
            if {block.part for block in detail.system} <= seen:
                continue
            seen |= {block.part for block in detail.system}
            view.show_request(detail, None)
            assert view.model.rowCount() == len(detail.system) + 1
            for block in detail.system:
                choose(qtbot, jobs, view, block.index + 1)
                assert view.text.text.text() == reader.text(block.part)
            choose(qtbot, jobs, view, 0)
            assert view.text.text.text() == "".join(reader.text(block.part) for block in detail.system)
    assert len(seen) >= 4
