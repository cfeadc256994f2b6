"""Files: what is listed, what is shown of a file, and what is never lost or guessed."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QTextDocument
from PySide6.QtWidgets import QFileDialog

from engine.errors import InspectorError
from inspector import file_content, format
from inspector.export import safe_name, save_copy
from inspector.jobs import Jobs
from inspector.json_text import indented
from inspector.views.files import FILTER_FROM, FilesView
from inspector.views.plain_text import Link
from tests.inspector.side_world import MARKUP, FakeReader, artifact, rich_labels, unnamed

BIG = "\n".join(f"line {n:05} " + "x" * 49 for n in range(4_000))


@pytest.fixture
def jobs(qapp) -> Iterator[Jobs]:
    made = Jobs()
    yield made
    made.close()


@pytest.fixture
def reader() -> FakeReader:
    made = FakeReader()
    made.numbers = {71: 12, 72: 13}
    return made


@pytest.fixture
def view(qtbot, reader, jobs) -> FilesView:
    made = FilesView(reader, jobs)
    qtbot.addWidget(made)
    made.resize(340, 420)
    return made


def settled(qtbot, jobs: Jobs) -> None:
    qtbot.waitUntil(jobs.idle)


def show(qtbot, view: FilesView, jobs: Jobs, thread: str = "t") -> None:
    view.show()
    view.set_thread(thread)
    settled(qtbot, jobs)


def cells(view: FilesView, row: int) -> list[str]:
    proxy = view.table.proxy
    return [proxy.index(row, column).data() for column in range(proxy.columnCount())]


def test_a_file_says_what_it_is_and_what_left_it(qtbot, view, reader, jobs, qtmodeltester) -> None:
    reader.put(
        "files", "t",
        artifact("/large_tool_results/c1", size=240_000, kind="offloaded result", request=71, tool_call_id="c1",
                 modified_at="2026-01-02T03:04:05+00:00"),
        artifact("/memories/AGENTS.md", size=10, kind="memory", place="store"),
    )  # fmt: skip
    reader.bodies = {"/large_tool_results/c1": b"rows", "/memories/AGENTS.md": b"notes"}
    show(qtbot, view, jobs)
    qtmodeltester.check(view.model)
    assert cells(view, 0) == ["/large_tool_results/c1", "240k", "result", "thread state", "#12"]
    assert cells(view, 1) == ["/memories/AGENTS.md", "10", "memory", "store", "–"]
    assert view.text.text() == "rows"
    said = view.facts.text()
    assert "240\u2009000 bytes" in said
    assert "Lies in: thread state" in said
    assert "Lost by: another thread, deletion of the thread" in said
    assert "result of call c1, first seen in request 12" in said
    role = Qt.ItemDataRole.AccessibleTextRole
    assert view.table.proxy.index(0, 2).data(role) == "Kind: result"


def test_a_click_on_the_request_and_the_link_go_there(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a.txt", request=72))
    reader.bodies = {"/a.txt": b"x"}
    show(qtbot, view, jobs)
    with qtbot.waitSignal(view.go_to_request) as caught:
        view.table.clicked.emit(view.table.proxy.index(0, 4))
    assert caught.args == [72]
    link = next(each for each in view.facts.findChildren(Link) if "13" in each.text())
    with qtbot.waitSignal(view.go_to_request) as caught:
        qtbot.keyClick(link, Qt.Key.Key_Space)
    assert caught.args == [72]


def test_a_text_of_240_000_characters_is_whole(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/big.txt", BIG))
    reader.bodies = {"/big.txt": BIG.encode()}
    assert len(BIG) >= 240_000
    show(qtbot, view, jobs)
    assert view.text.text() == BIG
    view.text.copy_all()
    assert QGuiApplication.clipboard().text() == BIG


def test_markup_shows_letter_by_letter(qtbot, view, reader, jobs) -> None:
    path = f"/{MARKUP}.md"
    reader.put("files", "t", artifact(path, kind="memory", tool_call_id=MARKUP, problem=MARKUP))
    reader.bodies = {path: MARKUP.encode()}
    show(qtbot, view, jobs)
    assert "<b>bold</b> <img src=x> &amp; &File %s {0}" in cells(view, 0)[0]
    tip = view.table.proxy.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "&lt;b&gt;bold&lt;/b&gt;" in tip
    assert "<b>" not in tip
    assert "&amp;amp;" in tip
    assert view.text.text() == MARKUP
    assert "<b>bold</b>" in view.note.text()
    assert rich_labels(view) == []
    view.open_path("/<i>nope</i>")
    settled(qtbot, jobs)
    assert "/<i>nope</i>" in view.note.text()


SAMPLES = [
    "<b>bold</b>", "<img src='/usr/share/pixmaps/debian-logo.png' width=4000>",
    "<a href='https://e.invalid'>Approve</a>", "<table><tr><td>x", "&lt;b&gt; &amp;", "first\n<b>second</b>",
    "[/dim] [bold red]x[/]", "<module 'x' from 'y'> failed", "list<str>",
    "</pre></body><h1>You are logged out</h1>", "<font size=99>big", "\x1b[8mhidden\x1b[0m",
    "%s {0} {name} $x \\n", "<!-- ", "<style>*{color:white}</style>",
]  # fmt: skip


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_name_that_could_become_markup_does_not(qtbot, view, reader, jobs, sample: str) -> None:
    path = f"/large_tool_results/{sample}"
    reader.put("files", "t", artifact(path, tool_call_id=sample, problem=sample, modified_at=sample))
    reader.bodies = {path: sample.encode()}
    show(qtbot, view, jobs)
    view.facts.open_details()
    marked = format.marked(sample)
    index = view.table.proxy.index(0, 0)
    assert index.data() == "! " + format.one_line(path)
    tip = QTextDocument()
    tip.setHtml(index.data(Qt.ItemDataRole.ToolTipRole))
    assert " ".join(tip.toPlainText().split()) == " ".join(f"{format.marked(path)} {marked}".split())
    assert view.facts.text().startswith(path)
    assert view.note.text() == f"! {marked}"
    assert view.text.text() == sample
    assert rich_labels(view) == []


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture"),
        (b"%PDF-1.7\xff", "a PDF document"),
        (b"caf\xe9", "text in another encoding"),
        (b"\0\1\2\xff", "binary data"),
        (b"ok\xff", "byte 2 is 0xff"),
    ],
)
def test_what_is_not_text_is_shown_as_bytes_with_the_reason(qtbot, view, reader, jobs, data, says) -> None:
    reader.put("files", "t", artifact("/x.bin"))
    reader.bodies = {"/x.bin": data}
    show(qtbot, view, jobs)
    assert "Not UTF-8" in view.note.text()
    assert says in view.note.text()
    assert view.text.text().startswith("00000000  " + data[:8].hex(" "))


def test_a_large_binary_is_cut_with_its_size_said() -> None:
    content = file_content.content_of("/x", b"\xff" * 10_000)
    assert "The first 4\u2009096 of 10\u2009000 bytes are shown." in content.note
    assert len(content.text.splitlines()) == 256


def test_json_is_indented_on_request_and_back(qtbot, view, reader, jobs) -> None:
    text = '{"a":1.10,"a":[1e400,{}],"b":"\\u00e9 :,"}'
    reader.put("files", "t", artifact("/x.json"), artifact("/x.txt"))
    reader.bodies = {"/x.json": text.encode(), "/x.txt": b"plain"}
    show(qtbot, view, jobs)
    assert view.text.text() == text
    assert not view.indent.isHidden()
    view.indent.click()
    settled(qtbot, jobs)
    assert view.text.text() == '{\n  "a": 1.10,\n  "a": [\n    1e400,\n    {}\n  ],\n  "b": "\\u00e9 :,"\n}'
    view.indent.click()
    settled(qtbot, jobs)
    assert view.text.text() == text
    view.table.select("/x.txt")
    settled(qtbot, jobs)
    assert view.indent.isHidden()


PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()


@given(st.recursive(PLAIN, lambda some: st.lists(some, max_size=4) | st.dictionaries(st.text(), some, max_size=4)))
def test_indented_json_has_the_same_values(value: object) -> None:
    for ascii_only in (True, False):
        made = indented(json.dumps(value, ensure_ascii=ascii_only))
        assert made is not None
        assert json.loads(made) == value


def test_what_is_no_json_is_left_as_it_is(qtbot, view, reader, jobs) -> None:
    deep = "[" * 100_000
    assert indented(deep) is None
    reader.put("files", "t", artifact("/x.json"))
    reader.bodies = {"/x.json": b'{"cut": '}
    show(qtbot, view, jobs)
    view.indent.click()
    settled(qtbot, jobs)
    assert view.text.text() == '{"cut": '


def test_opening_a_path_selects_and_shows_it(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"), artifact("/b"))
    reader.bodies = {"/a": b"text of a", "/b": b"text of b"}
    view.show()
    view.set_thread("t")
    view.open_path("/b")  # before the list has been read
    settled(qtbot, jobs)
    assert view.table.current().artifact.path == "/b"
    assert view.text.text() == "text of b"
    view.open_path("/a")
    settled(qtbot, jobs)
    assert view.text.text() == "text of a"


def test_a_path_that_is_not_there_is_said_to_be_so(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"text of a"}
    show(qtbot, view, jobs)
    assert view.save.isEnabled()
    view.open_path("/gone.md")
    settled(qtbot, jobs)
    assert not view.save.isEnabled(), "there is nothing to save a copy of"
    assert "The thread has no file at /gone.md." in view.note.text()
    assert view.table.current() is None
    assert view.text.text() == ""
    view.note.buttons()["Close"].click()
    settled(qtbot, jobs)
    assert view.text.text() == "text of a"


def test_a_path_that_has_just_appeared_is_found(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"a", "/new": b"new text"}
    show(qtbot, view, jobs)
    reader.put("files", "t", artifact("/a"), artifact("/new"))
    view.open_path("/new")
    settled(qtbot, jobs)
    assert view.text.text() == "new text"


def test_a_path_in_a_thread_without_files(qtbot, view, reader, jobs) -> None:
    show(qtbot, view, jobs)
    assert view.pane.state() == "empty"
    view.open_path("/gone.md")
    settled(qtbot, jobs)
    assert "The thread has no file at /gone.md." in view.note.text()
    view.note.buttons()["Close"].click()
    assert view.pane.state() == "empty"


def test_the_four_states(qtbot, view, reader, jobs) -> None:
    assert view.pane.message().startswith("No thread is selected.")
    show(qtbot, view, jobs)
    assert view.pane.message().startswith("The thread has no files.")
    reader.error = InspectorError("The file is damaged at page 7.")
    view.refresh()
    settled(qtbot, jobs)
    assert view.pane.state() == "error"
    assert "damaged at page 7" in view.pane.message()
    reader.error = None
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"a"}
    view.refresh()
    settled(qtbot, jobs)
    assert view.pane.state() == "content"
    del reader.bodies["/a"]
    view.table.setCurrentIndex(view.table.rootIndex())
    view.table.select("/a")
    settled(qtbot, jobs)
    assert view.text.state() == "error"
    assert "no file at /a" in view.text.message()


def test_a_hidden_pane_reads_nothing_until_it_is_shown(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"a"}
    view.set_thread("t")
    view.refresh()
    settled(qtbot, jobs)
    assert reader.asked == []
    view.show()
    settled(qtbot, jobs)
    assert ("files", "t") in reader.asked


def test_a_late_answer_for_another_thread_is_dropped(qtbot, view, reader, jobs) -> None:
    reader.put("files", "slow", artifact("/slow"))
    reader.put("files", "quick", artifact("/quick"))
    reader.bodies = {"/slow": b"slow", "/quick": b"quick"}
    reader.gate, reader.gated = threading.Event(), "slow"
    view.show()
    view.set_thread("slow")
    view.set_thread("quick")
    qtbot.waitUntil(lambda: view.text.text() == "quick")
    reader.gate.set()
    settled(qtbot, jobs)
    assert [row.artifact.path for row in view.model.items] == ["/quick"]


def test_a_refresh_keeps_selection_and_scroll_of_5_000_rows(qtbot, view, reader, jobs) -> None:
    rows = [artifact(f"/f/{n:05}", size=n) for n in range(5_000)]
    reader.put("files", "t", *rows)
    reader.bodies = {row.path: b"text" for row in rows} | {"/f/new": b"n", "/a/first": b"n"}
    show(qtbot, view, jobs)
    view.table.select("/f/02500")
    settled(qtbot, jobs)
    top = view.table.rowAt(0)
    text_reads = len([each for each in reader.asked if each[0] == "file"])
    reader.put("files", "t", *rows, artifact("/f/new"))
    view.refresh()
    settled(qtbot, jobs)
    assert view.model.rowCount() == 5_001
    assert view.table.current().artifact.path == "/f/02500"
    assert view.table.rowAt(0) == top
    assert len([each for each in reader.asked if each[0] == "file"]) == text_reads


def test_a_changed_file_is_read_again(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a", size=3))
    reader.bodies = {"/a": b"old"}
    show(qtbot, view, jobs)
    reader.put("files", "t", artifact("/a", size=5))
    reader.bodies = {"/a": b"newer"}
    view.refresh()
    settled(qtbot, jobs)
    assert view.text.text() == "newer"


def test_a_file_that_grows_keeps_the_place_of_the_reader(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/big.txt", BIG))
    reader.bodies = {"/big.txt": BIG.encode()}
    show(qtbot, view, jobs)
    view.text.edit.scroll_to(BIG.index("line 02000"))
    top = view.text.edit.top_offset()
    assert top > 100_000
    reader.put("files", "t", artifact("/big.txt", BIG + "\nmore"))
    reader.bodies = {"/big.txt": (BIG + "\nmore").encode()}
    view.refresh()
    settled(qtbot, jobs)
    assert view.text.text().endswith("more")
    assert view.text.edit.top_offset() == top


def test_a_slow_file_is_said_to_be_read(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"text"}
    show(qtbot, view, jobs)
    view.table.setCurrentIndex(view.table.rootIndex())
    reader.gate, reader.gated = threading.Event(), "t"
    view.table.select("/a")
    qtbot.waitUntil(lambda: view.text.message() == "Reading the file")
    reader.gate.set()
    settled(qtbot, jobs)
    assert view.text.text() == "text"


def test_many_commits_while_a_list_is_read_do_not_starve_it(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a"))
    reader.bodies = {"/a": b"a"}
    reader.gate, reader.gated = threading.Event(), "t"
    view.show()
    view.set_thread("t")
    for _ in range(20):
        view.refresh()
    reader.gate.set()
    settled(qtbot, jobs)
    assert view.model.rowCount() == 1
    assert reader.asked.count(("files", "t")) == 2


def test_files_can_be_filtered_and_sorted(qtbot, view, reader, jobs) -> None:
    rows = [artifact(f"/f{n}", size=100 - n) for n in range(FILTER_FROM)]
    reader.put("files", "t", *rows, artifact("/other", kind="history"))
    reader.bodies = {row.path: b"" for row in rows} | {"/other": b""}
    show(qtbot, view, jobs)
    view.filter.setText("HISTORY")
    assert [cells(view, row)[0] for row in range(view.table.proxy.rowCount())] == ["/other"]
    view.filter.clear()
    view.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert cells(view, 0)[0] == "/other"
    assert cells(view, 1)[0] == f"/f{FILTER_FROM - 1}"


def test_a_copy_is_saved_byte_for_byte(qtbot, view, reader, jobs, tmp_path: Path) -> None:
    data = b"\xff\r\n\0" + os.urandom(500)
    reader.put("files", "t", artifact("/x/../../a.bin"))
    reader.bodies = {"/x/../../a.bin": data}
    show(qtbot, view, jobs)
    view.save.click()
    dialog = view.findChild(QFileDialog)
    assert dialog is not None
    assert Path(dialog.selectedFiles()[0]).name == "a.bin"
    dialog.reject()
    view.copies.save_to("/x/../../a.bin", str(tmp_path / "copy.bin"))
    settled(qtbot, jobs)
    assert (tmp_path / "copy.bin").read_bytes() == data
    assert "Saved a copy" in view.note.text()
    view.copies.save_to("/x/../../a.bin", str(tmp_path / "no" / "folder"))
    settled(qtbot, jobs)
    assert "could not be written" in view.note.text()


@given(st.text(max_size=300))
def test_a_suggested_name_is_harmless(path: str) -> None:
    name = safe_name(path)
    assert name
    assert len(name) <= 120
    assert not set(name) & set('<>:"/\\|?*\0\r\n\u202e')
    assert name[0] not in ".-~ "
    assert name[-1] not in ". "
    assert name.split(".")[0].lower() not in {"con", "prn", "aux", "nul", "com1", "lpt1"}
    assert Path(name).name == name


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/large_tool_results/call_1", "call_1"),
        ("/a/../../etc/passwd", "passwd"),
        ("C:\\con", "_con"),
        ("/.bashrc", "bashrc"),
        ("/", "file"),
        ("/x/nul.txt", "_nul.txt"),
        ("/" + "é" * 300 + ".json", "é" * 115 + ".json"),
    ],
)
def test_names_that_make_trouble(path: str, name: str) -> None:
    assert safe_name(path) == name


def test_a_copy_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(InspectorError, match="could not be written"):
        save_copy(tmp_path / "folder", b"x")
    assert [each.name for each in tmp_path.iterdir()] == ["folder"]


def test_everything_is_named_and_tab_leaves_the_text(qtbot, view, reader, jobs) -> None:
    reader.put("files", "t", artifact("/a.json"))
    reader.bodies = {"/a.json": b"{}"}
    show(qtbot, view, jobs)
    assert unnamed(view) == []
    assert view.text.edit.tabChangesFocus()
