import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QItemSelectionModel, Qt
from PySide6.QtGui import QTextDocument
from PySide6.QtTest import QAbstractItemModelTester

from inspector import format, theme
from inspector.models.marks import marks
from inspector.models.requests import (
    AGENT,
    CHANGE,
    HEADERS,
    INPUT,
    MARKS,
    NUMBER,
    OUTPUT,
    TIME,
    RequestsModel,
)
from inspector.models.rows import Rows
from inspector.session import Session
from inspector.views.requests import RequestsView
from tests.inspector.values import HOSTILE, FakeReader, request, thread


def rows_of(*given_rows) -> Rows:
    made = Rows([row.id for row in given_rows])
    made.put(given_rows)
    return made


def model_of(*given_rows) -> RequestsModel:
    made = RequestsModel()
    made.tester = QAbstractItemModelTester(made, QAbstractItemModelTester.FailureReportingMode.Fatal)
    made.set_rows(rows_of(*given_rows))
    return made


# -- Rows: what is asked of the whole ------------------------------------------------------------------


def test_the_request_before_is_one_of_the_same_agent():
    rows = rows_of(
        request(1, agent="main"),
        request(2, agent="sub", purpose="subagent", depth=1, parent_call="c1"),
        request(3, agent="sub", purpose="subagent", depth=1, parent_call="c2"),
        request(4, agent="sub", purpose="subagent", depth=1, parent_call="c1"),
        request(5, agent="main", purpose="summary", depth=1),
        request(6, agent="main"),
    )
    before = [row.id if (row := rows.before(id)) else None for id in rows.ids]
    assert before == [None, None, None, 2, None, 1]


@settings(suppress_health_check=[HealthCheck.too_slow])  # of a machine that is busy with something else
@given(st.lists(st.integers(0, 3), max_size=25), st.randoms(use_true_random=False))
def test_rows_that_arrive_in_any_order_are_told_the_same_way(agents, random):
    given_rows = [request(i, agent=str(agent)) for i, agent in enumerate(agents, 1)]
    straight = rows_of(*given_rows)
    mixed, shuffled = Rows([row.id for row in given_rows]), given_rows[:]
    random.shuffle(shuffled)
    for row in shuffled:
        mixed.put([row])
    assert [mixed.before(id) for id in mixed.ids] == [straight.before(id) for id in straight.ids]
    assert mixed.complete


def test_a_change_needs_two_numbers_of_one_kind():
    rows = rows_of(
        request(1, input=1000), request(2, input=1500), request(3, sizes={"human": 400}),
        request(4, sizes={}), request(5, sizes={"human": 10}),
    )  # fmt: skip
    assert rows.change(2) == 500 and rows.change_is_reported(2)
    assert rows.change(3) == -600 and not rows.change_is_reported(3)
    assert rows.change(4) is None and rows.change(5) is None and rows.change(1) is None


# -- The model -----------------------------------------------------------------------------------------


def cell(model: RequestsModel, row: int, column: int, role=Qt.ItemDataRole.DisplayRole):
    return model.index(row, column).data(role)


def plain(html: str) -> str:
    document = QTextDocument()
    document.setHtml(html)
    return document.toPlainText()


def test_reported_numbers_are_plain_and_estimates_say_so(qapp):
    model = model_of(request(1, input=12_345, output=99), request(2), request(3, sizes={}))
    assert [cell(model, i, INPUT) for i in range(3)] == ["12k", "~1k", "–"]
    assert [cell(model, i, OUTPUT) for i in range(3)] == ["99", "–", "–"]
    assert cell(model, 1, CHANGE) == "~0"
    assert "12\u2009345 tokens, reported by the provider" in plain(cell(model, 0, INPUT, Qt.ItemDataRole.ToolTipRole))


def test_what_is_not_known_says_why(qapp):
    model = model_of(
        request(1, status="running", duration_ms=None), request(2, status="failed", error="Rate limit"),
        request(3, sizes={}), request(4, purpose="summary", depth=1), request(5, duration_ms=None),
    )  # fmt: skip
    tips = [
        plain(cell(model, row, column, Qt.ItemDataRole.ToolTipRole))
        for row, column in ((0, OUTPUT), (1, OUTPUT), (2, INPUT), (0, CHANGE), (3, CHANGE), (4, TIME), (4, OUTPUT))
    ]
    assert tips[0] == "The answer has not come yet."
    assert tips[1] == "There is no answer: the request failed."
    assert tips[2].startswith("The provider reported no input tokens")
    assert tips[3] == "The first request of this agent here."
    assert tips[4].startswith("This call stands alone")
    assert "was not recorded" in tips[5]
    assert tips[6] == "The provider did not report output tokens."
    assert cell(model, 0, TIME) == "running"


