"""Two lists of pieces, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from engine.explain.pairing import Pair, pair
from engine.trace.model import Piece


def pieces(*parts: int, kind: str = "human") -> list[Piece]:
    return [(part, kind, 1, 1) for part in parts]


def paired(
    old: Sequence[Piece], new: Sequence[Piece], names: dict[int, str] | None = None, by_place: bool = False
) -> list[Pair]:
    """Paired by part, and by these names of parts."""
    named = names or {}

    def of(side: Sequence[Piece]):
        return lambda at: [named[side[at][0]]] if side[at][0] in named else []

    return pair(old, new, of(old), of(new), by_place=by_place)


def test_what_both_have_in_another_order_has_moved() -> None:
    assert paired(pieces(1, 2, 3), pieces(3, 1, 2)) == [
        Pair("moved", 2, 0),
        Pair("same", 0, 1),
        Pair("same", 1, 2),
    ]


def test_pieces_of_one_name_are_one_thing_that_changed() -> None:
    assert paired(pieces(1, 2), pieces(1, 3), {2: "a", 3: "a"}) == [Pair("same", 0, 0), Pair("changed", 1, 1)]


def test_pieces_without_a_common_name_came_and_went() -> None:
    assert paired(pieces(1, 2), pieces(1, 3)) == [Pair("same", 0, 0), Pair("removed", 1, None), Pair("added", None, 1)]


def test_by_place_the_pieces_of_one_kind_that_replace_each_other_belong_together() -> None:
    old, new = pieces(1, 2), [*pieces(1), *pieces(4, kind="ai"), *pieces(3)]
    assert paired(old, new, by_place=True) == [
        Pair("same", 0, 0),
        Pair("added", None, 1),
        Pair("changed", 1, 2),
    ]


@given(st.lists(st.integers(1, 9)), st.lists(st.integers(1, 9)))
def test_every_piece_of_both_sides_is_told_once(old: list[int], new: list[int]) -> None:
    found = paired(pieces(*old), pieces(*new), dict.fromkeys(range(1, 10, 2), "odd"), by_place=True)
    assert sorted(one.old for one in found if one.old is not None) == list(range(len(old)))
    assert [one.new for one in found if one.new is not None] == list(range(len(new)))
    for one in found:
        if one.what in {"same", "moved"}:
            assert one.old is not None and one.new is not None and old[one.old] == new[one.new]
        assert (one.old is None) == (one.what == "added") and (one.new is None) == (one.what == "removed")
