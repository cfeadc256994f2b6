"""Differences of sequences and texts: exact, whole, and bounded whatever they hold."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.explain.model import TextDiff
from engine.explain.sequence import opcodes, rising
from engine.explain.texts import diff_texts

WORDS = [f"word{n}" for n in range(3_000)]


def assert_whole(old: str, new: str, diff: TextDiff) -> None:
    """The spans cover both texts in order, and what is called equal is."""
    assert "".join(old[s.old_start : s.old_end] for s in diff.spans) == old
    assert "".join(new[s.new_start : s.new_end] for s in diff.spans) == new
    at = (0, 0)
    for span in diff.spans:
        assert (span.old_start, span.new_start) == at
        at = (span.old_end, span.new_end)
        equal = old[span.old_start : span.old_end] == new[span.new_start : span.new_end]
        assert span.what != "equal" or equal
        sides = (span.old_end > span.old_start, span.new_end > span.new_start)
        assert sides == {"delete": (True, False), "insert": (False, True)}.get(span.what, (True, True))


def changed(old: str, new: str) -> list[tuple[str, str]]:
    return [
        (old[s.old_start : s.old_end], new[s.new_start : s.new_end])
        for s in diff_texts(old, new).spans
        if s.what != "equal"
    ]


@given(st.lists(st.integers(0, 6)), st.lists(st.integers(0, 6)))
def test_the_steps_lead_from_one_sequence_to_the_other(old: list[int], new: list[int]) -> None:
    made: list[int] = []
    at = (0, 0)
    for tag, a0, a1, b0, b1 in opcodes(old, new):
        assert (a0, b0) == at
        at = (a1, b1)
        if tag == "equal":
            assert old[a0:a1] == new[b0:b1]
        made += old[a0:a1] if tag == "equal" else new[b0:b1]
    assert made == new
    assert at == (len(old), len(new))


@given(st.lists(st.integers(0, 30), unique=True))
def test_a_longest_rising_row_is_found(values: list[int]) -> None:
    row = [values[index] for index in rising(values)]
    assert row == sorted(row)
    best = [1] * len(values)
    for at in range(len(values)):
        best[at] = max([best[before] + 1 for before in range(at) if values[before] < values[at]], default=1)
    assert len(row) == max(best, default=0)


@settings(max_examples=200)
@given(st.text(alphabet="ab \n,.é😀\r", max_size=80), st.text(alphabet="ab \n,.é😀\r", max_size=80))
def test_the_difference_of_any_two_texts_is_whole(old: str, new: str) -> None:
    assert_whole(old, new, diff_texts(old, new))


def test_a_word_that_changed_is_told_alone() -> None:
    assert changed("one two three\nfour\n", "one 2 three\nfour\n") == [("two", "2")]


def test_words_that_changed_side_by_side_are_one_change() -> None:
    assert changed("a quick brown fox jumps over it", "a slow white fox jumps over it") == [
        ("quick brown", "slow white")
    ]


def test_lines_that_came_and_went_are_told_whole() -> None:
    assert changed("a\nb\nc\n", "a\nc\nd\n") == [("b\n", ""), ("", "d\n")]


def test_texts_with_nothing_in_common_are_one_change() -> None:
    assert changed("cats and dogs", "1 + 1") == [("cats and dogs", "1 + 1")]


def prose(seed: int, chars: int) -> str:
    draw = random.Random(seed)
    lines, length = [], 0
    while length < chars:
        lines.append(" ".join(draw.choices(WORDS, k=9)))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[:chars]


def edited(text: str, edits: int) -> str:
    lines, draw = text.split("\n"), random.Random(7)
    for n in range(edits):
        lines[draw.randrange(len(lines))] += f" edit{n}"
    return "\n".join(lines)


def table(rows: int, one_line: bool) -> str:
    draw = random.Random(rows)
    text = json.dumps([{f"key{n}": draw.random(), "kind": "row"} for n in range(rows)], indent=1)
    return text.replace("\n", "") if one_line else text


HUGE = {
    "a hundred edits": (prose(1, 200_000), edited(prose(1, 200_000), 100)),
    "unrelated": (prose(1, 200_000), prose(2, 200_000)),
    "rows in lines": (table(3_000, False), table(3_001, False)),
    "rows in one line": (table(3_000, True), table(3_001, True)),
    "one word": ("a" * 200_000, "b" * 200_000),
    "the same line over and over": ("a\n" * 100_000, "b\n" * 100_000),
    "few different lines": ("a\nb\n" * 50_000, "b\na\nc\n" * 33_000),
    "few different words": ("x y " * 50_000, "x z " * 50_000),
}


@pytest.mark.parametrize("name", HUGE)
def test_parts_of_200_000_characters_are_compared_whole(name: str) -> None:
    old, new = HUGE[name]
    assert_whole(old, new, diff_texts(old, new))


def test_edits_in_a_long_text_are_found_exactly() -> None:
    old, new = HUGE["a hundred edits"]
    diff = diff_texts(old, new)
    assert (diff.removed, diff.added) == (0, len(new) - len(old))


def test_what_can_not_be_compared_exactly_is_divided_where_both_agree() -> None:
    old = list(range(40_000))
    new = [n for n in old if n % 100]
    assert sum(b - a for tag, a, b, _, _ in opcodes(old, new) if tag == "equal") == len(new)


def test_long_work_can_be_ended() -> None:
    class Enough(Exception):
        pass

    calls = 0

    def tick() -> None:
        nonlocal calls
        calls += 1
        if calls == 3:
            raise Enough

    with pytest.raises(Enough):
        diff_texts(*HUGE["a hundred edits"], tick)
