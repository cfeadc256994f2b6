"""After a deletion no byte of it is left: not in the file, its index, the drafts or what the window remembers."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

from engine import AgentSettings, Runner, Search, Workspace
from engine.agent.scripted import ScriptedChat, Turn
from engine.memory import save_memory
from inspector import drafts
from inspector.drafts import Drafts
from inspector.forgetting import drop_drafts
from inspector.prefs import Prefs
from inspector.views.deletion import DeletionDialog, NamespaceDialog
from inspector.views.try_prompt import TryPrompt
from inspector.workbench import prompt_name
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.side_world import AGENTS

PLANT = "quetzalcoatlus-northropi"
THREAD = f"thread of {PLANT}"


class Planted:
    """A window on a workspace in which a word stands wherever something of a thread or its memory can stand."""

    def __init__(self, qtbot, make_window, folder: Path, memory: str) -> None:
        self.qtbot, self.folder = qtbot, folder
        self.file = folder / "w.ctx"
        Workspace.create(self.file)
        save_memory(self.file, AGENTS, memory, "")
        runner = Runner(self.file)
        try:
            for thread, said in ((THREAD, f"tell me of {PLANT}"), ("stays", "hello")):
                settings = AgentSettings(model=ScriptedChat(script=[Turn(f"about {said}"), Turn("two")]))
                assert runner.start(thread, said, settings=settings).wait(60)
        finally:
            runner.close()
        self.prefs = Prefs(folder / "config", folder / "state" / "messages")
        self.window = make_window(self.file, self.prefs)
        self.window.session.select_thread(THREAD)
        self.settle()

    def settle(self) -> None:
        settle(self.qtbot, self.window)

    def where(self) -> set[str]:
        """Files beside the workspace, of the index, drafts and preferences, that hold the word."""
        self.prefs.sync()
        roots = [self.folder, *(Path(os.environ[f"XDG_{name}_HOME"]) for name in ("STATE", "CACHE", "CONFIG"))]
        files = {file for root in roots for file in root.rglob("*") if file.is_file()}
        words = (PLANT.encode(), PLANT.encode("utf-16-le"))
        return {file.name for file in files if any(word in file.read_bytes() for word in words)}

    def delete(self, command: str, kind: type[DeletionDialog]) -> DeletionDialog:
        self.window.commands.run(command)
        dialog = self.window.findChild(kind)
        self.qtbot.waitUntil(lambda: dialog.delete_button.isEnabled(), timeout=WAIT_MS)
        return dialog

    def surely(self, dialog: DeletionDialog) -> None:
        dialog.ask_again()
        with self.qtbot.waitSignal(dialog.deleted, timeout=60_000):
            dialog.delete()
        self.settle()
        assert dialog.proof.gone, dialog.says.text()
        assert dialog.says.text().count("\n") == 0, "something was left"
        dialog.reject()


def test_no_byte_of_a_thread_is_left(qtbot, make_window, tmp_path: Path) -> None:
    planted = Planted(qtbot, make_window, tmp_path, "- knows nothing\n")
    window = planted.window
    window.composer.edit.setPlainText(f"not sent: {PLANT}")
    window.composer.save_draft()
    window.answering.drafts.load(THREAD)
    window.answering.drafts.put(THREAD, "q", {"text": PLANT})
    planted.settle()
    window.answering.drafts.flush()
    window.commands.run("prompt.try")
    prompt = window.findChild(TryPrompt)
    qtbot.waitUntil(lambda: prompt.own_button.isVisible() and window.jobs.idle(), timeout=WAIT_MS)
    prompt.editor.insertPlainText(f"Speak of {PLANT}.")
    prompt._keeper.keep()
    cache = Path(os.environ["XDG_CACHE_HOME"])
    others = set(cache.rglob("*"))
    with closing(Search(planted.file)) as search:
        assert search.find(PLANT).hits
    index = {file for file in set(cache.rglob("*")) - others if file.is_file()}
    assert index, "an index was made"
    planted.settle()
    found = planted.where()
    assert {"w.ctx", "window.ini"} <= found
    assert len([name for name in found if name.endswith((".txt", ".json"))]) == 3, found
    dialog = planted.delete("thread.delete", DeletionDialog)
    assert "What was typed and not sent goes too" in dialog.more.edit.shown_text().source
    planted.surely(dialog)
    planted.settle()
    assert planted.where() == set()  # the window may have made a new index since
    assert [row.thread_id for row in window.session.threads] == ["stays"]


def test_no_byte_of_a_namespace_is_left_with_the_threads_that_hold_copies(qtbot, make_window, tmp_path: Path) -> None:
    planted = Planted(qtbot, make_window, tmp_path, f"- knows {PLANT}\n")
    window = planted.window
    window.around.show("memory")
    planted.settle()
    view = window.desk.around["memory"]
    view.edit.editor.insertPlainText(f"unsaved {PLANT}\n")
    view.flush()
    assert any(name.endswith(".draft.json") for name in planted.where())
    dialog = _chosen(planted, planted.delete("namespace.delete", NamespaceDialog), "memories")
    assert "not saved goes too" in dialog.more.edit.shown_text().source
    dialog.threads.setChecked(True)
    planted.qtbot.waitUntil(lambda: dialog.delete_button.isEnabled() and window.jobs.idle(), timeout=WAIT_MS)
    planted.surely(dialog)
    planted.settle()
    assert planted.where() == set()
    assert not view.has_unsaved()
    window.close()
    assert planted.where() == set(), "it was written again when the window went"


def test_a_text_that_another_window_is_writing_stays_and_is_told(tmp_path: Path) -> None:
    kept, held = Drafts(tmp_path / "drafts"), []
    for name in (prompt_name("t"), prompt_name("other"), "/memories/AGENTS.md in memories", 'item ["memories.x", "k"]'):
        slot, _, _ = kept.adopt(tmp_path / "w.ctx", name)
        held.append(slot)
        slot.write(drafts.draft(tmp_path / "w.ctx", name, "v", "base", "typed"), 1)
        if name != prompt_name("t"):
            slot.leave()
    assert drop_drafts(kept, tmp_path / "w.ctx", "t", "") == [prompt_name("t")]
    assert drop_drafts(kept, tmp_path / "other.ctx", "other", "memories") == []
    assert len(list(kept.folder.glob("*.json"))) == 4
    assert drop_drafts(kept, tmp_path / "w.ctx", "other", "memories") == []
    assert [drafts._read(file).path for file in kept.folder.glob("*.json")] == [prompt_name("t")]


def _chosen(planted: Planted, dialog: NamespaceDialog, name: str) -> NamespaceDialog:
    dialog.choice.setCurrentText(name)
    planted.qtbot.waitUntil(lambda: dialog.delete_button.isEnabled() and planted.window.jobs.idle(), timeout=WAIT_MS)
    assert dialog.subject == name
    return dialog
