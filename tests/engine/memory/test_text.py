"""How a file is written, and the characters that nobody sees."""

from __future__ import annotations

import pytest

from engine.memory.text import facts_of, hidden_in, line_of

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("data", "encoding", "ends", "bom", "newline", "fault"),
    [
        (b"", "", "", False, False, None),
        (b"plain\n", "UTF-8", "LF", False, True, None),
        (b"a\r\nb\r\n", "UTF-8", "CRLF", False, True, None),
        (b"a\rb", "UTF-8", "CR", False, False, None),
        (b"a\nb\r\n", "UTF-8", "mixed", False, True, None),
        ("\ufeffa".encode(), "UTF-8", "", True, False, None),
        ("x".encode("utf-16-le"), "UTF-8", "", False, False, None),
        ("caf\u00e9".encode("cp1252"), "not UTF-8", "", False, False, 3),
        ("hi".encode("utf-16"), "UTF-16 LE", "", True, False, 0),
        (b"\xfe\xff\x00h", "UTF-16 BE", "", True, False, 0),
        ("hi".encode("utf-32"), "UTF-32 LE", "", True, False, 0),
    ],
)
def test_encoding_line_ends_and_marks(
    data: bytes, encoding: str, ends: str, bom: bool, newline: bool, fault: int | None
) -> None:
    facts = facts_of(data)
    assert (facts.encoding, facts.line_ends, facts.bom) == (encoding, ends, bom)
    assert (facts.final_newline, facts.fault) == (newline, fault)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a\u200bb", ["zero width space"]),
        ("rm \u202e\u2066moc\u2069", ["right-to-left override", "left-to-right isolate", "pop directional isolate"]),
        ("a\u2028b\u0085c", ["line separator", "u+0085"]),
        ("a\0b\x1b[8m", ["u+0000", "u+001b"]),
        ("mid\ufeffdle", ["zero width no-break space"]),
        ("\U000e0041\U000e0042", ["tag latin capital letter a", "tag latin capital letter b"]),
        ("in\u200cvisible", ["zero width non-joiner"]),
        ("left\u200eright", ["left-to-right mark"]),
    ],
)
def test_hidden_characters_are_named(text: str, names: list[str]) -> None:
    assert [name for _, name in hidden_in(text)] == names
    assert facts_of(text.encode()).hidden == len(names)


@pytest.mark.parametrize(
    "text",
    [
        "caf\u00e9\u00a0and tabs\tand\r\nlines\n",
        "\ufeffat the beginning",
        f"a family {FAMILY}, a scientist \U0001f469\u200d\U0001f52c, a flag {ENGLAND}",
        "\u05e9\u05dc\u05d5\u05dd \u200fwith a mark",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ],
    ids=["ordinary", "byte order mark", "emoji", "Hebrew", "Persian"],
)
def test_ordinary_writing_is_left_alone(text: str) -> None:
    assert list(hidden_in(text)) == []


def test_lines_are_counted_by_every_line_end() -> None:
    text = "one\r\ntwo\rthree\nfour"
    assert [line_of(text, text.index(word)) for word in ("one", "two", "three", "four")] == [1, 2, 3, 4]
