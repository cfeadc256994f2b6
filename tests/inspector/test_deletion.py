"""Everything about a thread goes after two questions, never before, and never anything else than was shown."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from engine import Reader
from inspector.views.deletion import DeletionDialog, NamespaceDialog
from tests.inspector.side_world import AGENTS, rich_labels, unnamed
from tests.inspector.test_apply import OLD, Ran


@pytest.fixture
def ran(qtbot, qapp, tmp_path: Path) -> Iterator[Ran]:
    made = Ran(qtbot, tmp_path)
    yield made
    made.close()


def threads(ran: Ran) -> list[str]:
    with closing(Reader(ran.file)) as reader:
        return [row.thread_id for row in reader.threads()]


def dialog(ran: Ran) -> DeletionDialog:
    made = DeletionDialog(ran.jobs, ran.file, "t")
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    ran.qtbot.addWidget(made)
    made.show()
    ran.settle()
    return made


def test_the_thread_goes_after_two_questions(ran: Ran, qtbot) -> None:
    view = dialog(ran)
    assert any("requests" in one.what for one in view.model.items)
    assert not view.sure_button.isVisible()
    assert not rich_labels(view)
    assert not unnamed(view)
    ran.click(view.delete_button)
    assert threads(ran) == ["t"]
    with qtbot.waitSignal(view.deleted, timeout=30_000) as gone:
        ran.click(view.sure_button)
    assert gone.args == ["t"]
    assert threads(ran) == []
    assert ran.stored() == OLD.encode(), "memory that other threads use went too"
    assert view.proof is not None and view.proof.gone
    assert "No row names it any more" in view.says.text()


def test_cancelled_at_the_second_question(ran: Ran) -> None:
    view = dialog(ran)
    ran.click(view.delete_button)
    view.reject()
    assert threads(ran) == ["t"]


def test_something_else_than_was_shown_stays(ran: Ran) -> None:
    from engine import AgentSettings, Runner
    from engine.agent.scripted import ScriptedChat, Turn

    view = dialog(ran)
    ran.click(view.delete_button)
    runner = Runner(ran.file)
    try:
        assert runner.start("t", "more", settings=AgentSettings(model=ScriptedChat(script=[Turn("x")]))).wait(60)
    finally:
        runner.close()
    ran.click(view.sure_button)
    assert "nothing was deleted" in view.says.text()
    assert threads(ran) == ["t"]


def test_a_namespace_goes_with_the_list_of_what_goes_and_the_proof(ran: Ran, qtbot) -> None:
    ran.save("---\nname: x\ndescription: d\n---\nDo.\n", "/skills/x/SKILL.md")
    view = NamespaceDialog(ran.jobs, ran.file)
    view.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    ran.qtbot.addWidget(view)
    view.show()
    ran.settle()
    assert [view.choice.itemText(n) for n in range(view.choice.count())] == ["memories", "skills"]
    assert "in the namespace memories" in view.says.text()
    assert any("versions of files" in one.what for one in view.model.items)
    assert AGENTS in view.more.text()
    assert "hold copies of these files:\nt" in view.more.text()
    assert not any("requests" in one.what for one in view.model.items)
    assert not rich_labels(view)
    assert not unnamed(view)
    view.threads.setChecked(True)
    ran.settle()
    assert any("requests" in one.what for one in view.model.items)
    view.threads.setChecked(False)
    ran.settle()
    ran.click(view.delete_button)
    assert ran.stored() == OLD.encode()
    assert not view.choice.isEnabled()
    with qtbot.waitSignal(view.deleted, timeout=30_000) as gone:
        ran.click(view.sure_button)
    assert gone.args == ["memories"]
    assert ran.stored() is None
    assert ran.stored("/skills/x/SKILL.md") is not None
    assert threads(ran) == ["t"]
    assert view.proof is not None
    assert not view.proof.left


def test_the_window_lets_go_of_the_thread(qtbot, make_window, demo_copy) -> None:
    window = make_window(demo_copy)
    thread = window.session.thread_id or window.session.threads[0].thread_id
    window.session.select_thread(thread)
    qtbot.waitUntil(window.jobs.idle, timeout=30_000)
    window.commands.run("thread.delete")
    view = window.findChild(DeletionDialog)
    qtbot.waitUntil(lambda: view.delete_button.isEnabled(), timeout=30_000)
    view.ask_again()
    with qtbot.waitSignal(view.deleted, timeout=60_000):
        view.delete()
    view.reject()
    assert window.session.thread_id is None
    qtbot.waitUntil(lambda: thread not in [row.thread_id for row in window.session.threads or []], timeout=30_000)
