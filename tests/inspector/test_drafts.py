"""Unsaved text outlives its process, belongs to one window at a time, and is the user's only."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from inspector.drafts import Drafts, draft

WORKSPACE = "/somewhere/w.sqlite"
PATH = "/memories/<b>A&B</b>.md"


def test_a_draft_comes_back_once_its_window_is_gone(tmp_path: Path) -> None:
    slot, none, more = Drafts(tmp_path).adopt(WORKSPACE, PATH)
    assert (none, more) == (None, 0)
    written = draft(WORKSPACE, PATH, "v1", "base\r\n", "typed \ud800 \u2028 text")
    assert slot.write(written, 1)
    slot.leave()
    again, found, more = Drafts(tmp_path).adopt(WORKSPACE, PATH)
    assert (found, more) == (written, 0)
    again.discard(1)
    assert Drafts(tmp_path).adopt(WORKSPACE, PATH)[1] is None
    assert list(tmp_path.iterdir()) == []


def test_a_draft_survives_a_killed_process(tmp_path: Path) -> None:
    script = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from inspector.drafts import Drafts, draft\n"
        "slot, _, _ = Drafts(Path(sys.argv[1])).adopt(sys.argv[2], sys.argv[3])\n"
        "slot.write(draft(sys.argv[2], sys.argv[3], 'v1', 'base', 'typed before the end'), 1)\n"
        "print('written', flush=True)\n"
        "time.sleep(600)\n"
    )
    root = str(Path(__file__).parents[2])
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path), WORKSPACE, PATH],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "written\n"
        assert Drafts(tmp_path).adopt(WORKSPACE, PATH)[1] is None, "its window still has it"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close() if process.stdout else None
    found = Drafts(tmp_path).adopt(WORKSPACE, PATH)[1]
    assert found is not None
    assert (found.text, found.base_text, found.base_version) == ("typed before the end", "base", "v1")


def test_two_windows_never_share_a_draft(tmp_path: Path) -> None:
    drafts = Drafts(tmp_path)
    one, other = drafts.adopt(WORKSPACE, PATH)[0], drafts.adopt(WORKSPACE, PATH)[0]
    one.write(draft(WORKSPACE, PATH, "v", "", "first window"), 1)
    other.write(draft(WORKSPACE, PATH, "v", "", "second window"), 1)
    assert drafts.adopt(WORKSPACE, PATH)[1] is None
    one.leave()
    other.leave()
    slot, latest, more = drafts.adopt(WORKSPACE, PATH)
    assert latest is not None
    assert (latest.text, more) == ("second window", 1)
    slot.discard(2)
    slot, latest, more = drafts.adopt(WORKSPACE, PATH)
    assert latest is not None
    assert (latest.text, more) == ("first window", 0)


def test_a_late_write_never_brings_back_older_text(tmp_path: Path) -> None:
    slot = Drafts(tmp_path).adopt(WORKSPACE, PATH)[0]
    slot.write(draft(WORKSPACE, PATH, "v", "", "newer"), 2)
    assert not slot.write(draft(WORKSPACE, PATH, "v", "", "older"), 1)
    slot.discard(3)
    assert not slot.write(draft(WORKSPACE, PATH, "v", "", "older"), 2)
    assert list(tmp_path.iterdir()) == []
    slot.write(draft(WORKSPACE, PATH, "v", "", "after"), 4)
    slot.discard(3)
    slot.leave()
    found = Drafts(tmp_path).adopt(WORKSPACE, PATH)[1]
    assert found is not None and found.text == "after"


def test_other_files_and_workspaces_are_apart(tmp_path: Path) -> None:
    slot = Drafts(tmp_path).adopt(WORKSPACE, PATH)[0]
    slot.write(draft(WORKSPACE, PATH, "v", "", "mine"), 1)
    slot.leave()
    assert Drafts(tmp_path).adopt(WORKSPACE, "/memories/other.md")[1] is None
    assert Drafts(tmp_path).adopt("/elsewhere/w.sqlite", PATH)[1] is None


def test_only_the_user_can_read_a_draft(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "drafts"
    old = os.umask(0)
    try:
        Drafts(folder).adopt(WORKSPACE, PATH)[0].write(draft(WORKSPACE, PATH, "v", "", "secret"), 1)
    finally:
        os.umask(old)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(file.stat().st_mode) for file in folder.iterdir()} == {0o600}
    assert all(PATH not in file.name and "<b>" not in file.name for file in folder.iterdir())


def test_a_damaged_draft_is_left_alone(tmp_path: Path) -> None:
    slot = Drafts(tmp_path).adopt(WORKSPACE, PATH)[0]
    slot.write(draft(WORKSPACE, PATH, "v", "", "mine"), 1)
    slot.leave()
    (file,) = tmp_path.glob("*.json")
    file.write_bytes(b'{"text": ')
    assert Drafts(tmp_path).adopt(WORKSPACE, PATH)[1] is None
    assert file.read_bytes() == b'{"text": '


def test_a_folder_that_cannot_be_written_is_an_error_to_show(tmp_path: Path) -> None:
    (tmp_path / "drafts").write_text("a file where the folder should be")
    slot = Drafts(tmp_path / "drafts").adopt(WORKSPACE, PATH)[0]
    with pytest.raises(OSError):
        slot.write(draft(WORKSPACE, PATH, "v", "", "mine"), 1)


def test_drafts_lie_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert Drafts().folder == tmp_path / "context-inspector" / "drafts"
