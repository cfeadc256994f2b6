"""A request made again with the agent's own code, from the window: asked first, cancelled, shown, compared."""

import shutil
from pathlib import Path

import pytest

from inspector.views.rebuild import RebuildWindow
from inspector.views.text_window import TextWindow
from tests.engine.rebuild.test_rebuild import project  # noqa: F401  (a fixture)
from tests.inspector.conftest import WAIT_MS, settle


@pytest.fixture
def foreign(qtbot, make_window, project, tmp_path):  # noqa: F811
    """A window on another program's database, its agent's code beside it."""
    folder, _seen = project
    for name in ("their.db", "their_agent.py", "langgraph.json"):
        shutil.copyfile(folder / name, tmp_path / name)
    window = make_window(tmp_path / "their.db")
    window.choose_thread("t")
    settle(qtbot, window)
    window.asked = []
    window.ask = lambda _parent, sentence, *_words: window.asked.append(sentence) or True
    return window


def opened(window) -> RebuildWindow:
    assert window.commands.run("request.rebuild")
    return next(each for each in window.findChildren(RebuildWindow) if each.isVisible())


def ran(qtbot, window, dialog: RebuildWindow, agent: str) -> None:
    dialog.field.setText(agent)
    dialog.start()
    qtbot.waitUntil(lambda: dialog.run_button.isEnabled() and window.jobs.idle(), timeout=WAIT_MS * 3)


def test_the_exact_request_is_shown_with_what_the_record_lacks(qtbot, foreign):
    folder = Path(foreign.desk.opened.path).parent
    session = foreign.session
    session.select_index(1)
    dialog = opened(foreign)
    qtbot.waitUntil(foreign.jobs.idle, timeout=WAIT_MS)
    assert dialog.field.text() == f"{folder}/langgraph.json:main"  # found beside the database
    before = (folder / "their.db").read_bytes()
    ran(qtbot, foreign, dialog, dialog.field.text())
    assert dialog.pane.state() == "content", dialog.pane.message()
    assert len(foreign.asked) == 1 and "process of its own" in foreign.asked[0]
    assert (folder / "their.db").read_bytes() == before
    view = dialog.result_view
    system, messages, _tools, _provider = view.areas
    detail = messages._detail
    texts = [messages._reader.text(block.part) for block in detail.system]
    assert any("Look <b>well</b>." in text for text in texts)
    assert "look" in [tool.name for tool in detail.tools]
    whats = {(row.area, row.what) for row in view.model.items}
    assert ("tools", "only rebuilt") in whats and ("system", "only rebuilt") in whats
    sent = [row for row in view.model.items if row.area == "messages"]
    # LangChain writes the old form of a picture anew on the way to the model: the checkpoint has the one, it the other.
    assert [row.what for row in sent] == ["changed", "same", "same"]
    assert '"source_type"' in sent[0].recorded and '"source_type"' not in sent[0].rebuilt
    assert "The record does not tell system and tools" in dialog.says.text()
    view.tabs.setCurrentWidget(system)
    system.table.setCurrentIndex(system.model.index(1, 0))
    qtbot.waitUntil(lambda: system.text.text.state() == "content", timeout=WAIT_MS)
    assert system.text.text.text() == texts[0]
    view.tabs.setCurrentWidget(view._compared)
    view.table.select(sent[0].place)
    qtbot.waitUntil(lambda: view.compare.pane.state() == "content", timeout=WAIT_MS)
    dialog.close()
    again = opened(foreign)
    assert again.field.text() == f"{folder}/langgraph.json:main"  # kept for this source
    again.close()


def test_nothing_is_run_without_a_yes(qtbot, foreign):
    foreign.session.select_index(0)
    dialog = opened(foreign)
    foreign.ask = dialog._ask = lambda *_args: False
    dialog.field.setText("their_agent.py:agent")
    dialog.start()
    assert foreign.jobs.idle() or dialog.run_button.isEnabled()
    assert dialog.pane.state() == "empty"
    dialog.field.clear()
    dialog.start()
    assert dialog.pane.message().startswith("! Name the agent first")
    dialog.close()


@pytest.mark.parametrize(
    ("code", "says", "whole"),
    [
        ("raise ValueError('no <b>settings</b>')", "ValueError: no <b>settings</b>", "line 1"),
        ("import os; print('gone'); os._exit(3)", "ended its process", "gone"),
        ("agent = 3", "not a LangGraph agent", ""),
    ],
)
def test_a_fault_of_the_code_is_a_sentence_and_the_whole_on_demand(qtbot, foreign, code, says, whole):
    path = Path(foreign.desk.opened.path).with_name("broken.py")
    path.write_text(code)
    foreign.session.select_index(0)
    dialog = opened(foreign)
    ran(qtbot, foreign, dialog, f"{path}:agent")
    assert dialog.pane.state() == "error" and says in dialog.pane.message()
    assert dialog.details_button.isHidden() == (not whole)
    if whole:
        dialog.details_button.click()
        (shown,) = [each for each in dialog.findChildren(TextWindow) if each.isVisible()]
        qtbot.waitUntil(lambda: shown.text.state() == "content", timeout=WAIT_MS)
        assert whole in shown.text.text()
        shown.close()
    dialog.close()


def test_code_that_takes_its_time_is_ended_with_its_children(qtbot, foreign, tmp_path):
    started, path = tmp_path / "started", tmp_path / "slow.py"
    path.write_text(
        "import pathlib, subprocess, time, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"pathlib.Path({str(started)!r}).write_text(str(child.pid))\n"
        "time.sleep(600)\n"
    )
    foreign.session.select_index(0)
    dialog = opened(foreign)
    dialog.field.setText(f"{path}:agent")
    dialog.start()
    qtbot.waitUntil(lambda: started.exists() and started.read_text() != "", timeout=WAIT_MS)
    qtbot.waitUntil(lambda: dialog.pane._loading.far.endswith("s"), timeout=WAIT_MS)
    child = int(started.read_text())
    dialog._cancelled()
    assert "The process was ended" in dialog.pane.message()
    qtbot.waitUntil(foreign.jobs.idle, timeout=WAIT_MS)
    stat = Path(f"/proc/{child}/stat")
    qtbot.waitUntil(lambda: not stat.exists() or stat.read_text().split()[2] == "Z", timeout=WAIT_MS)
    dialog.close()


def test_only_a_main_agents_request_can_be_rebuilt(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    session = window.session
    seen = set()
    for thread in [row.thread_id for row in session.threads]:
        window.choose_thread(thread)
        settle(qtbot, window)
        for row in session.rows.known():
            session.select_request(row.id)
            able = window.commands.run("request.rebuild") if row.purpose != "agent" else None
            seen.add((row.purpose, able))
        if len(seen) >= 3:
            break
    assert ("summary", False) in seen and ("subagent", False) in seen
