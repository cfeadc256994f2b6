"""Raw ↔ Effective: aligned, every fate said, the cut where it is, nothing hidden."""

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from engine.trace.fate import REASONS, align
from engine.trace.model import RequestDetail, Summary
from inspector.models.aligned import CARD, REASON, Side, cut_row
from inspector.models.heads import Heads
from inspector.models.messages import CELL
from inspector.views.raw_effective import RawEffectiveView, caption
from tests.inspector.request_samples import PartsReader, at_once, make_detail, message_rows
from tests.inspector.values import HOSTILE, request

HISTORY = "/conversation_history/session_<b>&.md"
SUMMARY = HumanMessage(
    "You are in the middle of a conversation that has been summarized.\n\nThe full conversation history "
    f"has been saved to {HISTORY} should you need to refer back to it for details.",
    additional_kwargs={"lc_source": "summarization"},
)


@pytest.fixture
def parts() -> PartsReader:
    return PartsReader()


@pytest.fixture
def view(qtbot, jobs, parts) -> RawEffectiveView:
    made = RawEffectiveView(parts, jobs, Heads(parts, jobs))
    qtbot.addWidget(made)
    made.resize(1000, 600)
    made.show()
    return made


def after_cut(parts: PartsReader, raw: list, kept: list, cutoff: int, number: int = 1) -> RequestDetail:
    """A request as the reader makes it: a summary for what is before the cut, then ``kept``."""
    raw_rows = message_rows(parts, raw)
    known = {id(message): row.part for message, row in zip(raw, raw_rows, strict=True)}
    pieces = [(row.part, row.kind, row.chars, row.tokens) for row in raw_rows]
    summary = message_rows(parts, [SUMMARY])[0]
    sent = [(summary.part, "summary", summary.chars, summary.tokens)]
    for message in kept:
        row = message_rows(parts, [message])[0]
        sent.append((known.get(id(message), row.part), row.kind, row.chars, row.tokens))
    rows = align(pieces, sent, cutoff, frozenset(), parts.message)
    return make_detail(number, raw=rows[0], messages=rows[1], aligned=rows[2], cutoff=cutoff)


def s08(parts: PartsReader) -> RequestDetail:
    """The cut falls between a call's two results."""
    calls = [{"name": "f", "args": {}, "id": "1"}, {"name": "f", "args": {}, "id": "2"}]
    raw = [
        HumanMessage("go", id="h"), AIMessage("", id="a", tool_calls=calls),
        ToolMessage("r1", tool_call_id="1", id="t1"), ToolMessage("r2", tool_call_id="2", id="t2"),
        AIMessage("done", id="b"),
    ]  # fmt: skip
    return after_cut(parts, raw, raw[3:], 3)


def words(view: RawEffectiveView, row: int, side: Side) -> list[str]:
    cell = view.model.cell(row, side)
    return [badge.word for badge in cell.badges] if cell else []


def test_nothing_is_left_out_and_the_cut_stands_where_it_is(qtbot, jobs, view, parts) -> None:
    detail = s08(parts)
    view.show_request(detail, None)
    at_once(qtbot, jobs, view)
    QAbstractItemModelTester(view.model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    assert len(view.model.rows) == 6
    sides = [(row.raw.index if row.raw else None, row.sent.index if row.sent else None) for row in view.model.rows]
    assert sides == [(0, None), (1, None), (2, None), (None, 0), (3, 1), (4, 2)]
    assert view.model.cut == 3  # between r1 and r2, where the summary stands
    assert [words(view, n, Side.RAW)[-1] for n in (0, 1, 2, 4, 5)] == ["summarized"] * 3 + ["sent"] * 2
    assert view.model.cell(0, Side.RAW).dim
    assert not view.model.cell(4, Side.RAW).dim
    assert view.model.index(0, Side.SENT).data(REASON) == REASONS["summarized"]
    assert view.model.index(3, Side.RAW).data(REASON) != ""
    assert view.caption.text() == "5 raw · ~1 → 3 effective · ~51 · 3 summarized"


def test_an_orphan_result_points_to_its_call_above_the_cut(qtbot, jobs, view, parts) -> None:
    view.show_request(s08(parts), None)
    at_once(qtbot, jobs, view)
    assert words(view, 4, Side.SENT) == ["no call · raw 1"]
    why = view.model.cell(4, Side.SENT).badges[0].why
    assert why == "no message in this list made the call; its call is raw message 1, which was not sent"
    assert "no call" not in words(view, 4, Side.RAW)  # on the raw side the call is there
    assert "no result" not in words(view, 1, Side.RAW)


def test_the_card_names_the_history_file(qtbot, jobs, view, parts) -> None:
    detail = s08(parts)
    part = detail.messages[0].part
    parts.summary_rows = [Summary(7, 1, 1, 5, 0.0, 3, 0, 9_000, 1_200, HISTORY, part, False)]
    view.show_request(detail, None)
    at_once(qtbot, jobs, view)
    card = view.model.index(3, Side.RAW).data(CARD)
    assert (card.text, card.more, card.path) == ("Summary of 3 messages", "~9k → ~1.2k tokens", HISTORY)
    assert view.model.index(4, Side.RAW).data(CARD) is None
    rect = view.table.visualRect(view.model.index(3, Side.RAW))
    with qtbot.waitSignal(view.open_artifact) as opened:
        qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=rect.center())
    assert opened.args == [HISTORY]
    view.table.setCurrentIndex(view.model.index(3, Side.RAW))
    with qtbot.waitSignal(view.open_artifact):
        qtbot.keyClick(view.table, Qt.Key.Key_Return)
    menu = view.menu(view.model.index(3, Side.RAW))
    with qtbot.waitSignal(view.open_summary) as shown:
        next(action for action in menu.actions() if action.text() == "Show the summary").trigger()
    assert shown.args == [7]
    with qtbot.waitSignal(view.go_to_request) as asked:
        next(action for action in menu.actions() if action.text() == "Go to the call that wrote it").trigger()
    assert asked.args == [5]
    menu.deleteLater()


