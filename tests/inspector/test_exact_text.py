"""An edit of what is shown changes the edited bytes, and no others."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from inspector.exact_text import ExactText, line_origins
from inspector.line_diff import difference

PIECES = [
    "\r\n",
    "\r",
    "\n",
    "\u2028",
    "\u2029",
    "\u0085",
    "\ufeff",
    "\ufdd0",
    "\xa0",
    "\0",
    "a",
    "a",
    "b",
    " ",
    "é",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=40
)


@given(TEXTS)
def test_nothing_is_lost_between_file_and_screen(text: str) -> None:
    exact = ExactText.of(text)
    assert exact.exact == text
    assert exact.edited(exact.shown) == text
    assert "\r" not in exact.shown
    assert len(exact.ends) == len(exact.lines) - 1


@given(TEXTS, st.data())
def test_changing_one_line_changes_only_its_bytes(text: str, data: st.DataObject) -> None:
    exact = ExactText.of(text)
    at = data.draw(st.integers(0, len(exact.lines) - 1))
    new = data.draw(st.text("ab\u2028\xa0\ufeff ", max_size=6))
    lines = list(exact.lines)
    lines[at] = new
    start = exact.mark + "".join(a + b for a, b in zip(exact.lines[:at], exact.ends[:at], strict=True))
    end = text[len(start) + len(exact.lines[at]) :]
    assume(ExactText.of(start + new + end).lines == tuple(lines))  # no "\r" has come to stand before a "\n"
    assert exact.edited("\n".join(lines)) == start + new + end


@given(TEXTS, st.data())
def test_inserting_a_new_line_leaves_all_bytes_around_it(text: str, data: st.DataObject) -> None:
    exact = ExactText.of(text)
    at = data.draw(st.integers(0, len(exact.lines) - 1))
    lines = [*exact.lines[:at], "a line of its own", *exact.lines[at:]]
    result = exact.edited("\n".join(lines))
    start = exact.mark + "".join(a + b for a, b in zip(exact.lines[:at], exact.ends[:at], strict=True))
    added = result[len(start) : len(result) - len(text) + len(start)]
    assert result.startswith(start)
    assert result.endswith(text[len(start) :])
    assert added in {"a line of its own" + end for end in ("\r\n", "\n", "\r")}


@given(TEXTS, st.data())
def test_removing_a_line_that_is_there_once_leaves_all_bytes_around_it(text: str, data: st.DataObject) -> None:
    marked = data.draw(st.integers(0, len(text)))
    text = text[:marked] + "only here" + text[marked:]
    exact = ExactText.of(text)
    assume(len(exact.lines) > 1)
    at = next(i for i, line in enumerate(exact.lines) if "only here" in line)
    lines = (*exact.lines[:at], *exact.lines[at + 1 :])
    ends = (*exact.ends[:at], *exact.ends[at + 1 :])[: len(lines) - 1]
    left = ExactText(lines, ends, exact.mark).exact
    assume(ExactText.of(left).lines == lines)  # no "\r" has come to stand before a "\n"
    assert exact.edited("\n".join(lines)) == left


@given(TEXTS, TEXTS)
@example("a\r\nb", "a\n\nb\nc")
def test_the_edited_text_is_always_what_was_typed(old: str, typed: str) -> None:
    typed = "\n".join(ExactText.of("." + typed).lines)
    assert ExactText.of(ExactText.of(old).edited(typed)).shown == typed


@given(TEXTS, TEXTS)
def test_every_equal_line_of_a_difference_is_in_both(old: str, new: str) -> None:
    found = difference(old, new, context=10**9)
    assert found.same == (old == new)
    if ExactText.of(old).lines == ExactText.of(new).lines:
        assert found.removed == found.added == 0
        return
    assert [line.text for line in found.lines if line.sign != "added"] == list(ExactText.of(old).lines)
    assert [line.text for line in found.lines if line.sign != "removed"] == list(ExactText.of(new).lines)
    assert found.same == (old == new)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ""),
        ("a\nb\n", "LF"),
        ("a\r\nb", "CRLF · no line end at the end"),
        ("\ufeffa\r", "CR · byte order mark"),
        ("a\rb\nc\r\n", "mixed line ends (CRLF, LF, CR)"),
    ],
)
def test_a_file_is_described_in_words(text: str, words: str) -> None:
    assert ExactText.of(text).describe() == words


def test_new_lines_take_the_end_of_their_neighbours() -> None:
    crlf = ExactText.of("a\r\nb\r\n")
    assert crlf.edited("a\nnew\nb\n") == "a\r\nnew\r\nb\r\n"
    assert crlf.edited("a\nb\nc\nd") == "a\r\nb\r\nc\r\nd"
    assert ExactText.of("a\rb\nc").edited("a\nb\nc\nd\n") == "a\rb\nc\nd\n"
    assert ExactText.of("").edited("x\ny\n") == "x\ny\n"
    assert ExactText.of("a\u2029b\r\nc").edited("a\nnew\nb\nc") == "a\u2029new\r\nb\r\nc"


def test_two_line_ends_do_not_become_one() -> None:
    text = ExactText.of("a\rX\n\nb")
    assert text.lines == ("a", "X", "", "b")
    edited = text.edited("a\n\n\nb")
    assert edited == "a\r\r\n\nb"
    assert ExactText.of(edited).shown == "a\n\n\nb"


def test_far_equal_lines_are_left_out_and_counted() -> None:
    old = "\n".join(f"line {n}" for n in range(1000))
    found = difference(old, old.replace("line 500", "changed"))
    assert [line.sign for line in found.lines] == [
        "skipped",
        *["equal"] * 3,
        "removed",
        "added",
        *["equal"] * 3,
        "skipped",
    ]
    assert found.lines[0].text == "497 equal lines"
    assert (found.removed, found.added) == (1, 1)
    assert (found.lines[4].old, found.lines[5].new) == (501, 501)


def test_only_line_ends_differ() -> None:
    found = difference("a\r\nb", "a\nb")
    assert (found.removed, found.added, found.ends_differ, found.same) == (0, 0, True, False)


def test_a_replaced_line_keeps_its_place() -> None:
    assert line_origins(("a", "b", "c"), ("a", "x", "y", "c")) == [0, 1, None, 2]
