"""The words around a match: secrets are masked, and the name of a rule is no match."""

from __future__ import annotations

from engine.search.snippets import snippet

GITHUB = "ghp" + "_" + "gHb1" * 9


def test_the_name_of_a_rule_is_no_match() -> None:
    found = snippet(f"a token {GITHUB} and a token", 2, ["token"])
    assert found.text == "a token [masked: GitHub token] and a token"
    assert [found.text[start : start + length] for start, length in found.marks] == ["token", "token"]
    assert [start for start, _length in found.marks] == [2, 37]
