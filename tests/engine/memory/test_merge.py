"""Two edits of one text, brought together: neither is lost, and what contradicts itself is marked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import UsageError
from engine.memory.merge import merge_texts, refuse_markers

BASE = "one\ntwo\nthree\nfour\n"


def test_edits_of_different_lines_come_together() -> None:
    merge = merge_texts(BASE, "ONE\ntwo\nthree\nfour\n", "one\ntwo\nthree\nFOUR\nfive\n")
    assert merge.clean
    assert merge.text == "ONE\ntwo\nthree\nFOUR\nfive\n"


def test_edits_of_the_same_line_both_stand_there_marked() -> None:
    merge = merge_texts(BASE, "one\nmine\nthree\nfour\n", "one\ntheirs\nthree\nfour\n")
    assert merge.text == ("one\n<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> the file as it stands\nthree\nfour\n")
    assert merge.conflicts == ((2, 6),)
    with pytest.raises(UsageError, match="still undecided"):
        refuse_markers(merge.text)
    refuse_markers(BASE)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_keep_their_ends_and_markers_take_them(end: str) -> None:
    base, mine, theirs = (text.replace("\n", end) for text in ("a\nb\n", "a\nmine\n", "a\ntheirs\n"))
    merge = merge_texts(base, mine, theirs)
    assert merge.text.count(end) == 6
    assert merge.text.replace(end, "") == merge.text.replace("\r", "").replace("\n", "")


def test_other_separators_are_no_line_ends() -> None:
    merge = merge_texts("a\u2028b\nkept\nc\n", "a\u2028B\nkept\nc\n", "a\u2028b\nkept\nC\n")
    assert merge.text == "a\u2028B\nkept\nC\n"


def test_a_last_line_without_an_end_gets_one_only_where_something_follows() -> None:
    assert merge_texts("a\nb", "x\na\nb", "a\nb\ny").text == "x\na\nb\ny"
    assert merge_texts("a\nb", "A\nb", "a\nb").text == "A\nb"


lines = st.lists(st.sampled_from(["a", "b", "", "c c"]), max_size=8).map(lambda found: "".join(f"{x}\n" for x in found))


@settings(max_examples=300, deadline=None)
@given(base=lines, mine=lines, theirs=lines)
def test_nothing_of_either_edit_is_lost(base: str, mine: str, theirs: str) -> None:
    merge = merge_texts(base, mine, theirs)
    standing = merge.text.splitlines()
    for edited in (mine, theirs):
        for line in set(edited.splitlines()) - set(base.splitlines()):
            assert line in standing
    assert merge_texts(base, mine, base).text == mine
    assert merge_texts(base, base, theirs).text == theirs
    assert merge_texts(base, mine, mine).text == mine
    marks = [line for line in standing if line.startswith("<<<<<<<")]
    assert len(marks) == len(merge.conflicts)


def decided(text: str, keep: int) -> str:
    """The text with one side (0 yours, 1 the file's) of each conflict."""
    side, out = None, []
    for line in text.splitlines(keepends=True):
        if line.startswith("<<<<<<<"):
            side = 0
        elif line.startswith("=======") and side == 0:
            side = 1
        elif line.startswith(">>>>>>>"):
            side = None
        elif side in (None, keep):
            out.append(line)
    return "".join(out)


@settings(max_examples=300, deadline=None)
@given(base=lines, mine=lines, theirs=lines)
def test_it_is_the_same_from_the_other_side(base: str, mine: str, theirs: str) -> None:
    one, other = merge_texts(base, mine, theirs), merge_texts(base, theirs, mine)
    assert len(one.conflicts) == len(other.conflicts)
    assert decided(one.text, 0) == decided(other.text, 1)
    assert decided(one.text, 1) == decided(other.text, 0)
    if one.clean:
        assert one.text == other.text


edits = st.lists(st.tuples(st.integers(0, 19), st.sampled_from(["drop", "change", "add"])), max_size=4)


def edited(base: list[str], steps: list[tuple[int, str]], half: int, name: str) -> list[str]:
    """The lines with these edits in one half only, two lines away from the middle."""
    out = {at: [line] for at, line in enumerate(base)}
    for at, step in steps:
        at = at * (len(base) // 2 - 2) // 20 + (0 if half == 0 else len(base) // 2 + 2)
        out[at] = {"drop": [], "change": [f"{name}\n"], "add": [*out[at], f"{name}\n"]}[step]
    return [line for at in range(len(base)) for line in out[at]]


@settings(max_examples=200, deadline=None)
@given(mine=edits, theirs=edits, same=st.booleans())
def test_edits_far_from_each_other_are_both_there_and_nothing_else(
    mine: list[tuple[int, str]], theirs: list[tuple[int, str]], same: bool
) -> None:
    base = [f"{at % 12 if same else at}\n" for at in range(24)]
    upper, lower = edited(base, mine, 0, "mine"), edited(base, theirs, 1, "theirs")
    expected = [*upper[: len(upper) - 12], *lower[12:]]
    merge = merge_texts("".join(base), "".join(upper), "".join(lower))
    if merge.clean:
        assert sorted(merge.text.splitlines(keepends=True)) == sorted(expected)
    if not same:
        assert merge.text == "".join(expected)


def test_a_large_file_of_equal_lines_is_merged_at_once() -> None:
    base = "- x\n" * 300_000
    merge = merge_texts(base, "mine\n" + base, base + "theirs\n")
    assert merge.clean
    assert merge.text == "mine\n" + base + "theirs\n"