def test_subagents_are_nested(qapp):
    model = model_of(request(1), request(2, agent="researcher", purpose="subagent", depth=2))
    assert cell(model, 0, AGENT) == "main agent"
    assert cell(model, 1, AGENT) == "\u2003\u2003▸ researcher"


def test_marks_are_letters_and_words_and_the_usual_is_not_marked(qapp):
    row = request(1, events=("memory loaded", "skill listed", "offload", "summary", "skill read", "lost", "odd <b>"))
    assert [(m.letter, m.word) for m in marks(row)] == [
        ("M", "memory loaded"), ("R", "offload"), ("Σ", "summary"), ("K", "skill read"), ("!", "record lost"),
        ("·", "odd <b>"),
    ]  # fmt: skip


def test_a_failed_request_has_the_colour_a_sign_and_its_sentence(qapp, colours):
    model = model_of(request(1, status="failed", error="RateLimitError: slow <b>down</b>"))
    assert cell(model, 0, NUMBER, Qt.ItemDataRole.ForegroundRole) == theme.error_colour()
    assert cell(model, 0, MARKS) == "! RateLimitError: slow <b>down</b>"


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter(qapp, text):
    model = model_of(request(1, agent=text, error=text, status="failed", model=text, events=(text,)))
    assert format.one_line(text) in cell(model, 0, AGENT)
    assert format.one_line(text) in cell(model, 0, MARKS)
    assert format.marked(text) in plain(cell(model, 0, MARKS, Qt.ItemDataRole.ToolTipRole))
    assert format.marked(text) in plain(cell(model, 0, AGENT, Qt.ItemDataRole.ToolTipRole))


def test_every_cell_and_header_speaks(qapp):
    model = model_of(request(1, input=5, output=6, events=("offload",)))
    for column, name in enumerate(HEADERS):
        assert cell(model, 0, column, Qt.ItemDataRole.AccessibleTextRole).startswith(f"{name}: ")
        assert model.headerData(column, Qt.Orientation.Horizontal, Qt.ItemDataRole.ToolTipRole)


def test_rows_that_have_not_come_are_numbered_dots(qapp):
    rows = Rows([1, 2, 3])
    rows.put([request(3)])
    model = RequestsModel()
    model.tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_rows(rows)
    assert [cell(model, 0, column) for column in (NUMBER, INPUT)] == ["1", "…"]
    assert "still being read" in plain(cell(model, 2, CHANGE, Qt.ItemDataRole.ToolTipRole))
    rows.put([request(1), request(2)])
    rows.extend([4])
    assert model.refresh() == 1 and model.rowCount() == 4


def test_a_copied_row_has_exact_numbers(qapp):
    model = model_of(request(1, input=12_000), request(2, input=12_345, output=1_234))
    row = model.row_at(model.index(1, 0))
    assert [model.exact_text(row, c) for c in (INPUT, OUTPUT, CHANGE, TIME)] == ["12345", "1234", "+345", "1234 ms"]


# -- The view ------------------------------------------------------------------------------------------


@pytest.fixture
def opened(qtbot, jobs, colours):
    """A view over a thread of a given length."""

    def open_(count: int, selected: int | None = None):
        rows = [request(i, input=i * 10, events=("summary",) if i % 50 == 0 else ()) for i in range(1, count + 1)]
        reader = FakeReader([thread("t")], {"t": rows})
        session = Session(reader, jobs)
        session.setParent(jobs)
        view = RequestsView(session)
        qtbot.addWidget(view)
        view.resize(800, 250)
        view.show()
        session.select_thread("t", selected)
        qtbot.waitUntil(lambda: session.rows.complete and len(session.rows) == count and jobs.idle())
        return session, view, reader

    return open_


