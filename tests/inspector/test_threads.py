import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QAbstractItemModelTester

from inspector import format
from inspector.models.threads import ThreadsModel
from inspector.views.threads import ThreadsView
from tests.inspector.values import HOSTILE, thread


@pytest.fixture
def model(qapp) -> ThreadsModel:
    made = ThreadsModel()
    made.tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)
    return made


def shown(model: ThreadsModel) -> list[str]:
    return [model.row_at(model.index(i)).thread_id for i in range(model.rowCount())]


def test_known_threads_keep_their_places_and_new_ones_come_on_top(model):
    model.set_rows([thread("a"), thread("b"), thread("c")])
    model.set_rows([thread("c", requests=9), thread("new"), thread("a")])
    assert shown(model) == ["new", "a", "c"]
    assert model.row_at(model.index(2)).requests == 9


def test_search_looks_at_title_id_and_agent(model):
    model.set_rows([
        thread("1", title="Competitor report, week 22"),
        thread("2", title="Other", agent="Market-Analyst"),
        thread("week-3", title="x"),
    ])  # fmt: skip
    model.set_filter("WEEK")
    assert shown(model) == ["1", "week-3"]
    model.set_filter("analyst other")
    assert shown(model) == ["2"]
    model.set_filter("nothing of the kind")
    assert shown(model) == [] and model.total == 3
    model.set_filter("")
    assert shown(model) == ["1", "2", "week-3"]


def test_news_during_a_search_are_searched_too(model):
    model.set_filter("week")
    model.set_rows([thread("1", title="week 1"), thread("2", title="other")])
    assert shown(model) == ["1"]
    model.set_rows([thread("3", title="week 3"), thread("1", title="week 1"), thread("2", title="week 2 now")])
    assert shown(model) == ["3", "1", "2"]


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter(model, text):
    model.set_rows([thread(text, title=text, agent=text, source=text)])
    index = model.index(0)
    assert index.data() == format.one_line(text)
    document = QTextDocument()
    document.setHtml(index.data(Qt.ItemDataRole.ToolTipRole))
    assert format.marked(text) in document.toPlainText()
    assert "\n" not in index.data()
    assert index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_thread_without_a_title_is_called_by_its_id(model):
    model.set_rows([thread("the id", title=""), thread("", title="")])
    assert [model.index(i).data() for i in range(2)] == ["the id", "(no name)"]


@pytest.fixture
def view(qtbot) -> ThreadsView:
    made = ThreadsView()
    qtbot.addWidget(made)
    made.resize(240, 300)
    made.show()
    return made


def test_choosing_with_the_keyboard_tells_once(qtbot, view):
    told = []
    view.thread_chosen.connect(told.append)
    view.set_threads([thread("a"), thread("b")])
    view.select("a")
    qtbot.keyClick(view.list, Qt.Key.Key_Down)
    view.set_threads([thread("b", requests=8), thread("a")])
    assert told == ["b"]


def test_neither_news_nor_a_search_chooses_another_thread(qtbot, view):
    told = []
    view.thread_chosen.connect(told.append)
    view.set_threads([thread("a", title="alpha"), thread("b"), thread("c")])
    view.select("b")
    view.search.setText("alpha")
    assert not view.list.selectionModel().hasSelection()
    view.search.clear()
    assert view.list.currentIndex().row() == 1
    view.set_threads([thread("new"), thread("a"), thread("b"), thread("c")])
    assert view.model.row_at(view.list.currentIndex()).thread_id == "b"
    assert told == []


def test_the_scroll_position_stays_when_a_thread_comes_on_top(qtbot, view):
    rows = [thread(f"t{i}") for i in range(100)]
    view.set_threads(rows)
    view.list.scrollTo(view.model.index(60), view.list.ScrollHint.PositionAtTop)
    top = view.list.indexAt(view.list.viewport().rect().topLeft())
    before = (top.data(), view.list.visualRect(top).top())
    view.set_threads([thread("new"), *rows])
    top = view.list.indexAt(view.list.viewport().rect().topLeft())
    assert (top.data(), view.list.visualRect(top).top()) == before


def test_down_leads_from_the_search_into_the_list(qtbot, view):
    told = []
    view.thread_chosen.connect(told.append)
    view.set_threads([thread("a"), thread("b")])
    view.search.setFocus()
    qtbot.keyClicks(view.search, "of b")
    qtbot.keyClick(view.search, Qt.Key.Key_Down)
    assert told == ["b"]
    qtbot.keyClick(view.search, Qt.Key.Key_Escape)
    assert view.search.text() == ""


def test_empty_and_error_say_what_to_do(view):
    view.set_threads([])
    assert "Write a message below" in view.pane.message()
    view.set_threads([thread("a")])
    view.search.setText("zzz")
    assert "Escape" in view.pane.message()
    view.show_error("The file is gone.")
    assert view.pane.state() == "error"


def test_every_status_is_painted(qtbot, view, colours):
    rows = [thread(s, status=s, title=t) for s, t in
            zip(("idle", "running", "failed", "stopped", "interrupted"), HOSTILE, strict=False)]  # fmt: skip
    view.set_threads(rows)
    view.select("running")
    picture = view.list.grab().toImage()
    lines = {picture.pixelColor(x, y).name() for x in range(picture.width()) for y in range(picture.height())}
    assert len(lines) > 10  # text and a selection, not a blank
