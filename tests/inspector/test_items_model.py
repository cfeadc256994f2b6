"""A new list is taken over by touching only what differs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt

from inspector.models.items import Column, ItemsModel

Row = tuple[str, int]


def model(rows: list[Row]) -> ItemsModel[Row]:
    made: ItemsModel[Row] = ItemsModel(
        (Column("Name", lambda row: row[0]), Column("Value", lambda row: str(row[1]), right=True)),
        lambda row: row[0],
    )
    made.set_items(rows)
    return made


ROWS = st.lists(st.tuples(st.sampled_from(["", "\0", "a", "b", "c", "d", "e"]), st.integers(0, 3)), max_size=12)


@given(ROWS, ROWS)
def test_any_list_becomes_any_other(qapp, old: list[Row], new: list[Row]) -> None:
    made = model(old)
    counted = len(old)

    def inserted(_parent: QModelIndex, first: int, last: int) -> None:
        nonlocal counted
        counted += last - first + 1

    def removed(_parent: QModelIndex, first: int, last: int) -> None:
        nonlocal counted
        counted -= last - first + 1

    made.rowsInserted.connect(inserted)
    made.rowsRemoved.connect(removed)
    made.set_items(new)
    assert made.items == new
    assert counted == len(new) == made.rowCount()


def test_an_index_stays_with_its_item(qapp) -> None:
    made = model([("a", 1), ("b", 1), ("c", 1)])
    kept = QPersistentModelIndex(made.index(1, 0))
    gone = QPersistentModelIndex(made.index(2, 0))
    made.set_items([("new", 0), ("a", 1), ("b", 7)])
    assert (kept.row(), kept.sibling(kept.row(), 1).data()) == (2, "7")
    assert not gone.isValid()


def test_a_change_of_one_item_is_told_of_that_row(qtbot) -> None:
    made = model([("a", 1), ("b", 1), ("c", 1)])
    with qtbot.waitSignal(made.dataChanged) as told:
        made.set_items([("a", 1), ("b", 2), ("c", 1)])
    assert (told.args[0].row(), told.args[1].row()) == (1, 1)


@given(ROWS, ROWS, st.integers(-1, 1), st.booleans())
def test_sorting_keeps_indexes_with_their_items(
    qapp, rows: list[Row], later: list[Row], column: int, down: bool
) -> None:
    made = model(rows)
    kept = [(QPersistentModelIndex(made.index(row, 0)), item) for row, item in enumerate(made.items)]
    order = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
    made.sort(column, order)
    assert sorted(made.items) == sorted(rows)
    for index, item in kept:
        assert made.item(index) == item
    made.set_items(later)
    shown = made.items
    if column < 0:
        assert shown == later
    else:
        values = [str(item[column]) for item in shown]
        assert values == sorted(values, reverse=down)
    made.sort(-1)
    assert made.items == later


def test_the_model_is_sound(qtmodeltester) -> None:
    made = model([("a", 1), ("b", 2)])
    qtmodeltester.check(made)
    assert made.headerData(1, Qt.Orientation.Horizontal) == "Value"
    assert made.index(0, 1).data(Qt.ItemDataRole.AccessibleTextRole) == "Value: 1"