def test_a_history_that_was_not_saved_is_said(qtbot, jobs, view, parts) -> None:
    detail = s08(parts)
    parts.summary_rows = [Summary(7, 1, 1, None, 0.0, 3, 0, 0, 0, None, detail.messages[0].part, False)]
    view.show_request(detail, None)
    at_once(qtbot, jobs, view)
    card = view.model.index(3, Side.RAW).data(CARD)
    assert (card.path, card.lost) == (None, True)


def test_fates_are_told_with_their_rule(qtbot, jobs, view, parts) -> None:
    long = {"name": "write", "args": {"content": "x" * 100}, "id": "1"}
    cut = {"name": "write", "args": {"content": "x…"}, "id": "1"}
    raw = [
        HumanMessage("0", id="0"), HumanMessage("1", id="1"), AIMessage("", id="a", tool_calls=[long]),
        ToolMessage("a long result", tool_call_id="1", id="t"), AIMessage("end", id="e"),
    ]  # fmt: skip
    kept = [AIMessage("", id="a", tool_calls=[cut]), ToolMessage("a long", tool_call_id="1", id="t"), raw[4]]
    view.show_request(after_cut(parts, raw, kept, 2), None)
    at_once(qtbot, jobs, view)
    told = {row.raw.index: words(view, n, Side.RAW)[-1] for n, row in enumerate(view.model.rows) if row.raw}
    assert told == {0: "summarized", 1: "summarized", 2: "arguments cut", 3: "clipped", 4: "sent"}
    tip = view.model.index(3, Side.RAW).data(Qt.ItemDataRole.ToolTipRole)
    assert f"arguments cut: {REASONS['arguments cut']}" in tip
    assert "args cut" not in words(view, 3, Side.SENT)  # said once, on the raw side


def test_where_the_cut_runs() -> None:
    rows = s08(PartsReader()).aligned
    assert cut_row(rows, None) is None
    assert cut_row(rows, 3) == 3
    assert cut_row(rows, 0) == 0
    assert cut_row(list(rows)[:3], 3) == 3
    assert cut_row((), 3) == 0


def test_one_can_go_to_the_cut_and_to_differences(qtbot, jobs, view, parts) -> None:
    raw = [HumanMessage(f"text {n}", id=str(n)) for n in range(400)]
    view.show_request(after_cut(parts, raw, raw[300:], 300), None)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 300  # at first the cut is what there is to see
    assert 0 <= view.table.rowViewportPosition(300) < view.table.viewport().height()
    view.table.setCurrentIndex(view.model.index(390, Side.RAW))
    view.table.scrollToBottom()
    assert view.can_show_cut()
    view.show_cut()
    assert view.table.currentIndex().row() == 300
    view.step_difference(-1)
    assert view.table.currentIndex().row() == 299
    view.step_difference(1)
    assert view.table.currentIndex().row() == 300
    view.step_difference(1)
    assert view.table.currentIndex().row() == 300  # all the others are the same on both sides


