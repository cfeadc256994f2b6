"""S13: encrypted checkpoints. S14: broken database files."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from tests.cases.looking import choose, requests, said, threads
from tests.engine.sources.databases import everything, put_state, saver_over
from tests.engine.sources.test_cases import Xor
from tests.inspector.conftest import WAIT_MS

SEALED = "encrypted with xor, not readable here"


@pytest.fixture(scope="module")
def encrypted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One thread of encrypted rows, one of plain ones, one of both."""
    file = tmp_path_factory.mktemp("s13") / "enc.db"
    with saver_over(file) as plain:
        sealed = SqliteSaver(plain.conn, serde=EncryptedSerializer(Xor()))
        for saver, thread_id in ((sealed, "sealed"), (sealed, "mixed"), (plain, "mixed"), (plain, "open")):
            put_state(saver, thread_id, {"messages": [HumanMessage(f"text of {thread_id}")]}, agent_name="agent")
    return file


def test_a_sealed_thread_is_listed_and_says_why_it_cannot_be_read(qtbot, make_window, encrypted: Path) -> None:
    before = everything(encrypted.parent)
    window = make_window(encrypted)
    said_of = threads(window)
    assert SEALED in said_of["sealed"]
    assert SEALED in said_of["mixed"]
    assert "encrypted" not in said_of["open"]
    choose(qtbot, window, "sealed")
    assert SEALED in window.desk.reading_note.text()
    assert SEALED in requests(window)[0][-1]
    header = said(window.desk.request.header)
    assert SEALED in header.casefold()
    everywhere = " ".join((*said_of.values(), header, window.desk.reading_note.text(), said(window)))
    for wrong in ("corrupt", "damaged", "key", "password", "shown is"):
        assert wrong not in everywhere.casefold(), wrong
    assert everything(encrypted.parent) == before


def test_a_plain_row_among_encrypted_ones_is_marked_and_other_threads_are_not(
    qtbot, make_window, encrypted: Path
) -> None:
    window = make_window(encrypted)
    choose(qtbot, window, "mixed")
    assert "! not protected" in requests(window)[-1][-1], "first, where a narrow column shows it"
    assert "Not protected" in said(window.desk.request.header) or "not protected" in said(window.desk.request.header)
    choose(qtbot, window, "open")
    assert "protected" not in requests(window)[0][-1]
    assert not window.desk.reading_note.text()
    assert "Messages 1" in window.desk.request.tabs.tabText(1)


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Forty threads of one checkpoint each; three are damaged."""
    file = tmp_path_factory.mktemp("s14") / "good.db"
    with saver_over(file) as saver:
        for i in range(40):
            put_state(saver, f"t{i}", {"messages": [HumanMessage("x" * 3000, id=str(i))]})
        for change in (
            "SET checkpoint = substr(checkpoint, 1, 100) WHERE thread_id = 't3'",
            "SET metadata = x'00ff' WHERE thread_id = 't4'",
            "SET checkpoint = 'text, not a blob' WHERE thread_id = 't5'",
        ):
            saver.conn.execute(f"UPDATE checkpoints {change}")
    return file.read_bytes()


def kept(folder: Path, data: bytes) -> Path:
    """A database in a folder of its own."""
    file = folder / "data" / "case.db"
    file.parent.mkdir()
    file.write_bytes(data)
    return file


def test_one_bad_row_spoils_one_row(qtbot, make_window, good: bytes, tmp_path: Path, faults: list) -> None:
    file = kept(tmp_path, good)
    before = everything(file.parent)
    window = make_window(file)
    said_of = threads(window)
    assert len(said_of) == 40
    assert {id for id, words in said_of.items() if "damaged" in words} == {"t3", "t4", "t5"}
    for thread_id in ("t3", "t4", "t5", "t7"):
        choose(qtbot, window, thread_id)
        note = window.desk.reading_note.text()
        assert ("damaged" in note) is (thread_id != "t7")
        assert "The file is" not in note, "the file itself is sound"
    assert "Messages 1" in window.desk.request.tabs.tabText(1)
    assert not faults
    assert everything(file.parent) == before


def test_a_file_cut_off_shows_what_is_left_and_says_to_copy_it(
    qtbot, make_window, good: bytes, tmp_path: Path, faults: list
) -> None:
    file = kept(tmp_path, good[: len(good) * 6 // 10])
    before = everything(file.parent)
    window = make_window(file)
    assert len(threads(window)) == 40
    note = window.desk.reading_note
    qtbot.waitUntil(lambda: "damaged near page" in note.text(), timeout=WAIT_MS)
    assert "Copy it before you try to repair it." in note.text()
    assert note.isVisible()
    assert not faults, "no box per row"
    assert everything(file.parent) == before, "never repaired, vacuumed or renamed"


def test_a_page_of_zeros_is_named(qtbot, make_window, good: bytes, tmp_path: Path) -> None:
    data = bytearray(good)
    middle = len(good) // 2 // 4096 * 4096
    data[middle : middle + 4096] = bytes(4096)
    window = make_window(kept(tmp_path, bytes(data)))
    assert len(threads(window)) == 40
    note = window.desk.reading_note
    while "damaged near page" not in note.text():
        window.threads.list.setFocus()
        at = window.threads.list.currentIndex().row() + 1
        assert at < 40, "no thread was spoilt"
        choose(qtbot, window, window.threads.model.row_at(window.threads.model.index(at)).thread_id)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (lambda good: good[:100], "is cut off"),
        (lambda good: b"PK\x03\x04" + good[4:], "is not an SQLite database"),
        (lambda good: good[:100] + bytes(len(good) - 100), "can't be read"),
        (lambda good: b"", "is empty"),
    ],
    ids=["header only", "another format", "zeros", "nothing"],
)
def test_a_file_of_which_nothing_is_left_is_never_called_one_without_threads(
    qtbot, make_window, good: bytes, tmp_path: Path, data, says: str
) -> None:
    (tmp_path / "gone.db").write_bytes(data(good))
    window = make_window()
    window.open(tmp_path / "gone.db")
    qtbot.waitUntil(lambda: says in said(window.threads), timeout=WAIT_MS)
    assert "no thread" not in said(window.threads).casefold()
