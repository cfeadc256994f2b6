import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector import format, invisible
from inspector.models.shown_text import one_line, shown
from tests.inspector.values import HOSTILE


@pytest.mark.parametrize(
    ("n", "shown"),
    [
        (0, "0"), (999, "999"), (1000, "1k"), (1234, "1.2k"), (9949, "9.9k"), (9951, "10k"), (153_757, "154k"),
        (240_000, "240k"), (999_499, "999k"), (999_500, "1M"), (1_500_000, "1.5M"), (-1234, "-1.2k"), (None, "–"),
    ],
)  # fmt: skip
def test_sizes(n, shown):
    assert format.size(n) == shown


def test_whole_numbers_have_thin_spaces():
    assert format.exact(1_234_567) == "1\u2009234\u2009567"
    assert format.count(1, "request") == "1 request"
    assert format.count(5000, "request") == "5\u2009000 requests"


def test_an_estimate_says_so_and_an_unknown_is_no_zero():
    assert format.tokens(1234) == "~1.2k"
    assert format.tokens(1234, estimated=False) == "1.2k"
    assert format.tokens(None) == format.UNKNOWN
    assert format.tokens(0, estimated=False) == "0"
    assert "estimated" in format.exact_tokens(5)
    assert "reported" in format.exact_tokens(5, False)


def test_changes_have_a_sign():
    assert [format.change(n) for n in (5, -42_000, 0, None)] == ["+5", "−42k", "0", "–"]


@pytest.mark.parametrize(
    ("ms", "shown"),
    [(0, "0 ms"), (340, "340 ms"), (999.6, "1.0 s"), (59_960, "1 min 0 s"), (125_000, "2 min 5 s"),
     (3_780_000, "1 h 3 min"), (None, "–")],
)  # fmt: skip
def test_durations(ms, shown):
    assert format.duration(ms) == shown


def test_times_are_relative_in_lists():
    now = 1_700_000_000.0
    assert format.ago(now - 5, now) == "just now"
    assert format.ago(now - 300, now) == "5 min ago"
    assert format.ago(now - 3 * 3600, now) == "3 h ago"
    assert format.ago(now - 26 * 3600, now) in ("yesterday", "2 days ago")
    assert format.ago(now - 40 * 86_400, now) == format.absolute(now - 40 * 86_400)[:10]
    assert format.ago(None, now) == format.absolute(None) == format.UNKNOWN
    assert format.absolute(1e300) == format.UNKNOWN


@given(st.integers(0, 10**12), st.integers(0, 10**12))
def test_a_larger_number_is_never_written_as_a_smaller_one(a, b):
    def value(text: str) -> float:
        factor = {"k": 1e3, "M": 1e6, "G": 1e9}.get(text[-1], 1)
        return float(text.rstrip("kMG")) * factor

    low, high = sorted((a, b))
    assert value(format.size(low)) <= value(format.size(high))
    assert value(format.size(low)) == pytest.approx(low, rel=0.06)


@given(st.text())
def test_nothing_in_a_row_can_hide_or_turn_what_is_read(text):
    row = format.one_line(text)
    assert "\n" not in row and "\r" not in row and "\x1b" not in row
    assert not set(row) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068\u200b\u2028\u2029")
    row.encode()  # no lone surrogate is left


def test_real_letters_and_emoji_stay():
    text = "café\u00a0\U0001f469\u200d\U0001f52c שלום"
    assert format.marked(text) == text
    assert format.marked("a\u202eb") == "a‹RLO›b"
    assert format.marked("a\x1b[8m\tb\n") == "a‹ESC›[8m\tb\n"
    assert format.marked("exe\u200dcute \ud83d") == "exe‹ZWJ›cute ‹U+D83D›"


@given(st.text())
def test_labels_and_texts_draw_the_same_marks(text):
    one = re.sub("[\r\n\t\u2028\u2029]", " ", text)  # only a text has lines and columns
    assert format.marked(one) == shown(one).text == one_line(one, 10**6)


def test_every_special_character_has_one_name():
    drawn = [invisible.mark(code) for code in range(0x110000) if invisible.SPECIAL.match(chr(code))]
    assert len(drawn) > 300 and len(set(drawn)) == len(drawn)
    assert {"‹RLO›", "‹ESC›", "‹BOM›", "‹ZWSP›", "‹DEL›", "‹NEL›", "‹U+115F›", "‹U+D800›"} <= set(drawn)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_tooltip_shows_markup_letter_by_letter(text, qapp):
    from PySide6.QtGui import QTextDocument

    document = QTextDocument()
    document.setHtml(format.tip(text))
    assert document.toPlainText() == format.marked(text)


def test_a_menu_shows_an_ampersand():
    assert format.menu_text("a & b\nc") == "a && b c"


@given(st.text(), st.integers(3, 40))
def test_a_name_keeps_both_ends(text, limit):
    shown = format.elide_middle(text, limit)
    assert len(shown) <= max(limit, 0)
    assert shown[:1] == text[:1] and shown[-1:] == text[-1:]


def test_a_long_text_is_cut_in_a_row_and_says_so():
    assert format.one_line("x" * 1000, 10) == "x" * 10 + "…"
    assert format.one_line("word " * 5000, 20).endswith("…")