def test_the_selected_request_is_in_sight_when_a_thread_opens(qtbot, opened):
    session, view, _reader = opened(5000, 2500)
    assert session.request_id == 2500
    qtbot.waitUntil(lambda: view.table.viewport().rect().contains(view.table.visualRect(view.table.currentIndex())))
    assert view.table.currentIndex().row() == 2499


def test_keys_step_and_the_session_follows(qtbot, opened):
    session, view, _reader = opened(30, 10)
    qtbot.keyClick(view.table, Qt.Key.Key_Down)
    assert session.request_id == 11
    qtbot.keyClick(view.table, Qt.Key.Key_Up)
    qtbot.keyClick(view.table, Qt.Key.Key_Up)
    assert session.request_id == 9
    session.step(-100)
    assert session.request_id == 1 and view.table.currentIndex().row() == 0


def test_a_click_shows_the_request_and_the_keyboard_alone_shows_none(qtbot, opened):
    session, view, _reader = opened(30, 28)
    table = view.table
    for row in (len(session.rows) - 3, len(session.rows) - 1, len(session.rows) - 2):
        at = table.visualRect(view.model.index(row, 1)).center()
        qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=at)
        assert session.request_id == session.rows.ids[row]
        assert [index.row() for index in table.selectionModel().selectedRows()] == [row]
    shown = session.request_id
    table.selectionModel().setCurrentIndex(view.model.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
    assert session.request_id == shown


def test_a_jump_shows_what_is_around_it_and_a_step_moves_no_more_than_it_must(qtbot, opened):
    session, view, _reader = opened(500, 1)
    session.select_index(300)
    rect = view.table.visualRect(view.table.currentIndex())
    assert view.table.rowHeight(0) < rect.top() < view.table.viewport().height() - 2 * rect.height()
    top = view.table.rowAt(2)
    session.step(1)
    assert view.table.rowAt(2) == top


def test_new_rows_move_neither_the_selection_nor_the_scroll_position(qtbot, opened):
    session, view, reader = opened(200, 100)
    top, changes = view.table.rowAt(2), []
    session.request_changed.connect(changes.append)
    reader.rows["t"] += [request(i) for i in range(201, 206)]
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: view.model.rowCount() == 205)
    assert session.request_id == 100 and view.table.currentIndex().row() == 99
    assert view.table.rowAt(2) == top and changes == []
    assert view.more.isVisible() and view.more.text() == "5 new requests ↓"
    qtbot.mouseClick(view.more, Qt.MouseButton.LeftButton)
    assert session.request_id == 205 and not view.more.isVisible()


def test_a_request_that_ends_is_read_again(qtbot, opened):
    session, view, reader = opened(3, 3)
    reader.rows["t"].append(request(4, status="running", duration_ms=None))
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: view.model.rowCount() == 4)
    assert cell(view.model, 3, TIME) == "running"
    reader.rows["t"][3] = request(4, output=7)
    reader.commit()
    session.poll()
    qtbot.waitUntil(lambda: cell(view.model, 3, TIME) == "1.2 s")


def test_only_rows_that_are_seen_are_made(qtbot, opened, monkeypatch):
    _session, view, _reader = opened(5000, 1)
    asked = set()
    text = RequestsModel.text
    monkeypatch.setattr(RequestsModel, "text", lambda self, row, column: asked.add(row.id) or text(self, row, column))
    view.table.viewport().repaint()
    assert 0 < len(asked) < 60


def test_an_empty_thread_says_how_to_fill_it(qtbot, jobs, colours):
    session = Session(FakeReader([thread("t")], {"t": []}), jobs)
    session.setParent(jobs)
    view = RequestsView(session)
    qtbot.addWidget(view)
    assert view.pane.message().startswith("No thread is selected.")
    session.select_thread("t")
    qtbot.waitUntil(lambda: "no recorded request" in view.pane.message())


def test_what_cannot_be_read_is_said_in_the_pane(qtbot, jobs, colours):
    class Broken(FakeReader):
        def request_ids(self, thread_id):
            from engine.errors import WorkspaceError

            raise WorkspaceError("The file <b>x</b> can't be read.")

    session = Session(Broken(), jobs)
    session.setParent(jobs)
    view = RequestsView(session)
    qtbot.addWidget(view)
    session.select_thread("t")
    qtbot.waitUntil(lambda: view.pane.state() == "error")
    assert view.pane.message() == "! The file <b>x</b> can't be read."