def test_thousands_of_rows_read_what_is_on_the_screen(qtbot, jobs, view, parts) -> None:
    raw = [HumanMessage(f"text {n}", id=str(n)) for n in range(5_000)]
    detail = after_cut(parts, raw, raw[4_900:], 4_900)
    view.show_request(detail, None)
    at_once(qtbot, jobs, view)
    assert view.model.rowCount() == 5_001
    asked = {part for page in parts.asked for part in page}
    assert 10 < len(asked) < 200


def test_a_side_shows_its_message_whole_or_says_why_not(qtbot, jobs, view, parts) -> None:
    view.show_request(s08(parts), None)
    at_once(qtbot, jobs, view)
    view.table.setCurrentIndex(view.model.index(0, Side.RAW))
    at_once(qtbot, jobs, view)
    assert view.message.text.text() == "go"
    view.table.setCurrentIndex(view.model.index(0, Side.SENT))
    assert view.message._pane.message() == f"No message on this side\n{REASONS['summarized']}"
    view.table.setCurrentIndex(view.model.index(4, Side.SENT))
    at_once(qtbot, jobs, view)
    assert view.message.text.text() == "r2"


def test_stepping_keeps_the_raw_message(qtbot, jobs, view, parts) -> None:
    raw = [HumanMessage(f"text {n}", id=str(n)) for n in range(200)]
    first = after_cut(parts, raw[:190], raw[100:190], 100, 1)
    second = after_cut(parts, raw, raw[100:], 100, 2)
    view.show_request(first, None)
    at_once(qtbot, jobs, view)
    index = view.model.index(150, Side.RAW)
    view.table.setCurrentIndex(index)
    view.table.scrollTo(index)
    before = view.table.rowViewportPosition(150)
    view.show_request(second, first)
    at_once(qtbot, jobs, view)
    assert view.table.currentIndex().row() == 150
    assert view.table.rowViewportPosition(150) == before
    assert view.model.rows[150].raw.index == first.aligned[150].raw.index


def test_no_raw_side_is_said(qtbot, jobs, view, parts) -> None:
    view.show_request(make_detail(row=request(1, purpose="summary"), messages=message_rows(parts, [SUMMARY])), None)
    assert "A summarizing call is made outside the state" in view.pane.message()
    view.show_request(make_detail(messages=message_rows(parts, [SUMMARY])), None)
    assert "Messages shows what the model received" in view.pane.message()


@pytest.mark.parametrize("text", HOSTILE)
def test_markup_is_shown_letter_by_letter(qtbot, jobs, view, parts, text) -> None:
    raw = [HumanMessage(text, id="0"), HumanMessage(text, id="1")]
    view.show_request(after_cut(parts, raw, raw[1:], 1), None)
    at_once(qtbot, jobs, view)
    for row, side in ((0, Side.RAW), (2, Side.RAW), (2, Side.SENT)):
        view.table.setCurrentIndex(view.model.index(row, side))
        at_once(qtbot, jobs, view)
        assert view.message.text.text() == text
        tip = view.model.index(row, side).data(Qt.ItemDataRole.ToolTipRole)
        assert "<b>" not in tip.removeprefix("<qt>")


def test_the_first_request_after_each_summary_still_shows_all_raw(qtbot, jobs, reader) -> None:
    view = RawEffectiveView(reader, jobs, Heads(reader, jobs))
    qtbot.addWidget(view)
    view.resize(1000, 600)
    view.show()
    thread = next(row.thread_id for row in reader.threads() if "week-22" in row.thread_id)
    summaries = reader.summaries(thread)
    assert len(summaries) >= 2
    for summary in summaries:
        detail = reader.request(summary.request)
        view.show_request(detail, None)
        at_once(qtbot, jobs, view)
        model = view.model
        raw = [row.raw.part for row in model.rows if row.raw is not None]
        sent = [row.sent.part for row in model.rows if row.sent is not None]
        assert raw == [row.part for row in detail.raw]
        assert sent == [row.part for row in detail.messages]
        assert len(raw) == detail.row.raw_messages
        evicted = {row.part for row in reader.evicted(summary.event)}
        assert evicted <= set(raw)
        at = model.rows[model.cut]
        assert at.sent is not None
        assert at.sent.part == summary.part
        assert model.card(model.cut).path == summary.path
        assert all(row.raw.index < summary.cutoff for row in model.rows[: model.cut])
        for row in range(model.rowCount()):
            for side in Side:
                cell = model.index(row, side).data(CELL)
                assert (cell is None) == bool(model.index(row, side).data(REASON))
        assert caption(detail).startswith(f"{len(raw)} raw · ")
