"""Why says of everything that is remembered by which mechanism, and leads to where it stands."""

from __future__ import annotations

from inspector.explaining import Explaining
from inspector.jobs import Progress
from inspector.models.remembered import RememberedModel
from inspector.models.why import read_why
from inspector.views.remembered import RememberedPane
from tests.inspector.side_world import rich_labels, unnamed


def test_each_thing_names_its_mechanism_and_leads_to_its_place(qtbot, reader) -> None:
    thread = next(row.thread_id for row in reader.threads() if row.title == "Competitor report, week 22")
    explaining = Explaining(reader)
    view = RememberedPane()
    qtbot.addWidget(view)
    view.resize(500, 300)
    view.show()
    ids = reader.request_ids(thread)
    why = read_why(explaining, ids[-1], Progress())
    view.show_why(why)
    model = view.table.items
    assert isinstance(model, RememberedModel)
    rows = {model.index(n, 0).data(): n for n in range(model.rowCount())}
    assert {"memory file", "checkpoint", "summary", "store"} <= set(rows)
    detail = reader.request(ids[-1])
    went: list[tuple[str, int]] = []
    view.go_to_part.connect(lambda area, index: went.append((area, index)))
    for by in ("memory file", "summary"):
        view.table.link_clicked.emit(model.item(model.index(rows[by], 0)))
    assert went == [
        ("system", next(b.index for b in detail.system if b.contributor == "MemoryMiddleware")),
        ("messages", next(m.index for m in detail.messages if m.origin == "summary")),
    ]
    assert not rich_labels(view)
    assert not unnamed(view)


def test_a_request_without_any_says_what_would_be_here(qtbot, reader) -> None:
    view = RememberedPane()
    qtbot.addWidget(view)
    view.show()
    thread = next(row.thread_id for row in reader.threads() if row.title == "Eight rounds, offloading off")
    view.show_why(read_why(Explaining(reader), reader.request_ids(thread)[0], Progress()))
    assert view.pane.state() == "empty"
    assert "Nothing in this request is remembered." in view.pane.message()
