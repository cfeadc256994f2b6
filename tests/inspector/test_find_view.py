import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from engine.search.model import Hit, Results
from inspector import finding
from inspector.going import KEPT, Place, Trail
from inspector.models.found import FoundModel, place
from inspector.views.found_delegate import pieces
from tests.inspector.conftest import WAIT_MS, settle
from tests.inspector.values import HOSTILE


def hit(**changes):
    values = {
        "source": "part", "thread_id": "t", "thread_title": "Title", "request": 1, "request_number": 7, "requests": 3,
        "area": "messages", "index": 2, "kind": "human", "part": 5, "path": None, "version": None, "current": True,
        "field": "text", "position": 0, "length": 4, "snippet": "some text here", "marks": ((5, 4),),
        "occurrences": 1, "at": 1.0,
    }  # fmt: skip
    return Hit(**{**values, **changes})


def find(qtbot, window, query):
    view = window.desk.around["find"]
    window.focus("find")
    settle(qtbot, window)
    view.look_for(query)
    settle(qtbot, window)
    return view


def test_what_is_found_leads_to_thread_request_area_and_message(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    view = find(qtbot, window, "kind:tool report")
    hits = [hit for hit in view.results().hits if hit.area == "messages"]
    assert hits
    before = window.session.thread_id
    other = next((hit for hit in hits if hit.thread_id != before), hits[0])
    index = next(n for n in range(view.model.rowCount()) if view.model.row_at(view.model.index(n, 0)).hit == other)
    view.list.clicked.emit(view.model.index(index, 0))
    settle(qtbot, window)
    assert (window.session.thread_id, window.session.request_id) == (other.thread_id, other.request)
    qtbot.waitUntil(lambda: window.desk.request.detail().row.id == other.request)
    assert window.desk.request.area() == 1
    assert window.desk.request.messages.table.currentIndex().row() == other.index
    assert window.desk.request.messages.selected_part() == other.part
    assert window.commands.run("go.back")
    settle(qtbot, window)
    assert window.session.thread_id == before
    assert window.commands.run("go.forward")
    settle(qtbot, window)
    assert window.session.request_id == other.request


def test_what_could_not_be_found_at_once_follows(qtbot, make_window, demo_path, monkeypatch):
    monkeypatch.setattr(finding, "AT_ONCE_S", 0.0)
    window = make_window(demo_path)
    view = find(qtbot, window, "report")
    whole = view.finding.find_patiently("report")
    assert len(whole.hits) > len(view.finding.find("report").hits) > 0
    assert view.results().hits == whole.hits
    assert view.model.rowCount() == len(whole.hits) + len({each.thread_id for each in whole.hits})


@pytest.mark.parametrize("area", ["system", "tools", "raw", "provider", "response"])
def test_every_area_is_reached(qtbot, make_window, demo_path, area):
    window = make_window(demo_path)
    row = window.session.request_row()
    window.desk.going.to_hit(hit(thread_id=row.thread_id, request=row.id, area=area, index=0))
    settle(qtbot, window)
    expected = {"system": 0, "tools": 2, "raw": 4, "provider": 3, "response": 3}[area]
    assert window.desk.request.area() == expected


def test_a_bad_filter_is_told_in_a_sentence(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    view = find(qtbot, window, "kind:nonsense")
    assert view.pane.state() == "error" and "kind:nonsense is not known" in view.pane.message()
    view.look_for("zzzqqqxxx")
    settle(qtbot, window)
    assert view.pane.state() == "empty" and "Nothing was found" in view.pane.message()
    view.look_for("")
    settle(qtbot, window)
    assert view.pane.state() == "empty" and view.results() is None


def test_filters_complete_and_are_put_in_place(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    view = find(qtbot, window, "")
    view.box.setFocus()
    qtbot.keyClicks(view.box, "report ha")
    qtbot.waitUntil(lambda: "has:" in view.box.candidates(), timeout=WAIT_MS)
    popup = view.box._completer.popup()
    assert popup.isVisible()
    view.box._chosen(view.box._choices.index(view.box.candidates().index("has:"), 0))
    assert view.box.text() == "report has:"
    qtbot.waitUntil(lambda: "has:summary " in view.box.candidates(), timeout=WAIT_MS)
    view.box._chosen(view.box._choices.index(view.box.candidates().index("has:summary "), 0))
    assert view.box.text() == "report has:summary "
    popup.hide()
    settle(qtbot, window)
    assert view.pane.state() in ("content", "empty")
    qtbot.keyClick(view.box, Qt.Key.Key_Escape)
    assert view.box.text() == ""


def test_the_keyboard_alone_finds_and_opens(qtbot, make_window, demo_path):
    window = make_window(demo_path)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    assert window.commands.run("find.open")
    view = window.desk.around["find"]
    qtbot.waitUntil(view.box.hasFocus)
    settle(qtbot, window)
    view.look_for("summary")
    settle(qtbot, window)
    qtbot.keyClick(view.box, Qt.Key.Key_Return)
    settle(qtbot, window)
    assert QApplication.focusWidget() is view.list
    chosen = []
    view.chosen.connect(chosen.append)
    qtbot.keyClick(view.list, Qt.Key.Key_Return)
    assert chosen == [view.results().hits[0]]
    settle(qtbot, window)


def test_markup_is_shown_letter_by_letter(qtbot):
    for text in HOSTILE:
        found = FoundModel()
        found.set_results(Results((hit(snippet=text, marks=(), path=text, thread_title=text),), False, 1, 0, 0.0))
        for row in range(2):
            tip = found.data(found.index(row, 0), Qt.ItemDataRole.ToolTipRole)
            assert "<b>bold" not in tip and "<img" not in tip and "<a " not in tip
        assert "".join(piece for piece, _match in pieces(hit(snippet=text, marks=()))) != ""


def test_a_snippet_is_cut_so_that_its_match_is_seen():
    long = "x" * 100 + "MATCH" + "y" * 50
    cut = list(pieces(hit(snippet=long, marks=((100, 5),))))
    assert cut[0] == ("…", False) and ("MATCH", True) in cut
    assert len("".join(piece for piece, _match in cut)) < len(long)
    assert place(hit()) == "#7 · Messages 2"


def test_steps_to_a_neighbour_are_one_place():
    trail = Trail()
    trail.visit(Place("a", 1), False)
    for request in range(2, 20):
        trail.visit(Place("a", request), True)
    trail.visit(Place("b", 40), False)
    assert trail.move(-1) == Place("a", 19)
    assert trail.move(-1) == Place("a", 1) and not trail.can(-1)
    assert trail.move(1) == Place("a", 19)
    trail.visit(Place("c", 1), False)
    assert not trail.can(1) and trail.move(-1) == Place("a", 19)
    for n in range(3 * KEPT):
        trail.visit(Place("d", 10 * n), False)
    steps = 0
    while trail.move(-1):
        steps += 1
    assert steps == KEPT - 1
