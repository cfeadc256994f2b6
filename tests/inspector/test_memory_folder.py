"""Memory that lies in a folder of the disk is edited in the window as any other: saved there, never over a change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engine import AgentSettings, Runner, Workspace
from engine.agent.scripted import ScriptedChat, Turn
from engine.places import BackendSettings, Place
from inspector.views.skills import SkillsView
from tests.inspector.side_world import AGENTS
from tests.inspector.test_apply import Ran


class InFolder(Ran):
    """A thread whose agent has its memory in a folder."""

    def __init__(self, qtbot, folder: Path) -> None:
        super().__init__(qtbot, folder)
        self.folder = folder / "memories"
        self.folder.mkdir()
        self.on_disk = self.folder / "AGENTS.md"
        self.on_disk.write_bytes(b"on <disk>\r\n")
        backend = BackendSettings(routes={"/memories/": Place("filesystem", root=str(self.folder))})
        runner = Runner(Workspace.open(self.file).path)
        try:
            settings = AgentSettings(model=ScriptedChat(script=[Turn("x")]), backend=backend)
            assert runner.start("f", "hello", settings=settings).wait(60)
        finally:
            runner.close()


@pytest.fixture
def ran(qtbot, qapp, tmp_path: Path) -> Iterator[InFolder]:
    made = InFolder(qtbot, tmp_path)
    yield made
    made.close()


def test_it_is_saved_where_it_lies(ran: InFolder) -> None:
    kept = ran.stored()
    view = ran.pane("f")
    assert view.edit.editor.shown_text().source == "on <disk>\n"
    view.edit.editor.insertPlainText("mine\n")
    assert view.table.proxy.index(0, 0).data() == f"● {AGENTS}"
    ran.click(view.edit.save_button)
    assert ran.on_disk.read_bytes() == b"mine\r\non <disk>\r\n"
    assert ran.stored() == kept, "the file of the same path in the store was written"
    view.edit.modes["versions"].click()
    ran.settle()
    assert view.edit.bench.versions.model.items[0].author == "user"
    view.set_thread("t")
    ran.settle()
    assert view.edit.editor.shown_text().source != "mine\non <disk>\n", "one thread's file stands for another's"


def test_a_change_on_the_disk_is_not_overwritten(ran: InFolder) -> None:
    view = ran.pane("f")
    view.edit.editor.insertPlainText("mine\n")
    ran.on_disk.write_bytes(b"somebody else's\n")
    ran.click(view.edit.save_button)
    assert ran.on_disk.read_bytes() == b"somebody else's\n"
    assert "Merge both" in view.edit.note.buttons()
    assert view.edit.editor.shown_text().source.startswith("mine\n")


def test_it_is_deleted_after_asking(ran: InFolder) -> None:
    view = ran.pane("f")
    ran.click(view.edit.delete_button)
    ran.click(view.edit.note.buttons()["Delete"])
    assert not ran.on_disk.exists()
    assert ran.stored() is not None


def test_two_agents_skills_at_one_path_are_two_files_in_the_editor(ran: InFolder, tmp_path: Path) -> None:
    made = []
    for name in ("one", "two"):
        folder = tmp_path / name / "report"
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f"---\nname: report\ndescription: Of {name}\n---\nBody of {name}.\n")
        backend = BackendSettings(routes={"/skills/": Place("filesystem", root=str(tmp_path / name))})
        runner = Runner(Workspace.open(ran.file).path)
        settings = AgentSettings(model=ScriptedChat(script=[Turn("x")]), backend=backend)
        assert runner.start(name, "hello", settings=settings).wait(60)
        runner.close()
        made.append(folder / "SKILL.md")
    view = SkillsView(ran.reader, ran.jobs, ran.file, drafts=ran.drafts)
    ran.qtbot.addWidget(view)
    view.set_thread("one")
    view.show()
    ran.settle()
    ran.click(view.edit_button)
    editor = view.edits.edit
    assert "Body of one." in editor.editor.shown_text().source
    editor.editor.insertPlainText("typed in one\n")
    view.set_thread("two")
    ran.settle()
    assert "Body of two." in editor.editor.shown_text().source
    assert not editor.can_save(), "one agent's text stands for another's"
    view.set_thread("one")
    ran.settle()
    assert editor.editor.shown_text().source.startswith("typed in one")
    editor.save()
    ran.settle()
    assert made[0].read_text().startswith("typed in one\n")
    assert made[1].read_text().startswith("---\nname: report\ndescription: Of two")


def test_a_folder_in_the_place_of_the_file_is_told_to_stop_the_agent(ran: InFolder) -> None:
    ran.on_disk.unlink()
    ran.on_disk.mkdir()
    view = ran.pane("f")
    assert view.table.proxy.index(0, 2).data() == "! stops the agent"
    assert view.drift.file.text() == "! it is a folder; the agent stops on it"
    assert "fails" in view.standing.text()
    assert view.edit.note.text() == "Read only. It can't be read: it is a folder."
    assert "Create it…" not in view.edit.note.buttons(), "something is there"
    assert not view.edit.can_save()
    ran.on_disk.rmdir()
    view.refresh()
    ran.settle()
    assert view.table.proxy.index(0, 2).data() != "! stops the agent"
    assert "Create it…" in view.edit.note.buttons()
