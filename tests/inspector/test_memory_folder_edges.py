"""Memory in a folder of the disk: both edits brought together, what can't be edited, a disk that refuses."""

from __future__ import annotations

import os

import pytest

from tests.inspector.test_memory_folder import InFolder
from tests.inspector.test_memory_folder import ran as ran


def test_a_change_on_the_disk_is_merged_with_what_was_typed(ran: InFolder) -> None:
    ran.on_disk.write_text("one\n\ntwo\n\nthree\n")
    view = ran.pane("f")
    view.edit.editor.insertPlainText("mine\n")
    ran.on_disk.write_text("one\n\ntwo\n\nthree\ntheirs\n")
    ran.click(view.edit.save_button)
    ran.click(view.edit.note.buttons()["Merge both"])
    ran.settle()
    ran.click(view.edit.save_button)
    assert ran.on_disk.read_text() == "mine\none\n\ntwo\n\nthree\ntheirs\n"
    assert not view.has_unsaved()
    assert [entry.name for entry in ran.folder.iterdir()] == ["AGENTS.md"], "something was left beside the file"


@pytest.mark.parametrize("what", ["not UTF-8", "a folder", "a link out of the root"])
def test_what_can_not_be_edited_there_says_why_and_is_left_alone(ran: InFolder, what: str) -> None:
    ran.on_disk.unlink()
    outside = ran.folder.parent / "outside.md"
    outside.write_text("nobody's")
    if what == "not UTF-8":
        ran.on_disk.write_bytes(b"caf\xe9\n")
    elif what == "a folder":
        ran.on_disk.mkdir()
    else:
        ran.on_disk.symlink_to(outside)
    view = ran.pane("f")
    said = view.edit.note.text() + view.edit.text.message()
    assert len(said) > 20
    view.edit.editor.insertPlainText("mine\n")
    view.edit.save()
    ran.settle()
    assert not view.edit.save_button.isEnabled()
    assert outside.read_text() == "nobody's"
    assert "nobody's" not in view.edit.editor.toPlainText()
    if what == "not UTF-8":
        assert ran.on_disk.read_bytes() == b"caf\xe9\n"


def test_a_folder_that_can_not_be_written_keeps_what_was_typed(ran: InFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    view = ran.pane("f")
    view.edit.editor.insertPlainText("mine\n")

    def refuse(*_args: object, **_more: object) -> None:  # whoever runs the tests as root may write anywhere
        raise PermissionError(13, "Permission denied")

    for name in ("replace", "rename", "link"):
        monkeypatch.setattr(os, name, refuse)
    ran.click(view.edit.save_button)
    monkeypatch.undo()
    assert "Your text is still here." in view.edit.note.text()
    assert view.edit.editor.shown_text().source.startswith("mine\n")
    assert ran.on_disk.read_bytes() == b"on <disk>\r\n"
    assert [entry.name for entry in ran.folder.iterdir()] == ["AGENTS.md"]
