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


def test_a_large_file_of_equal_lines_is_merged_at_once() -> None:
    base = "- x\n" * 300_000
    merge = merge_texts(base, "mine\n" + base, base + "theirs\n")
    assert merge.clean
    assert merge.text == "mine\n" + base + "theirs\n"
